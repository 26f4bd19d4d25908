"""Describes what a run has changed."""

from collections.abc import Iterator, Sequence
from itertools import islice

from grader.batch.outputs import Changes
from grader.batch.store import Stand
from grader.common.people import sort_key
from grader.common.phrases import count
from grader.protocol.text import showable
from grader.results.gradebook import Gradebook, StudentRow

NAMES = 20
"""Maximum number of names in a list. Further names are only counted."""


def stands_of(book: Gradebook) -> tuple[Stand, ...]:
    """Return the standing of every student in every assignment."""
    return tuple(Stand(label=row.student.label, assignment=row.assignment, words=_words(row)) for row in book.rows)


def _words(row: StudentRow) -> str:
    if row.grade is None:
        return "not graded" if row.fault else "nothing handed in"
    lost = row.grade.deduction.points if row.grade.deduction else 0.0
    late = f" ({lost:+g} for lateness)" if lost else ""
    corrected = " (corrected)" if row.grade.correction else ""
    return f"{row.grade.points:g} of {row.grade.max_points:g} points{late}{corrected}"


def grades_in_words(before: Sequence[Stand] | None, now: Sequence[Stand]) -> str:
    """List the grades that have changed since the last run, with the old and new points. Returns "" if there was no
    last run.
    """
    if before is None:
        return ""
    lines = list(_changed({_whose(each): each.words for each in before}, {_whose(each): each.words for each in now}))
    return "\n".join(["Changed since the last run:", *lines] if lines else ["No grade has changed since the last run."])


def _whose(stand: Stand) -> tuple[str, str]:
    return stand.label, stand.assignment


def _changed(before: dict[tuple[str, str], str], now: dict[tuple[str, str], str]) -> Iterator[str]:
    for whose in sorted(before.keys() | now.keys(), key=lambda each: (sort_key(each[0]), each[1])):
        was, is_now = before.get(whose, "not in the list"), now.get(whose, "not in the list")
        if was != is_now:
            yield f"  {showable(', '.join(whose))}: {was} before, {is_now} now"


def files_in_words(changes: Changes) -> str:
    """List the files that are new or changed, the files that were removed, and the files that a person has edited."""
    lines = [f"{count(len(changes.written), 'file')} written{_named(changes.written)}; {len(changes.same)} as before."]
    if changes.removed:
        lines.append(f"{count(len(changes.removed), 'file')} of earlier runs removed{_named(changes.removed)}.")
    lines += [
        f"{showable(name)} had been edited since the last run; the edited file is now {showable(aside)}."
        for name, aside in islice(changes.kept.items(), NAMES)
    ]
    if len(changes.kept) > NAMES:
        lines.append(
            f"{len(changes.kept) - NAMES} more had been edited, or existed before the first run; "
            "they are kept in the same way."
        )
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    """Return the names of the files in parentheses. The reports of one student are combined into one name."""
    found = list(dict.fromkeys(map(_one, names)))
    more = [f"{len(found) - NAMES} more"] if len(found) > NAMES else []
    return f" ({', '.join([*found[:NAMES], *more])})" if found else ""


def _one(name: str) -> str:
    folder, slash, _ = name.rpartition("/")
    return showable(f"{folder}/*" if slash else name)
