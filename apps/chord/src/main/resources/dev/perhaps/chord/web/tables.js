// The members of the ring and the files of this peer, as tables.

import {brief, bytes, count, make, many, percent} from "./words.js";

const PAGE = 100;

/** The peers in the order of their first nodes, each with all its nodes; then those that do not answer, then those that left. */
export function peersOf(ring) {
  const peers = new Map();
  for (const node of ring.nodes) {
    const peer = peers.get(node.address) ?? {...node, nodes: [], share: 0, health: "settled"};
    peer.nodes.push(node);
    peer.share += node.share;
    peer.health = node.health === "settled" ? peer.health : node.health;
    peers.set(node.address, peer);
  }
  const away = ring.unreached.map(peer => ({address: peer.address, nodes: peer.ids, health: peer.health, left: peer.left}));
  away.sort((a, b) => Number(a.left) - Number(b.left));
  return [...peers.values(), ...away];
}

/** Shows the members; onPick(address) if one is chosen. */
export function showMembers(section, ring, own, colours, onPick) {
  const peers = peersOf(ring);
  const focused = document.activeElement?.dataset?.address;
  section.querySelector("tbody").replaceChildren(...peers.map(peer => row(peer, own, colours, onPick)));
  if (focused) {
    [...section.querySelectorAll("button")].find(button => button.dataset.address === focused)?.focus();
  }
  const live = peers.filter(peer => peer.share !== undefined).length;
  const lost = peers.filter(peer => peer.health === "not reachable").length;
  section.querySelector("#members-count").textContent = `${many(live, "peer")}${lost ? `, ${count(lost)} not reachable` : ""}`;
}

function row(peer, own, colours, onPick) {
  const live = peer.share !== undefined;
  const swatch = make("span", {class: "swatch", "aria-hidden": "true"});
  if (live) {
    swatch.style.background = colours.of(peer.address);
  }
  const button = make("button", {type: "button", class: "link whole", title: peer.address, "data-address": peer.address}, make("bdi", {}, peer.address));
  button.addEventListener("click", () => onPick(peer.address));
  const number = (text, wide) => make("td", {class: wide ? "number wide" : "number"}, text);
  return make("tr", {class: live ? null : "away", "data-peer": peer.address},
    make("th", {scope: "row"}, swatch, button, peer.address === own ? make("small", {}, " this peer") : null),
    make("td", {class: "wide"}, peer.nodes.length === 1 ? make("code", {}, brief(peer.nodes[0].id ?? peer.nodes[0])) : many(peer.nodes.length, "node")),
    number(live ? percent(peer.share) : "–"),
    number(peer.files === undefined ? "–" : count(peer.files), true),
    number(peer.usedBytes === undefined ? "–" : bytes(peer.usedBytes)),
    number(peer.lacking === undefined ? "–" : count(peer.lacking), true),
    make("td", {}, make("span", {class: `health ${peer.health.replace(" ", "-")}`}, peer.health)));
}

/** The files of this peer, a page at a time. */
export class Files {
  #section;
  #onLookup;
  #shown = 0;
  #version = null;

  /** onLookup(text): somebody wants to know who has this. */
  constructor(section, onLookup) {
    this.#section = section;
    this.#onLookup = onLookup;
    section.querySelector("#more").addEventListener("click", () => this.#load(this.#shown + PAGE));
  }

  /** The figures of all files, as they come with an event: if they are new, what is shown is loaded again. */
  async changed(totals) {
    if (totals.version !== this.#version) {
      this.#version = totals.version;
      await this.#load(Math.max(PAGE, this.#shown));
    }
  }

  async #load(most) {
    const entries = [];
    let page = null;
    do {
      const after = page ? `&after=${page.next}` : "";
      const response = await fetch(`api/files?most=${Math.min(1000, most - entries.length)}${after}`);
      if (!response.ok) {
        this.#version = null;
        return;
      }
      page = await response.json();
      entries.push(...page.entries);
    } while (page.next && entries.length < most);
    this.#shown = entries.length;
    this.#section.querySelector("tbody").replaceChildren(...entries.map(entry => this.#row(entry)));
    this.#section.querySelector("#more").hidden = !page.next;
    this.#section.querySelector("#files-none").hidden = entries.length > 0;
    this.#section.querySelector(".scroll").hidden = entries.length === 0;
    const names = page.names ? `, ${many(page.names, "name")}` : "";
    const deleted = page.deleted ? `, ${many(page.deleted, "mark")} of deleted ones` : "";
    this.#section.querySelector("#files-count").textContent = `${many(page.files, "file")} of ${bytes(page.usedBytes)}${names}${deleted}`;
  }

  #row(entry) {
    const text = entry.name ?? entry.id;
    const button = make("button", {type: "button", class: entry.name === null ? "link code" : "link", title: "look it up"}, make("bdi", {}, text));
    button.addEventListener("click", () => this.#onLookup(text));
    const target = entry.target === null ? null : make("div", {class: "quiet"}, "stands for ", make("code", {}, brief(entry.target)), "…");
    return make("tr", {class: entry.deleted ? "away" : null},
      make("td", {class: "wide"}, entry.deleted ? `${entry.kind}, deleted` : entry.kind),
      make("th", {scope: "row", class: "long"}, button, target),
      make("td", {class: "number"}, entry.kind === "file" && !entry.deleted ? bytes(entry.sizeBytes) : "–"),
      make("td", {class: "number wide"}, count(entry.replicas)),
      make("td", {class: "wide"}, entry.owned ? "owner" : "copy"));
  }
}
