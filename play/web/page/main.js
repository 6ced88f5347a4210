// The board and the game on it; each tab is a module of its own.

import * as analyse from "./analyse.js";
import { ask, token } from "./api.js";
import { app, safely } from "./app.js";
import * as graph from "./graph.js";
import { Clicks, figureOf, sceneOf, textOf, turned } from "./drawing.js";
import { $, choices, draw, make } from "./page.js";
import * as play from "./play.js";
import * as why from "./why.js";

app.tabs = { play, analyse, why };
app.parts = [graph, { begin() {}, changed: paintKeys, opened: paintKeys }];
app.paint = paint;

let clicks = null;
let painted = "";
let isTurned = false;

/** The scene with the person at the bottom who plays alone. */
function seen(scene) {
  const isSecond = app.tab === "play" && play.persons().join() === "1";
  return scene.turns && isSecond !== isTurned ? turned(scene) : scene;
}

function paint() {
  const view = app.view;
  clicks = new Clicks(play.isPersons() ? view.legal : []);
  const board = view.scene
    ? sceneOf(seen(view.scene), { click: safely(clicked), scores: app.scores, tints: app.tints, label: `board of ${app.game}`, names: { first: view.names[0], second: view.names[1] } })
    : textOf(view);
  document.body.dataset.first = view.names[0];
  $("board").replaceChildren(board);
  $("confirm").hidden = true;
  mark();
  for (const name of view.changed) placeAt(name)?.classList.add("changed");
  $("status").textContent = status(view);
  $("undo").disabled = $("first").disabled = app.moves.length === 0;
  $("redo").disabled = $("last").disabled = app.ahead.length === 0;
  $("turn").hidden = !view.scene?.turns;
  $("legal").replaceChildren(...view.legal.map(({ move, name }) => make("button", { onclick: safely(() => app.move(move)), "data-move": move }, name)));
  if (painted !== app.game) { // moves that no click can play are in sight
    painted = app.game;
    $("moves").open = view.legal.some(({ paths }) => !paths.length);
  }
  paintKeys();
  $("position").value = view.text;
  $("transcript").value = view.transcript;
}

const KEYS = [["undo", "←", "back"], ["redo", "→", "forth"], ["hint", "h", "hint"], ["throw", "space", "roll the dice"], ["squares", "Tab, Enter", "choose squares"]];

const isOffered = (id) => id === "squares" ? Boolean(app.view.scene) : !$(id).hidden && (app.tab === "play" || !$("play").contains($(id)));

function paintKeys() {
  $("keys").replaceChildren(...KEYS.filter(([id]) => isOffered(id)).flatMap(([, key, does]) => [make("kbd", {}, key), ` ${does} `]));
}

const placeAt = (name) => $("board").querySelector(`[data-place="${CSS.escape(name)}"]`);

function mark() {
  const next = clicks.next();
  for (const place of $("board").querySelectorAll(".place")) {
    const can = next.has(place.dataset.place);
    place.classList.toggle("can", can);
    place.classList.toggle("chosen", clicks.path.includes(place.dataset.place));
    place.setAttribute("tabindex", can ? 0 : -1);
  }
}

async function clicked(name) {
  const { whole, goesOn } = clicks.take(name);
  mark();
  $("confirm").hidden = true;
  if (whole.length === 1 && !goesOn) await app.move(whole[0]);
  else if (whole.length) {
    $("confirm").replaceChildren(...whole.map((move) => make("button", { onclick: safely(() => app.move(move)), "data-move": move }, ...offered(move))));
    $("confirm").hidden = false;
  }
}

/** What a button of several moves shows: the piece that a promotion makes, or words. */
function offered(move) {
  const { scene, side } = app.view, name = app.nameOf(move);
  const figure = scene.figures[name.match(/=(\w)/)?.[1]];
  if (!figure) return [`play ${name}`];
  return [draw("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, figureOf(figure, side ? "second" : "first")), ` ${name}`];
}

function status(view) {
  const who = (side) => view.names[side];
  const caption = view.scene?.caption ? ` · ${view.scene.caption}` : "";
  if (view.over) {
    if (view.result === 0) return "The game is a draw";
    const by = view.unit === "result" ? "" : ` by ${Math.abs(view.result)} ${view.unit}`;
    return `${who(view.result > 0 ? 0 : 1)} wins${by}`;
  }
  if (view.chance) return `${who(view.side)} rolls the dice${caption}`;
  return `${who(view.side)} to move${view.passes ? ", must pass" : ""}${caption}`;
}

const step = (by) => safely(() => app.goTo(Math.max(0, Math.min(app.moves.length + by, app.moves.length + app.ahead.length))));

/** Back, or forth, to where a person had a choice. */
function turn(by) {
  return safely(() => {
    const persons = play.persons();
    let ply = app.moves.length + by;
    const sides = app.view.sides;
    while (by < 0 && ply > 0 && app.tab === "play" && persons.length === 1 && sides[ply] !== persons[0]) ply -= 1;
    return app.goTo(Math.max(0, Math.min(ply, app.moves.length + app.ahead.length)));
  });
}

/** Ask what there is, and make the page do what it shows. */
async function begin() {
  app.library = await ask("library");
  $("reports").hidden = !Object.keys(app.library.reports).length;
  $("reports-list").replaceChildren(...Object.entries(app.library.reports).map(([name, place]) => make("li", {}, make("a", { href: `/reports/${token()}/${place}`, target: "_blank" }, name))));
  choices($("game"), app.library.games.map(({ name, title }) => [name, title]), app.library.game);
  $("game").addEventListener("change", safely(() => {
    $("status").textContent = "Loading the game";
    $("board").firstElementChild.classList.add("stale");
    return app.begin({ game: $("game").value });
  }));
  $("undo").addEventListener("click", turn(-1));
  $("redo").addEventListener("click", turn(1));
  $("first").addEventListener("click", step(-1e9));
  $("last").addEventListener("click", step(1e9));
  $("turn").addEventListener("click", () => { isTurned = !isTurned; paint(); });
  $("new").addEventListener("click", safely(() => app.begin({})));
  const paste = (id) => safely(async () => app.show({ ...(await ask("paste", { game: app.game, text: $(id).value })), ahead: [] }));
  $("set-position").addEventListener("click", paste("position"));
  $("set-transcript").addEventListener("click", paste("transcript"));
  $("copy").addEventListener("click", safely(() => navigator.clipboard.writeText(`${app.view.text}\n${app.view.transcript}`)));
  for (const name of Object.keys(app.tabs)) $(`tab-${name}`).addEventListener("click", safely(() => app.open(name)));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: "undo", ArrowRight: "redo", h: "hint", " ": "throw" }[event.key];
    if (!act || !isOffered(act) || event.target.matches("button, summary")) return;
    event.preventDefault();
    $(act).click();
  });
  for (const part of [...app.parts, ...Object.values(app.tabs)]) part.begin();
  await app.show({ game: app.library.game });
}

safely(begin)();
