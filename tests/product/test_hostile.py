"""The attack corpus in a container engine: verdicts, traces that attacks leave, and agreement with
docs/security/attacks.md.

attack_table.py runs the attacks in the sandbox `process` and writes the table.
"""

import hashlib
import os
import re
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from attacks import HOSTILE, QUICK, corpus, in_words, small_assignment, small_course, verdict
from project import ROOT
from selection import ATTACKS, param

from grader.common.record import replace
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.execution.sandbox.docker.sweeping import LABEL
from grader.grading.grade import grade_submission
from grader.grading.settings import Settings
from grader.results.verdicts import Reason
from grader.results.withholding import withheld

pytestmark = [pytest.mark.long, pytest.mark.spread]

CORPUS = corpus()
TABLE = (ROOT / "docs" / "security" / "attacks.md").read_text(encoding="utf-8").splitlines()

HONEST = ROOT / "tests" / "submissions" / "coalsTransp" / "block-not-moved"
"""An honest mistake. Regardless of earlier gradings, it gives the correct result for one element and wrong results for
larger cases.
"""

HONEST_EVERY = 5
"""Number of attacks for each grading of an honest submission."""

NEIGHBOURS = ("PostgreSQL.", "grader-worker-", "grader-rounds-", "adversaries-", "mark-of-a-worker", "sem.")
"""Prefixes of names in shared memory that tests create in parallel. They belong to arrays of other gradings and of
separated adversaries, to a worker's remains in test_sandbox_user.py, to Dask's locks and to a database server.
"""

KEPT = 3
"""Containers that are kept between two gradings: the spare one, and two that run only the assignment's own kernels."""

SEARCHING = {"GRADER_SEARCH__SECONDS": "0.5"}
"""Limit of the search for the wrong line in seconds. It is long enough to edit and run an attack."""

TIMED = {"speed": [pytest.mark.timed]}
"""Marks for each kind of attack. Which kernel is slow can only be measured on an otherwise idle machine."""

every_attack = pytest.mark.parametrize(
    "attack", [param(attack, attack.name, ATTACKS, TIMED.get(attack.kind, ())) for attack in CORPUS]
)


@pytest.fixture(scope="module")
def wall(worker_image, tmp_path_factory, locks):
    """An environment as in `grader batch`, with a spare worker that starts while an attack runs."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**QUICK, **SEARCHING}.items():
            patch.setenv(name, value)
        folder = tmp_path_factory.mktemp("arrays")
        settings = Settings(docker={"image": worker_image, "folder": folder}, locks=locks)
        with settings.open_batch("docker") as environment:
            yield environment, folder


def grade(environment, assignment, folder):
    task = Task(assignment=assignment, submission=read_submission(folder), seed=fresh_seed())
    return grade_submission(task, environment, lambda _: None)


def without_noise(result):
    """Return the result without a speed that could not be measured. Only attacks on speed have the machine alone."""
    return replace(result, checks=tuple(check for check in result.checks if check.reason is not Reason.NOT_MEASURED))


def containers(client, folder):
    """Return the containers of this environment, including the spare one."""
    return [each for each in client.api.containers(all=True) if each["Labels"].get(LABEL, "").startswith(str(folder))]


def settle(look, wanted):
    """Call `look` until it returns at most `wanted` items or 10 seconds have passed, and return its last result."""
    end = time.monotonic() + 10
    while len(look()) > wanted and time.monotonic() < end:
        time.sleep(0.05)
    return look()


def host():
    """Return what an attack could have changed on this machine: the names in folders for all users and a hash of files
    that an attack could read.
    """
    listed = (name for folder in ("/", "/dev/shm", "/etc", str(Path.home())) for name in os.listdir(folder))  # noqa: PTH208
    names = sorted(name for name in listed if not name.startswith(NEIGHBOURS))
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "reference").rglob("*.cl"), *(ROOT / "grader").rglob("*.py"), Path("/etc/passwd")]):
        digest.update(path.read_bytes())
    return names, digest.hexdigest()


@every_attack
def test_an_attack_fails_its_own_grading_and_nothing_else(attack, wall, engine, tmp_path):
    """An attack gets its expected verdict, leaves no container, process or file behind, and does not change the next
    grading. The next grading is usually another attack, which must get its expected verdict too. After every fifth
    attack it is an honest submission.
    """
    environment, folder = wall
    before = host()
    assignment = small_assignment(tmp_path, attack)
    result = withheld(grade(environment, assignment, attack.folder), assignment)
    if attack.kind != "speed":
        result = without_noise(result)
    assert verdict(result) == attack.docker
    assert len(settle(lambda: containers(engine, folder), KEPT)) <= KEPT
    assert len(settle(lambda: list(folder.iterdir()), KEPT)) <= KEPT
    assert host() == before
    if CORPUS.index(attack) % HONEST_EVERY == 0:
        honest = small_course(tmp_path / "next", "coalsTransp", (), watched=False).load("coalsTransp")
        reasons = [check.reason for check in grade(environment, honest, HONEST).checks]
        assert reasons == [None, None, Reason.WRONG_OUTPUT, Reason.WRONG_OUTPUT, Reason.NOT_RUN]
    assert row_of(attack).endswith(f"| {in_words(attack.docker)} |")


def row_of(attack):
    """Return the row of an attack in docs/security/attacks.md, or an empty text if it has none."""
    return next((line for line in TABLE if line.startswith(f"| {attack.title} |")), "")


def test_the_table_lists_the_whole_corpus_and_nothing_else():
    """The table has exactly one row for each attack, in the order of the corpus."""
    start = TABLE.index("| attack | `process` | `docker` |") + 2
    rows = TABLE[start : start + len(CORPUS) + 1]
    assert [line.split(" | ")[0].removeprefix("| ") for line in rows[:-1]] == [attack.title for attack in CORPUS]
    assert rows[-1] == ""


def test_the_corpus_is_wide_enough():
    """The corpus has at least forty attacks, and their names in the table are distinct."""
    assert len(CORPUS) >= 40
    assert len({attack.title for attack in CORPUS}) == len(CORPUS)
    assert {path.parent for path in HOSTILE.glob("*/kernels.cl")} == {attack.folder for attack in CORPUS}


def test_what_attacks_import_of_ours_is_there():
    """Every name that attacks import from grader exists. Otherwise an attack would fail for the wrong reason and prove
    nothing.
    """
    named = [
        (attack.name, module, name.strip())
        for attack in CORPUS
        for module, names in re.findall(
            r"from (grader[\w.]*) import ([\w, ]+)", (attack.folder / "kernels.cl").read_text(encoding="utf-8")
        )
        for name in names.split(",")
    ]
    assert len(named) >= 10
    gone = [(attack, f"{module}.{name}") for attack, module, name in named if not _is_there(module, name)]
    assert gone == []


def _is_there(module, name):
    try:
        return hasattr(import_module(module), name) or find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError:
        return False
