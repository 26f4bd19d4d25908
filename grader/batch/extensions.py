"""Extensions, which give some students more time or more attempts.

RESULTS/extensions.csv   columns student, assignment, due, extra, attempts; like corrections.csv, no run writes it

`due` is another due date. `extra` is a time that is added to the common due date ("2 days", "36 h"). `attempts` is the
number of additional attempts.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from grader.batch.lists import ListLine, read_list
from grader.common.errors import InputError
from grader.common.people import Register
from grader.course.policies.deadlines import Extension, read_extra
from grader.course.policies.rules import Policies, in_words, moment, read_date
from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework

EXTENSIONS = "extensions.csv"

Extensions = Mapping[tuple[str, str], Extension]
"""Extensions by student label and assignment."""


def read_extensions(
    folder: Path, people: Register, assignments: Mapping[str, Coursework]
) -> tuple[Extensions, tuple[Remark, ...]]:
    """Read the extensions of a batch, if there are any. Return them with a remark for each line that is not applied.
    Raises InputError for a line that cannot be understood.
    """
    lines, others = read_list(folder / EXTENSIONS, (), people, assignments)
    found = {(each.label, each.assignment): _extension(each, assignments[each.assignment]) for each in lines}
    idle = tuple(
        Remark(where=each.where, why=f"not applied: {each.assignment} has no due date; write `due` in course.yaml.")
        for each in lines
        if assignments[each.assignment].due is None and _moves(found[each.label, each.assignment])
    )
    return found, (*others, *idle)


def _moves(extension: Extension) -> bool:
    return extension.due is not None or bool(extension.extra)


def _extension(line: ListLine, policies: Policies) -> Extension:
    due, extra, attempts = (line.row.field(name) for name in ("due", "extra", "attempts"))
    if not (due or extra or attempts):
        raise InputError(
            f"{line.where}: the line has no extension; fill in `due` (a date), `extra` (such as 2 days) or `attempts`."
        )
    if due and extra:
        raise InputError(f"{line.where}: the line has both a new due date and extra time; keep one of them.")
    return Extension(
        due=_due(line, due, policies) if due else None,
        extra=_extra(line, extra) if extra else timedelta(),
        attempts=_attempts(line, attempts) if attempts else 0,
    )


def _due(line: ListLine, text: str, policies: Policies) -> datetime:
    """Return the new due date, which must be later than the common one. Raises InputError if it is not later, is not a
    date, or has no time zone.
    """
    try:
        when = read_date(text)
    except ValueError as error:
        raise InputError(f"{line.where}: due: {error}.") from error
    if when.tzinfo is None and policies.timezone is None:
        raise InputError(
            f"{line.where}: due: {text} has no time zone; set one in course.yaml, such as `timezone: Europe/Berlin`, "
            f"or add an offset: {text}+01:00."
        )
    if policies.due is not None and moment(when, policies.zone) <= moment(policies.due, policies.zone):
        usual = in_words(moment(policies.due, policies.zone), policies.zone)
        raise InputError(f"{line.where}: due: {text} is not after the usual due date, {usual}; write a later one.")
    return when


def _extra(line: ListLine, text: str) -> timedelta:
    try:
        return read_extra(text)
    except ValueError as error:
        raise InputError(f"{line.where}: extra is {error}.") from error


def _attempts(line: ListLine, text: str) -> int:
    if not re.fullmatch(r"\+?[0-9]{1,4}", text, re.ASCII):
        raise InputError(f"{line.where}: attempts is {text!r}; write the number of additional attempts, such as 2.")
    return int(text)
