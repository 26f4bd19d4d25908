"""Selects the stored results that an instructor wants to have graded again with `--regrade WHAT=VALUE`."""

import difflib
from collections.abc import Callable

from grader.batch.scheduler import BatchPlan, Item
from grader.batch.store import Store
from grader.common.errors import InputError
from grader.common.people import person_key, similar_person
from grader.common.phrases import count
from grader.course.suite import Coursework
from grader.results.result import Result
from grader.results.verdicts import Verdict

Assignments = dict[str, Coursework]
Choice = Callable[[Item, Result, Assignments, str], bool]


def _student(item: Item, _result: Result, _assignments: Assignments, label: str) -> bool:
    return any(person_key(handin.student.label) == person_key(label) for handin in item.handins)


def _check(_item: Item, result: Result, _assignments: Assignments, words: str) -> bool:
    return any(words in check.name and check.verdict is not Verdict.PASSED for check in result.checks)


def _changed(_item: Item, result: Result, assignments: Assignments, name: str) -> bool:
    return result.assignment == name and result.provenance.assignment_sha256 != assignments[name].sha256


CHOICES: dict[str, Choice] = {"student": _student, "check": _check, "changed": _changed}
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
