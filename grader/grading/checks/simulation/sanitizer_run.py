"""Simulated runs that are watched for wrong accesses and races, and their findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.course.criteria import Case, Sizes
from grader.course.rubric import Sanitizer
from grader.grading.checks.simulation.simulated_run import (
    SIMULATION_KEY,
    Simulated,
    SimulatedRun,
    Subject,
    run_at,
    run_on_trial,
    seen_in,
)
from grader.grading.checks.trials.trial import case_trial
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator import images
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.messages import of_message, reason_of
from grader.grading.explain.simulator.oclgrind import (
    BOTH_WRITE,
    INDEX,
    INVALID,
    LOCAL,
    PRIVATE,
    RACE,
    entities,
    spot,
    target,
)
from grader.grading.explain.simulator.races import is_past_a_barrier
from grader.grading.explain.simulator.unset import of_unset
from grader.protocol.observation import SeenKernel, SeenMessage, SeenUnset
from grader.results.findings import Finding
from grader.results.verdicts import Reason

NUMBER = 0
"""Number of this simulated run, from which its inputs are derived."""

LARGER = 16
"""Maximum size of a failed case that is also simulated, as a multiple of the size of the sanitizer check. Sizes are
compared by their products. A larger case would take minutes, and the simulator would mistake its loops of millions of
iterations for endless ones.
"""

Failed = tuple[Sizes, ...]
"""Sizes of the failed cases, the smallest first; empty if all are right."""


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A case that does not end in the simulator, with all findings of its run."""

    sizes: Sizes
    findings: tuple[Finding, ...]

    @property
    def problem(self) -> Problem:
        """The problem of the endless loop, which is the first finding."""
        return problem_of(self.findings)


def sanitizer_run(subject: Subject, asked: Sanitizer) -> SimulatedRun:
    """Return the run on which the check is based."""
    return run_at(subject, asked.sizes, NUMBER)


def simulate(subject: Subject, sizes: Sizes) -> Simulated | Problem:
    """Simulate the submission once at these sizes, with inputs as in the run of the check. Return a Problem if its
    launches did not finish.
    """
    return seen_in(run_at(subject, sizes, NUMBER))


def runs_alone(subject: Subject, asked: Sanitizer) -> Iterator[tuple[Case, Simulated | Problem]]:
    """Yield the runs in which a kernel runs alone. Each begins when the caller requests it."""
    for case in asked.alone_cases:
        key = (subject.task.seed, SIMULATION_KEY, NUMBER)
        trial = case_trial(subject.built.task.assignment, subject.oracle, case, key)
        yield case, seen_in(run_on_trial(subject, trial))


def findings_of(seen: Simulated) -> tuple[Finding, ...]:
    """Return all findings in the launches of a simulated run, each once."""
    launches = enumerate(zip(seen.kernels, seen.scenes, strict=True))
    found = (each for n, (kernel, scene) in launches for each in findings(kernel, scene, seen.kernels[:n]))
    return tuple({each.message: each for each in found}.values())  # repetitions have equal findings


def problem_of(found: tuple[Finding, ...]) -> Problem:
    """Return the problem of the first finding."""
    return Problem(reason=found[0].reason, message=found[0].message, help=found[0].help)


LIMIT = 8
"""Maximum number of reported findings. The first cause comes first, and the rest are mostly its consequences."""


EXPLAINED = 4 * LIMIT
"""Maximum number of messages of a launch that are explained, and of its unset values. Several of them may have one
finding, but an explanation takes time.
"""


def findings(seen: SeenKernel, scene: Scene, before: Sequence[SeenKernel] = ()) -> tuple[Finding, ...]:
    """Findings about all mistakes in a launch, the first cause first, without repetition. `before` are the earlier
    launches.

    A message is dropped only if another finding concerns the same mistake. The plugin has already removed harmless
    messages. Oclgrind reports two writes as a race only if their values differ, so the inputs determine which of these
    races it sees first. Therefore they come after races of a write and a read.
    """
    launches = (*before, seen)
    outside = {line for each in seen.messages if _is_outside(each) for line in _lines_beyond(each, scene)}
    by_spot = _by_spot(seen.messages)
    messages = (
        each
        for each in seen.messages
        if reason_of(each) is not None
        and not _is_clearer_elsewhere(each, by_spot, seen, scene)
        and not is_past_a_barrier(each, seen, scene)
        and not (RACE.match(each.text) and _lines_beyond(each, scene) & outside)
    )
    heard = sorted(messages, key=_first_reason)
    told = [each for message in heard[:EXPLAINED] for each in of_message(message, launches, scene)]
    raced = {place.line for each in told if each.reason is Reason.DATA_RACE for place in each.places}
    uses = [each for each in _first_uses(seen.unset) if each.space == PRIVATE or each.line not in raced]
    uses = sorted(uses, key=_is_wild, reverse=True)[:EXPLAINED]
    wild = [of_unset(each, launches, scene) for each in uses if _is_wild(each)]
    other = [of_unset(each, launches, scene) for each in uses if not _is_wild(each)]
    found: dict[tuple[Reason, str], Finding] = {}
    for each in [*wild, *sorted([*told, *other], key=_first_cause)]:
        found.setdefault((each.reason, each.message), each)
    return tuple(found.values())[:LIMIT]


def _first_uses(unset: Iterable[SeenUnset]) -> Iterator[SeenUnset]:
    """Yield the first use of each unset value. A use in an address comes before a use in a condition, and that comes
    before a store.
    """
    uses = sorted(unset, key=lambda each: (each.line, each.column, each.name, each.how, each.used_line))
    known: set[tuple[int, int, str]] = set()
    for each in uses:
        key = (each.line, each.column, each.name)
        if key not in known:
            known.add(key)
            yield each


def _is_wild(unset: SeenUnset) -> bool:
    """True if an address is computed from this value. In local memory, a race may be the reason why it is not set."""
    return unset.how == "address" and unset.space != LOCAL


def _is_outside(message: SeenMessage) -> bool:
    return INVALID.match(message.text) is not None or images.OUTSIDE.match(message.text) is not None


def _lines_beyond(message: SeenMessage, scene: Scene) -> set[int]:
    """Lines that work-items beyond the edge execute. If they access an array outside its bounds in such a line, their
    races in this line have the same cause, which is a missing guard.
    """
    return {each.line for each in entities(message) if scene.is_beyond(each.global_id)}


def _by_spot(messages: Iterable[SeenMessage]) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The texts of the messages about each place."""
    texts: dict[tuple[str, ...], list[str]] = {}
    for each in messages:
        texts.setdefault(spot(each), []).append(each.text)
    return {place: found for place, found in texts.items() if place}


def _is_clearer_elsewhere(
    message: SeenMessage, by_spot: Mapping[tuple[str, ...], Sequence[str]], seen: SeenKernel, scene: Scene
) -> bool:
    """True if another message about the same place is more specific. A pixel outside an image has the address of a
    pixel in another row, so writing it also looks like a race.
    """
    others = by_spot.get(spot(message), ())
    is_outside = any(map(images.OUTSIDE.match, others))
    if RACE.match(message.text):
        return is_outside and scene.is_image(target(message, seen).array)
    return INVALID.match(message.text) is not None and (is_outside or any(map(INDEX.match, others)))


CAUSALITY = (
    Reason.TIME_LIMIT,
    Reason.BARRIER_DIVERGENCE,
    Reason.INPUT_CHANGED,
    Reason.OUT_OF_BOUNDS,
    Reason.DATA_RACE,
    Reason.UNINITIALISED,
    Reason.CRASH,
)
"""Reasons in the order of causality. For example, a missed barrier causes races, and a race causes reads of words that
have not been written yet. An address that was computed from an unset value comes before all of them.
"""


def _first_reason(message: SeenMessage) -> tuple[int, bool]:
    """Sort key that puts messages about causes before those about consequences."""
    reason = reason_of(message)
    return CAUSALITY.index(reason) if reason else len(CAUSALITY), BOTH_WRITE.match(message.text) is not None


def _first_cause(found: Finding) -> tuple[int, bool]:
    """Sort key that puts causes before consequences. Races that a barrier would end come last among races, because the
    barrier would not end the others.
    """
    return CAUSALITY.index(found.reason), found.barrier is not None
