// Beside the board: the moves of the game, and its evaluation as a bar and a graph.

import { lines } from "./api.js";
import { chart } from "./chart.js";
import { app, fail, safely } from "./app.js";
import { $, chances, choices, make, signed, table } from "./page.js";

const SLOPE = 2.5; // of the bar, where the score is even
const MISTAKE = 1 / 16; // of the largest score of the game
let points = [], line = [], next = 0, base = "", running = null;

export function begin() {
  $("graph-evaluator").addEventListener("change", changed);
  $("graph-depth").addEventListener("change", changed);
  $("evaluate").addEventListener("change", changed);
}

/** Keep the scores that still hold, and ask for those that are missing. */
export function changed() {
  const { evaluators, depth } = app.view, whole = [...app.moves, ...app.ahead];
  choices($("graph-evaluator"), evaluators.map((name) => [name]), evaluators[0]);
  if (!base.startsWith(`["${app.game}"`)) $("graph-depth").value = depth;
  const asked = JSON.stringify([app.game, app.start, $("graph-evaluator").value, $("graph-depth").value]);
  let alike = 0;
  if (asked === base) while (alike < line.length && line[alike] === whole[alike]) alike += 1;
  if (asked !== base || alike < line.length) {
    running?.abort();
    running = null;
    next = asked === base ? Math.min(next, alike + 1) : 0;
    points = points.filter(({ ply }) => ply < next);
  }
  [base, line] = [asked, whole];
  if (!$("evaluate").checked) { running?.abort(); running = null; }
  $("evaluation").hidden = $("bar").hidden = $("chances").hidden = !$("evaluate").checked;
  paint();
  if ($("evaluate").checked && !running) evaluate();
}

async function evaluate() {
  const mine = running = new AbortController();
  const asked = { evaluator: $("graph-evaluator").value, depth: Number($("graph-depth").value) };
  try {
    while (next <= line.length && running === mine) {
      const moves = line, since = next;
      for await (const point of lines("curve", { game: app.game, start: app.start, moves, since, ...asked }, mine.signal)) {
        points.push(point);
        next = point.ply + 1;
        paint();
      }
      if (running === mine) next = moves.length + 1;
    }
  } catch (error) { fail(error); }
  if (running === mine) running = null;
}

const signedHere = (score) => signed(score, app.view.most > 3 ? 1 : 2);

function paint() {
  const { most, names, unit, dice } = app.view;
  const before = points.filter(({ ply }) => ply <= app.moves.length).at(-1);
  const score = before?.score ?? 0, side = score < 0 ? 1 : 0;
  $("share").style.width = `${50 + 50 * Math.tanh(SLOPE * score / most)}%`;
  for (const one of [0, 1]) $(`bar-${one}`).textContent = names[one];
  $("bar-score").style.left = `${25 + 50 * side}%`;
  $("bar-score").textContent = !before ? "" : Math.abs(score) < 5e-3 ? "even" : `${signedHere(Math.abs(score))}${unit === "result" ? "" : ` ${unit}`}`;
  $("bar").setAttribute("aria-label", `evaluation: ${names[side]} ${$("bar-score").textContent}`);
  $("chances").textContent = chances(before?.wdl, [names[0], "draw", names[1]]);
  const shown = points.map((p, k) => ({ at: p.ply, value: p.score, ...(dice ? {} : loss(points[k - 1], p, most)) }));
  const spread = Math.max(most / 10, ...shown.map((p) => Math.abs(p.value)));
  $("graph").replaceChildren(chart(shown.length ? shown : [{ at: 0, value: 0 }], {
    height: 130, low: -spread, high: spread, here: app.moves.length, format: signedHere,
    click: safely((p) => app.goTo(p.at)), label: `score of ${names[0]} after each move`,
  }));
  const mistakes = shown.filter((p) => p.mark);
  paintMoves(new Map(mistakes.map((p) => [p.at, p])));
  paintMistakes(mistakes);
}

/** What the mover lost between two positions one move apart. */
function loss(before, now, most) {
  if (before?.side === undefined || before.ply !== now.ply - 1) return {};
  const lost = before.side === 0 ? before.score - now.score : now.score - before.score;
  return { lost, best: before.move, mark: lost > MISTAKE * most };
}

function paintMoves(mistakes) {
  const whole = [...app.moves, ...app.ahead];
  $("played").replaceChildren(...whole.flatMap((move, k) => {
    const mistake = mistakes.get(k + 1);
    return [make("button", {
      class: `link${mistake ? " bad" : ""}`, "aria-current": k + 1 === app.moves.length ? "step" : null, "data-number": k % 2 || app.view.dice ? null : `${k / 2 + 1}.`,
      title: mistake ? `lost ${mistake.lost.toFixed(1)}; ${mistake.best} was better` : null, onclick: safely(() => app.goTo(k + 1)),
    }, app.view.moves_named[k] ?? move), " "];
  }));
  if (!whole.length) $("played").append("No moves yet.");
  const here = $("played").querySelector("[aria-current]");
  if (here) $("played").scrollTop = here.offsetTop - $("played").offsetTop - $("played").clientHeight / 2;
}

function paintMistakes(mistakes) {
  const whole = [...app.moves, ...app.ahead];
  const worst = [...mistakes].sort((a, b) => b.lost - a.lost).slice(0, 8);
  $("mistakes").replaceChildren(...(worst.length ? [make("h2", {}, "Moves that lost most"), table(["ply", "played", "better", "lost"], worst.map((p) => [
    make("button", { class: "link", title: "show the position before it", onclick: safely(() => app.goTo(p.at - 1)) }, String(p.at)), app.view.moves_named[p.at - 1] ?? whole[p.at - 1], p.best ?? "", p.lost.toFixed(1),
  ]))] : []));
}
