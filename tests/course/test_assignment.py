"""assignment.py: the shipped assignments are complete, checks that contradict the arrays are refused, and the hash in
results covers all files.
"""

import re
import shutil

import pytest
from courses import ADDITION, course_of, refusal
from project import ASSIGNMENTS, ROOT
from three_kernels import LAUNCHES, three_kernels, with_cases
from untimed import POINTS, UNTIMED, untimed_course

from grader.common.errors import InputError
from grader.course.catalogue import Course

BUFFERS, SPEED, CASES = ADDITION["buffers"], ADDITION["performance"], ADDITION["correctness"]


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_assignment_of_the_course_is_whole(course, name):
    """Each shipped assignment has 100 points, every kind of check, goals for CPUs and GPUs, and enough cases."""
    coursework = course.load(name)
    assert coursework.points == 100
    for part in coursework.parts:
        assert len(part.correctness.cases) >= (6 if part.part else 10)
        assert set(part.performance.classes) == {"cpu", "gpu"}
        assert part.sanitizer.points
        assert part.memory.checks


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_small_integers_leave_no_room_for_rounding_where_they_can(course, name):
    """Each assignment has a case that is compared exactly, unless its arithmetic on small integers is inexact.

    If oracle.py judges the timed results, or if all cases are compared exactly, small integers are allowed but not
    required, for example for equal elements.
    """
    for part in course.load(name).parts:
        kinds = {case.data for case in part.correctness.cases}
        rules = {part.tolerance_of(buffer).rule for buffer, each in part.buffers.items() if each.is_judged}
        is_free = part.performance.verifier == "oracle" or rules == {"exact"}
        assert ({"random"} if is_free else {"random", "integers"}) <= kinds <= {"random", "integers"}


@pytest.fixture
def copy(tmp_path):
    """A copy of one assignment, for tests that damage it."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    return Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")


def test_the_hash_covers_both_folders(copy):
    """A change in either folder changes the hash in results."""
    before = copy.load("coalsTransp").sha256
    for path in (copy.assignments / "coalsTransp/README.md", copy.reference / "coalsTransp/baseline.cl"):
        path.write_text(path.read_text() + "\n")
        after = copy.load("coalsTransp").sha256
        assert after != before
        before = after


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"alone": "addOffset"}, "runs addOffset alone, which the program does not launch at .*; correct the kernel"),
        ({"solution_of": "other"}, "runs a kernel alone, which launches with solution_of do not allow"),
    ],
    ids=["no-launch", "solution-of"],
)
def test_a_kernel_that_cannot_run_alone_is_refused(changes, words, tmp_path):
    """The message names the case, and what prevents its kernel from running alone."""
    correctness = with_cases({"name": "one", "alone": changes.get("alone", "addOffsets")})
    launches = [{**LAUNCHES[0], "solution_of": changes.get("solution_of")}, *LAUNCHES[1:]]
    with pytest.raises(InputError, match=words):
        three_kernels(tmp_path, kernel="addOffsets", launches=launches, correctness=correctness)


def test_a_kernel_that_the_sanitizer_cannot_run_alone_is_refused(tmp_path):
    """The section `sanitizer` may only list kernels that the program launches."""
    sanitizer = {"points": 1, "sizes": {"n": 16}, "alone": {"addOffset": {"n": 64}}}
    with pytest.raises(InputError, match="addOffset alone, in the simulator runs addOffset alone, which the program "):
        three_kernels(tmp_path, sanitizer=sanitizer)


def test_a_rate_of_a_kernel_that_is_not_launched_is_refused(tmp_path):
    """Each kernel under performance.kernels is launched in the timed program."""
    speed = {"bytes": "8*n", "classes": {"cpu": {"sizes": {"n": 64}, "bands": [{"fraction": 0.5, "points": 1}]}}}
    speed["kernels"] = {"scanBlocks": {"bytes": "8*n"}, "addOffset": {"bytes": "8*n"}}
    with pytest.raises(InputError, match=r"performance\.kernels has addOffset, which the program does not launch at"):
        three_kernels(tmp_path, performance=speed)


@pytest.mark.parametrize("name", ["coalsTransp", "jacobi"])
def test_no_measurement_and_no_score_depends_on_the_order(tmp_path, name):
    """Moving an assignment within the course does not require a new timing or rescoring, not even for a suite."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / name, tmp_path / part / name)
    copied = Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")
    before = copied.load(name)
    path = before.folder / "assignment.yaml"
    for line in ("order: 99\n", ""):
        path.write_text(re.sub(r"^order: .*\n", line, path.read_text(), flags=re.MULTILINE))
        after = copied.load(name)
        assert after.order != before.order
        assert (after.measured_sha256, after.scored_sha256) == (before.measured_sha256, before.scored_sha256)


def test_a_class_of_devices_can_be_timed_with_constants_of_its_own(product):
    """The constants of a goal replace the assignment's constants only on that class of devices. No other field
    changes.
    """
    gpu = product.performance.classes["gpu"].model_copy(update={"constants": {"TILE": 32}})
    classes = {**product.performance.classes, "gpu": gpu}
    given = product.model_copy(update={"performance": product.performance.model_copy(update={"classes": classes})})
    timed = given.timed_on("gpu")
    assert timed.constants == {**product.constants, "TILE": 32}
    assert timed.definitions["TILE"] == "32"
    assert timed.model_copy(update={"constants": product.constants}) == given
    assert given.timed_on("cpu") == given


def test_no_assignment_is_named_in_the_code():
    """The package does not contain the name of any assignment, because assignments are data."""
    files = [path for path in (ROOT / "grader").rglob("*") if path.is_file() and path.suffix not in {".pyc", ".so"}]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert len(files) > 100
    assert set(ASSIGNMENTS).isdisjoint(re.findall(r"\w+", code))


def test_a_case_that_counts_is_shown(tmp_path):
    """At least one case that counts must be shown.

    Otherwise, memory and speed would earn points for kernels that no shown case has checked. Practice cases do not
    count.
    """
    cases = [
        {"name": "one", "sizes": {"n": 1}, "hidden": True},
        {"name": "two", "sizes": {"n": 2}, "practice": True},
    ]
    fields = {**ADDITION, "correctness": {**ADDITION["correctness"], "cases": cases}}
    with pytest.raises(InputError, match="every case that counts is hidden; show at least one"):
        course_of(tmp_path, fields).load("small")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"correctness": {**CASES, "tolerance": {"rule": "approx"}}},
            "tolerance.rule: 'approx' is not a possible value; write 'exact', ",
        ),
        ({"correctness": {**CASES, "tolerance": {"rule": "ulp"}}}, "tolerance: the rule ulp needs `at_most`"),
        (
            {"buffers": {**BUFFERS, "x": {"shape": ["n"], "data": "made"}}},
            "oracle.py makes x, and `integers` does not give a range for it: write `verifier: oracle`",
        ),
        (
            {
                "buffers": {**BUFFERS, "x": {"shape": ["n"], "data": "made"}},
                "performance": {**SPEED, "integers": [{"x": [0, 1]}, {}]},
            },
            "oracle.py makes x, and `integers` does not give a range for it: write `verifier: oracle`",
        ),
        ({"performance": {**SPEED, "integers": [{}, {"w": [0, 1]}]}}, "has w, which is not a buffer of numbers"),
        ({"performance": {**SPEED, "integers": [{"x": [3, 2]}]}}, "x from 3 to 2, which is not a range of its numbers"),
        (
            {
                "buffers": {**BUFFERS, "x": {**BUFFERS["x"], "type": "double"}},
                "performance": {**SPEED, "integers": [{"x": [0, 2**40]}]},
            },
            "x from 0 to 1099511627776, which is not a range of its numbers",
        ),
        ({"performance": {**SPEED, "integers": [{"x": [0, 2**24 + 1]}]}}, "to 16777217, which is not a range of its"),
        ({"performance": {**SPEED, "integers": []}}, "at least 1 item"),
    ],
)
def test_checks_that_contradict_the_arrays_are_refused(tmp_path, changes, words):
    """A rule of comparison or a range of timed numbers that does not apply is refused before any student is graded."""
    assert words in refusal(tmp_path, changes)


def test_a_gpu_may_make_data_of_the_oracle_that_have_a_range(tmp_path):
    """Timed runs on a GPU need no oracle if each line of `integers` has a range for data that oracle.py makes."""
    changes = {
        "buffers": {**BUFFERS, "x": {"shape": ["n"], "data": "made"}},
        "performance": {**SPEED, "integers": [{"x": [0, 1]}, {"x": [0, 9]}]},
    }
    assert course_of(tmp_path, {**ADDITION, **changes}).load("small").speed_goals.verifier is None


# --- without performance ------------------------------------------------------------------------


def test_an_assignment_may_check_no_speed(tmp_path):
    """Without a speed check, only the other checks have points, and all classes of devices have the same constants."""
    assignment = untimed_course(tmp_path).load("small")
    assert assignment.performance is None
    assert assignment.points == POINTS
    assert dict(assignment.goals) == {}
    assert [assignment.timed_on(kind).constants for kind in ("cpu", "gpu")] == [assignment.constants] * 2
    with pytest.raises(InputError, match=r"assignment\.yaml: has no speed check; add `performance:`"):
        _ = assignment.speed_goals


@pytest.mark.parametrize(
    ("buffers", "words"),
    [
        ({"x": {"shape": ["n"], "data": "numbers"}, "z": {"shape": ["n"]}}, 2),
        ({"x": {"shape": ["n", 3], "data": "numbers"}, "z": {"shape": [1]}}, 3.1),
        ({"x": {"shape": ["n"], "data": "numbers"}, "z": {"shape": ["n"], "data": "numbers", "role": "updated"}}, 3),
        ({"x": {"shape": ["n"], "data": "zeros", "role": "scratch"}, "z": {"shape": ["n"]}}, 1),
    ],
    ids=["input and output", "shapes", "updated", "scratch"],
)
def test_the_least_traffic_is_what_goes_in_and_what_comes_out(tmp_path, buffers, words):
    """The least traffic counts each input and judged output once, an updated array twice and scratch arrays never."""
    launch = {"kernel": "add", "args": ["x", "z", "n"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}
    fields = {"buffers": buffers, "launches": [launch], "baseline": [launch]}
    assert untimed_course(tmp_path, **fields).load("small").least_traffic({"n": 10}) == 4 * 10 * words


def test_a_stated_least_traffic_comes_before_that_of_the_arrays(tmp_path):
    """`performance.bytes`, which the roofline uses, takes precedence over the least traffic of the arrays."""
    speed = {**ADDITION["performance"], "bytes": "5*n"}
    assert course_of(tmp_path, {**ADDITION, "performance": speed}).load("small").least_traffic({"n": 10}) == 50


def test_a_part_of_a_suite_may_be_the_only_one_that_is_timed(tmp_path):
    """One part of a suite may be timed while another is not."""
    fields = {name: value for name, value in UNTIMED.items() if name not in {"kernel", "launches"}}
    (launch,) = UNTIMED["launches"]
    parts = [
        {"kernel": "add", "launches": [launch]},
        {"kernel": "plus", "launches": [{**launch, "kernel": "plus"}], "performance": ADDITION["performance"]},
    ]
    suite = course_of(tmp_path, {**fields, "parts": parts}).load("small")
    assert [part.points for part in suite.parts] == [POINTS, POINTS + 5]


def test_made_data_need_no_verifier_where_nothing_is_timed(tmp_path):
    """Data made by the oracle require `verifier: oracle` only if the assignment has `performance`."""
    buffers = {**ADDITION["buffers"], "x": {"shape": ["n"], "data": "made"}}
    assert untimed_course(tmp_path, buffers=buffers).load("small").performance is None
