// Analyse: every move's score as the search deepens.

import { found as finds } from "./api.js";
import { app, fail, safely } from "./app.js";
import { $, chances, choices, make, short, signed, table } from "./page.js";

let running = null;
let found = new Map();

export function begin() {
  $("go").addEventListener("click", safely(go));
  $("stop").addEventListener("click", halt);
  $("evaluators").addEventListener("change", () => { halt(); forget(); app.scores = {}; app.paint(); });
}

export function changed() {
  choices($("evaluators"), app.view.evaluators.map((name) => [name]));
  const wasGoing = running !== null;
  halt();
  forget();
  $("go").disabled = app.view.over || app.view.chance;
  if (app.tab === "analyse" && wasGoing && !app.view.over && !app.view.chance) safely(go)();
}

export function opened() {
  if (found.size) paint();
  else app.paint();
}

function forget() {
  found = new Map();
  $("found").replaceChildren();
}

function halt() {
  running?.abort();
  running = null;
  $("stop").hidden = true;
}

async function go() {
  halt();
  const mine = new AbortController();
  running = mine;
  $("stop").hidden = false;
  found = new Map();
  const evaluators = [...$("evaluators").selectedOptions].map((one) => one.value).slice(0, 4);
  const asked = { ...app.told, evaluators, depth: Number($("depth").value) };
  try {
    for await (const line of finds("analyse", asked, mine.signal)) {
      if (mine.signal.aborted) return;
      found.set(line.evaluator, line);
      paint();
    }
  } catch (error) { fail(error); }
  if (running === mine) halt();
}

function paint() {
  const names = [...found.keys()];
  const cards = [...found.values()].map((line) => make("div", { class: "judged", "data-depth": line.depth },
    make("strong", {}, `${line.evaluator}: ${signed(line.score)} ${app.view.unit === "result" ? "" : `${app.view.unit} `}`),
    `${line.exact ? "exact" : `depth ${line.depth}`}, ${short(line.nodes)} nodes, ${short(line.nodes / Math.max(line.seconds, 1e-6))} per second`,
    make("div", {}, chances(line.wdl, ["win", "draw", "loss"])),
    make("div", {}, "best line: ", ...line.pv.map((move, k) => make("button", { class: "link", title: "play the line up to this move", onclick: safely(() => along(line.pv.slice(0, k + 1))) }, line.names[k] ?? move)))));
  const first = found.get(names[0]);
  const moves = Object.entries(first.moves).sort((a, b) => b[1] - a[1]).map(([move]) => move);
  const rows = moves.map((move) => [
    make("button", { class: "link", onclick: safely(() => app.move(move)) }, app.nameOf(move)),
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
