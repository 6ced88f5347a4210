// The state of the page: the game on the board, and what shows it.

import { ask } from "./api.js";
import { $ } from "./page.js";

export const app = {
  library: null,
  view: null,
  game: "",
  start: "",
  moves: [],
  ahead: [],
  tab: "play",
  scores: {},
  tints: {},
  /** The modules of the tabs by name, other parts that follow the game, and what paints the board. */
  tabs: {},
  parts: [],
  paint() {},

  /** The game as questions have it. */
  get told() {
    return { game: app.game, start: app.start, moves: app.moves };
  },

  async show(change = {}) {
    Object.assign(app, change);
    const told = app.told;
    const view = await ask("view", { ...told, ahead: app.ahead });
    if (told.game !== app.game || told.moves !== app.moves) return; // it has gone on meanwhile
    app.view = view;
    app.scores = {};
    app.tints = {};
    app.paint();
    for (const part of [...Object.values(app.tabs), ...app.parts]) part.changed?.();
  },

  /** A legal move as people read it. */
  nameOf(move) {
    return app.view.legal.find((one) => one.move === move)?.name ?? move;
  },

  async move(name) {
    const ahead = app.ahead[0] === name ? app.ahead.slice(1) : [];
    await app.show({ moves: [...app.moves, name], ahead });
  },

  goTo(ply) {
    const all = [...app.moves, ...app.ahead];
    app.tabs.play.pause();
    return app.show({ moves: all.slice(0, ply), ahead: all.slice(ply) });
  },

  begin(change) {
    return app.show({ start: "", moves: [], ahead: [], ...change });
  },

  open(tab) {
    app.tab = document.body.dataset.tab = tab;
    for (const name of Object.keys(app.tabs)) {
      $(name).hidden = name !== tab;
      $(`tab-${name}`).setAttribute("aria-selected", name === tab);
    }
    app.scores = {};
    app.tints = {};
    app.tabs[tab].opened?.();
    for (const part of app.parts) part.opened?.();
  },
};

export function fail(error) {
  if (error.name === "AbortError") return;
  $("error").textContent = error.message;
  $("error").hidden = false;
}

/** A handler that shows what goes wrong. */
export const safely = (act) => async (...given) => {
  $("error").hidden = true;
  try { await act(...given); } catch (error) { fail(error); }
};
