// Elements and figures. Whatever comes from others becomes text here, never markup.

const SVG = "http://www.w3.org/2000/svg";
const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** An element of HTML: make("td", {class: "number"}, "12"). Strings become text. */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

export const count = n => n.toLocaleString("en-US");

export function many(n, one, more = one + "s") {
  return `${count(n)} ${n === 1 ? one : more}`;
}

/** Three significant digits. */
export function figure(value) {
  if (value === 0) {
    return "0";
  }
  const digits = Math.max(0, Math.min(8, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en-US", {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

export function bytes(n) {
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${count(n)} bytes` : `${figure(value)} ${UNITS[unit]}`;
}

export const percent = share => `${figure(share * 100)} %`;

/** Milliseconds, to a tenth of a microsecond where they are so few. */
export const millis = n => (n === 0 ? "0 ms" : n < 0.01 ? "< 0.01 ms" : `${figure(n)} ms`);

export const brief = id => id.slice(0, 8);

/** A long word with its middle left out. */
export function shortened(text, most) {
  const letters = [...text];
  const end = Math.floor((most - 1) / 2);
  return letters.length <= most ? text : letters.slice(0, most - 1 - end).join("") + "…" + letters.slice(-end).join("");
}
