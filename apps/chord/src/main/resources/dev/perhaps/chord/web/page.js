// The page of a peer: hears what has changed, and shows it.

import {Circle, summaryOf} from "./circle.js";
import {Lookup} from "./lookup.js";
import {Colours} from "./places.js";
import {Files, peersOf, showMembers} from "./tables.js";
import {bytes, count, make, many, percent} from "./words.js";

const AGAIN_MILLIS = 2_000;
const PATIENCE_MILLIS = 10_000;
const MAX_NODES_WITH_FINGERS = 4;

const $ = id => document.getElementById(id);
const colours = new Colours();
const state = {ring: null, peer: null, lookup: null, pinned: null, pointed: null};

const circle = new Circle($("circle"), colours, (node, pinned) => {
  if (pinned) {
    state.pinned = node && state.pinned?.id === node.id ? null : node;
    $("announced").textContent = state.pinned ? sentence(state.pinned) : "";
  } else {
    state.pointed = node;
  }
  showPicked();
});
const lookup = new Lookup($("lookup"), result => {
  state.lookup = result;
  show();
});
const files = new Files($("files"), text => {
  lookup.ask(text);
  $("lookup").scrollIntoView({block: "nearest", behavior: "smooth"});
});

/** All places of the circle: the nodes, and where those stood that do not answer. */
function nodes() {
  const lost = state.ring.unreached.filter(peer => !peer.left)
    .flatMap(peer => peer.ids.map(id => ({id, address: peer.address, health: peer.health})));
  return [...state.ring.nodes, ...lost].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** From the nodes of this peer to those they know far away; of many nodes, from the one that is chosen or the first. */
function fingers() {
  if (!state.peer || !$("fingers").checked) {
    return [];
  }
  const all = state.peer.nodes;
  const chosen = all.filter(node => node.id === state.pinned?.id);
  const from = all.length <= MAX_NODES_WITH_FINGERS ? all : chosen.length ? chosen : all.slice(0, 1);
  const pairs = from.flatMap(node => [...node.fingers, ...node.successors.slice(0, 1)].map(finger => [node.id, finger.id]));
  return [...new Map(pairs.filter(([a, b]) => a !== b).map(pair => [pair.join(), pair])).values()];
}

function show() {
  if (!state.ring) {
    return;
  }
  const all = nodes();
  const kept = node => node && all.find(other => other.id === node.id);
  state.pinned = kept(state.pinned) ?? null;
  state.pointed = kept(state.pointed) ?? null;
  state.ring.nodes.forEach(node => colours.hue(node.address));
  const summary = summaryOf(state.ring);
  const colouring = document.querySelector("input[name=colours]:checked").value;
  $("legend").replaceChildren(...legend(colouring));
  circle.show({
    nodes: all,
    own: state.peer?.address,
    fingers: fingers(),
    colouring,
    lookup: state.lookup,
    summary,
  });
  $("summary").textContent = summary.join(", ");
  showMembers($("members"), state.ring, state.peer?.address, colours, address => {
    state.pinned = all.find(node => node.address === address) ?? null;
    showPicked();
    $("ring").scrollIntoView({block: "nearest", behavior: "smooth"});
  });
  showPicked();
}

function legend(colouring) {
  const sign = (kind, text) => make("span", {}, make("i", {class: `sign ${kind}`, "aria-hidden": "true"}), text);
  const most = Math.max(0, ...state.ring.nodes.map(node => node.usedBytes ?? 0));
  const arcs = {
    peer: [],
    load: [make("span", {}, "nothing", make("i", {class: "sign scale", "aria-hidden": "true"}), bytes(most))],
    health: [sign("settled", "settled"), sign("settling", "settling"), sign("leaving", "leaving")],
  }[colouring];
  return [
    sign("own", "this peer"), sign("other", "settled"), sign("changing", "settling"),
    sign("away", "not reachable"), ...(arcs.length ? [make("span", {}, "ranges:")] : []), ...arcs,
  ];
}

function showPicked() {
  const node = state.pointed ?? state.pinned;
  circle.mark(node);
  const shown = node ?? state.ring?.nodes.find(other => other.address === state.peer?.address);
  const hint = make("p", {class: "quiet"}, "Point at a node, or choose one, to see its range and what it carries.");
  $("details").replaceChildren(...(shown ? details(shown) : []), ...(node ? [] : [hint]));
}

function sentence(node) {
  return `${node.address}, ${node.health}${node.from ? `, ${percent(node.share)} of the circle, ${many(node.files ?? 0, "file")}` : ""}`;
}

function details(node) {
  const peer = peersOf(state.ring).find(other => other.address === node.address);
  const swatch = make("span", {class: "swatch", "aria-hidden": "true"});
  swatch.style.background = node.from ? colours.of(node.address) : "none";
  const rows = [["Node", make("code", {class: "long"}, node.id)]];
  if (node.from) {
    const behind = ["behind ", make("code", {class: "long"}, node.from), `, ${percent(node.share)} of the circle`];
    rows.push(["Range", make("span", {}, ...(node.from === node.id ? ["the whole circle"] : behind))]);
  }
  if (peer?.share !== undefined && peer.nodes.length > 1) {
    rows.push(["Peer", `${many(peer.nodes.length, "node")}, ${percent(peer.share)} together`]);
  }
  if (node.files !== undefined) {
    rows.push(["Carries", `${many(node.files, "file")} of ${bytes(node.usedBytes)}, ${count(node.lacking)} lacking elsewhere`]);
    if (node.repairStopped || node.scrubStopped) {
      rows.push(["Trouble", `${node.repairStopped ? "repair" : "scrub"} has stopped for good: restart this peer`]);
    }
  }
  return [
    make("h3", {}, swatch, make("bdi", {}, node.address), " ", make("span", {class: `health ${node.health.replace(" ", "-")}`}, node.health)),
    make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
  ];
}

/** Listens for what changes. A browser connects again by itself, but for some failures, and not if all is silent. */
function listen() {
  const source = new EventSource("api/events");
  let timer = null;
  let patience = PATIENCE_MILLIS;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(again, patience);
    live();
  };
  const again = () => {
    clearTimeout(timer);
    source.close();
    lost();
    setTimeout(listen, AGAIN_MILLIS);
  };
  const on = (name, take) => source.addEventListener(name, event => {
    heard();
    take(JSON.parse(event.data));
  });
  timer = setTimeout(again, patience);
  source.addEventListener("error", again);
  on("beat", beat => (patience = PATIENCE_MILLIS + 2 * beat.pauseMillis));
  on("ring", ring => {
    state.ring = ring;
    show();
  });
  on("peer", peer => {
    state.peer = peer;
    document.title = `${peer.address} · a peer of a ring`;
    $("address").textContent = peer.address;
    $("cluster").textContent = peer.cluster;
    document.querySelectorAll(".own-address").forEach(element => (element.textContent = peer.address));
    show();
  });
  on("trouble", trouble => {
    $("trouble").hidden = trouble.error === null;
    $("trouble").textContent = `The ring cannot be seen from here: ${trouble.error}`;
  });
  on("files", totals => files.changed(totals).catch(() => {}));
}

let heardAt = null;

function live() {
  heardAt = Date.now();
  setState("live", "live");
  document.body.classList.remove("stale");
  $("gone").hidden = true;
}

function lost() {
  setState("not reachable", "lost");
  document.body.classList.add("stale");
  const since = heardAt === null ? "" : ` What you see is from ${new Date(heardAt).toLocaleTimeString()}.`;
  const text = `This peer does not answer; trying again.${since}`;
  if ($("gone").hidden || $("gone").textContent !== text) {
    $("gone").textContent = text;
    $("gone").hidden = false;
  }
}

function setState(text, kind) {
  if ($("state").textContent !== text) {
    $("state").textContent = text;
    $("state").className = `pill ${kind}`;
  }
}

document.querySelectorAll("input[name=colours], #fingers").forEach(input => input.addEventListener("change", show));
listen();
