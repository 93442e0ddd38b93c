// Asks who has a key, and says which way the question went.

import {bytes, brief, make, many, millis} from "./words.js";

const OUTCOMES = {
  "referral": "names a nearer one",
  "owner": "has it in its range",
  "presumed owner": "has it in its range if its predecessor is dead",
  "dead end": "leads nowhere",
  "timeout": "does not respond",
};

export class Lookup {
  #place;
  #input;
  #form;
  #onFound;
  #latest = 0;

  /** onFound(result): the way of a lookup is known; null if there is none to show. */
  constructor(section, onFound) {
    this.#place = section.querySelector("#path");
    this.#input = section.querySelector("#key");
    this.#form = section.querySelector("form");
    this.#onFound = onFound;
    this.#form.addEventListener("submit", event => {
      event.preventDefault();
      this.ask(this.#input.value);
    });
  }

  async ask(text) {
    this.#input.value = text;
    const turn = ++this.#latest;
    this.#place.replaceChildren(make("p", {class: "quiet"}, "Asking …"));
    let result;
    try {
      const response = await fetch(`api/lookup?key=${encodeURIComponent(text)}`);
      result = await response.json();
    } catch {
      result = {error: "this peer does not answer"};
    }
    if (turn !== this.#latest) {
      return;
    }
    if (result.error) {
      this.#place.replaceChildren(make("p", {class: "bad"}, result.error));
      this.#onFound(null);
    } else {
      this.#show(result);
      this.#onFound(result);
    }
  }

  #show(result) {
    this.#place.replaceChildren(
      make("p", {class: "found"}, ...this.#what(result)),
      make("p", {class: "quiet"}, "Its place on the circle is ", make("code", {class: "long"}, result.key)),
      make("h3", {}, "The way there"),
      make("ol", {class: "hops"}, ...result.hops.map(hop => this.#hop(hop))),
      make("p", {class: "quiet"}, `${many(result.hops.filter(hop => !hop.here).length, "question")}, ${millis(result.millis)} together`),
      ...(result.hosts.length ? [make("h3", {}, "Who should have it"), make("ul", {class: "hosts"}, ...result.hosts.map(host => this.#host(host)))] : []),
    );
  }

  #what(result) {
    const entry = result.entry;
    if (!result.reached) {
      return ["Nobody who knows could be reached: that does not mean that there is no such file."];
    }
    if (!entry) {
      return [result.kind === "id" ? "None of those who should have it knows a file with this id." : "None of those who should have it knows this name."];
    }
    if (entry.deleted) {
      return [`This ${entry.kind} was deleted.`];
    }
    if (entry.kind === "file") {
      return [`A file of ${bytes(entry.sizeBytes)}, to be kept ${entry.replicas === 1 ? "once" : `${entry.replicas} times`}.`];
    }
    const file = make("button", {type: "button", class: "link code"}, brief(entry.target) + "…");
    file.addEventListener("click", () => this.ask(entry.target));
    return ["A name for the file ", file, ": look that up too."];
  }

  #hop(hop) {
    const bad = hop.outcome === "timeout" || hop.outcome === "dead end";
    return make("li", {class: bad ? "bad" : null},
      make("span", {class: "who"}, make("bdi", {}, hop.address), hop.here ? make("small", {}, " this peer") : null),
      make("span", {class: "outcome"}, OUTCOMES[hop.outcome] ?? hop.outcome),
      make("span", {class: "took"}, hop.here ? "" : millis(hop.millis)));
  }

  #host(host) {
    const state = !host.reached ? "not reachable" : host.has ? "has it" : "does not have it";
    return make("li", {}, make("bdi", {}, host.address), make("span", {class: `health ${host.has ? "settled" : host.reached ? "lacks" : "not-reachable"}`}, state));
  }
}
