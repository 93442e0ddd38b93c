// The ring as a drawing: ranges as arcs, nodes, fingers of this peer, and the way of a lookup.

import {arc, beside, CENTRE, chord, point, RADIUS, turnOf} from "./places.js";
import {brief, count, draw, many, percent, shortened} from "./words.js";

const NARROW_PIXELS = 520;
const NAMES_RADIUS = RADIUS + 26;
const NAMES_APART = 18;
const NUMBERS_APART = 17;
const MAX_NAMES = 36;
const MAX_NAME_LETTERS = 18;
const STEP_MILLIS = 420;
const FULL_VIEW = "-60 84 840 552";
const NARROW_VIEW = "104 104 512 512";

export class Circle {
  #svg;
  #colours;
  #scene = null;
  #nodes = [];
  #picked = null;
  #onPick;
  #narrow = false;

  /** onPick(node, pinned): a node is pointed at or chosen; null for no node. */
  constructor(svg, colours, onPick) {
    this.#svg = svg;
    this.#colours = colours;
    this.#onPick = onPick;
    svg.addEventListener("pointerover", event => this.#pointed(event, false));
    svg.addEventListener("pointerleave", () => this.#onPick(null, false));
    svg.addEventListener("click", event => this.#pointed(event, true));
    svg.addEventListener("keydown", event => this.#key(event));
    new ResizeObserver(() => {
      if (this.#narrow !== svg.clientWidth < NARROW_PIXELS) {
        this.show(this.#scene);
      }
    }).observe(svg);
  }

  #pointed(event, pinned) {
    const at = event.target.closest("[data-node]");
    this.#onPick(at ? this.#nodes[Number(at.dataset.node)] : null, pinned);
  }

  #key(event) {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === "Escape") {
      this.#onPick(null, true);
    } else if (step && this.#nodes.length) {
      const now = this.#nodes.findIndex(node => node.id === this.#picked?.id);
      const next = now < 0 ? 0 : (now + step + this.#nodes.length) % this.#nodes.length;
      this.#onPick(this.#nodes[next], true);
      event.preventDefault();
    }
  }

  /** Draws {nodes, own, fingers, colouring, lookup, summary}, in place of what was drawn before. */
  show(scene) {
    if (!scene) {
      return;
    }
    this.#scene = scene;
    this.#nodes = scene.nodes;
    this.#narrow = this.#svg.clientWidth < NARROW_PIXELS;
    this.#svg.setAttribute("viewBox", this.#narrow ? NARROW_VIEW : FULL_VIEW);
    this.#svg.replaceChildren(
      draw("circle", {cx: CENTRE, cy: CENTRE, r: RADIUS, class: "track"}),
      ...this.#arcs(),
      ...this.#fingers(),
      ...this.#path(),
      ...this.#middle(),
      ...this.#dots(),
      ...(this.#narrow ? [] : this.#names()),
    );
    this.mark(this.#picked);
  }

  /** Lets the ranges of one peer stand out. */
  mark(node) {
    this.#picked = node;
    this.#svg.classList.toggle("picked", Boolean(node));
    for (const element of this.#svg.querySelectorAll("[data-node]")) {
      const other = this.#nodes[Number(element.dataset.node)];
      element.classList.toggle("same", Boolean(node) && other.address === node.address);
      element.classList.toggle("chosen", Boolean(node) && other.id === node.id);
    }
  }

  #arcs() {
    const live = this.#nodes.filter(node => node.from);
    const most = Math.max(1, ...live.map(node => node.usedBytes ?? 0));
    return live.map(node => {
      const path = draw("path", {
        d: arc(turnOf(node.from), turnOf(node.id)),
        class: `arc ${node.health.replace(" ", "-")}`,
        "data-node": this.#nodes.indexOf(node),
      });
      if (this.#scene.colouring === "peer") {
        path.style.stroke = this.#colours.of(node.address);
      } else if (this.#scene.colouring === "load") {
        const part = Math.round(12 + (88 * (node.usedBytes ?? 0)) / most);
        path.style.stroke = `color-mix(in oklab, var(--full) ${part}%, var(--empty))`;
      }
      return path;
    });
  }

  #fingers() {
    return this.#scene.fingers.map(([from, to]) => draw("path", {d: chord(turnOf(from), turnOf(to)).d, class: "finger"}));
  }

  #middle() {
    return [
      draw("text", {x: CENTRE, y: CENTRE - 6, class: "middle"}, this.#scene.summary[0]),
      draw("text", {x: CENTRE, y: CENTRE + 16, class: "middle small"}, this.#scene.summary[1]),
    ];
  }

  #dots() {
    return this.#nodes.map((node, i) => {
      const [x, y] = point(turnOf(node.id));
      const own = node.address === this.#scene.own;
      const size = this.#nodes.length > 150 ? 4 : own ? 9 : 7;
      const shape = node.from
        ? draw("circle", {cx: x, cy: y, r: size})
        : draw("path", {d: `M ${x - 6} ${y - 6} l 12 12 m 0 -12 l -12 12`, class: "cross"});
      return draw("g", {class: `node ${node.health.replace(" ", "-")}${own ? " own" : ""}`, "data-node": i},
        draw("circle", {cx: x, cy: y, r: 14, class: "reach"}), shape,
        draw("title", {}, `${node.address} ${brief(node.id)}, ${node.from ? percent(node.share) + ", " : ""}${node.health}`));
    });
  }

  #names() {
    if (this.#nodes.length > MAX_NAMES) {
      return [];
    }
    const names = this.#nodes.map((node, i) => ({node, i, turn: turnOf(node.id)}));
    return beside(names, NAMES_RADIUS, NAMES_APART).map(({node, i, turn, x, y, right}) => {
      const [nx, ny] = point(turn, RADIUS + 9);
      const own = node.address === this.#scene.own;
      return draw("g", {class: `name ${node.health.replace(" ", "-")}${own ? " own" : ""}`, "data-node": i},
        draw("path", {d: `M ${nx} ${ny} L ${x + (right ? -4 : 4)} ${y}`, class: "leader"}),
        draw("text", {x, y, "text-anchor": right ? "start" : "end"}, shortened(node.address, MAX_NAME_LETTERS)));
    });
  }

  /** From the one who was asked to the one it named; who did not answer is reached by a broken line. */
  #path() {
    const lookup = this.#scene.lookup;
    if (!lookup) {
      return [];
    }
    const parts = [];
    const moving = !lookup.drawn && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    lookup.drawn = true;
    const steps = new Map();
    let from = null;
    lookup.hops.forEach((hop, i) => {
      steps.set(hop.id, [...(steps.get(hop.id) ?? []), i + 1]);
      const silent = hop.outcome === "timeout" || hop.outcome === "dead end";
      if (from && from !== hop.id) {
        parts.push(...this.#step(turnOf(from), turnOf(hop.id), silent, moving ? i : -1));
      }
      from = silent ? from : hop.id;
    });
    const taken = [];
    for (const [id, numbers] of steps) {
      let radius = RADIUS - 32;
      while (taken.some(([x, y]) => Math.hypot(x - point(turnOf(id), radius)[0], y - point(turnOf(id), radius)[1]) < NUMBERS_APART)) {
        radius -= NUMBERS_APART;
      }
      const [x, y] = point(turnOf(id), radius);
      taken.push([x, y]);
      parts.push(draw("text", {x, y, class: "number"}, numbers.join(" ")));
    }
    for (const host of lookup.hosts) {
      const node = this.#firstAt(host.address, lookup.key);
      if (node) {
        const [x, y] = point(turnOf(node.id));
        parts.push(draw("circle", {cx: x, cy: y, r: 14, class: host.has ? "keeps" : "keeps not"}));
      }
    }
    const turn = turnOf(lookup.key);
    parts.push(draw("path", {d: "M 0 -9 l 7 -13 h -14 z", class: "pin",
      transform: `rotate(${turn * 360} ${CENTRE} ${CENTRE}) translate(${CENTRE} ${CENTRE - RADIUS})`},
      draw("title", {}, `the key ${lookup.key}`)));
    return parts;
  }

  #step(from, to, silent, order) {
    const line = chord(from, to, silent ? 4 : 9);
    const path = draw("path", {d: line.d, class: silent ? "step silent" : "step", pathLength: silent ? null : 1});
    const [x, y] = line.end;
    const head = draw("path", {d: "M 8 0 L -6 -6 L -3 0 L -6 6 Z", class: silent ? "head silent" : "head", transform: `translate(${x} ${y}) rotate(${line.degrees})`});
    if (order >= 0) {
      const timing = {duration: STEP_MILLIS, delay: (order - 1) * STEP_MILLIS, fill: "backwards", easing: "ease-in-out"};
      path.animate(silent ? {opacity: [0, 1]} : {strokeDashoffset: [1, 0]}, timing);
      head.animate({opacity: [0, 0, 1]}, timing);
    }
    return [path, head];
  }

  /** Of the nodes of a host, the first at or behind the key. */
  #firstAt(address, key) {
    const behind = node => (turnOf(node.id) - turnOf(key) + 1) % 1;
    return this.#nodes.filter(node => node.address === address).sort((a, b) => behind(a) - behind(b))[0];
  }
}

/** What the drawing shows, in words. */
export function summaryOf(ring) {
  const peers = new Set(ring.nodes.map(node => node.address)).size;
  const lost = ring.unreached.filter(peer => !peer.left).length;
  const nodes = ring.nodes.length === peers ? "" : `, ${many(ring.nodes.length, "node")}`;
  return [
    `${many(peers, "peer")}${nodes}`,
    `${ring.settled ? "settled" : "settling"}${lost ? `, ${count(lost)} not reachable` : ""}`,
  ];
}
