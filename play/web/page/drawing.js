// A scene of the server's as SVG: places, pieces, labels; and the clicks that are moves.

import { draw, make } from "./page.js";

const CLOTH = { square: "var(--cloth)", dark: "var(--cloth)", cross: "none", tray: "none", up: "none", down: "none" };

/** An SVG element of a scene. `options.click(name)` is called with places; `options.scores` is drawn on them. */
export function sceneOf(scene, options = {}) {
  const { click, scores = {}, tints = {}, label, names = {} } = options;
  const margin = scene.labels.some(([, , text]) => text.length > 1) ? 1 : 0.8;
  const svg = draw("svg", {
    viewBox: `${-margin} ${-margin} ${scene.width + 2 * margin} ${scene.height + 2 * margin}`,
    role: click ? "group" : "img", "aria-label": label ?? "board",
  });
  const isWood = scene.lines.length > 0 || scene.places.some((place) => place[5] === "up");
  svg.append(draw("rect", {
    x: -0.05, y: -0.05, width: scene.width + 0.1, height: scene.height + 0.1,
    fill: isWood ? "var(--wood)" : "var(--cloth-line)", rx: 0.08,
  }));
  for (const [x, y, x2, y2] of scene.lines) {
    svg.append(draw("line", { x1: x, y1: y, x2, y2, stroke: "var(--wood-line)", "stroke-width": 0.03 }));
  }
  const on = Map.groupBy ? Map.groupBy(scene.pieces, (piece) => piece[0]) : grouped(scene.pieces);
  const isChequered = scene.places.some((place) => place[5] === "dark");
  for (const place of scene.places) svg.append(placeOf(place, on.get(place[0]) ?? [], { click, isChequered, names, figures: scene.figures, tint: tints[place[0]] }));
  for (const [x, y, text] of scene.labels) svg.append(draw("text", { x, y, class: "label" }, text));
  // as large on a narrow page as on a wide one, where there are many columns
  svg.style.setProperty("--label", `${Math.max(0.34, 0.031 * (scene.width + 2 * margin))}px`);
  svg.style.setProperty("--score", `${Math.min(0.4, Math.max(0.3, 0.031 * (scene.width + 2 * margin)))}px`);
  svg.classList.toggle("scored", Object.keys(scores).length > 0);
  for (const [name, x, y, width, height] of scene.places) {
    if (name in scores) svg.append(draw("text", { x: x + width / 2, y: y + height / 2, class: "score" }, scores[name]));
  }
  return svg;
}

function grouped(pieces) {
  const found = new Map();
  for (const piece of pieces) found.set(piece[0], [...(found.get(piece[0]) ?? []), piece]);
  return found;
}

function placeOf([name, x, y, width, height, shape], pieces, { click, isChequered, names, figures, tint }) {
  const said = pieces.map((p) => `${p[3] > 1 ? p[3] + " " : ""}${names[p[1]] ?? p[1]}${p[2] ? " " + (figures[p[2]]?.[0] ?? p[2]) : ""}`).join(", ") || "empty";
  const g = draw("g", {
    class: "place", "data-place": name, "aria-label": `${name}, ${said}`,
    ...(click ? { role: "button", tabindex: -1, onclick: () => click(name), onkeydown: (e) => key(e, () => click(name)) } : {}),
  });
  const gap = 0.02;
  if (shape === "up" || shape === "down") {
    const tip = shape === "up" ? y : y + height, base = shape === "up" ? y + height : y;
    const isDark = Math.floor(x) % 2 === 0;
    g.append(draw("path", { d: `M${x} ${base}L${x + width / 2} ${tip}L${x + width} ${base}z`, fill: isDark ? "var(--cloth)" : "var(--light)" }));
  } else if (shape === "tray") {
    g.append(draw("rect", { x, y, width, height, fill: "var(--wood-line)", opacity: 0.35 }));
  } else {
    const fill = isChequered && shape === "square" ? "var(--light)" : CLOTH[shape];
    g.append(draw("rect", { x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap, fill }));
  }
  if (tint) g.append(draw("rect", { x, y, width, height, fill: tint.colour, opacity: tint.share }));
  g.append(draw("rect", { class: "frame", x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap }));
  let from = 0;
  for (const piece of pieces) {
    if (figures[piece[2]]) g.append(figureOf(figures[piece[2]], piece[1], x, y));
    else g.append(...(height > width ? stack(piece, x, y, width, height, shape, from) : disc(piece, x + 0.5, y + 0.5)));
    from += piece[3];
  }
  g.append(draw("circle", { class: "dot", cx: x + width / 2, cy: height > width ? (shape === "up" ? y + height - 0.5 : y + 0.5) : y + height / 2, r: 0.14 }));
  return g;
}

/** A piece that is more than a disc, in a square of size 1. */
export function figureOf([, outline, detail], colour, x = 0, y = 0) {
  return draw("g", { class: `figure ${colour}`, transform: `translate(${x} ${y}) scale(0.01)` },
    draw("path", { d: outline }), draw("path", { class: "detail", d: detail }));
}

/** A scene as the other side of the table sees it; labels stay on their side of the board. */
export function turned(scene) {
  const { width, height } = scene;
  return {
    ...scene,
    places: scene.places.map(([name, x, y, w, h, shape]) => [name, width - x - w, height - y - h, w, h, shape]),
    lines: scene.lines.map(([x, y, x2, y2]) => [width - x, height - y, width - x2, height - y2]),
    labels: scene.labels.map(([x, y, text]) => [x > 0 && x < width ? width - x : x, y > 0 && y < height ? height - y : y, text]),
  };
}

function disc([, colour, letter], cx, cy, text = letter) {
  const parts = [draw("circle", { class: colour, cx, cy, r: 0.41 })];
  if (text) parts.push(draw("text", { class: "letter", x: cx, y: cy }, text));
  return parts;
}

function stack(piece, x, y, width, height, shape, from) {
  const parts = [], most = 5, number = piece[3];
  const shown = Math.min(number, most);
  const isUp = shape === "up" || (shape === "tray" && y > 0);
  for (let k = 0; k < shown; k++) {
    const step = 0.9 * (from + k) + 0.5;
    const text = k === shown - 1 && number > most ? String(number) : "";
    parts.push(...disc(piece, x + width / 2, isUp ? y + height - step : y + step, text));
  }
  return parts;
}

function key(event, act) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

/** What a board without places shows: its text. */
export const textOf = (view) => make("pre", { role: "img", "aria-label": "position" }, view.board);

/** The clicks so far, and which moves they may become. */
export class Clicks {
  constructor(legal) {
    this.legal = legal;
    this.path = [];
  }

  /** Whether a move goes on over this place. */
  next() {
    const found = new Set();
    for (const { paths } of this.legal) for (const path of paths) if (this.#begins(path) && path.length > this.path.length) found.add(path[this.path.length]);
    return found;
  }

  #begins(path) {
    return this.path.every((name, k) => path[k] === name);
  }

  /** Take a click; return the moves that it may end, and whether others go on. */
  take(name) {
    if (!this.next().has(name)) {
      this.path = [];
      if (!this.next().has(name)) return { whole: [], goesOn: false };
    }
    this.path.push(name);
    const whole = this.legal.filter(({ paths }) => paths.some((path) => path.length === this.path.length && this.#begins(path)));
    return { whole: whole.map(({ move }) => move), goesOn: this.next().size > 0 };
  }
}
