"""Points that are earned by kernels that avoid an exercise, and by its model solution with one slip.

Results that need no computation are no results, zeros, ones, or a copy of an input. No tolerance may accept them.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader.authoring.extent import FULL, Extent, Grade, KernelGradings, patiently
from grader.authoring.golden import ONE_PAIR
from grader.authoring.sample_kernels import SampleKernel, avoiding, slips
from grader.authoring.selftest import Claim, in_full, open_points, open_points_in_words
from grader.common.phrases import count, listed
from grader.common.record import replace
from grader.course.assignment import Assignment, Timed
from grader.course.elements import Element, element_of
from grader.course.rubric import Kind
from grader.course.structs import Struct
from grader.course.submissions.submission import Task, fresh_seed, parse_submission
from grader.course.truth.comparators import bits, wrong_elements
from grader.course.truth.fields import Array, cast, dtype_of
from grader.course.truth.oracle import judged, load_oracle
from grader.execution.assignment_plans import reference_plan
from grader.execution.plan import STUDENT
from grader.grading.checks.trials.trial import Trial, case_trial, standard_of
from grader.grading.grade import grade_submission
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.phases.speed import Preparation, prepare_none
from grader.grading.progress import Progress, prefixed
from grader.results.result import Result
from grader.results.verdicts import Verdict

WHAT = ("nothing", "zeros", "ones", "a copy of an input")


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """A result that takes no computing, and a case that accepts it although the right values are different."""

    what: str
    case: str


def accepted(assignment: Assignment) -> Iterator[Accepted]:
    """Yield every such result that a case accepts because of its tolerance. A case whose exact result is zeros does not
    count.
    """
    oracle, seed = load_oracle(assignment), fresh_seed()
    for number, case in enumerate(assignment.correctness.cases):
        trial = case_trial(assignment, oracle, case, (seed, 0, number))
        yield from (Accepted(what=what, case=case.name) for what in WHAT if _is_accepted(trial, what))


def _is_accepted(trial: Trial, what: str) -> bool:
    """True if the case accepts this result for every judged array, although at least one right result differs
    from it.
    """
    assignment = trial.assignment
    outputs = reference_plan(Timed(assignment), trial.sizes).scripts[STUDENT].outputs
    differs = False
    for_judge = {}
    for name in filter(lambda name: assignment.buffers[name].is_judged, outputs):
        element = assignment.element(assignment.buffers[name].type)
        if name not in trial.truth:
            unknown = np.zeros(assignment.array_shape(name, trial.sizes), dtype_of(element))
            for_judge[name] = _made(what, unknown, trial.inputs, element)
            continue
        right = cast(np.asarray(trial.truth[name].value), element)
        got = _made(what, right, trial.inputs, element)
        if wrong_elements(got, trial.truth[name], standard_of(trial, name)).any():
            return False
        differs = differs or not np.array_equal(got, right)
    if for_judge:
        return judged(for_judge, trial.oracle, assignment, trial.inputs, trial.sizes) is None
    return differs


def _made(what: str, right: Array, inputs: Mapping[str, Array], element: Element | Struct) -> Array:
    """Return an array with the shape and type of the right one. "a copy" means a copy of the first input of
    that type.
    """
    match what:
        case "zeros":
            return np.zeros_like(right)
        case "ones":
            return np.ones_like(right)
        case "a copy of an input":
            found = (each for each in inputs.values() if each.dtype == right.dtype and each.size)
            return np.resize(next(found, np.zeros_like(right)), right.shape)
    if isinstance(element, Struct):
        return np.resize(np.frombuffer(element.unwritten, right.dtype), right.shape)
    return np.full(right.shape, element_of(right.dtype.name).poison, bits(right).dtype).view(right.dtype)


@dataclass(frozen=True, kw_only=True)
class Earned:
    """A kernel and its result. `extent` is the requested extent, or NOISY if the machine was too noisy."""

    name: str
    result: Result
    extent: Extent = FULL

    @property
    def share(self) -> float:
        """Share of the total points."""
        return self.result.points / self.result.max_points if self.result.max_points else 0.0

    @property
    def largest_share(self) -> float:
        """Share of the total points if the kernel also earns the points that a quick validation leaves open."""
        return self.share + (open_points(self.result) / self.result.max_points if self.result.max_points else 0.0)

    @property
    def points(self) -> str:
        """Points in words, for example "38 of 100 points"."""
        return f"{self.result.points:.3g} of {self.result.max_points:g} points{open_points_in_words(self.result)}"

    @property
    def passed(self) -> str:
        """The memory and speed checks that it passes. Correctness is left out, because even such a kernel should earn
        those points.
        """
        kinds = {Kind.MEMORY, Kind.PERFORMANCE}
        names = [
            c.title for c in self.result.checks if c.kind in kinds and c.verdict is Verdict.PASSED and c.max_points
        ]
        return listed(names, "and") if names else "no check of memory or speed"


@dataclass(frozen=True, kw_only=True)
class Rewards:
    """Points of kernels that avoid an exercise, and of the model solution with one slip."""

    assignment: Assignment
    avoiding: tuple[Earned, ...]
    slips: tuple[Earned, ...]
    trivial: tuple[str, ...]

    def claims(self) -> Iterator[Claim]:
        """Yield the claims about these points, each with the observed result. Claims that depend on open points are
        left out.
        """
        yield Claim(
            claim="the tolerance rejects results that need no computation",
            holds=not self.trivial,
            seen=listed(self.trivial, "and") if self.trivial else "no result, zeros, ones and a copy of an input",
        )
        most = self.assignment.avoiding_earns_at_most
        for each in filter(self.is_decided, self.avoiding):
            yield Claim(
                claim=f"avoiding the exercise earns at most {100 * most:g} % of the points: {each.name}",
                holds=each.share <= most,
                seen=f"{each.points}; it passes {each.passed}",
            )
        for each in filter(self.is_decided, self.slips):
            better = [other for other in self.avoiding if other.share >= each.share]
            yield Claim(
                claim=f"{each.name} earns more than any kernel that avoids the exercise",
                holds=each.share > self._best,
                seen=each.points + _as_good(better),
            )

    def is_decided(self, each: Earned) -> bool:
        """True if open points cannot change the claim about a kernel."""
        if each in self.avoiding:
            most = self.assignment.avoiding_earns_at_most
            return (each.share <= most) is (each.largest_share <= most)
        largest = max((other.largest_share for other in self.avoiding), default=0.0)
        return (each.share > largest) is (each.largest_share > self._best)

    @property
    def _best(self) -> float:
        return max((each.share for each in self.avoiding), default=0.0)

    @property
    def undecided(self) -> tuple[Earned, ...]:
        """Kernels without a claim, because their points for speed are open."""
        return tuple(each for each in (*self.avoiding, *self.slips) if not self.is_decided(each))


def _as_good(avoiding: Sequence[Earned]) -> str:
    """Name the best of the kernels that earn as much as a slip, and say what to change; "" if no kernel does."""
    if not avoiding:
        return ""
    best = max(avoiding, key=lambda each: each.share)
    return f"; {best.name} earns {best.points}. Move points from correctness to the memory checks that it fails"


def rewards(assignment: Assignment, gradings: KernelGradings, progress: Progress, extent: Extent = FULL) -> Rewards:
    """Grade the kernels that avoid the exercise, and the model solution with each slip."""

    def graded(
        what: str, grade: Grade[SampleKernel, Earned], kernels: Callable[[Assignment], Iterator[SampleKernel]]
    ) -> tuple[Earned, ...]:
        found = [(kernel, assignment) for kernel in kernels(assignment)]
        return tuple(gradings.each(grade, found, extent, prefixed(what, progress)))

    return Rewards(
        assignment=assignment,
        avoiding=graded("kernels that avoid the exercise", earned, avoiding),
        slips=graded("the model solution with a slip", earned_by_slip, slips),
        trivial=tuple(_by_result(accepted(assignment))),
    )


def _by_result(results: Iterable[Accepted]) -> Iterator[str]:
    """Yield each result that takes no computing, with the first case that accepts it and the number of other such
    cases.
    """
    cases = defaultdict(list)
    for each in results:
        cases[each.what].append(each.case)
    for what, (first, *others) in cases.items():
        yield f"{what} in the case {first}" + (f" and in {count(len(others), 'other')}" if others else "")


def earned(
    kernel: SampleKernel, assignment: Assignment, environment: GradingEnvironment, progress: Progress, extent: Extent
) -> Earned:
    """Grade the kernel, without a search for the line of a mistake. It is timed only if it can earn points for speed,
    because a kernel with a single work-item would reach the time limit.
    """
    submission = parse_submission(Path(f"{kernel.name}.cl"), kernel.source.encode())
    unsearched = dataclasses.replace(environment, search=replace(environment.search, seconds=0.0))

    def graded(prepare: Preparation) -> Result:
        task = Task(assignment=assignment, submission=submission, seed=fresh_seed())
        return grade_submission(task, unsearched, prefixed(kernel.name, progress), prepare)

    result = graded(prepare_none)
    if _may_earn_speed(assignment, result):
        result, extent = patiently(lambda prepare: in_full(graded(prepare)), extent)
    return Earned(name=kernel.name, result=result, extent=extent)


def earned_by_slip(
    slip: SampleKernel, assignment: Assignment, environment: GradingEnvironment, progress: Progress, extent: Extent
) -> Earned:
    """Grade the model solution with a slip. Only one pair of launches is timed, because the kernel accesses memory in
    the same way as the model solution.
    """
    return earned(slip, assignment, dataclasses.replace(environment, timing=ONE_PAIR), progress, extent)


def _may_earn_speed(assignment: Assignment, untimed: Result) -> bool:
    """True unless a case fails, or a memory check fails that is required for the points for speed."""
    if assignment.performance is None:
        return False
    needed = [check for check in untimed.checks if check.kind is Kind.CORRECTNESS]
    needed += [c for c in untimed.checks if c.kind is Kind.MEMORY and c.label in assignment.performance.requires]
    return all(check.verdict is not Verdict.FAILED for check in needed)
