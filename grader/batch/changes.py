"""Describes what has changed since the last run: the conditions of the gradings, the grades, and the files. If the
conditions change, the next run grades again, and says why.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from grader.batch.outputs import Changes
from grader.batch.scheduler import BatchPlan
from grader.batch.store import Conditions, Stand
from grader.common.people import sort_key
from grader.common.phrases import count, listed
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


def conditions_of(plan: BatchPlan) -> Conditions:
    """Return the conditions under which a plan grades."""
    facilities = plan.facilities
    return Conditions(
        grader=facilities.grader,
        device=facilities.device,
        simulated=facilities.simulated,
        settings_sha256=hashlib.sha256(plan.settings_json.encode()).hexdigest(),
        settings=json.loads(plan.settings_json),
        measured={item.assignment.name: item.assignment.measured_sha256 for item in plan.items.values()},
    )


def why_again(before: Conditions | None, now: Conditions) -> str:
    """Say which conditions have changed since the last run, so that results of that run are not used; "" if none."""
    changes = [] if before is None else [*_changes(before, now)]
    return f"Graded again, since the last run had other conditions: {'; '.join(changes)}." if changes else ""


def _changes(before: Conditions, now: Conditions) -> Iterator[str]:
    if before.grader != now.grader:
        yield f"grader {before.grader}, now {now.grader}"
    if before.device.name != now.device.name:
        yield f"the device {before.device.name}, now {now.device.name}"
    elif before.device != now.device:
        yield f"another driver or configuration of {now.device.name}"
    if before.simulated != now.simulated:
        yield "no simulator" if now.simulated else "the simulator, which is missing now"
    if before.settings_sha256 != now.settings_sha256:
        yield from _changed_settings(before.settings, now.settings)
    changed = [name for name, digest in now.measured.items() if before.measured.get(name, digest) != digest]
    if changed:
        yield f"other measurements of {listed(changed, 'and')}"


def _changed_settings(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield each setting that has changed, with both values. Yields "other settings" if the settings of the last
    run are unknown.
    """
    old, new = dict(_flat(before)), dict(_flat(now))
    if not old:
        yield "other settings"
        return
    for name in sorted(old.keys() | new.keys()):
        was, value = old.get(name, "not set"), new.get(name, "not set")
        if was != value:
            yield f"{name} {was}, now {value}"


def _flat(settings: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting with the name of its group and its own name, such as "timing.min_pairs"."""
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{group}{name}.")
        else:
            yield f"{group}{name}", value
