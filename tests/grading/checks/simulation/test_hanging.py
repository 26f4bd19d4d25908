"""hanging.py: if a launch does not answer, the simulator runs it to look for an endless loop."""

from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from kernels import TRANSPOSITION, changed
from simulator import subject_of

from grader.course.criteria import Case
from grader.execution.outcome import Crashed, TimedOut
from grader.grading.checks.correctness import trial_of
from grader.grading.checks.sanitizer import of_endless
from grader.grading.checks.simulation.hanging import Launcher, Lookout
from grader.grading.checks.simulation.sanitizer_run import Endless
from grader.results.findings import Finding
from grader.results.verdicts import Reason

SILENT = TimedOut(doing="running", seconds=1)
CRASHED = Crashed(signal=11, exit_code=None, words="")
RIGHT = {"B": None}
LOOP = Finding(
    reason=Reason.TIME_LIMIT,
    message="line 3: this loop was still running when the simulator stopped the kernel.",
    help="Look.",
    places=(),
    times=1,
)
ENDLESS = Endless(sizes={"n": 1}, findings=(LOOP,))


@dataclass
class Straw:
    """A worker, a series of cases and a lookout in one object. It gives prepared answers and records the requests."""

    attempts: list
    runs: list = field(default_factory=list)
    sees: list = field(default_factory=list)
    small: bool = True
    first: bool = True
    asked: list = field(default_factory=list)

    @property
    def timeouts(self):
        return self

    @contextmanager
    def impatient(self):
        self.asked.append("impatient")
        yield

    def is_open_for(self, _):
        return not self.first

    def attempt(self, name, _):
        self.asked.append(f"attempt {name}")
        return self.attempts.pop(0)

    def run(self, name, _):
        self.asked.append(f"run {name}")
        return self.runs.pop(0)

    def covers(self, _):
        return self.small

    def request(self, name):
        self.asked.append(f"request {name}")

    def look(self, _):
        self.asked.append("look")
        return self.sees.pop(0)

    @property
    def sizes(self):
        return {}

    @property
    def arrays(self):
        return {}


def launched(straw, *names):
    """Launch these cases one after the other, and return their results. The case "practice" does not count."""
    launcher = Launcher(straw, straw, straw)
    cases = (Case(name=name, sizes={"n": 1}, practice=name == "practice") for name in names)
    return [launcher.run(case, straw) for case in cases]


def test_a_launch_that_answers_is_not_looked_at():
    """A launch that answers is launched once and not simulated."""
    straw = Straw([RIGHT])
    assert launched(straw, "a") == [RIGHT]
    assert straw.asked == ["impatient", "attempt a"]


def test_a_loop_that_the_simulator_sees_is_the_verdict():
    """If the simulator finds an endless loop, this is the result of the case. The other cases, which may be right, are
    still tried for a short time, but are not simulated.
    """
    straw = Straw([SILENT, RIGHT, SILENT], sees=[ENDLESS])
    assert launched(straw, "a", "b", "c") == [ENDLESS, RIGHT, SILENT]
    assert straw.asked.count("look") == 1
    assert "run" not in " ".join(straw.asked)


def test_a_loop_in_a_practice_case_says_nothing_about_the_others():
    """After an endless loop in a practice case, the simulator also examines the first silent case that counts. If this
    case does not end either, the sanitizer check needs no run, in which each work-item would loop to the limit.
    """
    straw = Straw([SILENT, SILENT, SILENT], sees=[ENDLESS, ENDLESS])
    assert launched(straw, "practice", "a", "b") == [ENDLESS, ENDLESS, SILENT]
    assert straw.asked.count("look") == 2
    straw = Straw([SILENT, SILENT], runs=[RIGHT], sees=[ENDLESS, None])
    assert launched(straw, "practice", "a") == [ENDLESS, RIGHT]


def test_what_ends_in_the_simulator_has_all_its_time():
    """If the launch ends in the simulator, the compiler may be slow or the machine busy, so this case and all later
    ones are given their full time. The next session is opened while the simulator works.
    """
    straw = Straw([SILENT], runs=[RIGHT, RIGHT], sees=[None])
    assert launched(straw, "a", "b") == [RIGHT, RIGHT]
    assert straw.asked == ["impatient", "attempt a", "request a", "look", "run a", "run b"]


def test_a_large_case_has_all_its_time():
    """A large case is given its full time without a simulation, because even a correct kernel takes millions of steps
    for such a case.
    """
    straw = Straw([], runs=[SILENT], small=False)
    assert launched(straw, "a") == [SILENT]
    assert straw.asked == ["run a"]


@pytest.mark.parametrize(("first", "again"), [(True, []), (False, ["run a"])])
def test_a_failure_after_others_is_tried_as_the_first_of_a_session(first, again):
    """If a case fails after others in the same session, it runs again as the first case of a new session, because
    earlier cases may have caused the failure.
    """
    straw = Straw([CRASHED], runs=[CRASHED], first=first)
    assert launched(straw, "a") == [CRASHED]
    assert straw.asked == ["impatient", "attempt a", *again]


# --- findings of the simulator ------------------------------------------------------------------


@pytest.fixture
def small(transposition):
    """Return a case with few work-items."""
    return next(case for case in transposition.correctness.cases if case.name == "one element")


def looked(simulator, assignment, source, case):
    subject = subject_of(simulator, assignment, source)
    lookout = Lookout(subject=subject)
    assert lookout.covers(case.sizes)
    return lookout.look(trial_of(case, subject.built, subject.oracle))


@pytest.mark.whole
def test_the_line_of_a_loop_is_found_on_the_data_of_the_case(simulator, transposition, small):
    """The simulator finds the line of an endless loop on the data of the case. The sanitizer's check then names the
    line and the sizes without another run.
    """
    source = changed(
        TRANSPOSITION, "    barrier(", "    for (uint i = 0; i < width; i += 0) tile[0][0] = 1;\n    barrier("
    )
    endless = looked(simulator, transposition, source, small)
    line = next(n for n, text in enumerate(source.splitlines(), start=1) if "i += 0" in text)
    assert endless.problem.reason is Reason.TIME_LIMIT
    assert endless.problem.message.startswith(
        f"line {line}: this loop was still running when the simulator stopped the kernel."
    )
    check = of_endless(transposition.sanitizer, endless).checks[0]
    assert check.message == f"{endless.problem.message} The sizes are height 1, width 1."
    assert (check.points, check.findings) == (0, endless.findings)


def test_a_kernel_that_ends_is_no_loop_and_neither_is_one_that_races(simulator, transposition, small):
    """A kernel that ends has no endless loop, even if it has a race."""
    assert looked(simulator, transposition, TRANSPOSITION, small) is None
    assert looked(simulator, transposition, changed(TRANSPOSITION, "    barrier(", "    // barrier("), small) is None


def test_where_the_simulator_is_hidden_or_its_sizes_are_smaller_it_is_not_asked(simulator, transposition):
    """A case is not simulated if the sanitizer is hidden, because students would learn its outcome, or if the case is
    larger than the sanitizer's sizes, because even correct kernels would take long.
    """
    subject = subject_of(simulator, transposition, TRANSPOSITION)
    lookout = Lookout(subject=subject)
    assert not lookout.covers({"height": 1100, "width": 1290})
    hidden = transposition.model_copy(update={"sanitizer": transposition.sanitizer.model_copy(update={"hidden": True})})
    for other in (hidden, transposition.model_copy(update={"sanitizer": None})):
        assert not Lookout(subject=subject_of(simulator, other, TRANSPOSITION)).covers({"height": 1, "width": 1})
