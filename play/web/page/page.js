// Elements and numbers.

export const $ = (id) => document.getElementById(id);

/** An element with attributes, texts and children; text never becomes markup. */
export function make(name, attributes = {}, ...children) {
  const isDrawn = name.startsWith("svg:");
  const made = isDrawn
    ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const draw = (name, attributes, ...children) => make(`svg:${name}`, attributes, ...children);

/** Fill a select, keeping what was chosen where it is still there. */
export function choices(select, options, chosen) {
  const before = [...select.selectedOptions].map((one) => one.value);
  select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text ?? value)));
  const wanted = before.filter((value) => options.some(([one]) => String(one) === value));
  for (const option of select.options) {
    option.selected = wanted.length ? wanted.includes(option.value) : option.value === String(chosen ?? options[0]?.[0]);
  }
}

/** A number with its sign; what is shown as 0 has none. */
export function signed(number, digits = 2) {
  if (number === null || number === undefined) return "–";
  const size = Math.abs(number).toFixed(digits);
  return Number(size) === 0 ? size : (number < 0 ? "−" : "+") + size;
}

/** Chances of a win, a draw and a loss with their names; nothing where they are not known. */
export const chances = (shares, names) =>
  shares ? shares.map((share, k) => `${names[k]} ${(100 * share).toFixed(0)} %`).join(" · ") : "";

export const short = (number) =>
  number >= 1e6 ? `${(number / 1e6).toFixed(2)} M` : number >= 1e3 ? `${(number / 1e3).toFixed(1)} k` : String(Math.round(number));

export function table(headings, rows) {
  return make("table", {},
    make("thead", {}, make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))))));
}

/** What to type, with a line before it. */
export const commands = (text, typed) => [make("p", {}, text), make("pre", { class: "typed" }, typed.join("\n"))];
