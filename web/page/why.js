// Why: what a score is made of, drawn on the squares that it comes from.

import { ask } from "./api.js";
import { app, safely } from "./app.js";
import { $, choices, make, signed, table } from "./page.js";

const MOST = 60;

export function begin() {
  $("why-go").addEventListener("click", safely(explain));
}

export function changed() {
  choices($("why-judge"), app.view.evaluators.map((name) => [name]));
  const moves = app.view.legal.map(({ move }) => [move]);
  choices($("why-first"), [["", "this position"], ...moves]);
  choices($("why-second"), [["", "nothing"], ...moves]);
  $("why-score").textContent = "";
  $("why-parts").replaceChildren();
}

export function opened() {
  app.paint();
}

async function explain() {
  const first = $("why-first").value, second = $("why-second").value;
  if (second && !first) throw new Error("choose two moves to hold against each other, or one alone");
  const told = await ask("why", { ...app.told, evaluator: $("why-judge").value, first, second });
  const { unit, names } = app.view;
  const whose = `for ${names[told.side]} (player; ${names[1 - told.side]} is the opponent)`;
  app.scores = {};
  app.tints = {};
  if (second) {
    $("why-score").textContent = `${first} ${signed(told.first)}, ${second} ${signed(told.second)} ${unit}: ${signed(told.first - told.second)}, ${whose}. ${told.method}`;
    $("why-parts").replaceChildren(table(["part", first, second, "difference"], told.parts.slice(0, MOST).map((p) => [p.name, signed(p.first), signed(p.second), signed(p.first - p.second)])));
    app.paint();
    return;
  }
  const when = first ? `after ${first}, ` : "";
  $("why-score").textContent = `${when}${signed(told.score)} ${unit} ${whose}. ${told.method}`;
  const rest = told.rest ? [[make("em", {}, "rest"), signed(told.rest)]] : [];
  const rows = told.parts.slice(0, MOST).map((p) => [
    p.squares.length ? make("button", { class: "link", onclick: () => tint(Object.fromEntries(p.squares.map((s) => [s, p.value / p.squares.length]))) }, p.name) : p.name,
    signed(p.value),
  ]);
  const hidden = told.parts.slice(MOST).reduce((sum, p) => sum + p.value, 0);
  const more = told.parts.length > MOST ? [[`${told.parts.length - MOST} smaller parts`, signed(hidden)]] : [];
  $("why-parts").replaceChildren(table(["part", unit], [...rows, ...more, ...rest, [make("strong", {}, "sum"), make("strong", {}, signed(told.score))]]));
  tint(told.squares);
}

/** Colour squares by what they add. */
function tint(squares) {
  const most = Math.max(...Object.values(squares).map(Math.abs), 1e-9);
  app.tints = {};
  app.scores = {};
  for (const [name, value] of Object.entries(squares)) {
    app.tints[name] = { colour: value > 0 ? "var(--good)" : "var(--bad)", share: 0.75 * Math.abs(value) / most };
    app.scores[name] = signed(value, 1);
  }
  app.paint();
}
