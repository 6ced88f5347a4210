// Play: people and evaluators, at levels, one against the other.

import { ask } from "./api.js";
import { app, fail, safely } from "./app.js";
import { $, choices, commands, signed } from "./page.js";

const PERSON = "";
let isPaused = false;
let asking = null;

export const persons = () => [0, 1].filter((side) => $(`who-${side}`).value === PERSON);

/** Whether clicks play the moves of whoever is to move: all do where the game is only looked at. */
export const isPersons = () => app.tab !== "play" || isPaused || persons().includes(app.view.side);

export function begin() {
  for (const side of [0, 1]) for (const what of ["who", "level", "method"]) $(`${what}-${side}`).addEventListener("change", () => { isPaused = false; $("hints").textContent = ""; offer(); app.paint(); goOn(); });
  $("auto-dice").addEventListener("change", () => { offer(); app.paint(); goOn(); });
  $("hint").addEventListener("click", safely(hint));
  $("throw").addEventListener("click", safely(throwDice));
  $("pause").addEventListener("click", () => { if (isPaused) resume(); else pause(); });
}

export function pause() {
  asking?.abort();
  isPaused = persons().length < 2;
  $("pause").textContent = isPaused ? "continue" : "pause";
}

function resume() {
  isPaused = false;
  $("pause").textContent = "pause";
  app.paint();
  goOn();
}

let told = "";

export function changed() {
  const { evaluators, levels } = app.view;
  const key = app.game + evaluators.join();
  if (key !== told) {
    told = key;
    const method = app.view.methods.map((name) => [name]);
    for (const side of [0, 1]) {
      choices($(`who-${side}`), [[PERSON, "a person"], ...evaluators.map((name) => [name])], side ? evaluators[0] : PERSON);
      choices($(`level-${side}`), Array.from({ length: levels }, (_, k) => [k + 1]), app.library.level);
      choices($(`method-${side}`), method, "alphabeta");
    }
  }
  $("hints").textContent = "";
  for (const side of [0, 1]) $(`name-${side}`).textContent = app.view.names[side];
  offer();
  $("models").replaceChildren(...(app.view.own ? [] : commands("No model of yours is listed. Make one:", app.view.commands)));
  $("throw").disabled = !app.view.chance;
  $("hint").disabled = app.view.chance || app.view.over;
  if (app.ahead.length === 0 && isPaused && app.moves.length === 0) resume();
  else goOn();
}

/** Show what has an effect in this game with these players. */
function offer() {
  const people = persons();
  for (const side of [0, 1]) for (const what of ["level", "method"]) $(`${what}-${side}`).parentElement.hidden = people.includes(side);
  $("pause").hidden = people.length === 2;
  $("hint").hidden = people.length === 0;
  $("dice").hidden = !app.view.dice || people.length === 0;
  $("throw").hidden = $("dice").hidden || $("auto-dice").checked;
}

/** Let the dice fall and the evaluators move until a person is to choose. */
async function goOn() {
  asking?.abort();
  if (isPaused || app.tab !== "play" || app.view.over || app.ahead.length) return;
  const game = app.told, { side, chance, passes } = app.view;
  const isPerson = persons().includes(side);
  asking = new AbortController();
  const { signal } = asking;
  try {
    let move = null;
    if (chance) {
      if (isPerson && !$("auto-dice").checked) return;
      move = (await ask("throw", game, signal)).move;
    } else if (passes) {
      move = app.view.legal[0].move;
    } else if (!isPerson) {
      $("status").textContent += ` · ${$(`who-${side}`).value} is thinking`;
      move = (await ask("reply", { ...game, ...player(side) }, signal)).move;
    }
    if (move !== null && !signal.aborted && game.moves === app.moves) await app.move(move);
  } catch (error) { fail(error); }
}

const player = (side) => ({ evaluator: $(`who-${side}`).value, level: Number($(`level-${side}`).value), method: $(`method-${side}`).value });

async function throwDice() {
  await app.move((await ask("throw", app.told)).move);
}

/** Ask whom a person plays against what it would play, at its own level at least. */
async function hint() {
  const game = app.told, { side, unit } = app.view;
  const adviser = [1 - side, side].find((one) => $(`who-${one}`).value !== PERSON);
  const asked = adviser === undefined ? { evaluator: app.view.evaluators[0], level: app.library.level } : player(adviser);
  $("hints").textContent = `${asked.evaluator} is thinking`;
  try {
    const told = await ask("hint", { ...game, ...asked });
    if (game.moves !== app.moves) return; // it has gone on meanwhile
    const others = Object.entries(told.moves).filter(([move]) => move !== told.move).sort((a, b) => b[1] - a[1]).slice(0, 3);
    const depth = told.exact ? "solved" : asked.method === "alphabeta" || !asked.method ? `depth ${told.depth}` : asked.method;
    $("hints").textContent = `${told.evaluator}, ${depth}: ${app.nameOf(told.move)} ${signed(told.score)}${unit === "result" ? "" : ` ${unit}`}`
      + (others.length ? `; others${told.moves_depth ? ` at depth ${told.moves_depth}` : ""}: ${others.map(([move, score]) => `${app.nameOf(move)} ${signed(score)}`).join(", ")}` : "");
  } catch (error) {
    $("hints").textContent = "";
    throw error;
  }
}

export function opened() {
  app.paint();
  goOn();
}
