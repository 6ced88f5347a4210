"""Books: every opening of a length, scored as a search scores it, safe on disk."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.arena.openings import book_openings, openings_for
from samuel.arena.openings.book import Book, read_book, shipped_book, shipped_path, write_book
from samuel.arena.openings.making import all_lines, make_book, most_listed, score_positions
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.interface import Game
from samuel.games.symmetry import canonical_keys, images
from samuel.models import load_evaluator
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.search import search
from samuel.selfplay.digest import evaluator_digest
from tests.rarely import rarely_but

OTHELLO, SIX, FOUR = (game_named(name) for name in ("othello", "othello_6x6", "othello_4x4"))
SHIPPED = {"othello": 8, "othello_6x6": 7, "connect_four": 6}


@pytest.fixture(scope="module")
def small() -> Book:
    return make_book(OTHELLO, 4, "classic", 3)


@pytest.mark.parametrize(
    ("plies", "known"), list(enumerate([1, 1, 3, 14, 60, 322, 1773, 10_649, 67_245]))
)
def test_distinct_positions_of_othello(plies: int, known: int) -> None:
    """Against the counts of Egaroucid's technology page (Nyanyan/Egaroucid)."""
    lines, positions = all_lines(OTHELLO, plies)
    assert lines.shape == (known, plies)
    assert len(np.unique(canonical_keys(OTHELLO, positions))) == known


def distinct_by_brute_force(game: Game, plies: int) -> set[tuple[int, ...]]:
    """Return the smallest image of every unfinished position after some plies, in plain Python."""
    positions = {Position.start(game).words: Position.start(game)}
    for _ in range(plies):
        children = (p.play(move) for p in positions.values() for move in p.legal_moves())
        positions = {child.words: child for child in children}
    return {
        min(tuple(int(word) for word in image) for image in images(game, p.words))
        for p in positions.values()
        if not p.is_terminal
    }


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(
        [
            *(("othello_4x4", plies) for plies in range(7)),
            *(("othello_6x6", plies) for plies in range(5)),
            *(("connect_four", plies) for plies in range(5)),
            *(("tic_tac_toe", plies) for plies in range(9)),
        ]
    )
)
def test_all_lines_are_those_of_brute_force(of: tuple[str, int]) -> None:
    game, plies = game_named(of[0]), of[1]
    lines, positions = all_lines(game, plies)
    expected = distinct_by_brute_force(game, plies)
    assert len(lines) == len(positions) == len(expected)
    for line, row in zip(lines[:500], positions, strict=False):
        position = Position.start(game)
        for move in line:
            position = position.play(int(move))
        assert np.array_equal(position.row, row)
        assert min(tuple(map(int, image)) for image in images(game, row)) in expected


def test_lines_are_the_first_to_their_position() -> None:
    lines, _ = all_lines(OTHELLO, 5)
    assert [tuple(line) for line in lines] == sorted(map(tuple, lines.tolist()))
    assert (lines[:, 0] == OTHELLO.notation.read_move("d3")).all()


def test_openings_that_cannot_be_listed() -> None:
    with pytest.raises(
        UserError, match="othello has too many openings of 11 plies to list; give at"
    ):
        all_lines(OTHELLO, 11)
    with pytest.raises(UserError, match="every game of tic_tac_toe is over after 9 plies"):
        all_lines(game_named("tic_tac_toe"), 9)


def test_how_many_plies_can_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samuel.arena.openings.making.MOST_CHILDREN", 100)
    most = most_listed(OTHELLO, 11)
    assert len(all_lines(OTHELLO, most)[0]) <= 100 and most_listed(OTHELLO, 2) == 2 < most
    with pytest.raises(UserError, match=f"give at most {most} plies"):
        all_lines(OTHELLO, most + 1)


@pytest.mark.parametrize("name", ["othello", "connect_four", "othello_4x4"])
def test_scores_are_those_of_a_search(name: str) -> None:
    game, evaluator = game_named(name), load_evaluator("classic", game_named(name))
    book = make_book(game, 4, evaluator, 5)
    for place in range(0, len(book), max(1, len(book) // 12)):
        position = Position(game, tuple(map(int, book.positions[place])))
        found = search(position, evaluator, depth=5, exact_from=0)
        assert book.scores[place] == pytest.approx(found.score)


def test_scores_do_not_depend_on_the_workers() -> None:
    _, positions = all_lines(OTHELLO, 5)
    serialized = SerializedEvaluator("wpc", OTHELLO)
    alone, together = (score_positions(positions, serialized, 3, jobs=k) for k in (1, 2))
    assert np.array_equal(alone, together)
    one = np.concatenate(
        [score_positions(positions[k : k + 1], serialized, 3) for k in range(0, 322, 20)]
    )
    assert np.array_equal(alone[::20], one)  # nor on the positions beside them


def test_progress_comes_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    make_book(OTHELLO, 5, "zero", 1, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == [64, 128, 192, 256, 320, 322]
    assert {total for _, total in seen} == {322}


def test_a_book_comes_back(small: Book, tmp_path: Path) -> None:
    write_book(tmp_path / "mine.npz", small)
    again = read_book(tmp_path / "mine.npz")
    assert (again.game, again.evaluator, again.depth) == (OTHELLO, "classic", 3)
    assert again.digest == small.digest == evaluator_digest(load_evaluator("classic"), OTHELLO)
    assert np.array_equal(again.moves, small.moves)
    assert np.array_equal(again.positions, small.positions)
    assert np.array_equal(again.scores, small.scores)
    assert len(again.within(again.balance)) == len(small.within(small.balance))
    write_book(tmp_path / "again.npz", again)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "mine.npz").read_bytes()
    own = openings_for(OTHELLO, tmp_path / "mine.npz", balance=1.0)
    assert len(own) == len(again.within(1.0))


def test_a_book_of_chess_comes_back(tmp_path: Path) -> None:
    """Its moves need 32 bits, so they lie in the file as they are read."""
    book = make_book(game_named("chess"), 1, "material", 1)
    write_book(tmp_path / "chess.npz", book)
    assert np.array_equal(read_book(tmp_path / "chess.npz").moves, book.moves)


def test_a_book_without_moves(tmp_path: Path) -> None:
    write_book(tmp_path / "start.npz", make_book(FOUR, 0, "zero", 2))
    assert read_book(tmp_path / "start.npz").moves.shape == (1, 0)


def test_balance(small: Book) -> None:
    distances = np.sort(np.abs(small.scores))
    assert small.limit_for(0) == 0
    for n in (1, 17, 60, 99):
        limit = small.limit_for(n)
        assert limit == distances[min(n, 60) - 1]
        assert len(small.within(limit)) >= min(n, 60)
    quarter = len(small.within(small.balance))
    assert 15 <= quarter <= 20
    assert small.balance == float(f"{small.balance:.2g}") >= distances[14]
    assert len(book_openings(small, 0.0)) == (small.scores == 0).sum()
    widened = book_openings(small, None, 40)
    assert 40 <= len(widened) < 45
    assert f"scores up to {distances[len(widened) - 1]:.3g} discs" in widened.name


def altered(path: Path, **arrays: object) -> None:
    """Write a book anew with some of its arrays changed."""
    with np.load(path) as old:
        whole = dict(old)
    np.savez_compressed(path, **(whole | arrays))  # type: ignore[arg-type]


def test_damaged_books_are_refused(small: Book, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_book(path, small)
    content = path.read_bytes()
    card = json.loads(str(np.load(path)["card"]))
    for bad in (b"", b"f5d6c3", content[: len(content) // 2], content[:-30]):
        path.write_bytes(bad)
        with pytest.raises(UserError, match="is damaged, or no book"):
            read_book(path)
    moves = small.moves.T.astype(np.int8)
    illegal, twice = moves.copy(), moves.copy()
    illegal[2, 7] = 0
    twice[:, 1] = twice[:, 0]
    for arrays in (
        {"moves": illegal},
        {"moves": twice},
        {"moves": moves[:, :-1]},
        {"moves": moves.astype(float)},
        {"moves": moves[:, :0], "scores": small.scores[:0]},
        {"scores": np.where(np.arange(60) == 3, np.nan, small.scores)},
        {"scores": np.where(np.arange(60) == 3, 65, small.scores)},
        {"card": np.array("[]")},
        {"card": np.array("{")},
        {"card": np.array(json.dumps({**card, "depth": "deep"}))},
    ):
        path.write_bytes(content)
        altered(path, **arrays)
        with pytest.raises(UserError, match="is damaged"):
            read_book(path)


def test_a_book_that_claims_too_much_makes_no_room(small: Book, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_book(path, small)
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: archive.read(member) for member in archive.infolist()}
    shape = f"'shape': ({small.moves.T.shape[0]}, {small.moves.T.shape[1]})".encode()
    assert shape in members["moves.npy"]
    enormous = b"'shape': (8, 99999999999999999)"
    members["moves.npy"] = members["moves.npy"].replace(
        shape + b", }" + b" " * (len(enormous) - len(shape)), enormous + b", }"
    )
    assert enormous in members["moves.npy"]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(UserError, match="is damaged, or no book"):
        read_book(path)


def test_other_books_are_refused(small: Book, tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    write_book(path, small)
    with pytest.raises(UserError, match="npz holds openings for othello, not for othello_6x6"):
        read_book(path, SIX)
    card = json.loads(str(np.load(path)["card"]))
    for changes, message in (
        ({"format": 99}, "newer samuel"),
        ({"game": "go"}, "no game called 'go'"),
    ):
        write_book(path, small)
        altered(path, card=np.array(json.dumps(card | changes)))
        with pytest.raises(UserError, match=message):
            read_book(path)
    with pytest.raises(UserError, match="npz does not exist"):
        read_book(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"jobs": 0}, "jobs must be at least 1"),
        ({"depth": 0}, r"depth must be .*\(got 0\)"),
        ({"depth": 500}, r"depth must be .*\(got 500\)"),
        ({"plies": -1}, r"plies must be .*\(got -1\)"),
        ({"evaluator": "nobody"}, "no evaluator called 'nobody'"),
        ({"evaluator": load_evaluator("classic", SIX)}, "evaluates othello_6x6, not othello"),
    ],
)
def test_books_that_cannot_be_made(settings: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_book(OTHELLO, **({"plies": 2, "evaluator": "classic", "depth": 2} | settings))


def test_the_books_of_the_package() -> None:
    assert {path.stem for path in shipped_path(OTHELLO).parent.iterdir()} == set(SHIPPED)
    assert shipped_book(game_named("tic_tac_toe")) is None


@pytest.mark.parametrize(("name", "plies"), SHIPPED.items())
def test_a_book_of_the_package_holds_every_opening(name: str, plies: int) -> None:
    game = game_named(name)
    book = shipped_book(game)
    assert book is not None and book.plies == plies
    lines, positions = all_lines(game, plies)
    assert np.array_equal(book.moves, lines)
    assert np.array_equal(book.positions, positions)
    assert shipped_path(game).stat().st_size < 400_000
    assert len(book.within(book.balance)) >= (10_000 if name == "othello" else 2000)


@pytest.mark.parametrize("name", rarely_but(SHIPPED, "connect_four"))
def test_anybody_can_make_the_books_of_the_package(name: str) -> None:
    game = game_named(name)
    book = shipped_book(game)
    assert book is not None
    evaluator = load_evaluator(book.evaluator, game)
    places = np.linspace(0, len(book) - 1, 24).astype(int)
    again = score_positions(
        book.positions[places], SerializedEvaluator(evaluator, game), book.depth, jobs=2
    )
    if book.digest == evaluator_digest(evaluator, game):
        assert book.scores[places] == pytest.approx(again, rel=1e-3, abs=1e-6)
    else:  # a later `learned` has to agree
        assert book.evaluator == "learned"
        assert np.median(np.abs(book.scores[places] - again)) < game.max_utility / 64
