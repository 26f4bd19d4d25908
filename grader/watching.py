"""What a simulator can tell that no device can: whether something goes wrong unseen, and how memory is used."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from grader.assignment import Assignment, Memory
from grader.errors import NoSimulatorError
from grader.memory import Counted, check_memory, count_memory, uncounted
from grader.protocol import Simulation
from grader.result import Check, Profile, Verdict
from grader.sanitizer import check_sanitizer, unwatched
from grader.simulation import Subject


class WatchingRules(BaseModel):
    """What the simulated device is taken to be, and whether a machine without a simulator may grade."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    simulation: Simulation = Simulation()
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Watched:
    """The checks that rest on simulated runs, and the counts of the one for memory behaviour, if it was made."""

    checks: tuple[Check, ...]
    profile: Profile | None


def watch(subject: Subject, rules: WatchingRules, *, right: bool) -> Watched:
    """Run the submission on the simulator; memory behaviour is looked at only if all cases are `right`.

    Where there is no simulator, the checks are skipped, or NoSimulatorError is raised if they are required.
    """
    try:
        subject.worker.ready()
    except NoSimulatorError as error:
        if rules.required:
            raise
        return Watched(checks=tuple(_skipped(subject.task.assignment, error)), profile=None)
    assignment = subject.task.assignment
    checks = [check_sanitizer(subject, assignment.sanitizer, right=right)] if assignment.sanitizer else []
    if assignment.memory is None:
        return Watched(checks=tuple(checks), profile=None)
    start = time.perf_counter()
    profile = _count(subject, assignment.memory, rules.simulation) if right else None
    seconds = (time.perf_counter() - start) / len(assignment.memory.checks)
    counted = check_memory(assignment, assignment.memory, profile)
    checks += [check.model_copy(update={"seconds": seconds}) for check in counted]
    return Watched(checks=tuple(checks), profile=profile)


def _count(subject: Subject, asked: Memory, simulation: Simulation) -> Profile | None:
    """Nothing is said about the memory behaviour of a kernel that does not do there what it should."""
    counted = count_memory(subject, asked, simulation)
    return counted.profile if isinstance(counted, Counted) and counted.problem is None else None


def unwatched_checks(assignment: Assignment) -> Iterator[Check]:
    """The same checks as if they had passed, for a submission that gets no chance to run."""
    if assignment.sanitizer is not None:
        yield unwatched(assignment.sanitizer)
    if assignment.memory is not None:
        yield from uncounted(assignment.memory)


def _skipped(assignment: Assignment, error: NoSimulatorError) -> Iterator[Check]:
    """The same checks where there is no simulator: they count for nothing, and say how to get one."""
    for check in unwatched_checks(assignment):
        yield check.model_copy(
            update={"verdict": Verdict.SKIPPED, "points": 0.0, "max_points": 0.0, "message": str(error)}
        )
