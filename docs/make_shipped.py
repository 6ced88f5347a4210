"""Makes an evaluator that comes with samuel: python docs/make_shipped.py GAME NAME --out RUNS.

Its recipe (models/shipped/GAME/NAME/recipe.toml) is a list of runs of `samuel learn`, each from the
best of the one before. The best of the last goes into the folder of the recipe: its weights on the
grid that the search holds them on, its rows on every other step of theirs (an eighth less to pack,
0.3 % more of the squared error), its parameters of ProbCut, and the card without what tells of the
place where it was made. Interrupted, the same command goes on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from samuel.games.catalog import known_game
from samuel.json_files import json_bytes
from samuel.learning.generations.loop import learn
from samuel.learning.generations.settings import Settings, read_settings
from samuel.learning.probcut import fit_probcut
from samuel.models import load_evaluator
from samuel.models.forms.arrays import arrays_bytes, arrays_in
from samuel.models.learned import FOLDER
from samuel.models.patterns.forms import PatternForm
from samuel.models.patterns.network import NetworkForm
from samuel.models.probcut import probcut_bytes
from samuel.models.saved.card import CARD, PROBCUT, WEIGHTS, digest, read_card, read_whole
from samuel.models.saved.forms import ENTRIES

RECIPE = "recipe.toml"
_KEPT = ("format", "model", "kind", "game", *ENTRIES, "scale", "unit", "versions", "plugins")
_FINEST = 1024
"""A weight of patterns is held in steps of one part in so many."""


def main(
    game: str,
    name: str,
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = Path("runs"),
    jobs: Annotated[int, typer.Option(help="Workers.")] = 2,
) -> None:
    """Make an evaluator by its recipe, and put it beside it."""
    target = FOLDER / game / name
    recipe = read_settings(target / RECIPE)
    best = follow(recipe, game, out / f"{game}-{name}", jobs)
    evaluator = load_evaluator(best)
    chosen = recipe.get("probcut")
    probcut = fit_probcut(evaluator, known_game(game), jobs=jobs, **chosen) if chosen else None
    pack(best, name, recipe["about"], target, None if probcut is None else probcut.parameters)


def follow(recipe: dict[str, Any], game: str, out: Path, jobs: int, **changes: Any) -> Path:
    """Do the runs of a recipe, each with some settings changed; return the last one's best model.

    Raises
    ------
    UserError
        A setting cannot be used, or a folder holds another run.
    """
    best = ""
    for number, chosen in enumerate(recipe["run"]):
        settings = {**chosen, **changes}
        generations = settings.pop("generations", None)
        given = {"game": game, **({"first": best} if best else {}), **settings}
        run = learn(
            out / f"run-{number}",
            Settings.of(given, RECIPE),
            generations=generations,
            jobs=jobs,
            progress=lambda doing: (
                print(doing.generation, doing.step, doing.note, flush=True) if doing.entry else None
            ),
        )
        best = str(run.best)
    return Path(best)


def pack(folder: Path, name: str, about: str, target: Path, probcut: Any = None) -> None:
    """Write the model of a folder to another, as small as it can be; see above."""
    card = read_card(folder)
    arrays = arrays_in(read_whole(folder, card, WEIGHTS))
    if card["kind"] in (PatternForm.kind, NetworkForm.kind):
        arrays["weights"] = (np.round(arrays["weights"] * _FINEST) / _FINEST).astype(np.float32)
    if card["kind"] == NetworkForm.kind:
        arrays["rows"] = 2 * np.clip(np.round(arrays["rows"] / 2), -63, 63).astype(np.int8)
    contents = {WEIGHTS: arrays_bytes(arrays)}
    if probcut is not None:
        contents[PROBCUT] = probcut_bytes(probcut)
    own = {key: card[key] for key in _KEPT if key in card} | {"name": name, "about": about}
    own["files"] = {file: digest(content) for file, content in contents.items()}
    contents[CARD] = json_bytes(own, target / CARD)
    target.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        (target / file).write_bytes(content)
        print(f"{target / file}: {len(content):,} bytes")


if __name__ == "__main__":
    typer.run(main)
