// Where things stand on the circle: clockwise from the top, as `perhaps ring --svg` draws it.

export const CENTRE = 360;
export const RADIUS = 230;

/** Where an id stands, as a share of the whole turn. 13 digits are all that a number holds. */
export const turnOf = id => parseInt(id.slice(0, 13), 16) / 2 ** 52;

export function point(turn, radius = RADIUS) {
  const angle = 2 * Math.PI * turn;
  return [CENTRE + radius * Math.sin(angle), CENTRE - radius * Math.cos(angle)];
}

const pair = ([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`;

/** The arc of a range; of the whole circle if it begins where it ends. */
export function arc(from, to, radius = RADIUS) {
  const share = (to - from + 1) % 1 || 1;
  const half = pair(point(from + share / 2, radius));
  const step = `A ${radius} ${radius} 0 0 1`;
  return `M ${pair(point(from, radius))} ${step} ${half} ${step} ${pair(point(to, radius))}`;
}

/** A line inside the circle, bent towards the middle, the more the longer it is: its path, where it ends, and in which direction, in degrees. */
export function chord(from, to, gap = 0) {
  const [ax, ay] = point(from, RADIUS - 10);
  const [bx, by] = point(to, RADIUS - 10 - gap);
  const [cx, cy] = [(ax + bx) / 2, (ay + by) / 2];
  const inward = Math.hypot(CENTRE - cx, CENTRE - cy) || 1;
  const bend = Math.min(0.45, (0.5 * Math.hypot(bx - ax, by - ay)) / inward);
  const [mx, my] = [cx + (CENTRE - cx) * bend, cy + (CENTRE - cy) * bend];
  return {
    d: `M ${pair([ax, ay])} Q ${pair([mx, my])} ${pair([bx, by])}`,
    end: [bx, by],
    degrees: (Math.atan2(by - my, bx - mx) * 180) / Math.PI,
  };
}

/** Colours that stand far apart, however many there are. A peer keeps the one it got first. */
export class Colours {
  #hues = new Map();

  hue(address) {
    if (!this.#hues.has(address)) {
      this.#hues.set(address, (this.#hues.size * 137) % 360);
    }
    return this.#hues.get(address);
  }

  of(address) {
    return `hsl(${this.hue(address)} 60% 60%)`;
  }
}

/**
 * Places names beside the circle so that none covers another: on each side they keep their order and are moved apart.
 * Takes and gives {turn, …}; what is given has also x, y and the side it is on.
 */
export function beside(names, radius, apart) {
  const placed = [];
  for (const right of [true, false]) {
    const side = names.filter(name => (name.turn % 1 < 0.5) === right).map(name => ({...name, right, y: point(name.turn, radius)[1]}));
    side.sort((a, b) => a.y - b.y);
    spread(side, CENTRE - radius, CENTRE + radius, apart);
    for (const name of side) {
      const off = Math.min(radius, Math.abs(name.y - CENTRE));
      const out = Math.max(10, Math.sqrt(radius ** 2 - off ** 2));
      name.x = CENTRE + (right ? out : -out);
      placed.push(name);
    }
  }
  return placed;
}

/** Those that stand too near to each other become a block around their mean; blocks that meet become one. */
function spread(side, top, bottom, apart) {
  const blocks = [];
  for (const name of side) {
    let block = {names: [name], sum: name.y};
    let before = blocks.at(-1);
    while (before && first(block) < first(before) + before.names.length * apart) {
      block = {names: [...before.names, ...block.names], sum: before.sum + block.sum};
      blocks.pop();
      before = blocks.at(-1);
    }
    blocks.push(block);
  }
  for (const block of blocks) {
    block.names.forEach((name, i) => (name.y = first(block) + i * apart));
  }

  function first(block) {
    const height = (block.names.length - 1) * apart;
    const wanted = block.sum / block.names.length - height / 2;
    return Math.max(top, Math.min(bottom - height, wanted));
  }
}
