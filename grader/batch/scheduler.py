"""Schedules the gradings of a course: decides which are left, passes them to the workforce, and handles failures.
`--regrade WHAT=VALUE` selects stored results that are graded again.

Intake -> an item for each different file and assignment -> items that are not in the store -> workforce -> store
    -> items whose speed could not be measured, one at a time while nothing else runs -> store
"""

import difflib
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from typing import Literal

from grader.batch.rescoring import lacks_measurements, up_to_date
from grader.batch.station import NAME, Facilities, GradingJob, MissingSpeeds, WholeGrading, most_points
from grader.batch.store import Store, content_key, seed_of
from grader.batch.workforce import Workforce
from grader.common.errors import GraderError, InputError
from grader.common.people import person_key, similar_person
from grader.common.phrases import count
from grader.course.submissions.handin import HandIn, Intake
from grader.course.suite import Coursework
from grader.lms.bundle import Bundle, pack
from grader.protocol.text import showable
from grader.results.result import Result, Ungraded
from grader.results.verdicts import UNTIMED, Verdict

ATTEMPTS = 3
"""Maximum number of attempts at a grading that fails through a fault of grader, or that is too noisy to time."""

MOST_FAILING = 5
"""Number of first attempts that may fail one after the other, in addition to those that run at the same time. If more
fail without a result in between, the machine is probably broken, and each further item would wait for time limits.
"""

TICK = 0.5
"""Seconds between two calls of the listener while nothing happens."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """One grading of one file for one assignment, shared by all students who handed in these bytes."""

    key: str
    handins: tuple[HandIn, ...]
    assignment: Coursework
    bundle: Bundle

    @property
    def name(self) -> str:
        """A name for a line of output: the first student, the number of other students, and the assignment."""
        first, *others = self.handins
        return f"{first.student.label}{f' and {len(others)} more' if others else ''}: {first.assignment}"


@dataclass(frozen=True, kw_only=True)
class BatchPlan:
    """All gradings of a batch: the items by key, and the settings, seed and facilities that apply to all of them."""

    items: dict[str, Item]
    facilities: Facilities
    settings_json: str
    seed: int

    def job(self, item: Item, before: Result | None = None) -> GradingJob:
        """Return the job for an item. `before` is the earlier result of the item, if there is one."""
        return GradingJob(
            work=WholeGrading() if before is None else MissingSpeeds(result=up_to_date(before, item.assignment)),
            settings_json=self.settings_json,
            facilities=self.facilities,
            bundle=item.bundle,
            data=item.handins[0].data,
            sha256=item.handins[0].sha256,
            seed=seed_of(self.seed, item.key),
            assignment_sha256=item.assignment.sha256,
            parts=tuple(part.part for part in item.assignment.parts),
            max_points=most_points(item.assignment),
        )


def make_plan(
    intake: Intake, assignments: tuple[Coursework, ...], facilities: Facilities, settings_json: str, seed: int
) -> BatchPlan:
    """Create an item for every different file and assignment, in the order of the hand-ins."""
    bundles = {assignment.name: pack(assignment) for assignment in assignments}
    measured = {assignment.name: assignment.measured_sha256 for assignment in assignments}
    named = {assignment.name: assignment for assignment in assignments}
    items: dict[str, Item] = {}
    for handin in intake.handins:
        key = content_key(handin, measured[handin.assignment], facilities, settings_json)
        known = items.get(key) or Item(
            key=key, handins=(), assignment=named[handin.assignment], bundle=bundles[handin.assignment]
        )
        items[key] = replace(known, handins=(*known.handins, handin))
    return BatchPlan(items=items, facilities=facilities, settings_json=settings_json, seed=seed)


@dataclass(frozen=True, kw_only=True)
class Left:
    """The items that are left to grade. Of those that were graded before, `untimed` lack a speed, and `unmeasured` lack
    measurements that the assignment asks for now.
    """

    plan: BatchPlan
    untimed: int
    unmeasured: int


def missing(plan: BatchPlan, store: Store) -> Left:
    """Return the items that are not in the store or lack speeds. Stored results that lack other measurements are
    deleted.
    """
    left: dict[str, Item] = {}
    untimed = unmeasured = 0
    for key, item in plan.items.items():
        stored = store.load(key)
        if stored is not None and lacks_measurements(stored, item.assignment):
            store.drop(key)
            stored = None
            unmeasured += 1
        if not _is_whole(stored):
            left[key] = item
            untimed += stored is not None
    return Left(plan=replace(plan, items=left), untimed=untimed, unmeasured=unmeasured)


def _is_whole(result: Result | None) -> bool:
    return result is not None and all(check.reason not in UNTIMED for check in result.checks)


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened to an item, with the number of the attempt. `fault` is the reason if there is no result.
    A retried item may have a result that lacks a speed.
    """

    what: Literal["begun", "graded", "retried", "given up"]
    item: Item
    attempt: int
    result: Result | None = None
    fault: str = ""


Listener = Callable[[Event | None], None]
"""Called with every event, and from time to time with None while nothing happens."""


def grade_all(plan: BatchPlan, workforce: Workforce, store: Store, listen: Listener) -> dict[str, str]:
    """Grade every item and store the results. Return the faults of the items that could not be graded, by key.

    Items that lack only a speed come last, one at a time. Each timing decides independently, and the first decision
    counts. If the first attempts at too many items in a row fail, the rest is not tried.
    """
    waiting, alone = deque[Event](), deque[Event]()
    for item in plan.items.values():
        (alone if store.holds(item.key) else waiting).append(Event(what="begun", item=item, attempt=1))
    under_way: dict[Future[Result | Ungraded], Event] = {}
    faults: dict[str, str] = {}
    failing = 0
    while waiting or alone or under_way:
        while (waiting and len(under_way) < workforce.capacity) or (alone and not waiting and not under_way):
            begun = (waiting or alone).popleft()
            under_way[workforce.submit(plan.job(begun.item, store.load(begun.item.key)))] = begun
            listen(begun)
        done, _ = wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED)
        for future in [each for each in under_way if each in done]:  # a set has no defined order
            begun = under_way.pop(future)
            event = _ended(begun, _outcome(future), store)
            if event.what == "retried":
                (waiting if event.result is None else alone).append(replace(begun, attempt=begun.attempt + 1))
            if event.what == "given up":
                faults[event.item.key] = event.fault
            failing = _in_a_row(failing, event)
            listen(event)
            if failing > MOST_FAILING + workforce.capacity:
                why = UNTRIED.format(failing, event.fault)
                faults |= {each.item.key: why for each in waiting}  # those in `alone` have results
                waiting.clear()
                alone.clear()
        if not done:
            listen(None)
    return faults


def _in_a_row(failing: int, event: Event) -> int:
    """Return the number of first attempts that have failed since the last result. `failing` is the number before the
    event.
    """
    if not event.fault:
        return 0
    return failing + 1 if event.attempt == 1 else failing


UNTRIED = "not tried again, because {} gradings failed one after the other. The last one: {}"
"""The fault of an item that is no longer tried."""


def _ended(begun: Event, outcome: Result | Ungraded, store: Store) -> Event:
    """Return the event that ends an attempt. A result that lacks a speed is kept, even if later attempts fail."""
    key = begun.item.key
    if isinstance(outcome, Result):
        store.keep(key, outcome)
        ended = replace(begun, result=outcome)
    else:
        ended = replace(begun, result=store.load(key), fault=outcome.fault)
    if _is_whole(ended.result):
        return replace(ended, what="graded")
    if begun.attempt < ATTEMPTS:
        return replace(ended, what="retried")
    return replace(ended, what="given up" if ended.result is None else "graded")


def _outcome(future: "Future[Result | Ungraded]") -> Result | Ungraded:
    """Return the outcome from the station. The death of a station is handled like any other fault of grader."""
    try:
        return future.result()
    except Exception as error:  # noqa: BLE001 - Dask raises errors of many types
        told = str(error) if isinstance(error, GraderError) else f"its station failed: {error!r}"
        return Ungraded(assignment="", submission=str(NAME), fault=showable(told))


Assignments = dict[str, Coursework]
Choice = Callable[[Item, Result, Assignments, str], bool]


CHOICES: dict[str, Choice] = {
    "student": lambda item, _result, _assignments, label: any(
        person_key(handin.student.label) == person_key(label) for handin in item.handins
    ),
    "check": lambda _item, result, _assignments, words: any(
        words in check.name and check.verdict is not Verdict.PASSED for check in result.checks
    ),
    "changed": lambda _item, result, assignments, name: (
        result.assignment == name and result.provenance.assignment_sha256 != assignments[name].sha256
    ),
}
"""Conditions for a stored result, by the word before the "=".

`student` selects all results of a student. `check` selects results in which a check with these words in its name has
not passed. `changed` selects results of an assignment that has changed since then, even if they could be scored again
without a new grading.
"""


def choose(plan: BatchPlan, store: Store, assignments: Assignments, wanted: str) -> tuple[str, ...]:
    """Return the keys of the stored results that a choice selects. Raises InputError if the choice is not valid."""
    what, _, value = wanted.partition("=")
    if what not in CHOICES or not value:
        raise InputError(
            f"--regrade {wanted} is not understood; write student=LABEL, check=WORDS or changed=ASSIGNMENT."
        )
    if what == "student":
        labels = {handin.student.label for item in plan.items.values() for handin in item.handins}
        if person_key(value) not in map(person_key, labels):
            raise _unknown(f"there is no student {value!r}", similar_person(value, labels))
    if what == "changed" and value not in assignments:
        near = difflib.get_close_matches(value, assignments, n=1, cutoff=0.4)
        raise _unknown(f"there is no assignment {value!r} in this batch", next(iter(near), None))
    stored = ((item, store.load(key)) for key, item in plan.items.items())
    return tuple(
        item.key for item, result in stored if result is not None and CHOICES[what](item, result, assignments, value)
    )


def chosen_in_words(wanted: str, number: int) -> str:
    """Return a sentence with the number of gradings that a choice selects. If it selects none, the sentence must be
    clear about that, because the instructor expects new gradings.
    """
    if number:
        return f"--regrade {wanted}: {count(number, 'stored grading')} to make again."
    return f"--regrade {wanted} matches no stored grading, so nothing is graded again for it."


def _unknown(words: str, near: str | None) -> InputError:
    return InputError(f"{words}; did you mean {near}?" if near else f"{words}.")
