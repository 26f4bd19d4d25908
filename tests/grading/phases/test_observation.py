"""phases/observation.py: all checks that need the simulator, if it is installed and if it is not."""

from dataclasses import replace

import pytest
from kernels import changed
from project import ROOT
from samples import DEVICE
from simulator import runs_of, subject_of

from grader.common.errors import NoSimulatorError
from grader.course.criteria import MemoryCheck
from grader.course.rubric import Memory
from grader.grading.check_kinds import unobserved_checks
from grader.grading.checks.simulation.sanitizer_run import Endless
from grader.grading.explain.problem import Problem
from grader.grading.phases.observation import watch
from grader.grading.rules import WatchingRules
from grader.results.findings import Finding
from grader.results.metrics import Profile
from grader.results.verdicts import Reason, Verdict

MODEL = (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_text()
RULES = WatchingRules()
FAILED = ({"height": 1, "width": 1},)
REQUIRED = WatchingRules(required=True)
ENDLESS = Finding(reason=Reason.TIME_LIMIT, message="line 9 still runs.", help="", places=(), times=1)
NEVER_RUN = Problem(reason=Reason.NOT_RUN, message="the build failed.")


class Absent:
    """A worker on a machine without a simulator."""

    def ready(self):
        raise NoSimulatorError("the simulator is not installed: install it.")


@pytest.fixture
def subject(simulator, transposition):
    """Return the model solution with a worker that simulates it."""
    return subject_of(simulator, transposition, MODEL)


@pytest.fixture
def nowhere(environment, transposition):
    """Return the model solution on a machine without a simulator."""
    with environment.worker() as worker:
        return replace(subject_of(worker, transposition, MODEL), worker=Absent())


@pytest.mark.whole
def test_a_model_solution_passes(subject):
    """The model solution earns all points, and its profile is kept."""
    watched = watch(runs_of(subject), DEVICE, RULES)
    assert [each.verdict for each in watched.checks] == [Verdict.PASSED] * 5
    assert sum(each.points for each in watched.checks) == 50
    assert isinstance(watched.profile, Profile)
    assert watched.profile.sizes == subject.task.assignment.memory.sizes


def test_a_hidden_run_says_nothing_in_other_checks(subject):
    """If the sanitizer is hidden, other checks do not use its observations, because shown cases would reveal them."""
    assignment = subject.task.assignment
    hidden = assignment.model_copy(update={"sanitizer": assignment.sanitizer.model_copy(update={"hidden": True})})
    assert watch(runs_of(subject), DEVICE, RULES).seen
    assert not watch(runs_of(replace(subject, task=replace(subject.task, assignment=hidden))), DEVICE, RULES).seen


@pytest.mark.whole
def test_memory_behaviour_counts_where_its_own_run_is_right(subject):
    """If a kernel is wrong at other sizes, its memory checks still count, but it loses the points for a clean run."""
    sanitized, *memory = watch(runs_of(subject), DEVICE, RULES, FAILED).checks
    assert sanitized.reason is Reason.NOT_RUN
    assert [each.verdict for each in memory] == [Verdict.PASSED] * 4


@pytest.mark.whole
def test_memory_behaviour_of_wrong_results_is_not_counted(subject):
    """If the results of the memory run are wrong, memory behaviour is not counted, because the traffic of a kernel that
    does something else proves nothing.
    """
    wrong = subject_of(subject.worker, subject.task.assignment, changed(MODEL, "= block[x][r]", "= 2 * block[x][r]"))
    watched = watch(runs_of(wrong), DEVICE, RULES, FAILED)
    assert {each.reason for each in watched.checks} == {Reason.NOT_RUN}
    assert watched.profile is None


@pytest.mark.whole
def test_a_kernel_that_lacks_only_a_barrier_is_counted_with_it(subject):
    """If a kernel only lacks a barrier, its memory behaviour is counted with the barrier added. The first memory check
    says after which line.
    """
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    racy = subject_of(subject.worker, subject.task.assignment, changed(MODEL, barrier, ""))
    watched = watch(runs_of(racy), DEVICE, RULES)
    sanitized, *memory = watched.checks
    assert (sanitized.reason, sanitized.points) == (Reason.DATA_RACE, 0)
    assert [each.verdict for each in memory] == [Verdict.PASSED] * 4
    line = watched.profile.barrier_after
    assert MODEL[: MODEL.index(barrier)].count("\n") - 1 <= line <= MODEL[: MODEL.index(barrier)].count("\n") + 1
    note = f"counted with a barrier after line {line}, which ends the data race; "
    assert [each.message.startswith(note) for each in memory] == [True, False, False, False]


@pytest.mark.whole
def test_a_hidden_sanitizer_adds_no_barrier(subject):
    """If the sanitizer is hidden, no barrier is added, because students would learn about the race."""
    assignment = subject.task.assignment
    hidden = assignment.model_copy(update={"sanitizer": assignment.sanitizer.model_copy(update={"hidden": True})})
    racy = subject_of(subject.worker, hidden, changed(MODEL, "barrier(CLK_LOCAL_MEM_FENCE);", ""))
    assert {each.reason for each in watch(runs_of(racy), DEVICE, RULES).checks[1:]} == {Reason.NOT_RUN}


def test_an_endless_kernel_is_not_counted(subject):
    """The memory behaviour of an endless kernel is not counted, because the run would take its full time again."""
    endless = Endless(sizes={"height": 1, "width": 1}, findings=(ENDLESS,))
    watched = watch(runs_of(subject), DEVICE, RULES, FAILED, endless)
    assert {each.reason for each in watched.checks[1:]} == {Reason.NOT_RUN}


def test_a_run_that_breaks_off_is_told_in_every_check(subject, monkeypatch):
    """If the simulator stops a run, every check gives this reason. The results are not reported as wrong."""
    problem = Problem(reason=Reason.TIME_LIMIT, message="in the simulator: still running after 20 s.")
    for module in ("sanitizer", "simulation.counts"):
        monkeypatch.setattr(f"grader.grading.checks.{module}.seen_in", lambda *_: problem)
    first, *others = watch(runs_of(subject), DEVICE, RULES).checks
    assert (first.reason, first.message) == (Reason.TIME_LIMIT, problem.message)
    assert {(each.reason, each.message) for each in others} == {
        (Reason.NOT_RUN, "not counted: in the simulator: still running after 20 s.")
    }


def test_without_a_simulator_checks_are_skipped(nowhere):
    """Without a simulator, the checks are skipped and say what to install. Their points remain part of the total."""
    watched = watch(runs_of(nowhere), DEVICE, RULES)
    assert {(each.verdict, each.reason, each.points) for each in watched.checks} == {
        (Verdict.SKIPPED, Reason.NO_SIMULATOR, 0)
    }
    assert sum(each.max_points for each in watched.checks) == 50
    assert {each.message for each in watched.checks} == {"the simulator is not installed: install it."}
    assert [each.name for each in watched.checks] == [
        each.name for each in unobserved_checks(nowhere.task.assignment, DEVICE)
    ]
    assert watched.profile is None


@pytest.mark.whole
def test_a_simulator_that_is_required(nowhere):
    """If the rules require a simulator and none is installed, NoSimulatorError is raised, so that no grade is given
    without these checks.
    """
    with pytest.raises(NoSimulatorError):
        watch(runs_of(nowhere), DEVICE, REQUIRED)


def test_a_submission_that_is_not_run_fails_them(transposition):
    """If a submission cannot run, its simulator checks fail for that reason, with or without a simulator."""
    lost = list(map(NEVER_RUN.fail, unobserved_checks(transposition, DEVICE)))
    assert [each.name for each in lost] == [each.name for each in unobserved_checks(transposition, DEVICE)]
    assert {(each.reason, each.points) for each in lost} == {(Reason.NOT_RUN, 0)}
    assert sum(each.max_points for each in lost) == 50


@pytest.mark.whole
def test_without_such_checks_no_simulator_is_asked_for(nowhere):
    """An assignment without simulator checks can be graded without a simulator, even if the rules require one."""
    task = nowhere.task
    assignment = task.assignment.model_copy(update={"sanitizer": None, "memory": None})
    asking_nothing = replace(nowhere, task=replace(task, assignment=assignment))
    assert watch(runs_of(asking_nothing), DEVICE, REQUIRED).checks == ()
    assert list(unobserved_checks(assignment, DEVICE)) == []


@pytest.mark.whole
@pytest.mark.parametrize(("dropped", "names"), [("sanitizer", 4), ("memory", 1)])
def test_an_assignment_may_ask_for_one_of_them(subject, dropped, names):
    """An assignment without a sanitizer still gets its memory checks, and one without memory checks still gets its
    sanitizer check.
    """
    assignment = subject.task.assignment.model_copy(update={dropped: None})
    part = replace(subject, task=replace(subject.task, assignment=assignment))
    watched = watch(runs_of(part), DEVICE, RULES)
    assert len(watched.checks) == names
    assert [each.name for each in watched.checks] == [each.name for each in unobserved_checks(assignment, DEVICE)]
    assert (watched.profile is None) is (dropped == "memory")


def test_the_rules_say_what_the_device_is(environment, subject):
    """The rules define the simulated device, here with warps of 16 work-items and sectors of 64 bytes."""
    assert subject
    memory = Memory(
        sizes={"height": 32, "width": 32},
        checks=(MemoryCheck(name="it", measure="coalescing", at_most=1, points=1),),
    )
    assignment = subject.task.assignment.model_copy(update={"sanitizer": None, "memory": memory})
    rules = WatchingRules.model_validate({"simulation": {"warp": 16, "sector": 64}})
    with replace(environment, watching=rules).simulator() as worker:
        task = replace(subject.task, assignment=assignment)
        found = watch(runs_of(replace(subject, task=task, worker=worker)), DEVICE, rules).profile
    assert (found.warp, found.sector) == (16, 64)
    assert {each.requests for each in found.accesses} == {32 * 32 // 16}
