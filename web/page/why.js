// Why: what a score is made of, drawn on the squares that it comes from.

import { ask } from "./api.js";
import { app, safely } from "./app.js";
import { $, choices, make, signed, table, words } from "./page.js";

const MOST = 60;
let squares = {};
let isTold = false;
let asked = 0;

export function begin() {
  $("why-go").addEventListener("click", safely(explain));
  for (const id of ["why-evaluator", "why-first", "why-second"]) $(id).addEventListener("change", safely(async () => { if (isTold) await explain(); }));
}

export function changed() {
  choices($("why-evaluator"), app.view.evaluators.map((name) => [name]));
  const moves = app.view.legal.map(({ move }) => [move]);
  choices($("why-first"), [["", "this position"], ...moves]);
  choices($("why-second"), [["", "nothing"], ...moves]);
  forget();
}

function forget() {
  $("why-score").textContent = "";
  $("why-parts").replaceChildren();
  squares = {};
  isTold = false;
  asked += 1;
}

export function opened() {
  tint(squares);
}

async function explain() {
  const first = $("why-first").value, second = $("why-second").value;
  if (second && !first) throw new Error("choose two moves to hold against each other, or one alone");
  const number = ++asked;
  $("why-parts").classList.add("stale");
  const told = await ask("why", { ...app.told, evaluator: $("why-evaluator").value, first, second });
  const { unit, names } = app.view;
  const whose = `for ${names[told.side]} (player; ${names[1 - told.side]} is the opponent)`;
  if (number !== asked) return; // something else is asked by now
  isTold = true;
  squares = {};
  $("why-parts").classList.remove("stale");
  app.scores = {};
  app.tints = {};
  if (second) {
    $("why-score").textContent = `${first} ${signed(told.first)}, ${second} ${signed(told.second)} ${unit}: ${signed(told.first - told.second)}, ${whose}. ${told.method}`;
    $("why-parts").replaceChildren(table(["part", first, second, "difference"], differences(told)));
    app.paint();
    return;
  }
  const when = first ? `after ${first}, ` : "";
  $("why-score").textContent = `${when}${signed(told.score)} ${unit} ${whose}. ${told.method}`;
  const rest = told.rest ? [[make("em", {}, "rest"), signed(told.rest)]] : [];
  const rows = told.parts.slice(0, MOST).map((p) => [
    p.squares.length ? make("button", { class: "link", onclick: () => tint(Object.fromEntries(p.squares.map((s) => [s, p.value / p.squares.length]))) }, words(p.name)) : words(p.name),
    signed(p.value),
  ]);
  const hidden = told.parts.slice(MOST).reduce((sum, p) => sum + p.value, 0);
  const more = told.parts.length > MOST ? [[`${told.parts.length - MOST} smaller parts`, signed(hidden)]] : [];
  $("why-parts").replaceChildren(table(["part", unit], [...rows, ...more, ...rest, [make("strong", {}, "sum"), make("strong", {}, signed(told.score))]]));
  squares = told.squares;
  tint(squares);
}

/** Rows that tell two moves apart, what is alike in both as one, and their sum. */
function differences({ parts, first, second }) {
  const row = (name, one, other) => [name, signed(one), signed(other), signed(one - other)];
  const apart = parts.filter((p) => Math.abs(p.first - p.second) > 5e-3);
  const shown = apart.slice(0, MOST), rest = parts.filter((p) => !shown.includes(p));
  const sum = (which) => rest.reduce((total, p) => total + p[which], 0);
  const rows = shown.map((p) => row(words(p.name), p.first, p.second));
  if (rest.length) rows.push(row(`${rest.length} further parts, alike or small`, sum("first"), sum("second")));
  return [...rows, row(make("strong", {}, "sum"), first, second)];
}

/** Colour squares by what they add. */
function tint(parts) {
  const most = Math.max(...Object.values(parts).map(Math.abs), 1e-9);
  app.tints = {};
  app.scores = {};
  for (const [name, value] of Object.entries(parts)) {
    app.tints[name] = { colour: value > 0 ? "var(--good)" : "var(--bad)", share: 0.75 * Math.abs(value) / most };
    app.scores[name] = signed(value, 1);
  }
  app.paint();
}
