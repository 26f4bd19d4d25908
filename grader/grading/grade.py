"""The whole story of one grading.

build -> cases that are shown -> two runs on the simulator -> search for a mistake that nothing explains
-> timed rounds -> hidden cases -> points

The simulator begins while cases still run. With processors to spare, both of its runs go on at once, and our own
kernels build from the start. While the simulator works, a GPU is then timed, and the next part of a suite begins.

Hidden cases come last, for all parts of a suite together, and in a new worker: everything that may be shown before the
release is complete before they run. They affect only their own points.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader.common.errors import GraderError
from grader.common.optional import Fault, attempt
from grader.common.phrases import first_sentence
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.submissions.submission import Submission
from grader.course.submissions.task import Task, tasks_of
from grader.course.suite import Coursework
from grader.course.truth.oracle import load_oracle
from grader.execution.client import Worker
from grader.execution.device import share_a_process
from grader.execution.plan import SUBMISSION
from grader.execution.probe import RECOVERY, probe, warm_up
from grader.grading.bench import Bench, Decided, Progress
from grader.grading.checks.building import Build, Built, Prepared, build_check, check_build, prepare
from grader.grading.checks.compiler_failures import LeftOpen, is_undecided, left_open, unbuilt_open
from grader.grading.checks.conclusions import conclude
from grader.grading.checks.correctness import (
    GAVE_UP,
    Tried,
    failed_sizes,
    first_endless,
    forfeit,
    gave_up,
    in_order,
    try_cases,
    unrun_cases,
)
from grader.grading.checks.hanging import Lookout
from grader.grading.checks.requirements import required
from grader.grading.checks.simulated_run import Subject
from grader.grading.checks.simulator_checks import Runs, Watched, unwatched_checks, watch
from grader.grading.device_lock import SharedCpu, also_shared, exclusive, shared, shared_cpu
from grader.grading.explain.problem import HIDDEN, NOT_RIGHT, Problem, blamed
from grader.grading.explain.simulator.source_lines import EXPLAINED
from grader.grading.search.hint import hint as hint_of
from grader.grading.search.localisation import Suspect, search
from grader.grading.search.need import allowance, cleanness, is_needed, rightness
from grader.grading.timing.contestant import Role
from grader.grading.timing.lineup import Home, Lineup, enter, line_up
from grader.grading.timing.measurement import open_sessions
from grader.grading.timing.performance import check_performance, unmeasured_checks
from grader.protocol.messages import DeviceFacts
from grader.protocol.text import showable
from grader.results.explanation import Explained
from grader.results.metrics import Profile, Roofs
from grader.results.result import OUTSTANDING, Check, Kind, Provenance, Reason, Result, Ungraded, Verdict, full_marks
from grader.results.suite_results import joined
from grader.results.withholding import shown_at_once

BUILD_FAILED = Problem(reason=Reason.NOT_RUN, message="skipped: fix the build first.")
SEARCH = "the line of the mistake"
"""Name of the missing part if the search failed."""

UNTIMED = Problem(reason=Reason.NOT_RUN, message="skipped: nothing is timed here.")
NO_SPEED = Problem(reason=Reason.NOT_RUN, message="skipped: the assignment checks no speed.")


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A grading before its hidden cases: the checks of the shown cases, and all other checks.

    `built` is the program for hidden cases; None if the build failed. `left_open` is set if points stay open because
    the compiler of the device failed.
    """

    task: Task
    provenance: Provenance
    build: Check
    cases: tuple[Check, ...]
    others: tuple[Check, ...]
    profile: Profile | None = None
    built: Built | None = None
    left_open: LeftOpen | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Crew:
    """What a grading works with. `student` runs the submission on `device`; `simulator` and `counter` simulate it, and
    are the same worker if no processor is to spare. `model_simulator` and the workers in `ours` run only our kernels.
    """

    task: Task
    bench: Bench
    progress: Progress
    student: Worker
    simulator: Worker
    counter: Worker
    model_simulator: Worker
    device: DeviceFacts
    roofs: Roofs | None
    cpu: SharedCpu
    ours: ExitStack

    def hire(self, role: Role) -> Worker:
        """Borrow a worker for our own kernels, until `leave_the_device` or the end of the grading."""
        return self.ours.enter_context(self.bench.own.borrow(role, self.bench.worker))

    def leave_the_device(self) -> None:
        """Release our own workers, and let the submission's begin to end: from now on, only simulators work."""
        self.ours.close()
        self.student.let_go()


LineUp = Callable[[Crew], Home | Problem]
"""Who is timed beside a submission whose cases are right, or why nobody is."""


def _lined_up(crew: Crew) -> Home | Problem:
    if crew.task.assignment.performance is None:
        return NO_SPEED
    return line_up(crew.task, crew.device, crew.hire)


def grade_coursework(
    coursework: Coursework, submission: Submission, seed: int, bench: Bench, progress: Progress
) -> Result:
    """Grade one submission for one assignment, or for each part of a suite."""
    drafts = _drafts(tasks_of(coursework, submission, seed), bench, progress)
    return joined(coursework, [_finish(draft, bench, progress) for draft in drafts])


def refuse_coursework(coursework: Coursework, submission: Submission, seed: int, why: str, bench: Bench) -> Result:
    """The result of a file that is not source text: all checks fail, and nothing of it is run."""
    tasks = tasks_of(coursework, submission, seed)
    return joined(coursework, [refuse_submission(task, why, bench) for task in tasks])


def grade_submission(task: Task, bench: Bench, progress: Progress) -> Result:
    """Grade one submission for one assignment, or for one part of a suite.

    What the student's code does wrong is in the result; UngradedError is raised for what is our own fault.
    """
    (draft,) = _drafts([task], bench, progress)
    return _finish(draft, bench, progress)


def grade_untimed(task: Task, bench: Bench, progress: Progress) -> Result:
    """Grade one submission without timing it, so it earns no points for speed."""
    (draft,) = _drafts([task], bench, progress, lambda *_: UNTIMED)
    return _finish(draft, bench, progress)


def explain_coursework(
    coursework: Coursework, submission: Submission, seed: int, bench: Bench, progress: Progress
) -> Explained:
    """What is wrong with a submission, as far as students may see it: nothing is timed, and no hidden case is run."""
    tasks = tasks_of(coursework, submission, seed)
    drafts = _drafts(tasks, bench, progress, lambda *_: UNTIMED)
    return Explained(
        title=coursework.title,
        checks=tuple(check for draft in drafts for check in _explaining(draft)),
    )


def _explaining(draft: Draft) -> Iterator[Check]:
    """The build, the cases that are shown, and what the simulator saw, unless that is hidden."""
    asked = draft.task.assignment
    is_seen = asked.sanitizer is not None and not asked.sanitizer.hidden
    seen = (check for check in draft.others if is_seen and check.kind is Kind.SANITIZER)
    yield from (check.of_part(asked.part) for check in (draft.build, *draft.cases, *seen))


Drafting = Generator[None, None, Draft]
"""The work on a draft. It yields at most once: when it no longer needs the device and only waits for simulators."""


def _drafts(tasks: Sequence[Task], bench: Bench, progress: Progress, lined_up: LineUp = _lined_up) -> list[Draft]:
    """A draft of each task. A task begins when those before it are done, or only wait for simulators."""
    cpu = SharedCpu(bench.locks)
    with ExitStack() as running:
        works = [running.enter_context(closing(_draft(task, bench, progress, cpu, lined_up))) for task in tasks]
        begun = [_advance(work) for work in works]
        return [_completed(each) for each in begun]


@dataclass(frozen=True)
class _Advanced:
    """The work on a draft so far: what it has come to, or None if it waits, and its seconds."""

    work: Drafting
    draft: Draft | None
    seconds: float


def _advance(work: Drafting) -> _Advanced:
    """Work on a draft until it waits or is done."""
    clock = time.perf_counter()
    try:
        next(work)
    except StopIteration as end:
        return _Advanced(work, end.value, time.perf_counter() - clock)
    return _Advanced(work, None, time.perf_counter() - clock)


def _completed(begun: _Advanced) -> Draft:
    """The draft, with the seconds that were spent on it. Time in which other parts were worked on does not count."""
    if begun.draft is not None:
        return replace(begun.draft, seconds=begun.seconds)
    rest = _advance(begun.work)
    assert rest.draft is not None, "the work on a draft yields once"
    return replace(rest.draft, seconds=begun.seconds + rest.seconds)


def _draft(task: Task, bench: Bench, progress: Progress, cpu: SharedCpu, lined_up: LineUp) -> Drafting:
    """Everything but the hidden cases."""
    started = datetime.now(UTC)
    with ExitStack() as workers:
        crew = _hire(task, bench, progress, cpu, workers)
        draft = yield from _test(crew, bench.provenance(task, crew.device, started), lined_up)
    _probe_after((*draft.cases, *draft.others), bench, draft.provenance.device)
    return draft


def _test(crew: Crew, rests_on: Provenance, lined_up: LineUp) -> Drafting:
    """Build it, run the cases that are shown, then the checks that depend on them."""
    asked = crew.task.assignment
    with crew.cpu, _awake(crew.student, crew.device):
        with also_shared(crew.device, crew.bench.locks):
            home = lined_up(crew) if crew.bench.has_plenty else None
            prepared = _prepare(crew)
            build = check_build(prepared, crew.student)
            if build.built is None:
                return _unbuilt(crew, rests_on, build, prepared)
            _tell(crew, [build.check])
            subject = Subject(task=crew.task, oracle=load_oracle(asked), worker=crew.simulator, built=build.built)
            runs = Runs(subject=subject, counter=crew.counter, ours=crew.model_simulator)
            tried = _try_shown(crew, runs)
            failed = failed_sizes(tried)
            lineup = NOT_RIGHT if failed else _met(crew, home or lined_up(crew), build.built)
        is_apart = _is_apart(crew) and not any(map(is_undecided, tried))
        timed = _time(crew, _opened(lineup)) if is_apart else None
        if timed and not failed:
            crew.leave_the_device()
            yield
        watched = _watch(crew, runs, tried)
        lineup = lineup if timed else _opened(lineup)
    waits = left_open(tried, subject, watched)
    cases = conclude(tried, build.built, subject.oracle, watched.seen)
    if waits is None:
        _tell(crew, [each.check for each in tried if is_undecided(each)], build.built.misordered)
        _tell(crew, required(asked, crew.device, watched.checks), build.built.misordered)
        cases = _locate(crew, subject, cases, watched)
        speed = timed or _time(crew, lineup)
        told = tuple(required(asked, crew.device, (*watched.checks, *speed)))
        _tell(crew, told[len(watched.checks) :])
    else:
        speed = tuple(map(NOT_RIGHT.fail, unmeasured_checks(asked, crew.device)))
    if not failed:
        speed = tuple(replace(check, usage=build.built.usage) for check in speed)
    draft = Draft(
        task=crew.task,
        provenance=rests_on,
        build=build.check,
        cases=_blamed(cases, build.built),
        others=(*_blamed(watched.checks, build.built), *map(HIDDEN.skip, _left_out(asked)), *speed),
        profile=watched.profile,
        built=build.built,
    )
    return _waiting(crew, draft, waits) if waits else draft


def _unbuilt(crew: Crew, rests_on: Provenance, build: Build, prepared: Prepared) -> Draft:
    """A grading that ends with the build: all other checks are lost, or open if the compiler failed."""
    asked = crew.task.assignment
    cases = tuple(map(BUILD_FAILED.fail, unrun_cases(asked, asked.correctness.shown)))
    others = tuple(_unreached(asked, crew.device))
    draft = Draft(task=crew.task, provenance=rests_on, build=build.check, cases=cases, others=others)
    waits = unbuilt_open(build, prepared, crew.simulator)
    if waits is not None:
        return _waiting(crew, draft, waits)
    _tell(crew, [build.check])
    return draft


def _waiting(crew: Crew, draft: Draft, waits: LeftOpen) -> Draft:
    """The draft with open checks, which could not be decided because the compiler failed."""
    (build,), cases, others = map(waits.of, ((draft.build,), draft.cases, draft.others))
    _tell(crew, [check for check in (build, *cases, *others) if check.reason in OUTSTANDING])
    return replace(draft, build=build, cases=cases, others=others, left_open=waits)


def _finish(draft: Draft, bench: Bench, progress: Progress) -> Result:
    """The result, hidden cases included."""
    clock = time.perf_counter()
    hidden = _hidden(draft, bench, progress)
    cases = in_order(draft.task.assignment, (*draft.cases, *hidden))
    asked, device = draft.task.assignment, draft.provenance.device
    checks = forfeit(asked, (draft.build, *cases, *draft.others))
    seconds = draft.seconds + time.perf_counter() - clock
    return _result(draft.task, tuple(required(asked, device, checks)), draft.profile, seconds, draft.provenance)


# --- phases, each under the lock that it needs ------------------------------------------------


def _hire(task: Task, bench: Bench, progress: Progress, cpu: SharedCpu, workers: ExitStack) -> Crew:
    """Start the submission's workers."""
    with cpu:
        student = workers.enter_context(bench.student())
        simulator = bench.simulator()
        counter = bench.simulator() if bench.spare else simulator
        model_simulator = bench.simulator()
        for worker in (counter, model_simulator):
            workers.callback(worker.stop)  # they start if there is something to count, or to compare
        if task.assignment.is_watched:
            workers.enter_context(simulator)  # starts up while the submission is built
        workers.callback(_let_go, (student, simulator, counter, model_simulator))
        device = student.ready()
        roofs = bench.roofs(device)
        if task.assignment.is_watched and bench.watching.required:
            simulator.ready()
    return Crew(
        task=task,
        bench=bench,
        progress=progress,
        student=student,
        simulator=simulator,
        counter=counter,
        model_simulator=model_simulator,
        device=device,
        roofs=roofs,
        cpu=cpu,
        ours=workers.enter_context(ExitStack()),
    )


def _prepare(crew: Crew) -> Prepared:
    """Do all that needs the text and no device."""
    crew.progress("building")
    return prepare(crew.task, crew.student)


def _let_go(workers: Iterable[Worker]) -> None:
    """Let them end at the same time."""
    for worker in workers:
        worker.let_go()


def _met(crew: Crew, home: Home | Problem, built: Built) -> Lineup | Problem:
    """The lineup of a right submission, for which sessions begin to open; or why there is none."""
    if isinstance(home, Problem):
        return home
    lineup = home.meets(crew.student, built)
    return enter(lineup, built) or lineup


def _opened(lineup: Lineup | Problem) -> Lineup | Problem:
    """The lineup when its sessions are open, or why they are not."""
    return (isinstance(lineup, Lineup) and open_sessions(lineup)) or lineup


def _is_apart(crew: Crew) -> bool:
    """Whether the simulator and what is timed leave each other alone."""
    return crew.bench.has_plenty and not share_a_process(crew.device)


def _watch(crew: Crew, runs: Runs, tried: tuple[Tried, ...]) -> Watched:
    """The simulator's checks; and, while it works, the worker gets ready for a search."""
    crew.progress("watching every access in the simulator")
    if not _is_apart(crew):
        crew.bench.begin_next()
    may_search = bool(failed_sizes(tried) and crew.bench.search.seconds and crew.student.is_there)
    if may_search:
        attempt(SEARCH, lambda: warm_up(crew.student))
    watched = watch(runs, crew.bench.watching, failed_sizes(tried), first_endless(tried))
    if may_search and isinstance(attempt(SEARCH, crew.student.settle), Fault):
        crew.student.stop()  # a search starts another worker
    return watched


def _locate(crew: Crew, subject: Subject, cases: tuple[Check, ...], watched: Watched) -> tuple[Check, ...]:
    """The checks of the cases; if nothing names a cause, with the line that a search has found. If the search fails,
    its workers are stopped, since nothing else needs them and their state is unknown.
    """
    located = attempt(SEARCH, lambda: _located(crew, subject, cases, watched))
    if not isinstance(located, Fault):
        return located
    for worker in (crew.student, subject.worker):
        worker.stop()
    return tuple(
        replace(check, faults=(*check.faults, located)) if check.verdict is Verdict.FAILED else check for check in cases
    )


def _located(crew: Crew, subject: Subject, cases: tuple[Check, ...], watched: Watched) -> tuple[Check, ...]:
    asked, built = crew.task.assignment, subject.built
    rules = allowance(crew.bench.search, cases)
    if not rules.seconds or not is_needed(built, cases, watched.checks):
        return cases
    crew.progress("looking for the line that is wrong")
    with shared(crew.device, crew.bench.locks), _awake(crew.student, crew.device):
        suspect = Suspect(built=built, oracle=subject.oracle, worker=crew.student, right=rightness(asked, cases))
        fix = search(suspect, rules, cleanness(subject, watched.checks, rules))
    hint = fix and hint_of(fix, crew.task.submission.source, asked.hints)
    return tuple(hint.add_to(check) for check in cases) if hint else cases


def _time(crew: Crew, lineup: Lineup | Problem) -> tuple[Check, ...]:
    """The performance check, timed while nobody else uses the device, unless the submission is not let in. An
    assignment that checks no speed has none.
    """
    if isinstance(lineup, Problem):
        return tuple(map(lineup.mark, unmeasured_checks(crew.task.assignment, crew.device)))
    crew.bench.settle()
    crew.progress("waiting for the device")
    with exclusive(crew.device, crew.bench.locks), _awake(crew.student, crew.device):
        crew.progress("timing")
        return (check_performance(lineup, crew.bench.timing, crew.roofs),)


def _hidden(draft: Draft, bench: Bench, progress: Progress) -> tuple[Check, ...]:
    """The hidden cases, in a worker that is started when all else is done. Of how they go, nothing is told."""
    asked = draft.task.assignment.correctness
    if draft.left_open is not None:
        return tuple(map(draft.left_open.rest.skip, unrun_cases(draft.task.assignment, asked.hidden)))
    if draft.built is None:
        return tuple(map(BUILD_FAILED.fail, unrun_cases(draft.task.assignment, asked.hidden)))
    if not asked.hidden or gave_up(draft.cases):
        return tuple(map(GAVE_UP.fail, unrun_cases(draft.task.assignment, asked.hidden)))
    progress("running hidden cases")
    with ExitStack() as workers:
        with shared_cpu(bench.locks):
            worker = workers.enter_context(bench.worker())
            device = worker.ready()
        with shared(device, bench.locks), _awake(worker, device):
            worker.load({SUBMISSION: draft.built.program})
            tried = tuple(try_cases(asked.hidden, draft.built, load_oracle(draft.task.assignment), worker))
        simulator = workers.enter_context(_stopping(bench.simulator()))
        subject = Subject(
            task=draft.task, oracle=load_oracle(draft.task.assignment), worker=simulator, built=draft.built
        )
        waits = left_open(tried, subject, Watched(checks=()))
    checks = _blamed(conclude(tried, draft.built, load_oracle(draft.task.assignment)), draft.built)
    _probe_after(checks, bench, device)
    return waits.of(checks) if waits else checks


@contextmanager
def _stopping(worker: Worker) -> Iterator[Worker]:
    """A worker that starts when it is first used, and ends with the block."""
    try:
        yield worker
    finally:
        worker.stop()


def _try_shown(crew: Crew, runs: Runs) -> tuple[Tried, ...]:
    """Run the cases that are shown; each is told when it is decided. When the first has come to its end, the simulator
    begins; and its other run when all are right, or the first is where there is plenty of processors.
    """
    crew.progress("running the cases")
    if _is_apart(crew):
        crew.bench.begin_next()
    tried: list[Tried] = []
    cases, subject = crew.task.assignment.correctness.shown, runs.subject
    promising = 1 if crew.bench.has_plenty else len(cases)
    for each in try_cases(cases, subject.built, subject.oracle, crew.student, Lookout(subject=subject)):
        if not is_undecided(each):
            _tell(crew, [each.check], subject.built.misordered)
        if not tried and each.check.reason is not Reason.TIME_LIMIT:
            runs.begin_sanitizer()
        tried.append(each)
        if len(tried) == promising and not failed_sizes(tried):
            runs.begin_memory()
    return tuple(tried)


def _tell(crew: Crew, checks: Iterable[Check], misordered: str = "") -> None:
    """Tell those checks whose verdicts may be shown already; the reason in full only where no more can be found."""
    asked = crew.task.assignment
    for check in checks:
        if check.kind in shown_at_once(asked):
            sentence = "" if check.reason in EXPLAINED else first_sentence(blamed(check, misordered).message)
            crew.progress(Decided(check=check.of_part(asked.part), sentence=sentence))


def _blamed(checks: Iterable[Check], built: Built) -> tuple[Check, ...]:
    """The checks; what a kernel fails whose parameters are in another order says so first."""
    return tuple(blamed(check, built.misordered) for check in checks)


def _probe_after(checks: Iterable[Check], bench: Bench, device: DeviceFacts) -> None:
    """After a kernel that crashed or did not end, check that the device still works. That is told to nobody: a hidden
    check may be the reason. If the driver had to reset a GPU, what our own workers have there is lost.
    """
    if any(check.reason in {Reason.TIME_LIMIT, Reason.CRASH, Reason.COMPILER_FAILED} for check in checks):
        if not share_a_process(device):
            bench.own.close()
        probe(bench.worker(), RECOVERY)


def refuse_submission(task: Task, why: str, bench: Bench) -> Result:
    """The same as refuse_coursework, for one assignment or one part of a suite."""
    started, clock = datetime.now(UTC), time.perf_counter()
    with shared_cpu(bench.locks), bench.worker() as worker:
        device = worker.ready()
        build = Problem(reason=Reason.BUILD_ERROR, message=why).fail(build_check(0.0))
        cases = unrun_cases(task.assignment, task.assignment.correctness.cases)
        checks = (build, *map(BUILD_FAILED.fail, cases), *_unreached(task.assignment, device))
    return _result(task, checks, None, time.perf_counter() - clock, bench.provenance(task, device, started))


def _left_out(assignment: Assignment) -> Iterator[Check]:
    """The hidden checks that a student kit leaves out, one of each kind, as if they had passed."""
    return (full_marks(Kind(kind), points, "hidden") for kind, points in assignment.left_out.items())


def _unreached(assignment: Assignment, device: DeviceFacts) -> Iterator[Check]:
    """The checks beside those of cases after a failed build: none could be made."""
    yield from map(BUILD_FAILED.fail, unwatched_checks(assignment))
    yield from map(BUILD_FAILED.fail, _left_out(assignment))
    yield from map(BUILD_FAILED.fail, unmeasured_checks(assignment, device))


def ungraded(assignment: str, submission: Path, error: Exception) -> Ungraded:
    """The record of a grading that an error has ended."""
    told = str(error) if isinstance(error, GraderError) else f"a fault in grader itself: {error!r}"
    return Ungraded(assignment=assignment, submission=showable(str(submission)), fault=showable(told))


@contextmanager
def _awake(worker: Worker, device: DeviceFacts) -> Iterator[None]:
    """The submission's worker runs until the end of the block, then it is frozen: while its grading holds no lock,
    another may be timed. It must be idle then: a process that waits in vfork cannot be frozen, and is ended
    (freeze_check.py).
    """
    worker.thaw()
    yield
    if share_a_process(device):
        worker.freeze()


def _result(
    task: Task, checks: tuple[Check, ...], profile: Profile | None, seconds: float, rests_on: Provenance
) -> Result:
    return Result(
        assignment=task.assignment.name,
        title=task.assignment.title,
        submission=showable(str(task.submission.path)),
        source=showable(task.submission.source),
        checks=checks,
        profiles={} if profile is None else {"": profile},
        points=sum(check.points for check in checks),
        max_points=sum(check.max_points for check in checks),
        seconds=seconds,
        provenance=rests_on,
    )
