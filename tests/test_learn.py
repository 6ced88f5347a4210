"""The generation loop: what it finds, and that nothing is lost when it is killed."""

import json
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from samuel.arena.journal import read_journal
from samuel.arena.match import match
from samuel.arena.sequential.sprt import Sprt
from samuel.cli.learn.run import line_of
from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.games.plugins import _plugins, load_plugin
from samuel.learning.generations.loop import learn
from samuel.learning.generations.matches import is_promoted
from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.learning.training import train
from samuel.models import load_evaluator, load_model
from samuel.models.compiled.model import arrays_in
from samuel.reports import write_generations
from samuel.search.limits import Limits
from samuel.selfplay.data.dataset import Dataset
from tests.processes import TIMEOUT, environment
from tests.rarely import rarely

SETTINGS = LearnOptions(
    game="tic_tac_toe",
    games=64,
    depth=1,
    epsilon=0.2,
    model="ridge",
    target="blend",
    gate_pairs=8,
    match_depth=1,
    curve_pairs=4,
    seed=4,
)
GENERATIONS = 2


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    return learn(folder, SETTINGS, generations=GENERATIONS, draw=write_generations)


def write_plain_page(run):
    """Write a page without the picture, which takes longer than all else that a small run does."""
    with whole(run.folder / "report.html") as partial:
        partial.write_text(f"{len(run.log)} steps")


def weights(run, generation):
    return (run.part(generation, "model") / "weights.npz").read_bytes()


def require_equal(run, unbroken):
    """Require two runs to hold the same games, models and results."""
    assert run.repeatable() == unbroken.repeatable()
    assert (run.options, run.best_generation) == (unbroken.options, unbroken.best_generation)
    for generation in range(1, GENERATIONS + 1):
        found, expected = (Dataset.open(r.part(generation, "data")) for r in (run, unbroken))
        pd.testing.assert_frame_equal(found.frame(), expected.frame())
        assert weights(run, generation) == weights(unbroken, generation)
        for part in ("gate", "against-first", "against-classic"):
            games = [
                {pair[0].key: [game.moves for game in pair] for pair in read_journal(folder)[1]}
                for folder in (run.part(generation, part), unbroken.part(generation, part))
            ]
            assert games[0] == games[1]


def test_a_run_has_what_it_should(unbroken):
    run = Run.open(unbroken.folder)
    assert run.options == checked(SETTINGS)
    assert run.generations == GENERATIONS
    names = {path.name for path in run.folder.iterdir() if path.name != ".lock"}
    generations = {f"generation-{n:03d}" for n in range(GENERATIONS + 1)}
    assert names == {"settings.toml", "state.json", "report.html", "best", *generations}
    frame = run.frame()
    assert frame["games"].tolist()[1:] == [64, 64] and frame["promoted"].tolist()[1]
    assert run.best_generation == 1 and not frame["promoted"].tolist()[2]
    assert frame["player"].tolist()[1:] == ["zero", "generation 1"]
    assert "<svg" in (run.folder / "report.html").read_text()


def test_a_refused_candidate_leaves_its_games_and_the_best_plays_others(unbroken, tmp_path):
    shutil.copytree(unbroken.folder, tmp_path / "run")
    run = learn(tmp_path / "run", SETTINGS, generations=3)
    assert run.log[: len(unbroken.log)] == unbroken.log
    player = load_evaluator(run.part(1, "model"), run.options.rules)
    games = [Dataset.open(run.part(n, "data")) for n in (2, 3)]
    assert {table["source"][0].as_py() for data in games for table in data.arrow_tables()} == {
        player.name
    }
    assert games[0].digest != games[1].digest
    assert run.of(3)["train"]["generations"] == [2, 3]
    assert run.of(3)["train"]["rows"] > run.of(1)["train"]["rows"]


def test_more_generations_go_on_from_the_best(unbroken, tmp_path):
    folder = tmp_path / "run"
    run = learn(folder, SETTINGS, generations=1)
    assert run.generations == 1 and Run.open(folder).goal == 1
    done = []
    run = learn(folder, generations=GENERATIONS, progress=done.append)
    assert {doing.generation for doing in done} == {2}
    require_equal(run, unbroken)
    with pytest.raises(UserError, match="is already in generation 2; give"):
        learn(folder, generations=1)
    assert Run.open(folder).goal == GENERATIONS
    assert learn(folder, SETTINGS).log == run.log


@pytest.mark.slow
def test_a_run_goes_on_from_the_model_it_begins_with(tmp_path):
    settings = replace(SETTINGS, model="tuples2-wide-network", curve_pairs=0, gate_pairs=0)
    run = learn(tmp_path / "run", settings, generations=1)
    settings_further = replace(settings, start=run.best)
    further = learn(tmp_path / "further", settings_further, generations=1)
    assert further.of(1)["train"]["begun"] == "continues from the earlier fit"
    assert "continues from the earlier fit" in line_of(Run.open(further.folder).of(1)["train"])
    assert "begun" not in run.of(1)["train"]
    anew = learn(tmp_path / "anew", settings, generations=1)
    before, after, other = (
        arrays_in((Path(one.best) / "weights.npz").read_bytes()) for one in (run, further, anew)
    )
    assert after["weights"].tobytes() == before["weights"].tobytes()
    assert (after["rows"] != before["rows"]).any()
    assert other["rows"].tobytes() == before["rows"].tobytes()
    assert not (Path(run.best) / "estimator.skops").exists()
    (Path(run.best) / "warm_start.npz").unlink()
    card = Path(run.best) / "model.json"
    said = json.loads(card.read_text())
    del said["files"]["warm_start.npz"]
    card.write_text(json.dumps(said))
    bare = learn(tmp_path / "bare", settings_further, generations=1)
    assert bare.of(1)["train"]["begun"].endswith("saved without what a fit goes on from")


def test_a_run_remembers_how_many_generations_it_is_to_have(unbroken, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(unbroken.folder, folder)

    def stop(doing):
        if doing.generation == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(folder, generations=4, progress=stop)
    assert Run.open(folder).goal == 4
    told = []
    assert learn(folder, progress=told.append).generations == 4  # more than the default
    assert {doing.generations for doing in told} == {4}
    assert learn(folder).generations == 4
    assert learn(folder, generations=5).generations == Run.open(folder).goal == 5


def test_a_moved_run_goes_on(unbroken, tmp_path):
    """The folder of a run may be called by another name when it goes on."""

    def stop_in_self_play(doing):
        if (doing.generation, doing.step, doing.done) == (2, "play", 64):
            raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        learn(tmp_path / "here", SETTINGS, generations=GENERATIONS, progress=stop_in_self_play)
    shutil.move(tmp_path / "here", tmp_path / "there")
    require_equal(learn(tmp_path / "there", generations=GENERATIONS), unbroken)


# Each run in a process of its own (forked before anything was computed) that kills itself at its
# n-th step, file or folder; what the next one finds is what the kill left.
KILLER = """
import os, shutil, signal, sys
# once, and not in each process:
import sklearn.linear_model, samuel.learning.training
from samuel.learning.generations.loop import learn
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from tests.test_learn import write_plain_page

settings = LearnOptions(**{settings!r})
left = 0

def count(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def counted(module, name):
    function = getattr(module, name)

    def call(*args, **kwargs):
        count()
        found = function(*args, **kwargs)
        count()
        return found

    setattr(module, name, call)

for module, names in ((os, ["replace", "rename", "mkdir", "fsync"]), (shutil, ["copystat"])):
    for name in names:
        counted(module, name)
for out, n in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    child = os.fork()
    if not child:
        left = n
        learn(out, settings, generations={generations}, progress=count, draw=write_plain_page)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(status, flush=True)
    if status >= 0:
        break  # it came to its end before its n-th
"""


def kill(tmp_path, moments):
    """Run the loop, killed at moments (folder, count) until one is too late; return statuses."""
    script = tmp_path / "killer.py"
    script.write_text(KILLER.format(settings=SETTINGS.flat(), generations=GENERATIONS))
    done = subprocess.run(
        [sys.executable, script, *(str(word) for moment in moments for word in moment)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT * 10,
    )
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.mark.slow
def test_killed_at_any_moment_a_run_ends_as_an_unbroken_one(unbroken, tmp_path):
    moments = [(tmp_path / f"run{n}", n) for n in range(1, 2000, 17)]
    *statuses, last = kill(tmp_path, moments)
    assert len(statuses) > 20 and set(statuses) == {-signal.SIGKILL} and last == 0
    for out, _ in moments[: len(statuses)]:
        require_equal(learn(out, SETTINGS, generations=GENERATIONS), unbroken)


def test_a_model_to_start_from_is_copied(tmp_path, unbroken):
    source = tmp_path / "mine"
    train(Dataset.open(unbroken.part(1, "data")), "ridge", out=source, name="my own")
    settings = replace(SETTINGS, start=str(source), curve_pairs=2)
    run = learn(tmp_path / "run", settings, generations=1)
    assert run.of(1)["play"]["player"] == "mine"
    shutil.rmtree(source)
    run = learn(tmp_path / "run", generations=2)
    assert run.generations == 2
    card = tmp_path / "run/first/model.json"
    other = unbroken.part(2, "model")
    for file in other.iterdir():
        shutil.copy(file, card.parent)
    with pytest.raises(UserError, match="a copy of a file of yours is in"):
        learn(tmp_path / "run", generations=3)


def test_baselines_that_are_models_are_copied(tmp_path, unbroken, monkeypatch):
    """A run that goes on elsewhere, after they were fitted anew, measures by the same ones."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(unbroken.part(1, "model"), "models/mine")
    settings = replace(SETTINGS, baselines=("classic", "models/mine"), curve_pairs=2)
    before = learn("run", settings, generations=1)
    assert set(Run.open("run").digests) == {"first", "classic", "mine"}
    copied = tmp_path / "run/baselines/mine"
    assert [path.name for path in copied.parent.iterdir()] == ["mine"]
    for file in Path("models/mine").iterdir():
        assert (copied / file.name).read_bytes() == file.read_bytes()
    shutil.rmtree("models")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    after = learn("../run", settings, generations=2)
    assert after.log[: len(before.log)] == before.log
    assert after.generations == 2 and after.of(2)["against mine"]["games"] == 4
    for file in unbroken.part(2, "model").iterdir():
        shutil.copy(file, copied)
    with pytest.raises(UserError, match="a copy of a file of yours is in"):
        learn("../run", generations=3)
    assert Run.open("../run").goal == 2  # nothing was begun


def test_other_settings_are_refused(unbroken, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(unbroken.folder, folder)
    with pytest.raises(UserError, match="was started with games = 64, not 65"):
        learn(folder, replace(SETTINGS, games=65), generations=3)
    path = folder / "settings.toml"
    text = path.read_text()
    path.write_text(text.replace("depth = 1 ", "depth = 2 "))
    with pytest.raises(UserError, match="was started with depth = 1, not 2"):
        learn(folder, generations=3)
    path.write_text("depth")
    with pytest.raises(UserError, match=r"settings\.toml is not TOML"):
        learn(folder, generations=3)
    path.unlink()
    learn(folder, generations=GENERATIONS)
    assert path.read_text() == text


def test_a_folder_of_something_else_is_left_as_it_was(tmp_path):
    (tmp_path / "settings.toml").write_text("mine")
    with pytest.raises(UserError, match="contains other files and no run"):
        learn(tmp_path, SETTINGS)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]
    with pytest.raises(UserError, match="a file stands where a folder is needed"):
        learn(tmp_path / "settings.toml", SETTINGS)


@pytest.mark.parametrize("name", ["first", "baselines", "best", "generation-001"])
def test_a_folder_with_names_of_a_run_is_left_as_it_was(tmp_path, unbroken, name):
    run = tmp_path / "run"
    shutil.copytree(unbroken.part(1, "model"), run / name)
    (run / name / "thesis.txt").write_text("mine")
    settings = replace(SETTINGS, start=str(unbroken.part(2, "model")))
    with pytest.raises(UserError, match="contains other files and no run"):
        learn(run, settings)
    assert [path.name for path in run.iterdir()] == [name]
    model = unbroken.part(1, "model")
    for file in model.iterdir():
        assert (run / name / file.name).read_bytes() == file.read_bytes()
    assert (run / name / "thesis.txt").read_text() == "mine"


def test_notes_in_the_folder_of_the_best_stay(tmp_path, unbroken):
    shutil.copytree(unbroken.folder, tmp_path / "run")
    best = tmp_path / "run/best"
    (best / "notes.txt").write_text("mine")
    (best / "model.json").write_text("{}")  # of an earlier generation
    learn(tmp_path / "run")
    assert (best / "notes.txt").read_text() == "mine"
    assert load_model(best).card == load_model(unbroken.folder / "best").card


def test_a_second_run_at_the_same_time_is_refused(tmp_path):
    found = []

    def again(doing):
        if not found:
            with pytest.raises(UserError, match="another run is writing") as error:
                learn(tmp_path / "run", SETTINGS, generations=1)
            found.append(error)

    learn(tmp_path / "run", SETTINGS, generations=1, progress=again)
    assert found


def test_who_is_promoted():
    ahead = {"limits": Limits(depth=3), "exact_from": 0}  # who knows nothing loses them all
    won = match("classic", "zero", pairs=8, **ahead)
    assert won.statistics.score_low > 0.5 and is_promoted(won)
    assert not is_promoted(match("zero", "classic", pairs=8, **ahead))
    assert not is_promoted(match("classic", "classic", game="tic_tac_toe", pairs=8))
    test = Sprt(0, 400)
    won = match("classic", "zero", pairs=50, **ahead, sprt=test)
    assert won.state is not None and won.state.decision == "H1" and is_promoted(won)
    lost = match("zero", "classic", pairs=50, limits=Limits(depth=1), sprt=test)
    assert lost.state is not None and lost.state.decision == "H0" and not is_promoted(lost)


RECIPE = """
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel import Features

def mine(features):
    return make_pipeline(Features(features, game="tic_tac_toe"), Ridge({alpha}))
"""


@pytest.mark.parametrize(
    ("file", "model", "before", "after"),
    [
        ("recipe.py", "recipe.py:mine", RECIPE.format(alpha=1), RECIPE.format(alpha=100)),
        rarely("shapes.txt", "shapes.txt", "a1 b1 c1\n", "a1 b2 c3\n"),
    ],
)
def test_the_files_of_the_user_are_kept_and_stay_the_same(
    file, model, before, after, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / file
    source.write_text(before)
    run = learn("run", replace(SETTINGS, curve_pairs=0), model=model, generations=1)
    [copy] = (tmp_path / "run/sources").iterdir()
    assert copy.read_text() == before and copy.name.startswith(f"{source.stem}-")

    forget_plugins()
    source.write_text(after)
    assert learn("run").log == run.log  # nothing is left to do
    other = rf"{file} has changed since.*restore it from .*{copy.name}"
    with pytest.raises(UserError, match=other):
        learn("run", model=model, generations=2)  # named again: code is run for a person alone
    forget_plugins()
    source.unlink()
    with pytest.raises(UserError, match=file.partition(".")[0]):
        learn("run", model=model, generations=2)
    shutil.copy(copy, source)
    assert learn("run", model=model, generations=2).generations == 2
    assert len(list((tmp_path / "run/sources").iterdir())) == 1


def test_no_code_is_run_that_settings_name(tmp_path):
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    for name in ("model", "game"):
        named = f"{tmp_path / 'evil.py'}{':mine' if name == 'model' else ''}"
        with pytest.raises(
            UserError, match="py' is a file of code, which data cannot start; if you"
        ):
            learn(tmp_path / "run", replace(SETTINGS, **{name: named}), games=8)
    assert [path.name for path in tmp_path.iterdir()] == ["evil.py"]


def test_shapes_that_change_under_way_are_seen(tmp_path):
    shapes = tmp_path / "shapes.txt"
    shapes.write_text("a1 b1\n")

    def change(doing):
        if doing.generation == 2 and doing.step == "play":
            shapes.write_text("a1 b1 c1\n")

    settings = replace(SETTINGS, model=f"{shapes}-network", curve_pairs=0)
    with pytest.raises(UserError, match=r"since the start of .*run; restore it from"):
        learn(tmp_path / "run", settings, generations=2, progress=change)
    assert not Run.open(tmp_path / "run").of(2).get("train")


GAME_FILE = """
from dataclasses import replace
from samuel.games.catalog import game_named, register_game
from samuel.kernels.jit import jit

plain = game_named("tic_tac_toe").utility

@jit
def utility(position):
    return {sign} * plain(position)

MINE = register_game(replace(game_named("tic_tac_toe"), name="my_noughts", utility=utility))
"""


@pytest.mark.filterwarnings(
    "ignore:.* both register my_noughts", "ignore:.* was made with another version of noughts.py"
)
def test_other_rules_under_the_same_name_are_refused(tmp_path):
    texts = {name: GAME_FILE.format(sign=1) + f"# {name}\n" for name in ("one", "same")}
    for name, text in (texts | {"other": GAME_FILE.format(sign=-1)}).items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "noughts.py").write_text(text)
    load_plugin(tmp_path / "one" / "noughts.py")
    settings = replace(SETTINGS, game="my_noughts", start="zero", curve_pairs=0, model="")
    learn(tmp_path / "run", settings, generations=1, baselines=())
    load_plugin(tmp_path / "same" / "noughts.py")
    assert learn(tmp_path / "run", generations=2).generations == 2
    load_plugin(tmp_path / "other" / "noughts.py")
    refused = r"rules of my_noughts have changed since the start of .*; restore them from (\S+), or"
    with pytest.raises(UserError, match=refused) as found:
        learn(tmp_path / "run", generations=3)
    copy = re.search(refused, str(found.value))
    assert copy and Path(copy[1]).read_text() == texts["same"]


def forget_plugins():
    """Be like a new process, which has not run any file of the user."""
    _plugins.clear()
    for name in [name for name in sys.modules if name.startswith("plugin_")]:
        del sys.modules[name]
