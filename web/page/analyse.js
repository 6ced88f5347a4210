// Analyse: every move's score as the search deepens, and the curve of the game.

import { lines } from "./api.js";
import { chart } from "./chart.js";
import { app, fail, safely } from "./app.js";
import { $, choices, make, short, signed, table } from "./page.js";

let running = null;
let found = new Map();
let curve = [];
let curveOf = null;

export function begin() {
  $("go").addEventListener("click", safely(go));
  $("stop").addEventListener("click", halt);
  $("evaluators").addEventListener("change", () => { halt(); forget(); app.scores = {}; app.paint(); });
  $("curve").addEventListener("click", safely(course));
}

export function changed() {
  choices($("evaluators"), app.view.evaluators.map((name) => [name]));
  const wasGoing = running !== null;
  halt();
  forget();
  if (curveOf !== null && curveOf !== wholeGame()) { curve = []; curveOf = null; $("blunders").replaceChildren(); }
  paintCurve();
  if (app.tab === "analyse" && wasGoing && !app.view.over && !app.view.chance) safely(go)();
}

export function opened() {
  if (found.size) paint();
  else app.paint();
}

const wholeGame = () => JSON.stringify([app.game, app.start, ...app.moves, ...app.ahead]);

function forget() {
  found = new Map();
  $("found").replaceChildren();
}

function halt() {
  running?.abort();
  running = null;
}

async function go() {
  halt();
  const mine = new AbortController();
  running = mine;
  found = new Map();
  const evaluators = [...$("evaluators").selectedOptions].map((one) => one.value).slice(0, 4);
  const asked = { ...app.told, evaluators, depth: Number($("depth").value) };
  try {
    for await (const line of lines("analyse", asked, mine.signal)) {
      if (mine.signal.aborted) return;
      found.set(line.evaluator, line);
      paint();
    }
  } catch (error) { fail(error); }
  if (running === mine) running = null;
}

function paint() {
  const names = [...found.keys()];
  const cards = [...found.values()].map((line) => make("div", { class: "judged", "data-depth": line.depth },
    make("strong", {}, `${line.evaluator}: ${signed(line.score)} ${app.view.unit} `),
    `${line.exact ? "exact" : `depth ${line.depth}`}, ${short(line.nodes)} nodes, ${short(line.nodes / Math.max(line.seconds, 1e-6))} a second`,
    make("div", {}, "best line: ", ...line.pv.map((move, k) => make("button", { class: "link", title: "play the line as far as here", onclick: safely(() => along(line.pv.slice(0, k + 1))) }, move)))));
  const first = found.get(names[0]);
  const moves = Object.entries(first.moves).sort((a, b) => b[1] - a[1]).map(([move]) => move);
  const rows = moves.map((move) => [
    make("button", { class: "link", onclick: safely(() => app.move(move)) }, move),
    ...names.map((name) => signed(found.get(name).moves[move])),
  ]);
  $("found").replaceChildren(...cards, make("div", { class: "wide" }, table(["move", ...names], rows)));
  app.scores = {};
  for (const { move, paths } of app.view.legal) {
    const last = paths[0]?.at(-1);
    if (last && move in first.moves && !(last in app.scores)) app.scores[last] = signed(first.moves[move], 1);
  }
  app.paint();
}

const along = (moves) => app.show({ moves: [...app.moves, ...moves], ahead: [] });

async function course() {
  const all = { game: app.game, start: app.start, moves: [...app.moves, ...app.ahead] };
  const sides = [];
  curve = [];
  curveOf = wholeGame();
  halt();
  const mine = new AbortController();
  running = mine;
  for await (const point of lines("curve", { ...all, evaluator: $("evaluators").value, depth: Number($("curve-depth").value) }, mine.signal)) {
    curve.push(point);
    sides.push(point.side);
    paintCurve();
  }
  if (running === mine) running = null;
}

function paintCurve() {
  if (curve.length === 0) { $("curve-chart").replaceChildren(); return; }
  const spread = Math.max(...curve.map((p) => Math.abs(p.score))) || 1;
  const points = curve.map((p, k) => {
    const before = curve[k - 1];
    const lost = before && before.side !== undefined ? (before.side === 0 ? before.score - p.score : p.score - before.score) : 0;
    return { at: p.ply, value: p.score, lost, best: before?.move, mark: lost > Math.max(0.1 * spread, 1e-9) };
  });
  $("curve-chart").replaceChildren(chart(points, {
    low: -spread, high: spread, here: app.moves.length, format: (v) => signed(v, 1),
    click: safely((p) => app.goTo(p.at)), label: `score of ${app.view.names[0]}, by ply`,
  }));
  const all = [...app.moves, ...app.ahead];
  const worst = points.filter((p) => p.mark).sort((a, b) => b.lost - a.lost).slice(0, 8);
  $("blunders").replaceChildren(worst.length ? table(["ply", "played", "better", "lost"], worst.map((p) => [
    make("button", { class: "link", onclick: safely(() => app.goTo(p.at - 1)) }, String(p.at)), all[p.at - 1] ?? "", p.best ?? "", p.lost.toFixed(1),
  ])) : "");
}
