"""Build check. The text must not contain forbidden constructs, must compile, and must define the kernels that the
assignment asks for.
"""

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.common.optional import Fault, OptionalWork
from grader.common.record import replace
from grader.course.criteria import Case
from grader.course.forbidden import LINE_LIMIT, Construct, Sighting, first_sighting
from grader.course.rubric import AskedCheck, Kind
from grader.course.submissions.scan_process import TooCostly, scanned
from grader.course.submissions.submission import ChosenTask, Task
from grader.execution.client import Worker
from grader.execution.outcome import Failure
from grader.execution.plan import NOTHING, SUBMISSION, Bindings
from grader.grading.checks.compilation.choices import chosen, unfit_sizes
from grader.grading.checks.compilation.program import LaterCall, first_later_call, submitted_definitions
from grader.grading.checks.compilation.signature import bind
from grader.grading.checks.compilation.struct_definitions import types_before
from grader.grading.explain.build_log import Source, of_build_log
from grader.grading.explain.failures import FailedError, unwrap
from grader.grading.explain.problem import MIXED_UP, RETYPED, Problem, WrongParameters
from grader.grading.explain.resource_usage import usage_of
from grader.protocol.messages import BuildFailed, Process
from grader.protocol.steps import ProgramSource
from grader.results.check import Check, full_marks
from grader.results.metrics import Usage
from grader.results.verdicts import Reason

ALONE = "Put all code into this file: a submission is one file."

FORBIDDEN_USES = {
    Construct.INCLUDE: ("includes another file", ALONE),
    Construct.LINE: ("sets line numbers with #line", "Delete it, so that messages give your line numbers."),
    Construct.ASM: ("contains assembly code", "Write this code in OpenCL C."),
    Construct.HAS_INCLUDE: ("looks for other files", ALONE),
    Construct.LINKAGE: (
        "uses `extern inline`, or a pragma that changes how functions are linked",
        "Write `static inline` instead, or remove the pragma.",
    ),
    Construct.LONG_LINE: (f"is longer than {LINE_LIMIT} characters", "Break the line."),
    Construct.CONTROL: ("has the control character {} in its code", "Delete this character. Compilers refuse it."),
}
"""For each forbidden construct, a phrase about its use and the next step."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """A submission that compiles: the program for every driver, its names for the kernels, and their resource usage.
    `faults` are faults of grader that prevented it from finding out something about the submission.
    """

    task: ChosenTask
    program: ProgramSource
    bindings: Bindings
    usage: tuple[Usage, ...]
    faults: tuple[Fault, ...] = ()
    missing: Mapping[str, Problem] = field(default_factory=dict)
    """The problem to report for each kernel that the assignment needs and the file lacks, by kernel."""

    @property
    def wrong_parameters(self) -> WrongParameters | None:
        """The first parameters that are in a different order than the arguments, or else the first array with another
        type of elements; None if there are no such parameters.
        """
        bindings = self.bindings.values()
        found = [WrongParameters(message=each.misordered, explains=MIXED_UP) for each in bindings if each.misordered]
        found += [WrongParameters(message=each.retyped, explains=RETYPED) for each in bindings if each.retyped]
        return next(iter(found), None)

    @property
    def first_missing(self) -> Problem | None:
        """The problem of the first missing kernel, or None if the file has all kernels."""
        return next(iter(self.missing.values()), None)

    def lacking(self, case: Case) -> Problem | None:
        """Return the problem of a missing kernel that the case needs, or None if the case can run."""
        return self.missing.get(case.alone) if case.alone else self.first_missing


@dataclass(frozen=True, kw_only=True)
class Build:
    """The build check, the built program (None if the build failed), the task with the choices of the submission (None
    if its text was refused), and the failure that ended the build, if any.
    """

    check: Check
    built: Built | None
    task: ChosenTask | None
    failure: Failure | None = None


@dataclass(frozen=True, kw_only=True)
class Expanded:
    """A submission before its build on a device: the text for every driver, with macros expanded, and its lines of
    code, to which compiler messages refer. `types` contains the definitions that precede the text.
    """

    task: ChosenTask
    text: str
    code: tuple[str, ...]
    types: str = ""

    @property
    def program(self) -> ProgramSource:
        """The program for every driver."""
        return ProgramSource(source=self.text, types=self.types)


def check_build(task: Task, worker: Worker) -> Build:
    """Apply the choices that the text states, expand its macros, build it in a session of the worker, and compare its
    kernels with the assignment. The submission stays loaded in the worker. If kernels are missing, the build still
    passes if the file has a kernel that a case runs alone.
    """
    start = time.perf_counter()
    expanded, built, problem, failure = None, None, None, None
    try:
        expanded = _expand_as_chosen(task, worker)
        built = _with_a_case(_bind(expanded, worker))
    except FailedError as failed:
        problem, failure = failed.problem, failed.failure
    check = build_check(time.perf_counter() - start)
    check = replace(check, faults=() if built is None else built.faults)
    return Build(
        check=check if problem is None else problem.fail(check),
        built=built,
        task=None if expanded is None else expanded.task,
        failure=failure,
    )


def build_check(seconds: float) -> Check:
    """The build check as if it had passed."""
    return replace(full_marks(AskedCheck(kind=Kind.BUILD, points=0.0)), seconds=seconds)


def build(task: Task, worker: Worker) -> Built | Problem:
    """Build the submission as it will run; return the problem if that fails."""
    try:
        return _complete(_bind(_expand_as_chosen(task, worker), worker))
    except FailedError as failed:
        return failed.problem


def build_settled(task: ChosenTask, worker: Worker) -> Built | Problem:
    """Build the submission for an assignment whose choices have been applied; return the problem if that fails."""
    try:
        return _complete(_bind(expand(task, worker), worker))
    except FailedError as failed:
        return failed.problem


def _complete(built: Built) -> Built:
    """Return the program. Raises FailedError if the file lacks a kernel."""
    if built.first_missing is not None:
        raise FailedError(built.first_missing)
    return built


def _with_a_case(built: Built) -> Built:
    """Return the program. Raises FailedError if the file lacks a kernel, unless a case runs one of its other kernels
    alone.
    """
    cases = built.task.assignment.correctness.cases
    return built if any(built.lacking(case) is None for case in cases) else _complete(built)


def _expand_as_chosen(task: Task, worker: Worker) -> Expanded:
    assignment = unwrap(chosen(task.assignment, task.submission))
    own = ChosenTask(assignment=assignment, submission=task.submission, seed=task.seed, unmade=task.unmade)
    return expand(own, worker)


def expand(task: ChosenTask, worker: Worker, process: Process = "new") -> Expanded:
    """Expand the macros of the text in a process of this kind. Every driver compiles the resulting text. Raises
    FailedError if the text contains a forbidden construct before or after the expansion, calls a function that OpenCL C
    1.2 lacks, cannot be expanded, or takes too long to scan.
    """
    written, allowed = task.submission, task.assignment.allow
    _refuse(first_sighting(written.scan.sightings, allowed))
    text = worker.preprocess(written.source, submitted_definitions(task), process)
    if isinstance(text, BuildFailed):
        source = Source(text=written.source, written=written.scan.code, compiled=written.scan.code)
        raise FailedError(of_build_log(text.log, source))
    text = unwrap(text)
    compiled = scanned(text)
    if isinstance(compiled, TooCostly):
        raise FailedError(_costly_text(compiled))
    _refuse(first_sighting(compiled.sightings, {*allowed, Construct.LONG_LINE}))  # macros may make a line long
    later = first_later_call(compiled.code)
    if later is not None:
        raise FailedError(_later_call(later))
    structs = task.assignment.laid_out_structs
    types = unwrap(types_before(structs, compiled.code)) if structs else ""
    return Expanded(task=task, text=text, code=compiled.code, types=types)


def _costly_text(cost: TooCostly) -> Problem:
    """The problem of a text that becomes too large when its macros are expanded."""
    message = f"the text is too large once its macros are expanded: {cost.words}."
    return Problem(reason=Reason.BUILD_ERROR, message=message, help="Use fewer or smaller macros.")


def _later_call(call: LaterCall) -> Problem:
    """The problem of a call of a function that only later OpenCL C versions have, even if the driver provides it."""
    message = f"line {call.line} calls {call.name}, which OpenCL C 1.2 does not have. Only later versions have it."
    return Problem(reason=Reason.BUILD_ERROR, message=message, help=call.advice)


def _refuse(sighting: Sighting | None) -> None:
    """Raise FailedError for a construct that submissions may not use."""
    if sighting is not None:
        does, remedy = FORBIDDEN_USES[sighting.construct]
        message = f"line {sighting.line} {does.format(sighting.text)}. The file was not run."
        raise FailedError(Problem(reason=Reason.FORBIDDEN, message=message, help=remedy, detail=sighting.text))


def _bind(expanded: Expanded, worker: Worker) -> Built:
    """Build the text, and find the kernels that the assignment asks for. Raises FailedError for wrong parameters."""
    task, program = expanded.task, expanded.program
    opened = worker.load({SUBMISSION: program}).open(NOTHING)
    if isinstance(opened, BuildFailed):
        written = task.submission
        source = Source(
            text=written.source,
            written=written.scan.code,
            compiled=expanded.code,
            constants=task.assignment.definitions,
        )
        raise FailedError(of_build_log(opened.log, source))
    opened = unwrap(opened)
    device = worker.ready()
    worker.close()
    unwrap(unfit_sizes(task.assignment, device))
    found = {
        launch.kernel: bind(task.assignment, launch, opened.kernels, expanded.code)
        for launch in task.assignment.student_launches
    }
    problems = {name: each for name, each in found.items() if isinstance(each, Problem)}
    lacking = {name: each for name, each in problems.items() if each.reason is Reason.KERNEL_MISSING}
    missing = {name: dataclasses.replace(each, cause=f"no kernel {name}") for name, each in lacking.items()}
    bindings = {name: unwrap(each) for name, each in found.items() if name not in missing}
    names = dict.fromkeys(binding.name for binding in bindings.values())
    faults = tuple(each.fault for each in bindings.values() if each.fault is not None)
    built = Built(task=task, program=program, bindings=bindings, usage=(), faults=faults, missing=missing)
    with OptionalWork("the use of registers and memory") as work:
        return dataclasses.replace(built, usage=usage_of(names, opened, device))
    return dataclasses.replace(built, faults=(*faults, work.fault))
