// Why: what a score is made of, drawn on the squares that it comes from.

import { ask } from "./api.js";
import { app, safely } from "./app.js";
import { $, choices, make, signed, table } from "./page.js";

const MOST = 60;
let squares = {};
let isTold = false;
let asked = 0;

export function begin() {
  $("why-go").addEventListener("click", safely(explain));
  for (const id of ["why-evaluator", "why-first", "why-second"]) $(id).addEventListener("change", safely(async () => { offer(); if (isTold) await explain(); }));
}

export function changed() {
  choices($("why-evaluator"), app.view.evaluators.map((name) => [name]));
  const moves = app.view.legal.map(({ move, name }) => [move, name]);
  choices($("why-first"), [["", "no move (this position)"], ...moves]);
  choices($("why-second"), [["", "no other move"], ...moves]);
  offer();
  forget();
}

/** Dice follow each move where there are some: no score can be told apart there. */
function offer() {
  $("why-of").hidden = app.view.dice;
  $("why-against").hidden = app.view.dice || !$("why-first").value;
  $("why-go").disabled = app.view.over || app.view.chance;
}

function forget() {
  $("why-score").textContent = $("why-method").textContent = "";
  $("why-parts").replaceChildren();
  squares = {};
  isTold = false;
  asked += 1;
}

export function opened() {
  tint(squares);
}

async function explain() {
  const first = $("why-first").value, second = first && $("why-second").value;
  const number = ++asked;
  $("why-parts").classList.add("stale");
  const told = await ask("why", { ...app.told, evaluator: $("why-evaluator").value, first, second });
  if (number !== asked) return; // something else is asked by now
  isTold = true;
  $("why-parts").classList.remove("stale");
  $("why-method").textContent = `${told.method}.`;
  const heads = second ? ["part", app.nameOf(first), app.nameOf(second), "difference"] : ["part", app.view.unit];
  $("why-score").textContent = second ? comparison(told, app.nameOf(first), app.nameOf(second)) : verdict(told, first && app.nameOf(first));
  $("why-parts").replaceChildren(table(heads, second ? differences(told) : sums(told)));
  squares = told.squares;
  tint(squares);
}

const spoken = ({ about, value }) => (value ? `${about}${/\d$|:|\)$/.test(about) || about.startsWith("pattern") ? ":" : ""} ${value}` : about);
const listed = (parts, adds) => parts.slice(0, 3).map((p) => `${spoken(p)} (${signed(adds(p))})`).join(", ");
const unitOf = () => (app.view.unit === "result" ? "on the scale from 0, even, to 1, won" : app.view.unit);

/** Who is ahead and why, in a sentence or two. */
function verdict({ score, side, parts }, first) {
  const { names } = app.view, who = names[side];
  const ahead = Math.abs(score) < 5e-3 ? "The position is even" : `${names[score > 0 ? side : 1 - side]} is ahead by ${Math.abs(score).toFixed(2)} ${unitOf()}`;
  const known = parts.filter((p) => !/^(constant|average)/.test(p.about));
  const good = known.filter((p) => p.adds > 5e-3), bad = known.filter((p) => p.adds < -5e-3);
  return [
    `${first ? `After ${first}: ` : ""}${ahead}.`,
    good.length ? `For ${who}: ${listed(good, (p) => p.adds)}.` : "",
    bad.length ? `Against ${who}: ${listed(bad, (p) => p.adds)}.` : "",
    known.some((p) => / against /.test(p.value)) ? `The first number is ${who}'s, the second ${names[1 - side]}'s.` : "",
  ].filter(Boolean).join(" ");
}

function comparison({ score, other, side, parts }, first, second) {
  const gap = score - other, [better, worse] = gap < 0 ? [second, first] : [first, second], by = Math.sign(gap) || 1;
  const apart = parts.map((p) => ({ about: p.about, value: "", adds: by * (p.adds[0] - p.adds[1]) })).filter((p) => p.adds > 5e-3).sort((a, b) => b.adds - a.adds);
  return `${better} is better than ${worse} for ${app.view.names[side]} by ${Math.abs(gap).toFixed(2)} ${unitOf()}${apart.length ? `, mostly by ${listed(apart, (p) => p.adds)}` : ""}.`;
}

/** Rows of the parts of one score, small ones as one, and their sum. */
function sums({ parts, score }) {
  const shown = parts.filter((p) => Math.abs(p.adds) > 5e-3).slice(0, MOST), rest = parts.filter((p) => !shown.includes(p));
  const rows = shown.map((p) => [
    p.squares.length ? make("button", { class: "link", title: "show its squares", onclick: () => tint(Object.fromEntries(p.squares.map((s) => [s, p.adds / p.squares.length]))) }, spoken(p)) : spoken(p),
    signed(p.adds),
  ]);
  if (rest.length) rows.push([`${rest.length} small parts`, signed(rest.reduce((total, p) => total + p.adds, 0))]);
  return [...rows, [make("strong", {}, "sum"), make("strong", {}, signed(score))]];
}

/** Rows of the parts that differ between two moves, all others as one, and their sum. */
function differences({ parts, score, other }) {
  const row = (name, one, two, values = ["", ""]) => [name, ...[one, two].map((adds, k) => (values[k] ? `${values[k]}: ${signed(adds)}` : signed(adds))), signed(one - two)];
  const shown = parts.filter((p) => Math.abs(p.adds[0] - p.adds[1]) > 5e-3).slice(0, MOST), rest = parts.filter((p) => !shown.includes(p));
  const rows = shown.map((p) => row(p.about, ...p.adds, p.values));
  const sum = (which) => rest.reduce((total, p) => total + p.adds[which], 0);
  if (rest.length) rows.push(row(`${rest.length} equal or small parts`, sum(0), sum(1)));
  return [...rows, row(make("strong", {}, "sum"), score, other)];
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
