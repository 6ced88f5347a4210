// Runs: matches, tournaments and learning runs, as they grow.

import { ask } from "./api.js";
import { chart } from "./chart.js";
import { app, fail, safely } from "./app.js";
import { $, commands, make, signed, table } from "./page.js";

const PAUSE = 2000;
const COUNT = 50;
const watched = new Map();
let timer = null;

export function begin() {
  document.addEventListener("visibilitychange", look);
}

export const opened = safely(async () => {
  app.library = await ask("library");
  const folders = app.library.folders.filter(({ kind }) => kind !== "dataset");
  $("watched").replaceChildren(...folders.map(({ number, name, kind }) => make("label", { class: "row" },
    make("input", { type: "checkbox", "data-folder": number, checked: watched.has(number), onchange: (event) => choose(number, name, kind, event.target.checked) }), `${name} (${kind})`)));
  $("runs-some").hidden = folders.length === 0;
  $("runs-none").replaceChildren(...(folders.length ? [] : commands("There is no match, tournament or learning run to show. Start one or both, then the board with their folder:", app.view.commands.runs)));
  look();
});

function choose(number, name, kind, isOn) {
  if (isOn) watched.set(number, { name, kind, told: null });
  else watched.delete(number);
  look();
}

/** Ask how all that is watched stands, now and again. */
async function look() {
  clearTimeout(timer);
  if (app.tab !== "runs" || document.hidden) return;
  try {
    for (const [number, one] of watched) one.told = await ask("progress", { folder: number });
    paint();
  } catch (error) { fail(error); }
  timer = setTimeout(look, PAUSE);
}

const caption = (text) => make("p", { class: "soft" }, text);

const percent = (value) => `${(100 * value).toFixed(0)} %`;

function paint() {
  $("progress").replaceChildren(...[...watched].map(([number, { name, told }]) => make("section", { class: "judged" },
    make("h2", {}, name), ...(told.kind === "run" ? ofRun(told) : ofMatch(told)),
    told.kind === "run" ? null : make("button", { onclick: safely(() => games(number, 0)) }, "games"))));
}

function ofRun(told) {
  const last = told.steps.at(-1);
  const said = last ? `Generation ${last.generation} of ${told.goal}: ${last.step} done` : "No step has ended yet.";
  const curves = Object.entries(told.curves).map(([name, points]) => make("div", {}, caption(`score against ${name} by generation, with its 95 % interval`), curve(points)));
  return [make("p", {}, said), ...curves];
}

function ofMatch(told) {
  const end = told.curve.at(-1);
  const said = end ? `${percent(end.score)} (${percent(end.score_low)} to ${percent(end.score_high)})${end.llr === null ? "" : `, LLR ${end.llr.toFixed(2)}`}` : "";
  const llr = told.curve.filter((p) => p.llr !== null).map((p) => ({ at: p.at, value: p.llr }));
  return [make("p", {}, `${told.players.join(" against ")}: ${told.games} games${said && `, score ${said}`}`),
    ...(told.curve.length ? [caption(`score of ${told.players[0]} after each game, with its 95 % interval`), curve(told.curve)] : []), ...(llr.length ? [caption("log-likelihood ratio (LLR) of the sequential test"), chart(llr, { label: "LLR", format: (v) => v.toFixed(1), middle: 0 })] : [])];
}

const curve = (points) => chart(points.map((p) => ({ at: p.at, value: p.score, low: p.score_low, high: p.score_high })), { low: 0, high: 1, format: percent, label: "score" });

async function games(folder, skip) {
  const told = await ask("games", { folder, skip, count: COUNT });
  const rows = told.shown.map((game) => [
    make("button", { class: "link", onclick: safely(() => replay(told.game, game.moves)) }, `game ${game.number}`),
    game.first, game.second, signed(game.result, 0), game.ending,
  ]);
  const more = skip + COUNT < told.games ? make("button", { onclick: safely(() => games(folder, skip + COUNT)) }, "more games") : null;
  $("games").replaceChildren(table(["game", ...told.names, `result for ${told.names[0]}`, "ended by"], rows), ...(more ? [more] : []));
}

async function replay(game, text) {
  const { start, moves } = await ask("paste", { game, text });
  app.open("analyse");
  $("game").value = game;
  await app.show({ game, start, moves: [], ahead: moves });
}
