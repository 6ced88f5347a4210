"""The pages that name columns, features and keys name those that there are."""

import ast
import json
import os
import pkgutil
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

import samuel
from samuel.arena import records
from samuel.cli.app import COMMANDS
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.models.named import usual_evaluator
from samuel.selfplay.data.manifest import Manifest
from samuel.selfplay.data.shard import OPTIONAL, schema_of
from samuel.testing import check_game
from tests.documented import DOCS, commands, section


def test_features_describe_themselves():
    tables = runpy.run_path(str(DOCS / "make_features.py"))["tables"]()
    assert "| `mobility` | player, opponent |" in tables
    assert "|  |" not in tables, "a feature has no docstring"


def test_the_columns_of_a_dataset_are_documented_with_their_types():
    rows = section("A dataset")
    schema = schema_of(game_named("othello"))
    types = dict(zip(schema.names, schema.types, strict=True)) | OPTIONAL
    arrow = {"string": "dictionary<values=string, indices=int32, ordered=0>", "float32": "float"}
    arrow["list<int32>"] = str(OPTIONAL["visits"])
    for name, kind in types.items():
        told = rows[name].split(" | ")[0]
        assert arrow.get(told, told) == str(kind), name
    assert {*types, *get_type_hints(Manifest)} == set(rows)


def test_the_columns_of_games_are_documented():
    assert set(records._SCHEMA.names) == set(section("A match or a tournament"))


def test_units_and_default_evaluators_are_in_the_table_of_games():
    rows = re.findall(
        r"^\| \[.*?\| `(\w+)`.*? \| (\w+) \| `(\w+)`",
        (DOCS / "games/index.md").read_text(),
        re.MULTILINE,
    )
    games = [(game_named(name), unit, usual) for name, unit, usual in rows]
    assert len(games) > 9
    for game, unit, usual in games:
        assert (game.scores.unit, usual_evaluator(game)) == (unit, usual), game.name


def test_what_docstrings_name_is_there():
    package = DOCS.parent
    folders = [path.parent for path in package.glob("*/__init__.py") if path.parts[-2] != "tests"]
    names = "|".join(folder.name for folder in folders)
    dotted = re.compile(rf"(?<![\w./])(?:samuel\.)?((?:{names})(?:\.\w+)+)")
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for text in re.findall(r'""".*?"""', path.read_text(), re.S):
            for name in dotted.findall(text):
                if not name.endswith((".parquet", ".ggf", ".txt", ".pgn")):
                    try:
                        pkgutil.resolve_name(f"samuel.{name}")
                    except (ImportError, AttributeError):
                        pytest.fail(f"{path.relative_to(package)} names {name}, which is not there")


def test_every_command_is_documented():
    named = {"models" if name == "models list" else name for name in COMMANDS}
    assert named == {re.sub(" (--.*|NAME)", "", name) for name in commands()}


def test_the_smallest_game_is_one(tmp_path):
    (text,) = re.findall(r"^```python\n(.*?)^```$", (DOCS / "games.md").read_text(), re.S | re.M)
    (tmp_path / "apart.py").write_text(text)
    game = game_named(str(tmp_path / "apart.py"))
    check_game(game)
    assert perft(Position.start(game), 2) == 2 * 10 + 10 * 9  # at an end two squares go, else three


def test_the_game_with_a_word_of_its_own_is_one():
    game = game_named(str(DOCS.parent / "examples" / "two_at_a_time.py"))
    check_game(game)
    position = Position.start(game)
    texts = [(position := position.play(move)).text for move in ("a1", "a2", "b2", "b1")]
    assert [text.split(" ", 1)[1] for text in texts] == ["O", "O +", "X", "X +"]
    assert str(position).endswith(", the last stone")


def bit_stated(name, sentence, row, column):
    """Return the bit of a square, by its row from the top, as a sentence of a page has it."""
    game = game_named(name)
    from_below = "from below" in sentence or "rank r" in sentence
    known = {"c": column, "r": game.board.rows - 1 - row if from_below else row}
    known["n"] = 4 * row + column // 2 + 1  # of the dark squares of checkers
    (formula,) = re.findall(r"is bit `([^`]+)`", sentence)
    return eval(formula, known)


@pytest.mark.parametrize(
    "name", ["othello", "connect_four", "tic_tac_toe", "checkers", "gomoku", "xiangqi"]
)
def test_the_words_of_positions_are_as_the_pages_of_games_say(name):
    game, is_small = game_named(name), name == "tic_tac_toe"
    page = DOCS / "games" / f"{'connect_four' if is_small else name}.md"
    (about,) = re.findall(r"`position\.words` has .*?\n\n", page.read_text() + "\n\n", re.S)
    assert f"has {game.words} words" in about
    sentence = about.partition(". In tic-tac-toe")[2 if is_small else 0]
    unused, columns = set(game.board.unused), game.board.columns
    rows = random_positions(game, 40, seed=7)
    contents = game.board.digits(rows)
    for square in set(range(len(game.squares))) - unused:
        bit = bit_stated(name, sentence, *divmod(square, columns))
        for words, digit in zip(rows, contents[square], strict=True):
            held = [
                bool(words[kept.word + bit // 64] >> np.uint64(bit % 64) & np.uint64(1))
                for kept in game.board.kept
            ]
            found = game.board.contents[digit]
            assert held == [kept == found for kept in game.board.kept], game.squares[square]


def test_the_words_of_positions_without_a_board_are_as_their_pages_say():
    def formula(name):
        page = (DOCS / "games" / f"{name}.md").read_text()
        assert re.search(rf"`position\.words` has {game_named(name).words} words?", page)
        return re.search(r"`([^`]*words\[0\][^`]*)`", page)[1]

    words = Position.start("nim").words
    assert [eval(formula("nim"), {"words": words, "k": k}) for k in range(4)] == [3, 5, 7, 0]
    words = Position.start("backgammon").words
    points = {n: eval(formula("backgammon"), {"words": words, "n": n}) for n in range(26)}
    assert {n: held for n, held in points.items() if held} == {6: 5, 8: 3, 13: 5, 24: 2}
    text, told = re.search(
        r"words of `(.*?)` are `(.*?)`", (DOCS / "games" / "pig.md").read_text()
    ).groups()
    assert str(Position.parse(text, game_named("pig")).words) == told


def test_no_two_pages_of_the_site_are_one_file():
    """Sphinx writes pages of its own over those of the same name, and says nothing."""
    of_sphinx = ["search", "genindex", "py-modindex", "modindex", "_modules/index"]
    settings = runpy.run_path(str(DOCS / "conf.py"))
    ends = ("md", "rst", "ipynb")
    pages = [path.relative_to(DOCS) for end in ends for path in DOCS.rglob(f"*.{end}")]
    made = ("api", "_templates")  # by Sphinx, where the site was built here
    names = [str(page.with_suffix("")) for page in pages if page.parts[0] not in made]
    objects = re.findall(
        r"^   ([a-zA-Z]\w*(?:\.\w+)*)$", (DOCS / "reference.rst").read_text(), re.M
    )
    assert "Feature" in objects and "feature" in objects
    renamed = settings["autosummary_filename_map"]
    names += [f"api/{renamed.get(f'samuel.{one}', f'samuel.{one}')}" for one in objects]
    count = Counter(name.lower() for name in [*of_sphinx, *names])
    assert [name for name, times in count.items() if times > 1] == []


@pytest.fixture(scope="module")
def api_pages():
    """Return what draws the signatures of the reference."""
    return runpy.run_path(str(DOCS / "api_pages.py"))


@pytest.mark.parametrize("name", ["match", "learn", "jit", "Game", "SelfplayPlan", "Features"])
def test_a_signature_of_the_reference_has_types_and_short_defaults(api_pages, name):
    shown = getattr(samuel, name)
    what = "class" if isinstance(shown, type) else "function"
    text, _ = api_pages["signature"](None, what, f"samuel.{name}", shown, None, "", None)
    head = ast.parse(f"def {name}{text}: ...").body[0].args
    named = [*head.posonlyargs, *head.args, *head.kwonlyargs]
    assert named and all(one.annotation for one in named), text
    assert not re.search(r"samuel\.|Annotated|<", text)
    assert all(len(ast.unparse(one)) < 30 for one in [*head.defaults, *head.kw_defaults] if one)


def test_the_reference_lists_the_keywords_of_option_classes(api_pages):
    lines = ["About.", "", ".. rubric:: Examples"]
    api_pages["keywords"](None, "function", "samuel.match", samuel.match, None, lines)
    text = "\n".join(lines)
    assert "``match(..., limits=Limits(depth=...))``" in text and "``depth_b``" in text
    assert "``openings`` : *Openings | Path | str | None*" in text
    assert text.endswith(".. rubric:: Examples")


def test_pages_that_are_linked_are_there():
    page = DOCS / "reference.rst"
    for name in re.findall(r":doc:`(?:[^`<]*<)?/?([^`<>]+)>?`", page.read_text()):
        known = [DOCS / f"{name}{end}" for end in (".md", ".rst")]
        assert any(map(Path.exists, known)), f"{page.name} links {name}"


ROOT = DOCS.parent
MADE = {".venv", ".git", "build", "api", "node_modules"}
"""Folders of what is made, and of the environment."""


def files_of_the_tree(*ends):
    """Yield the files of the repository that people wrote, by their ends."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in MADE and not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.endswith(ends))


def test_every_decision_that_is_named_is_there_and_in_the_index():
    records = {path.name[:3]: path.name for path in DOCS.glob("decisions/[0-9]*.md")}
    page = (DOCS / "decisions" / "index.md").read_text()
    assert sorted(re.findall(r"\]\((\d{3}-[\w-]+\.md)\)", page)) == sorted(records.values())
    missing = []
    for path in files_of_the_tree(".py", ".md", ".rst", ".toml", ".ipynb"):
        for number in re.findall(r"(?i)decisions?[ \n/]#?\s*(\d{3})\b", path.read_text()):
            if number not in records:
                missing.append(f"{path.relative_to(ROOT)}: decision {number}")
    assert not missing, f"no such record: {missing}"


def anchors_of(page):
    """Return the anchors of the headings of a page, as GitHub and MyST name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    found = Counter()
    for title in re.findall(r"^#{1,6} (.*?)\s*$", text, re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        yield f"{slug}-{found[slug]}" if found[slug] else slug
        found[slug] += 1
    yield from re.findall(r"^\(([\w-]+)\)=$", text, re.M)


def test_links_of_pages_lead_to_files_and_headings():
    broken = []
    for page in files_of_the_tree(".md", ".ipynb"):
        text = page.read_text()
        if page.suffix == ".ipynb":
            cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
            text = "\n\n".join("".join(cell["source"]) for cell in cells)
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.S | re.M)
        for link in re.findall(r"\]\(<?([^)\s>]+)", text):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if re.match(r"\w+:", link) or target.name == "reference":
                continue  # elsewhere, or made by Sphinx
            is_there = target.exists() and (not anchor or anchor in anchors_of(target))
            if not is_there:
                broken.append(f"{page.relative_to(ROOT)} links {link}")
    assert not broken
