"""`samuel openings`."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, busy, emit, game_and_evaluators, on_cluster, progress, summary
from samuel.cli.subcommands import subcommand
from samuel.common.options import Argument, Range

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.arena.openings import Openings
    from samuel.arena.openings.book import Book
    from samuel.games import Game

_SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 1.0)
"""Shares of the openings of a book, for which the table says how balanced they are."""


@subcommand(doing="openings")
def run(
    *,
    source: Annotated[str | None, Argument()] = None,
    game: str | None = None,
    plies: Annotated[int | None, Range(0, 99)] = None,
    evaluator: str | None = None,
    depth: Annotated[int | None, Range(1, 99)] = None,
    balance: Annotated[float | None, Range(0)] = None,
    out: str | None = None,
    show: Annotated[int, Range(0)] = 0,
    seed: Annotated[int, Range(0, (1 << 32) - 1)] = 0,
    jobs: Jobs = -1,
    cluster: str | None = None,
    json: bool = False,
) -> None:
    """Show the openings that matches use, or make a new book.

    A book has every position after a number of plies, once up to symmetry, scored by a search.
    Positions with a small score are balanced openings. `--plies`, `--evaluator` or `--depth` makes
    a new book.

    Example: samuel openings --plies 6 --depth 6 --balance 3 --out my_book.txt

    Parameters
    ----------
    source
        File of transcripts, one per line, or a book (.npz). By default the book that comes with
        samuel.
    plies
        Length in plies of the openings of a new book.
    depth
        Search depth for each opening of a new book, in plies. Default: 6.
    balance
        Largest absolute score of a balanced opening, in the game's unit. By default the largest
        score in the most balanced quarter of the book.
    out
        File to write: text with the balanced openings, or .npz with all openings and their scores.
    show
        Number of openings to show. The seed determines their order.
    """
    from samuel.common.errors import UserError
    from samuel.common.files import require_file

    began = time.perf_counter()
    rules, (name,) = game_and_evaluators(game, evaluator)
    if out is not None:
        require_file(out)
    if plies is not None or evaluator is not None or depth is not None:
        if source is not None:
            raise UserError("give a file to show, or options to make a book, not both")
        length = rules.opening_plies if plies is None else plies
        with on_cluster(cluster):
            book: Book | None = _made(rules, length, name, depth or 6, jobs)
    else:
        book = _found(source, rules, game is not None)
    openings = _chosen(source, rules, book, balance)
    if out is not None:
        _write(out, openings, book)
    content: dict[str, Any] = {
        "game": openings.game.name,
        "name": openings.name,
        "openings": len(openings),
        "digest": openings.digest,
        **(_about_plies(openings) if book is None else _about(book)),
        "lines": _lines(openings, book, seed, show),
        "out": out,
        "seconds": round(time.perf_counter() - began, 3),
    }
    emit(content, json, lambda console: _print(console, content))


def _made(rules: Game, plies: int, evaluator: str, depth: int, jobs: int) -> Book:
    """Make a book, with a bar from when its length is known."""
    with contextlib.ExitStack() as shown:
        shown.enter_context(busy("listing openings"))
        from samuel.arena.openings.making import make_book

        bars: list[Any] = []

        def show_progress(done: int, total: int) -> None:
            if not bars:
                shown.pop_all().close()  # a terminal shows one at a time
                bars.append(shown.enter_context(progress("searching", total)))
            bars[0](done)

        return make_book(rules, plies, evaluator, depth, jobs=jobs, progress=show_progress)


def _found(source: str | None, rules: Game, is_asked_for: bool) -> Book | None:
    """Return the book in a file, or of the package; None for a file of transcripts."""
    from samuel.arena.openings.book import SUFFIX, read_book, shipped_book
    from samuel.arena.openings.making import most_listed
    from samuel.common.errors import UserError
    from samuel.games.plugins import plugin_options

    if source is not None:
        is_book = source.endswith(SUFFIX)
        return read_book(source, rules if is_asked_for else None) if is_book else None
    book = shipped_book(rules)
    if book is None and rules.outcomes:
        raise UserError(f"{rules.name} has dice, so there is no book of openings")
    if book is None:
        with busy("listing openings"):
            plies = most_listed(rules, rules.opening_plies)
        raise UserError(
            f"samuel has no book of openings for {rules.name}; make one: samuel openings "
            f"--game {rules.name}{plugin_options(rules.name)} --plies {plies}"
        )
    return book


def _chosen(source: str | None, rules: Game, book: Book | None, balance: float | None) -> Openings:
    """Return the balanced openings of the book, or those of the file of transcripts."""
    from samuel.arena.openings import book_openings, read_openings
    from samuel.common.errors import UserError

    if book is None:
        if balance is not None:
            raise UserError(f"{source} has no scores, which --balance needs; leave --balance out")
        return read_openings(str(source), rules)
    openings = book_openings(book, balance)
    if not len(openings):
        raise UserError(
            f"no opening is that balanced: the best has the score {book.limit_for(1):g}; give "
            "a larger --balance"
        )
    return openings


def _write(out: str, openings: Openings, book: Book | None) -> None:
    from samuel.arena.openings.book import SUFFIX, write_book
    from samuel.common.errors import UserError
    from samuel.common.files import whole

    if not out.endswith(SUFFIX):
        with whole(out) as partial:
            partial.write_text("\n".join(openings.transcripts()) + "\n", encoding="utf-8")
    elif book is None:
        raise UserError(
            f"{out} cannot be a book: transcripts have no scores; give a name that ends in .txt"
        )
    else:
        write_book(out, book)


def _lines(
    openings: Openings, book: Book | None, seed: int, show: int
) -> list[dict[str, str | float | None]]:
    """Return the first openings in the order of the seed, with their scores where a book has them.

    The scores are for the side to move after the opening.
    """
    from samuel.arena.openings import shuffled

    first = shuffled(openings, seed)[:show]
    moves = book.moves.tolist() if book is not None and show else []
    scores = {tuple(line): float(book.scores[k]) for k, line in enumerate(moves) if book}
    texts = zip(first.transcripts(), first.moves, strict=True)
    return [{"moves": text, "score": scores.get(line)} for text, line in texts]


def _about_plies(openings: Openings) -> dict[str, Any]:
    lengths = [len(line) for line in openings.moves]
    return {"plies": [min(lengths), max(lengths)]}


def _about(book: Book) -> dict[str, Any]:
    """Return what a book is, and how its scores are spread."""
    # scores of small games are often equal
    limits = dict.fromkeys(book.limit_for(max(1, round(share * len(book)))) for share in _SHARES)
    return {
        "plies": book.plies,
        "positions": len(book),
        "evaluator": book.evaluator,
        "evaluator_digest": book.digest,
        "depth": book.depth,
        "mean": round(float(book.scores.mean()), 4),
        "sd": round(float(book.scores.std()), 4),
        "within": [
            {"score": round(limit, 4), "openings": len(book.within(limit))} for limit in limits
        ],
    }


def _print(console: Console, content: dict[str, Any]) -> None:
    rows = {"openings": f"{content['openings']:,}"}
    if "positions" in content:
        rows |= {
            "chosen among": f"{content['positions']:,} positions, different up to symmetry",
            "scored by": f"{content['evaluator']} at depth {content['depth']}",
            "mean score": f"{content['mean']:+z.2f} (deviation {content['sd']:.2f})",
        }
        rows |= {
            f"within {part['score']:.2f}": f"{part['openings']:,}" for part in content["within"]
        }
    else:
        fewest, most = content["plies"]
        rows["plies"] = str(most) if fewest == most else f"{fewest} to {most}"
    console.print(summary(f"{content['game']}: {content['name']}", rows))
    for line in content["lines"]:
        score = "" if line["score"] is None else f"  {line['score']:+z.2f}"
        console.print(f"{line['moves']}{score}")
    if content["out"] is not None:
        console.print(f"written to {content['out']}")
