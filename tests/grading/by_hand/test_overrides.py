"""overrides.py: `grader run` runs an assignment with values that the user sets."""

import pytest
from courses import ADDITION, KERNEL, ORACLE, course_of
from samples import DEVICE
from submission_texts import submitted
from untimed import UNTIMED, untimed_course

from grader.common.errors import InputError
from grader.grading.by_hand.overrides import Overrides, settle, to_run
from grader.grading.explain.problem import Problem

DEVICE = DEVICE.model_copy(update={"max_work_group": 1024, "global_memory": 10**9})
STATED = "// grader: GROUP = 32\n// grader: global = ceil_to(n, 128)\n// grader: local = 128\n"
BANDS = [{"fraction": 0.5, "points": 5}]
CLASSES = {"cpu": {"sizes": {"n": 1000}, "constants": {"GROUP": 16, "UNROLL": 4}, "bands": BANDS}}
FIELDS = {
    **ADDITION,
    "constants": {**ADDITION["constants"], "UNROLL": 1},
    "performance": {**ADDITION["performance"], "classes": CLASSES},
}
OPEN = {**FIELDS, "choices": {"constants": {"GROUP": [32, 64]}, "launches": ["add"]}}


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """Return an assignment that does not leave any choices to students."""
    return course_of(tmp_path_factory.mktemp("closed"), FIELDS, KERNEL, ORACLE).load("small")


@pytest.fixture(scope="module")
def open_assignment(tmp_path_factory):
    """Return an assignment that leaves GROUP and the launch sizes to students."""
    return course_of(tmp_path_factory.mktemp("open"), OPEN, KERNEL, ORACLE).load("small")


def run(assignment, source="", **wanted):
    submission = submitted(source)
    return to_run(assignment, submission, Overrides(kernel="add", **wanted), DEVICE)


def launched(assignment):
    """Return the global and the local size of the assignment's only launch."""
    (launch,), (sizes,) = assignment.launches, assignment.all_sizes()
    return tuple(assignment.items(launch, stated, sizes) for stated in (launch.global_size, launch.local_size))


def test_with_nothing_set_it_is_what_is_timed_on_the_device(closed):
    """If the user sets no values, the assignment runs only with the sizes and constants for the device's class."""
    found = run(closed)
    assert list(found.all_sizes()) == [{"n": 1000}]
    assert (found.constants["GROUP"], found.constants["UNROLL"]) == (16, 4)
    assert launched(found) == ((1008,), (16,))


def test_what_is_set_comes_last(open_assignment):
    """Values that the user sets override those of the device's class and of the submission. The submission's choice of
    a constant overrides the value of the class.
    """
    assert run(open_assignment, STATED).constants == {"real": "float", "GROUP": 32, "UNROLL": 4}
    found = run(open_assignment, STATED, sizes={"n": 70}, constants={"GROUP": 8, "UNROLL": 2})
    assert list(found.all_sizes()) == [{"n": 70}]
    assert (found.constants["GROUP"], found.constants["UNROLL"]) == (8, 2)
    assert launched(found) == ((128,), (128,))


def test_launch_sizes_are_written_as_students_write_them(closed):
    """Launch sizes are written in the syntax that students use, where division is C's integer division. The user can
    set only the global size or only the local size.
    """
    assert launched(run(closed, global_size=("n / 300 * 256",), local_size=("2 * GROUP",))) == ((768,), (32,))
    assert launched(run(closed, local_size=("8",))) == ((1008,), (8,))


def test_launch_sizes_that_are_set_need_not_be_stated(open_assignment):
    """If the user sets the launch sizes, the submission need not state them, and any sizes that it states are
    overridden. If the user sets only one of the two, the other one comes from the submission.
    """
    assert launched(run(open_assignment, global_size=("n",), local_size=("10",))) == ((1000,), (10,))
    assert launched(run(open_assignment, STATED, global_size=("n",), local_size=("10",))) == ((1000,), (10,))
    assert launched(run(open_assignment, STATED, local_size=("64",))) == ((1024,), (64,))
    assert "you must state the global size" in run(open_assignment, local_size=("64",)).message


def test_launches_of_other_kernels_stay_as_they_are(tmp_path):
    """Launches of other kernels, including the steps of the model solution, keep their sizes."""
    launches = [*ADDITION["launches"], {**ADDITION["launches"][0], "kernel": "other"}]
    found = run(course_of(tmp_path, {**FIELDS, "launches": launches}).load("small"), local_size=("8",))
    assert [launch.local_size for launch in found.launches] == [("8",), ("GROUP",)]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (
            {"local_size": ("50",)},
            "1,008 work-items in dimension 0 at n 1000, which is not a multiple of the group size 50",
        ),
        ({"global_size": ("4096",), "local_size": ("2048",)}, "runs groups of at most 1,024"),
        ({"constants": {"GROUP": 2048}}, "runs groups of at most 1,024"),
        ({"local_size": ("n ** 2",)}, "the sizes of add make no sense at n 1000"),
        ({"local_size": ("width",)}, "may use GROUP, UNROLL, ceil_div"),
    ],
)
def test_sizes_that_do_not_fit_the_device_are_a_problem(closed, wanted, words):
    """For sizes that do not fit the device, the problem has the message that students get about their own statements,
    even if the user only changed a constant.
    """
    found = run(closed, **wanted)
    assert isinstance(found, Problem)
    assert found.reason == "LAUNCH_SIZES"
    assert words in found.message


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (
            {"local_size": ("8", "8")},
            "1 dimension in its global size and 2 in its local size; give both the same number",
        ),
        ({"constants": {"GROUP": "x"}}, "cannot evaluate"),
        ({"sizes": {"n": 10**9}}, "the arrays would take 12.0 GB, but Test Device has 1.0 GB of memory"),
    ],
)
def test_what_makes_no_sense_is_an_input_error(closed, wanted, words):
    """Values that cannot be used for any kernel raise InputError."""
    with pytest.raises(InputError, match=words):
        run(closed, **wanted)


def test_more_turns_than_are_ever_run_are_refused(tmp_path):
    """An assignment with more than 10,000 iterations is refused when its file is read."""
    fields = {**FIELDS, "repeat": {"times": "20*n"}}
    with pytest.raises(InputError, match=r"20,000 iterations at .*; state from 1 to 10,000"):
        run(course_of(tmp_path, fields).load("small"))


def test_a_class_of_devices_without_a_goal_has_nothing_to_run(closed):
    """If the assignment has no goal for the device's class, it cannot be run. The error says which field to add."""
    submission = submitted("")
    with pytest.raises(InputError, match=r"add performance\.classes\.gpu"):
        to_run(closed, submission, Overrides(kernel="add"), DEVICE.model_copy(update={"type": "gpu"}))


def test_settling_leaves_everything_else_that_is_asked_for(open_assignment):
    """`settle` sets the constants and leaves the rest of the assignment unchanged, because the simulator needs it."""
    submission = submitted(STATED)
    found = settle(open_assignment, submission, Overrides(kernel="add", constants={"UNROLL": 8}))
    assert (found.constants["GROUP"], found.constants["UNROLL"]) == (32, 8)
    assert found.correctness == open_assignment.correctness


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_without_a_speed_goal_the_sizes_are_those_of_the_largest_case_that_is_shown(tmp_path, kind):
    """If the assignment has no speed goal, it runs on every class of devices with the sizes of its largest shown case
    and with its own constants.
    """
    cases = [{"name": str(n), "sizes": {"n": n}, "hidden": n > 1000} for n in (1, 1000, 64, 5000)]
    assignment = untimed_course(tmp_path, correctness={**UNTIMED["correctness"], "cases": cases}).load("small")
    wanted, device = Overrides(kernel="add"), DEVICE.model_copy(update={"type": kind})
    found = to_run(assignment, submitted(""), wanted, device)
    assert list(found.all_sizes()) == [{"n": 1000}]
    assert (found.constants, found.performance) == (assignment.constants, None)
