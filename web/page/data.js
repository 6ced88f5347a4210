// Data: the rows of a dataset as boards.

import { ask } from "./api.js";
import { sceneOf, textOf } from "./drawing.js";
import { app, safely } from "./app.js";
import { $, choices, commands, make, signed } from "./page.js";

const COUNT = 12;
let skip = 0;
let isTold = false;
let listed = null;
let asked = 0;

export function begin() {
  $("rows-go").addEventListener("click", safely(() => show(0)));
  $("rows-back").addEventListener("click", safely(() => show(Math.max(0, skip - COUNT))));
  $("rows-on").addEventListener("click", safely(() => show(skip + COUNT)));
  $("data").addEventListener("change", safely(async () => { offer(); if (isTold) await show(0); }));
  clear();
}

export function opened() {
  listed = list();
}

const list = safely(async () => {
  app.library = await ask("library");
  const sets = app.library.folders.filter(({ kind }) => kind === "dataset").map(({ number, name }) => [number, name]);
  choices($("dataset"), sets);
  $("data-some").hidden = sets.length === 0;
  $("data-none").replaceChildren(...(sets.length ? [] : commands("There is no dataset to show. Generate one, then start the board with its folder:", app.view.commands.data)));
  changed();
});

export function changed() {
  choices($("data-evaluator"), [["", "none"], ...app.view.evaluators.map((name) => [name])]);
  offer();
}

/** Rows have an error where an evaluator is chosen. */
function offer() {
  $("data-order").hidden = !$("data-evaluator").value;
  if ($("data-order").hidden) $("order").value = "as played";
}

async function show(from) {
  await listed;
  const number = ++asked;
  const bounds = rangesOrNothing();
  $("rows").classList.add("stale");
  const told = await ask("rows", {
    folder: Number($("dataset").value), evaluator: $("data-evaluator").value, order: $("order").value,
    ...bounds, skip: from, count: COUNT,
  });
  if (number !== asked) return; // something else is asked by now
  isTold = true;
  $("rows").classList.remove("stale");
  skip = from;
  const end = Math.min(from + told.shown.length, told.rows);
  $("rows-count").textContent = told.rows ? `${from + 1} to ${end} of ${told.rows.toLocaleString("en")} rows${told.whole ? "" : " (of the first 200,000)"}` : "no row is within these bounds";
  $("rows-back").disabled = from === 0;
  $("rows-on").disabled = end >= told.rows;
  $("rows").replaceChildren(...told.shown.map((row) => make("figure", {},
    row.scene ? sceneOf(row.scene, { label: row.text }) : textOf(row),
    make("figcaption", {}, caption(row), " ", make("button", { class: "link", onclick: safely(() => app.begin({ game: told.game, start: row.text }).then(() => { $("game").value = told.game; if (!$("table").offsetParent) app.open("analyse"); })) }, "to the board")))));
}

function rangesOrNothing() {
  try {
    return { plies: range("ply"), scores: range("score"), outcomes: range("outcome") };
  } catch (error) {
    clear();
    throw error;
  }
}

/** What two fields leave through; an empty one has no bound. */
function range(what) {
  const ends = ["low", "high"].map((end) => $(`${what}-${end}`));
  for (const end of ends) if (end.validity.badInput) throw new Error(`${end.getAttribute("aria-label")} is not a number`);
  const [low, high] = ends.map((end, k) => end.value === "" ? [what === "ply" ? 0 : -1e9, 1e9][k] : Number(end.value));
  if (low > high) throw new Error(`nothing lies from ${low} to ${high}: change the ${ends[0].getAttribute("aria-label")}`);
  return [low, high];
}

function clear() {
  $("rows").replaceChildren();
  $("rows-count").textContent = "";
  $("rows-back").disabled = $("rows-on").disabled = true;
}

function caption(row) {
  const parts = [`ply ${row.ply}`, `score ${signed(row.score, 1)}`, `outcome ${signed(row.outcome, 0)}`];
  if (row.said !== null && row.said !== undefined) parts.push(`model ${signed(row.said, 1)}, error ${signed(row.error, 1)}`);
  return parts.join(", ");
}
