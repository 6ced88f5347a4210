"""Self-play, training, comparison and matches, in a minute or two: `make demo`.

The hand-made evaluator `classic` plays games. A linear model, a neural network and weights of
patterns are fitted to them, compared on held-out games, and play against `classic` and `wpc`. The
models are saved in runs/demo. A second run keeps the games and trains again.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from samuel import SelfplayPlan, UserError, generate, match, train
from samuel.cli.progress import busy, progress, telling
from samuel.common.extras import command, installing, typed
from samuel.learning.comparison import compare
from samuel.reports import write_page

RECIPES = {"ridge": "linear", "mlp": "network", "logistello": "patterns"}
"""The recipes, which also name the folders, and what each is."""
OPPONENTS = ("classic", "wpc")
console = Console()


def main(out: Path, games: int, pairs: int) -> None:
    """Generate, train, compare, match; print one table."""
    began = time.perf_counter()
    with telling("working", sys.stdout, prefix=""), contextlib.ExitStack() as shown:

        def step(text: str, total: float) -> Any:
            shown.pop_all().close()
            return shown.enter_context(progress(text, total))

        advance = step("self-play of classic, depth 4", games)
        plan = SelfplayPlan(evaluator="classic", depth=4, epsilon=0.05, seed=1)
        dataset = generate(plan, games, out / "data", jobs=-1, progress=lambda g, _: advance(g))
        say(began, f"{dataset.games:,} games, {len(dataset):,} labelled positions")

        advance = step("training", len(RECIPES))
        for done, (recipe, kind) in enumerate(RECIPES.items(), 1):
            trained = train(dataset, recipe, out=out / recipe)
            told = f"{recipe} ({kind}) fitted to {trained.rows:,} positions"
            say(began, f"{told} in {trained.seconds:.1f} s")
            advance(done)

        folders = [str(out / recipe) for recipe in RECIPES]
        advance = step("comparing on held-out games", 1)
        comparison = compare(dataset, [*folders, *OPPONENTS])
        say(began, f"compared on {len(comparison.split.held_out):,} held-out positions")
        advance(1)

        matches = []
        for folder in folders:
            for opponent in OPPONENTS:
                advance = step(f"{Path(folder).name} against {opponent}", 2 * pairs)
                matches.append(
                    match(
                        folder,
                        opponent,
                        pairs=pairs,
                        seed=1,
                        jobs=-1,
                        progress=lambda result, to=advance: to(result.statistics.games),
                    )
                )
        say(began, f"{sum(m.statistics.games for m in matches):,} games played")
        shown.pop_all().close()
        shown.enter_context(busy("drawing the report"))
        rows = [result.as_dict() for result in matches]
        report = write_page(out / "report.html", comparison, match_table=rows, title="samuel demo")
    show(comparison, matches, pairs)
    console.print(f"\nReport with pictures: {report.resolve()}", soft_wrap=True)
    samuel = command()
    console.print(
        "\nWhat to try next:\n"
        f"  {samuel} board {out}    (needs: {installing('web')})\n"
        f"  {samuel} match {folders[-1]} {folders[0]} --ms 10\n"
        f"  {samuel} selfplay --evaluator {folders[0]} --epsilon 0.05 --out data/gen1\n"
        f"  {samuel} models\n"
        f"  {typed('python') or 'python'} examples/custom_feature.py\n",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    console.print(f"{time.perf_counter() - began:.0f} s in all")


def say(began: float, text: str) -> None:
    """Print what was done, and when."""
    console.print(f"[dim]{time.perf_counter() - began:5.0f} s[/dim]  {text}")


def show(comparison: Any, matches: list[Any], pairs: int) -> None:
    """Print the one table: how well each model predicts, how fast it is, how strong it plays."""
    title = f"Learned from self-play; {2 * pairs} games per match at depth 4, 95 % intervals"
    table = Table(title=title)
    table.add_column("model")
    for heading in ("R2", "log loss", "ns", *(f"against {o}" for o in OPPONENTS)):
        table.add_column(heading, justify="right")
    for model in comparison.models:
        scores = []
        for opponent in OPPONENTS:
            found = [m.statistics for m in matches if (m.a, m.b) == (model.name, opponent)]
            scores += [
                f"{100 * s.score:.1f} % ± {50 * (s.score_high - s.score_low):.1f}" for s in found
            ]
        r2, loss = model.metrics["r2"], model.metrics["log_loss"]
        kind = f" ({RECIPES[model.name]})" if model.name in RECIPES else ""
        table.add_row(
            model.name + kind, f"{r2:.3f}", f"{loss:.4f}", f"{model.nanoseconds:.0f}", *scores
        )
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/demo"))
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--pairs", type=int, default=200)
    given = parser.parse_args()
    try:
        main(given.out, given.games, given.pairs)
    except UserError as error:
        raise SystemExit(f"samuel: {error}") from None
    except KeyboardInterrupt:
        raise SystemExit("\nsamuel: interrupted; the same command goes on") from None
