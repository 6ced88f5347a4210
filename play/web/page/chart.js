// Curves as SVG.

import { draw } from "./page.js";

const LEFT = 46, BOTTOM = 26, TOP = 10;

/** A chart of points {at, value, mark}, from `low` to `high`; `click(point)` is called where one is clicked. */
export function chart(points, { low, high, format, click, here, label, height: HEIGHT }) {
  const WIDTH = Math.min(640, document.documentElement.clientWidth - 40); // letters stay as large on a narrow page
  const first = Math.min(...points.map((p) => p.at)), last = Math.max(...points.map((p) => p.at));
  const x = (at) => LEFT + (WIDTH - LEFT - 10) * (at - first) / (last - first || 1);
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (Math.max(low, Math.min(high, value)) - low) / (high - low));
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  for (const value of [low, (low + high) / 2, high]) {
    svg.append(draw("line", { class: "axis", x1: LEFT, x2: WIDTH - 10, y1: y(value), y2: y(value) }));
    svg.append(draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, format(value)));
  }
  for (const at of new Set([first, last])) svg.append(draw("text", { x: x(at), y: HEIGHT - 8, "text-anchor": "middle" }, String(at)));
  svg.append(draw("path", { class: "curve", d: `M${points.map((p) => `${x(p.at)} ${y(p.value)}`).join("L")}` }));
  svg.append(draw("line", { class: "here", x1: x(here), x2: x(here), y1: TOP, y2: HEIGHT - BOTTOM }));
  if (points.length <= 120) {
    for (const p of points) {
      svg.append(draw("circle", { class: p.mark ? "point blunder" : "point", cx: x(p.at), cy: y(p.value), r: p.mark ? 5 : 3, onclick: () => click(p) },
        draw("title", {}, `${p.at}: ${format(p.value)}`)));
    }
  }
  return svg;
}
