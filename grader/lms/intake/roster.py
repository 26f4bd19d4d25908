"""All people of a course, so that every list also contains the students who have not handed in anything."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from grader.common.errors import InputError
from grader.common.people import Register, person_name
from grader.course.submissions.handin import Remark
from grader.lms.intake.lines import remark
from grader.lms.intake.owners import Owner, Pile, Sorted
from grader.lms.intake.people import identified, register_of
from grader.lms.intake.reading.listing import normal
from grader.lms.intake.reading.table import TableRow, read_table


def read_roster(path: Path) -> tuple[Owner, ...]:
    """Read the people in a CSV with the column student and an optional column key. Raises InputError if it is something
    else.
    """
    rows = read_table(path, "a list of students", ("student",))
    people = [(row, Owner(name=normal(row.field("student")), key=row.field("key") or None)) for row in rows]
    found: dict[tuple[str, str], tuple[TableRow, Owner]] = {}
    for row, owner in people:
        if owner.name:
            first, known = found.setdefault(owner.identity, (row, owner))
            if person_name(known.name) != person_name(owner.name):
                raise InputError(
                    f"{path.name}, lines {first.line} and {row.line}: {known.name} and {owner.name} have the same key "
                    f"{known.key}; correct one."
                )
    if not found:
        raise InputError(f"{path} lists no students; add a line for each.")
    return tuple(owner for _, owner in found.values())


def enrolled(everything: Sorted, roster: tuple[Owner, ...]) -> Sorted:
    """Return the files that were found, and add the people on the roster who have none.

    An owner without a key gets the key of the only person with that name. Files of people who are not on the roster
    stay, with a remark.
    """
    if not roster:
        return everything
    register = register_of(roster)
    piles = [replace(each, owner=identified(each.owner, register)) for each in everything.piles]
    present = {each.owner.identity for each in piles}
    names = {person_name(each.owner.name) for each in piles}
    absent = [
        each for each in roster if each.identity not in present and (each.key or person_name(each.name) not in names)
    ]
    listed = {each.identity for each in roster}
    unlisted = [each.owner for each in piles if each.owner.identity not in listed]
    return Sorted(
        piles=(*piles, *(Pile(owner=each) for each in absent)),
        unplaced=everything.unplaced,
        remarks=(*everything.remarks, *_about(unlisted, register)),
    )


def _about(unlisted: Iterable[Owner], register: Register) -> Iterator[Remark]:
    """Yield remarks on owners who match several people on the roster, and on owners who are not on it."""
    strangers: list[str] = []
    for owner in unlisted:
        same = register.named(owner.name)
        if owner.key is None and len(same) > 1:
            who = " or ".join(sorted(each.in_words for each in same))
            yield remark(owner.name, f"may be {who} on the roster, so it is graded without a key")
        elif all(each.key is not None for each in same):
            strangers.append(owner.name)
    if strangers:
        yield remark(strangers, "is not on the roster, but is still graded")
