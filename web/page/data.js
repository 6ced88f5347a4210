// Data: the rows of a dataset as boards.

import { ask } from "./api.js";
import { sceneOf, textOf } from "./drawing.js";
import { app, safely } from "./app.js";
import { $, choices, make, signed } from "./page.js";

const COUNT = 12;
let skip = 0;

export function begin() {
  $("rows-go").addEventListener("click", safely(() => show(0)));
  $("rows-back").addEventListener("click", safely(() => show(Math.max(0, skip - COUNT))));
  $("rows-on").addEventListener("click", safely(() => show(skip + COUNT)));
}

export const opened = safely(async () => {
  app.shelf = await ask("shelf");
  const sets = app.shelf.folders.filter(({ kind }) => kind === "dataset").map(({ number, name }) => [number, name]);
  choices($("dataset"), sets.length ? sets : [["", "none: name folders after samuel board"]]);
  changed();
});

export function changed() {
  choices($("data-judge"), [["", "none"], ...app.view.evaluators.map((name) => [name])]);
}

async function show(from) {
  if ($("dataset").value === "") throw new Error("no dataset was named when the board was started");
  const range = (what) => [Number($(`${what}-low`).value), Number($(`${what}-high`).value)];
  const told = await ask("rows", {
    folder: Number($("dataset").value), evaluator: $("data-judge").value, order: $("order").value,
    plies: range("ply"), scores: range("score"), outcomes: range("outcome"), skip: from, count: COUNT,
  });
  skip = from;
  const end = Math.min(from + told.shown.length, told.rows);
  $("rows-count").textContent = told.rows ? `${from + 1} to ${end} of ${told.rows.toLocaleString("en")} rows${told.whole ? "" : " (of the first 200,000)"}` : "no such rows";
  $("rows-back").disabled = from === 0;
  $("rows-on").disabled = end >= told.rows;
  $("rows").replaceChildren(...told.shown.map((row) => make("figure", {},
    row.scene ? sceneOf(row.scene, { label: row.text }) : textOf(row),
    make("figcaption", {}, caption(row), " ", make("button", { class: "link", onclick: safely(() => app.begin({ game: told.game, start: row.text }).then(() => { $("game").value = told.game; })) }, "to the board")))));
}

function caption(row) {
  const parts = [`ply ${row.ply}`, `score ${signed(row.score, 1)}`, `outcome ${signed(row.outcome, 0)}`];
  if (row.said !== null && row.said !== undefined) parts.push(`model ${signed(row.said, 1)}, error ${signed(row.error, 1)}`);
  return parts.join(", ");
}
