"""grade.py: every submission in the golden corpus (golden.py) gets exactly its expected verdicts."""

import os
import re
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from math import ceil

import pytest
from attacks import HELD, corpus, small_course
from courses import ADDITION, course_of
from golden import CORPUS, SUBMISSIONS, expectation, read, reasons_of
from gradings import grade
from kernels import TRANSPOSITION, changed
from pools import pool_like
from project import ROOT
from selection import GOLDEN, RIGHT, param
from timing_setups import at_sizes, with_constants
from worker_rules import FEW_PAIRS

from grader.authoring.extent import leave_out_speed
from grader.authoring.golden import ONE_PAIR, PERFORMANCE
from grader.authoring.golden_comparison import differences, skipped
from grader.common.errors import DeviceError, InputError
from grader.course.criteria import Band
from grader.course.rubric import Kind
from grader.course.speed_goals import speed_goal
from grader.course.submissions.submission import Task, read_submission
from grader.execution.client import Worker
from grader.execution.pool import PLENTY
from grader.grading import device_lock
from grader.grading.checks.causes import conclusions
from grader.grading.grade import grade_submission
from grader.grading.phases import cause_search, context, hidden_cases, speed
from grader.grading.rules import SearchRules
from grader.grading.timing.intervals import CLEAR
from grader.grading.timing.measurement import COMPARED_EVERY
from grader.grading.timing.performance import unmeasured
from grader.results.verdicts import Reason

pytestmark = [pytest.mark.long, pytest.mark.spread]


def name_of(folder):
    """Return the name of a submission in the corpus."""
    return f"{folder.parent.name}/{folder.name}"


def golden(folder):
    """Return the submission as a test parameter. Submissions for one assignment share a process, which compiles the
    assignment's own kernels once.
    """
    marks = [pytest.mark.xdist_group(f"golden-{folder.parent.name}")]
    return param(
        folder, name_of(folder), GOLDEN, [*marks, *([pytest.mark.timed] if is_decided_by_speed(folder) else [])]
    )


def is_decided_by_speed(folder):
    """True if the points of a submission depend on its speed. They do not if its speed never counts (NOT_RUN), because
    a check fails that the points for speed require.
    """
    expected = expectation(folder)
    failures = expected.fails.get(PERFORMANCE)
    reasons = failures.get("cpu") if isinstance(failures, dict) else failures
    return expected.is_timed and reasons != (Reason.NOT_RUN,)


def graded(course, environment, folder):
    """Return the result of a submission of the corpus. It is not timed if nothing is expected of its speed, and with
    one pair of runs if its speed never counts.
    """
    assignment = read(folder).subject(course.load(folder.parent.name))
    if not expectation(folder).is_timed:
        return grade(assignment, folder, environment, prepare=leave_out_speed)
    timing = FEW_PAIRS if is_decided_by_speed(folder) else ONE_PAIR
    return grade(assignment, folder, replace(environment, timing=timing))


@pytest.mark.parametrize("folder", [golden(folder) for folder in CORPUS])
def test_every_golden_submission_gets_its_verdicts(course, environment, folder):
    """A correct submission passes every check. A wrong one fails exactly the expected checks for the expected reasons,
    and its first explanation gives the true cause and line.
    """
    submission = read(folder)
    assignment = submission.subject(course.load(folder.parent.name))
    result = graded(course, environment, folder)
    assert not (skipped(result) - {PERFORMANCE} and os.environ.get("GRADER_TEST_SIMULATOR") == "required")
    assert differences(submission, assignment, result) == ()


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_a_right_submission_of_each_assignment_is_found_right(course, environment, name):
    """A correct submission for each assignment passes every check except speed, and its results are right at the timed
    sizes. Speed needs a quiet machine for several seconds, so test_every_golden_submission_gets_its_verdicts checks it.
    """
    folder = SUBMISSIONS / name
    submission = read(folder)
    assignment = submission.subject(course.load(folder.parent.name))
    result = grade(assignment, folder, replace(environment, timing=ONE_PAIR))
    told = differences(submission, assignment, result)
    assert [line for line in told if not line.startswith(f"{PERFORMANCE}: ")] == []
    assert [check.reason for check in result.checks if check.kind is Kind.PERFORMANCE] in (
        [None],
        [Reason.TOO_SLOW],
        [],
    )


@pytest.mark.whole
@pytest.mark.parametrize("name", sorted(path.parent.name for path in ROOT.glob("assignments/*/assignment.yaml")))
def test_a_model_solution_earns_all_points_but_those_for_its_speed(course, environment, name):
    """Each model solution passes every check except speed. This shows that students can earn all other points."""
    for part in course.load(name).parts:
        result = grade(part, part.reference, environment, prepare=leave_out_speed)
        assert [check.name for check in result.checks if check.kind is not Kind.PERFORMANCE and check.reason] == []


def test_the_corpus_is_wide_enough(course):
    """The corpus has at least eight submissions for each assignment, three of them correct."""
    for name in course.names():
        folders = [folder for folder in CORPUS if folder.parent.name == name]
        assert len(folders) >= 8
        assert sum(expectation(folder).is_right for folder in folders) >= 3


def test_the_corpus_holds_mistakes_and_right_solutions_of_every_assignment(course):
    """The corpus has at least 120 mistakes with a known cause and 50 correct solutions. Each assignment has at least
    five mistakes and three correct solutions.
    """
    mistakes = [folder for folder in CORPUS if expectation(folder).cause]
    right = [folder for folder in CORPUS if expectation(folder).finding == "none"]
    assert not set(mistakes) & set(right)
    assert len(mistakes) >= 120
    assert len(right) >= 50
    for name in course.names():
        assert sum(folder.parent.name == name for folder in mistakes) >= 5
        assert sum(folder.parent.name == name for folder in right) >= 3


@pytest.mark.parametrize("folder", CORPUS, ids=name_of)
def test_a_cause_names_a_reason_and_lines_of_code(folder):
    """An expected cause quotes its message or lists lines that contain a statement. A submission with the finding
    `none` fails no check except speed.
    """
    cause = expectation(folder).cause
    if cause is None:
        assert expectation(folder).finding is None or set(expectation(folder).fails) <= {"performance"}
        return
    assert cause.line or cause.says
    source = (folder / "kernels.cl").read_text(encoding="utf-8").splitlines()
    for line in cause.line:
        assert re.search(r"[=(]", source[line - 1].split("//")[0]), (line, source[line - 1])


@pytest.mark.timed
def test_a_result_accounts_for_itself(transposition, environment):
    """Points add up and check names are unique. The result records its inputs, its access counts and its timing."""
    result = grade(transposition, transposition.reference, environment, seed=5)
    assert result.passed
    assert result.points == sum(check.points for check in result.checks) == 100
    assert result.max_points == transposition.points
    assert len({check.name for check in result.checks}) == len(result.checks)
    kinds = {kind: sum(check.kind is kind for check in result.checks) for kind in Kind}
    assert list(kinds.values()) == [1, 12, 0, 1, 4, 1]
    assert [check.kind for check in result.checks] == [kind for kind, number in kinds.items() for _ in range(number)]
    points = {kind: sum(check.points for check in result.checks if check.kind is kind) for kind in Kind}
    assert list(points.values()) == [0, 30, 0, 8, 42, 20]
    assert result.profiles[""].sizes == transposition.memory.sizes
    assert result.profiles[""].compulsory == result.profiles[""].read + result.profiles[""].written
    assert result.provenance.seed == 5
    assert result.provenance.assignment_sha256 == transposition.sha256
    assert [usage.kernel for usage in result.checks[-1].usage] == ["coalsTransp"]
    performance = result.checks[-1].performance
    assert performance.pairs == len(performance.samples.submission) >= environment.timing.clear_pairs
    best = max(band.fraction for band in speed_goal(transposition, result.provenance.device).bands)
    assert performance.pairs >= environment.timing.min_pairs or performance.fraction_of_reference.low > CLEAR * best
    assert len(performance.samples.baseline) == ceil(performance.pairs / COMPARED_EVERY)
    assert 0.9 < performance.noise.median < 1.1


@pytest.mark.whole
def test_a_seed_repeats_a_grading(transposition, environment, tmp_path):
    """Two gradings with one seed use equal inputs, so they report the same wrong element and values."""
    (tmp_path / "kernels.cl").write_text(
        "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width) {\n"
        "    uint x = get_global_id(0), y = get_global_id(1);\n"
        "    if (x < width && y < height) B[x * height + y] = A[y * width + x] * 1.5f;\n"
        "}\n"
    )
    first, again, other = (grade(transposition, tmp_path, environment, seed) for seed in (7, 7, 8))
    told, told_again, told_otherwise = (
        [(check.message, check.detail) for check in each.checks] for each in (first, again, other)
    )
    assert told == told_again
    assert told != told_otherwise


def with_tiles_of_32(assignment):
    """Return the assignment with TILE 32 and small sizes in its speed goal, and with a threshold that every kernel
    reaches.
    """
    sizes, bands = {"height": 100, "width": 70}, (Band(fraction=0.001, points=20.0),)
    assignment = with_constants(at_sizes(assignment, **sizes), TILE=32)
    classes = {
        kind: goal.model_copy(update={"bands": bands, "minimum": {}})
        for kind, goal in assignment.performance.classes.items()
    }
    return assignment.model_copy(update={"performance": assignment.performance.model_copy(update={"classes": classes})})


def written(folder, source):
    """Write kernels.cl into the folder and return the folder."""
    (folder / "kernels.cl").write_text(source)
    return folder


@pytest.mark.whole
def test_what_is_timed_is_built_with_the_constants_that_are_timed(transposition, environment, tmp_path):
    """The timed run is built with the constants of the speed goal, and every other check with the handout's constants.
    This kernel stores TILE if TILE is 32.
    """
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= TILE == 32 ? TILE : tile[lx][ly]")
    quick = replace(environment, timing=ONE_PAIR)
    result = grade(with_tiles_of_32(transposition), written(tmp_path, source), quick)
    *others, speed = result.checks
    assert not [check.name for check in others if check.reason is not None]
    assert speed.name.endswith("(TILE 32, height 100, width 70)")
    assert speed.reason is Reason.WRONG_OUTPUT
    assert "in timed run 1, " in speed.message
    assert "all wrong elements of B are 32." in speed.message


@pytest.mark.whole
def test_a_kernel_that_cannot_do_with_the_timed_constants_does_not_build_there(transposition, environment, tmp_path):
    """A kernel that does not build with the timed constants fails only its speed check, which shows the compiler's
    error.
    """
    source = "#if TILE != 16\n#error this kernel is for tiles of 16\n#endif\n" + TRANSPOSITION
    result = grade(with_tiles_of_32(transposition), written(tmp_path, source), replace(environment, timing=ONE_PAIR))
    *others, speed = result.checks
    assert not [check.name for check in others if check.reason is not None]
    assert speed.reason is Reason.BUILD_ERROR
    assert "this kernel is for tiles of 16" in speed.message
    assert (speed.points, speed.max_points, speed.performance) == (0, 20, None)


@pytest.mark.whole
@pytest.mark.parametrize("text", [TRANSPOSITION, ROOT / "tests/submissions/coalsTransp/course-style-lmem"])
def test_a_kernel_for_any_tile_is_timed_with_the_larger_one(transposition, environment, tmp_path, text):
    """A kernel that supports any TILE is timed with the larger one, even if its local memory is a kernel argument."""
    path = written(tmp_path, text) if isinstance(text, str) else text
    speed = grade(with_tiles_of_32(transposition), path, replace(environment, timing=ONE_PAIR)).checks[-1]
    assert (speed.reason, speed.points) == (None, 20), speed.message


@pytest.mark.whole
def test_a_device_that_is_not_asked_for_is_a_fault_of_the_assignment(transposition, environment):
    """If an assignment has no goal for the class of the device, grading raises an error that names the
    missing field.
    """
    nothing = transposition.performance.model_copy(update={"classes": {}})
    with pytest.raises(InputError, match=r"has no speed goal for the device .*; add performance\.classes\."):
        grade(transposition.model_copy(update={"performance": nothing}), transposition.reference, environment)


def test_a_submission_never_sees_the_reference(course, environment, tmp_path, monkeypatch):
    """Messages to the student's workers contain no words of the assignment's own kernels and no seed."""
    seen = []
    start = type(environment.workers.sandbox).start

    def spying_start(sandbox):
        worker = start(sandbox)
        messages = []
        send = worker.send
        monkeypatch.setattr(worker, "send", lambda data: (messages.append(data), send(data))[1])
        seen.append(messages)
        return worker

    monkeypatch.setattr(type(environment.workers.sandbox), "start", spying_start)
    source = "__kernel void coalsProgrm(__global float *a, __global float *b, uint h, uint w) { b[0] = 0; }\n"
    (tmp_path / "kernels.cl").write_text(source)
    grade(course.load("coalsProgrm"), tmp_path, environment, seed=987654321987654321)
    with_source = [b"".join(messages) for messages in seen if any(b"b[0] = 0" in message for message in messages)]
    assert len(with_source) == 2  # one on the device and one in the simulator
    for secret in (b"coalsTransp", b"naiveProgrm", b"accum", b"987654321987654321", b"reference", b"assignments"):
        assert secret not in b"".join(with_source)


def test_a_submission_stands_still_while_its_grading_holds_no_lock(environment, tmp_path, monkeypatch):
    """A submission is frozen while its grading does not have a lock, also for hidden cases, because another submission
    may be timed then.
    """
    told = []

    def told_as_well(lock):
        @contextmanager
        def locked(*given):
            with lock(*given):
                told.append("lock")
                yield
                told.append("unlock")

        return locked

    for module, name in (
        (hidden_cases, "shared_cpu"),
        (device_lock, "shared_cpu"),
        (hidden_cases, "shared"),
        (cause_search, "shared"),
        (speed, "exclusive"),
    ):
        monkeypatch.setattr(module, name, told_as_well(getattr(module, name)))
    for name in ("thaw", "freeze"):
        monkeypatch.setattr(Worker, name, lambda _, name=name: told.append(name))
    monkeypatch.setattr(speed, "check_performance", lambda each, *_: unmeasured(each.assignment, each.device))
    assignment = small_course(tmp_path, "coalsTransp", (), watched=False, hidden=("primes",)).load("coalsTransp")
    grade(assignment, SUBMISSIONS / "coalsTransp" / "course-style-lmem", environment)
    to_start, awake = ["lock", "unlock"], ["lock", "thaw", "freeze", "unlock"]
    cases_and_simulator, rounds, hidden = awake, awake, awake
    assert told == [*to_start, *cases_and_simulator, *rounds, *to_start, *hidden]


TIMING, WATCHING = "timing", "watching every access in the simulator"
"""Progress messages of a grading."""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "apart"),
    [
        pytest.param("coalsTransp/course-style-lmem", False, marks=pytest.mark.whole),  # less starts early than below
        ("coalsTransp/course-style-lmem", True),
        pytest.param("coalsTransp/tile-not-turned", True, marks=pytest.mark.whole),  # its mistake prevents the timing
    ],
    ids=["right", "right, beside the simulator", "wrong"],
)
def test_what_begins_early_on_spare_processors_changes_no_verdict(course, environment, name, apart, monkeypatch):
    """Starting builds and a second simulator early, and timing in parallel as on a GPU, does not change any verdict.
    The wrong kernel reads only its own data. Otherwise its explanation would depend on the order of work-groups.
    """
    order = []
    if apart:
        monkeypatch.setattr(context, "share_a_process", lambda _: False)
        monkeypatch.setattr(speed, "exclusive", lambda *_: nullcontext())
    with closing(pool_like(environment.workers, idle_processors=PLENTY)) as workers:
        wide = replace(environment, timing=ONE_PAIR, spare=PLENTY, workers=workers)
        task = Task(assignment=course.load("coalsTransp"), submission=read_submission(SUBMISSIONS / name), seed=3)
        wide.start_own()
        told = grade_submission(task, wide, lambda each: order.append(str(each)))
        narrow = grade_submission(task, replace(wide, spare=0), lambda _: None)
    assert [(each.name, each.reason, each.message) for each in told.checks if each.kind is not Kind.PERFORMANCE] == [
        (each.name, each.reason, each.message) for each in narrow.checks if each.kind is not Kind.PERFORMANCE
    ]
    timing = [TIMING] if narrow.first_cause is None else []
    said = [each for each in order if each in {TIMING, WATCHING}]
    assert said == ([*timing, WATCHING] if apart else [WATCHING, *timing])


def test_every_reason_has_a_meaning_in_the_page_that_explains_reports():
    """The page about reports explains every reason, and the corpora expect no other reasons."""
    shown = {attack.docker for attack in corpus()} - {HELD}
    for folder in CORPUS:
        shown |= reasons_of(expectation(folder))
    assert shown <= {reason.value for reason in Reason}
    explained = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "reading-your-report.md").read_text(), re.MULTILINE)
    assert sorted(explained) == sorted(Reason)


@pytest.mark.whole
def test_a_fault_in_what_explains_costs_no_grade(environment, transposition, tmp_path, monkeypatch):
    """A fault in an explanation, or a lost device in the search for a cause, changes no verdict. The result lists what
    is missing.
    """
    path = tmp_path / "kernels.cl"
    searching = replace(environment, timing=ONE_PAIR, search=SearchRules(seconds=1))
    path.write_text(changed(TRANSPOSITION, "tile[lx][ly]", "tile[lx][ly ^ 1]"))
    whole = grade(transposition, path, searching, seed=5)
    assert whole.faults == ()

    def lost(*_):
        raise DeviceError("it is gone.")

    monkeypatch.setattr(conclusions, "explain", lambda *_: 1 / 0)
    monkeypatch.setattr(cause_search, "is_needed", lost)
    lacking = grade(transposition, path, searching, seed=5)
    assert {fault.lost for fault in lacking.faults} == {"the explanation", "the line of the mistake"}
    assert any("DeviceError: it is gone." in fault.traceback for fault in lacking.faults)
    assert [(each.name, each.verdict, each.reason, each.points) for each in lacking.checks] == [
        (each.name, each.verdict, each.reason, each.points) for each in whole.checks
    ]


WITHOUT_INPUTS = {
    "title": "Counting",
    "kernel": "count",
    "constants": {"real": "float"},
    "sizes": ["n"],
    "buffers": {"z": {"shape": ["n"]}},
    "launches": [{"kernel": "count", "args": ["z", "n"], "global": ["n"], "local": [1]}],
    "baseline": [{"kernel": "count", "args": ["z", "n"], "global": ["n"], "local": [1]}],
}

COUNTING = "__kernel void count(__global real *z, uint32_t n)\n{\n    z[get_global_id(0)] = get_global_id(0) + 1;\n}\n"

COUNTED = """import numpy as np
from grader.oracle import Truth

def expected(n, **_):
    z = np.arange(1.0, n + 1)
    return {"z": Truth(value=z, magnitude=z)}
"""


@pytest.mark.whole  # test_grading_comparators.py grades a kernel without inputs, and does not search
def test_a_wrong_kernel_without_inputs_is_graded_and_explained(environment, tmp_path):
    """A wrong kernel without inputs is graded and explained, although its smallest case has only one element."""
    fields = {**ADDITION, **WITHOUT_INPUTS}
    assignment = course_of(tmp_path / "course", fields, COUNTING, COUNTED).load("small")
    path = tmp_path / "kernels.cl"
    path.write_text(COUNTING.replace("+ 1", "+ 2"))
    searching = replace(environment, timing=ONE_PAIR, search=SearchRules(seconds=5))
    wrong = grade(assignment, path, searching, seed=5)
    assert wrong.faults == ()
    assert {each.reason for each in wrong.checks if each.kind is Kind.CORRECTNESS} == {Reason.WRONG_OUTPUT}
    path.write_text(COUNTING.replace("get_global_id(0) + 1", "7"))
    assert grade(assignment, path, searching, seed=5).faults == ()
