"""Timing setups without a grading, with fake workers that give prepared answers or with real workers."""

from dataclasses import replace

import numpy as np
from samples import DEVICE

from grader.course.expressions import evaluate
from grader.course.poison import GUARD_BYTES, INPUT_POISON, POISON
from grader.course.submissions.submission import Task
from grader.execution.assignment_plans import control_plan, reference_plan, timed_plan
from grader.execution.outcome import Fetched, Timing, Took
from grader.execution.plan import COPY, NAIVE, PEAK, STUDENT, SUBMISSION, WHOLE, Binding
from grader.grading.checks.compilation.building import check_build
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.rules import TimingRules
from grader.grading.timing.device_data import SET_BYTES
from grader.grading.timing.digest_verifier import ByReference
from grader.grading.timing.measurement import open_sessions
from grader.grading.timing.oracle_verifier import END, END_NUMBER, ByOracle
from grader.grading.timing.rounds import Participant, Role
from grader.grading.timing.timing_setup import TimingSetup, own_programs, request_session, timing_task
from grader.protocol.messages import Done, Opened, StepTime
from grader.results.verdicts import Verdict

MS = 1e-3

RULES = TimingRules(warm_up_seconds=0, min_pairs=6, max_pairs=6, session_pairs=3)
"""Rules under which sessions are renewed. Round 0 opens them, rounds 1 to 3 count, round 4 opens them again, and rounds
5 to 7 count.
"""

STEP_MS = {STUDENT: 2, NAIVE: 6, COPY: 1, WHOLE: 3, PEAK: 0.5}


def at_sizes(assignment, **sizes):
    """Return the assignment with other sizes for its timed rounds."""
    return _timed(assignment, sizes=sizes)


def with_constants(assignment, **constants):
    """Return the assignment with other constants for its timed rounds."""
    return _timed(assignment, constants=constants)


def with_integers(assignment, *turns):
    """Return the assignment with integers as inputs in these timed rounds on GPUs."""
    performance = assignment.performance.model_copy(update={"integers": turns})
    return assignment.model_copy(update={"performance": performance})


def _timed(assignment, **changes):
    classes = {kind: goal.model_copy(update=changes) for kind, goal in assignment.performance.classes.items()}
    return assignment.model_copy(update={"performance": assignment.performance.model_copy(update={"classes": classes})})


class StrawWorker:
    """A worker that has no process and answers each request with right results and prepared times.

    Each request is appended to `log` together with the role. `faults` maps a request and the number of its repetition
    to an answer that replaces the usual one.
    """

    def __init__(self, role, log, step_ms, faults):
        self.role, self.log, self.step_ms, self.faults = role, log, step_ms, faults
        self.plan, self.arrays, self.asked, self.keys = None, {}, {}, []
        self.is_frozen = False

    @property
    def session(self):
        return self

    def _answer(self, request, usual):
        self.asked[request] = self.asked.get(request, 0) + 1
        return self.faults.get((request, self.asked[request]), usual)

    def request(self, plan):
        self.plan = plan
        self.log.append((self.role, "begin to open", None))

    def open(self, plan):
        assert plan is self.plan
        self.log.append((self.role, "open", None))
        return self._answer("open", Opened.model_construct(kernels=()))

    def freeze(self):
        self.is_frozen = True

    def thaw(self):
        self.is_frozen = False

    def drop(self):
        pass

    def stage(self, script, arrays):
        self.arrays = {name: np.array(array) for name, array in arrays.items()}
        self.log.append((self.role, "stage", script))
        return self._answer(f"stage {script}", Done())

    def clear(self, names):
        self.log.append((self.role, "clear", names))
        return self._answer("clear", Done())

    def launch(self, script, key=0):
        self.log.append((self.role, "launch", script))
        self.keys.append((script, key))
        steps = self.plan.scripts[script].commands
        milliseconds = self.step_ms.get(script, 1)
        times = [StepTime(start_ns=0, end_ns=int((number + 1) * milliseconds * 1e6)) for number in range(len(steps))]
        seconds = sum(time.seconds for time in times)
        return self._answer(f"launch {script}", Timing(steps=tuple(times), wall_seconds=seconds + 0.5 * MS))

    def turn(self, keys, names):
        launched = [self.launch(script, key) for script, key in keys.items()]
        failed = next((each for each in launched if not isinstance(each, Timing)), None)
        self.stored = {END_NUMBER: keys.get(END)}
        results = self.fetch(names) if failed is None else failed
        if not isinstance(results, dict):
            return results
        waits = tuple(each.wall_seconds for each in launched)
        steps = tuple(tuple(step.seconds for step in each.steps) for each in launched)
        return Took(steps=steps, waits=(*waits, *(0.1 * MS for _ in names)), results=results)

    def fetch(self, names):
        self.log.append((self.role, "fetch", names))
        fetched = {name: self._fetched(name) for name in names}
        change = self._answer("fetch", None)
        return change(fetched) if callable(change) else (change or fetched)

    def _fetched(self, name):
        if name == END_NUMBER:
            return _without_bands(np.array([self.stored[name]], dtype=np.uint64))
        poison = POISON if name in self.plan.scripts[STUDENT].outputs else INPUT_POISON
        band = np.full(GUARD_BYTES // 4, poison, dtype=np.uint32)
        payload = np.ascontiguousarray(self.arrays[name], dtype=np.float32).view(np.uint32).reshape(-1)
        return Fetched(before=band, payload=payload, after=band.copy(), poison=poison)


def _without_bands(payload):
    band = np.empty(0, dtype=np.uint32)
    return Fetched(before=band, payload=payload, after=band, poison=0)


def before_its_end(fetched):
    """Return the fetched arrays as if the kernel of grader had not run before."""
    return {**fetched, END_NUMBER: _without_bands(np.zeros(1, dtype=np.uint64))} if END_NUMBER in fetched else fetched


def one_bit_wrong(fetched):
    """Return the fetched arrays with one wrong bit."""
    payload = fetched["B"].payload.copy()
    payload[3] ^= 1
    return {**fetched, "B": replace(fetched["B"], payload=payload)}


def one_word_past_the_end(fetched):
    """Return the fetched arrays with one overwritten word after the end."""
    after = fetched["B"].after.copy()
    after[0] = 0
    return {**fetched, "B": replace(fetched["B"], after=after)}


def fake_setup(  # noqa: PLR0913
    assignment, log=None, step_ms=None, faults=None, seed=1, *, verifier=ByOracle, worker=StrawWorker, device=DEVICE
):
    """Return a setup of fake workers whose sessions are not open yet. The keys of `step_ms` and `faults` are roles."""
    log = [] if log is None else log
    judge = verifier(timing_task(assignment, _with_room_for_one_set(assignment, device), seed))
    sizes = judge.task.sizes
    bindings = {launch.kernel: Binding(name=launch.kernel, takes_local=False) for launch in assignment.student_launches}
    plans = {
        Role.REFERENCE: reference_plan(assignment, sizes),
        Role.SUBMISSION: timed_plan(assignment, sizes, bindings),
        Role.CONTROL: control_plan(assignment, device),
    }
    workers = {
        role: worker(role, log, {**STEP_MS, **(step_ms or {}).get(role, {})}, (faults or {}).get(role, {}))
        for role in plans
    }
    participants = {role: Participant(worker=workers[role], plan=judge.prepare(plans[role])) for role in plans}
    return TimingSetup(verifier=judge, participants=participants)


def _with_room_for_one_set(assignment, device):
    sizes = assignment.performance.classes["cpu"].sizes
    moved = evaluate(assignment.performance.bytes, assignment.names(sizes))
    return device.model_copy(update={"global_memory": int(SET_BYTES * moved)})


def begun(setup):
    """Open all sessions of a setup, and return it."""
    assert open_sessions(setup) is None
    return setup


def real_setup(environment: GradingEnvironment, workers, assignment, submission, verifier=ByReference):
    """Return a setup of a submission, which must build, and of grader's own kernels. They run in separate workers until
    `workers` is closed.
    """
    student = workers.enter_context(environment.worker())
    build = check_build(Task(assignment=assignment, submission=submission, seed=1), student)
    assert build.check.verdict is Verdict.PASSED, build.check.message
    device = student.ready()
    judge = verifier(timing_task(assignment, device, seed=1))
    sizes = judge.task.sizes
    plan = judge.prepare(timed_plan(build.built.task.assignment, sizes, build.built.bindings))
    participants = {Role.SUBMISSION: Participant(worker=student, plan=plan)}
    request_session(participants[Role.SUBMISSION], {SUBMISSION: build.built.program}, judge)
    plans = {Role.REFERENCE: reference_plan(assignment, sizes), Role.CONTROL: control_plan(assignment, device)}
    for role, plan in plans.items():
        worker = workers.enter_context(environment.workers.own(role))
        participants[role] = Participant(worker=worker, plan=judge.prepare(plan))
        request_session(participants[role], own_programs(assignment), judge)
    return TimingSetup(verifier=judge, participants=participants)
