"""store.py: result files that are complete or absent, the lock of the folder, and the seed of the batch."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from fake_workforce import FACILITIES, ORDERS, handin, outcome_of, plan_of
from samples import DEVICE

from grader.batch.store import Store, at_work, batch_seed, content_key, seed_of
from grader.common.errors import InputError
from grader.course.catalogue import Course


@pytest.fixture
def graded(transposition):
    plan = plan_of([transposition], handin("anna"))
    (item,) = plan.items.values()
    return item.key, outcome_of(plan.job(item))


def test_what_is_kept_is_there_until_it_is_dropped(tmp_path, graded):
    """A stored result is read back unchanged after the folder is opened again, until it is dropped."""
    key, outcome = graded
    assert not Store(tmp_path).holds(key)
    Store(tmp_path).keep(key, outcome)
    assert Store(tmp_path).load(key) == outcome
    Store(tmp_path).drop(key)
    Store(tmp_path).drop(key)
    assert not Store(tmp_path).holds(key)


def test_a_result_of_an_older_grader_is_still_a_result(tmp_path, graded):
    """A result from an older grader, without the device's highest clock and without roofs, can still be read."""
    key, outcome = graded
    Store(tmp_path).keep(key, outcome)
    (path,) = (tmp_path / "results").glob("*.json")
    fields = json.loads(path.read_text())
    del fields["provenance"]["device"]["clock"]
    del fields["checks"][-1]["performance"]["roofs"]
    path.write_text(json.dumps(fields))
    assert Store(tmp_path).load(key) == outcome


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"\xff\xfe", b'{"schema_version": "grader-result/9"}'])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path, graded, content):
    """An unreadable result, as after a power failure, counts as missing."""
    key, outcome = graded
    store = Store(tmp_path)
    store.keep(key, outcome)
    (path,) = (tmp_path / "results").glob("*.json")
    path.write_bytes(content)
    assert store.load(key) is None


def test_a_key_follows_everything_that_can_change_a_verdict(transposition, product):
    """A content key depends on everything that can change a verdict, but not on the student or the path of the file."""

    def key(file=None, assignment=transposition, facilities=FACILITIES, settings_json=ORDERS):
        return content_key(file or handin("anna"), assignment.measured_sha256, facilities, settings_json)

    others = [
        key(handin("anna", b"other")),
        key(assignment=product),
        key(facilities=replace(FACILITIES, grader="2")),
        key(facilities=replace(FACILITIES, simulated=False)),
        key(facilities=replace(FACILITIES, device=DEVICE.model_copy(update={"driver": "2"}))),
        key(settings_json="{}"),
    ]
    assert len({key(), *others}) == 1 + len(others)
    assert key(replace(handin("bob"), late=True)) == key()
    assert key().isalnum()


def test_thresholds_and_points_leave_the_key_as_it_is(transposition):
    """Thresholds and points do not change the key, because rescoring.py applies them to stored measurements.

    Tolerances, cases, sizes, constants and the set of memory checks do change it.
    """

    def key(**changes):
        changed = transposition.model_copy(update=changes)
        return content_key(handin("anna"), changed.measured_sha256, FACILITIES, ORDERS)

    was = key()
    correctness, performance = transposition.correctness, transposition.performance
    goal = performance.classes["cpu"]
    slower = goal.model_copy(update={"bands": (goal.bands[0].model_copy(update={"fraction": 0.01}),)})
    larger = goal.model_copy(update={"sizes": {name: 2 * size for name, size in goal.sizes.items()}})
    wider = goal.model_copy(update={"constants": {"TILE": 32}})
    assert key(title="Another") == was
    assert key(correctness=correctness.model_copy(update={"points": 1.0})) == was
    assert key(performance=performance.model_copy(update={"classes": {**performance.classes, "cpu": slower}})) == was
    assert key(performance=performance.model_copy(update={"classes": {**performance.classes, "cpu": larger}})) != was
    assert key(performance=performance.model_copy(update={"classes": {**performance.classes, "cpu": wider}})) != was
    assert key(correctness=correctness.model_copy(update={"cases": correctness.cases[:2]})) != was
    assert key(memory=None) != was


def test_a_model_solution_that_changes_changes_the_key(course, tmp_path):
    """Changing a model solution changes the key of each assignment that runs it."""
    for kind in ("assignments", "reference"):
        shutil.copytree(getattr(course, kind), tmp_path / kind)
    copied = Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")
    before = {name: copied.load(name).measured_sha256 for name in ("coalsProgrm", "coalsTransp", "blockMMM")}
    with (tmp_path / "reference" / "coalsTransp" / "kernels.cl").open("a") as file:
        file.write("// faster\n")
    with (tmp_path / "assignments" / "blockMMM" / "README.md").open("a") as file:
        file.write("Words.\n")
    after = {name: copied.load(name).measured_sha256 for name in before}
    assert [name for name in before if before[name] != after[name]] == ["coalsProgrm", "coalsTransp"]


def test_seeds_differ_and_repeat():
    """Each grading has a reproducible 63-bit seed that depends on the batch and on the key."""
    seeds = {seed_of(batch, key) for batch in (1, 2) for key in ("a", "b")}
    assert len(seeds) == 4
    assert seeds == {seed_of(batch, key) for batch in (1, 2) for key in ("a", "b")}
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_batch_keeps_its_seed(tmp_path):
    """A batch keeps its seed, whether random or given. A different seed later is refused, because it would mix two
    batches.
    """
    (tmp_path / "b").mkdir()
    seed = batch_seed(tmp_path, None)
    assert batch_seed(tmp_path, None) == batch_seed(tmp_path, seed) == seed
    assert batch_seed(tmp_path / "b", 7) == batch_seed(tmp_path / "b", None) == 7
    with pytest.raises(InputError, match="another seed; leave --seed out"):
        batch_seed(tmp_path / "b", 8)


def test_a_broken_memory_of_the_batch_is_told(tmp_path):
    """A damaged batch.json is refused, because a new seed would make results incomparable. The error names the file."""
    (tmp_path / "batch.json").write_text("{")
    with pytest.raises(InputError, match=r"batch\.json cannot be used"):
        batch_seed(tmp_path, None)


HOLDER = """
import sys
from pathlib import Path
from grader.batch.store import at_work
with at_work(Path(sys.argv[1])):
    print("works", flush=True)
    sys.stdin.read()
"""


def test_two_graders_do_not_work_in_one_folder(tmp_path):
    """A second grader in the same folder is refused. The lock is released when its process ends, even by kill -9."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "works\n"
        with pytest.raises(InputError, match="another grader is working"), at_work(tmp_path):
            pass
        other.kill()
        other.wait()
        with at_work(tmp_path):
            pass


def test_a_folder_that_cannot_be_is_told(tmp_path):
    """A file in place of the folder is reported as an error."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a file is in its place"), at_work(tmp_path / "file" / "results"):
        pass


def test_a_result_of_the_schema_before_is_graded_again(tmp_path, graded):
    """A result of schema 2 is graded again, because skipped checks had no maximum in it: 68 of 68 points would look
    complete.
    """
    key, outcome = graded
    store = Store(tmp_path)
    store.keep(key, outcome)
    (path,) = (tmp_path / "results").glob("*.json")
    fields = json.loads(path.read_text())
    del fields["unchecked"]
    path.write_text(json.dumps(fields))
    assert store.load(key) == outcome
    path.write_text(json.dumps({**fields, "schema_version": "grader-result/2"}))
    assert store.load(key) is None
    assert not store.holds(key)
