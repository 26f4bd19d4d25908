"""All people of a course and of a batch, from the roster, the platforms' lists and the hand-ins, so that every list
also contains the students who have not handed in anything.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.common.errors import InputError
from grader.common.people import Person, Register, person_name
from grader.course.submissions.handin import Absence, HandIn, Intake, Remark
from grader.lms.intake.owners import Owner, Pile, Sorted
from grader.lms.intake.reading.listing import normal, remark
from grader.lms.intake.reading.table import TableRow, read_table


def register_of(owners: Iterable[Owner]) -> Register:
    """Return the people of one list."""
    return Register(tuple(Person(names=(each.name,), key=each.key) for each in owners))


def everybody(intake: Intake, lists: Sequence[Sequence[Owner]]) -> Register:
    """Return the students of an intake with all their names in the lists, and the other people in the lists.

    A student without a key is matched to the only person with that name in a list. A list without keys adds only names
    that are in no other list.
    """
    registers = tuple(map(register_of, lists))
    known: dict[tuple[str, str], Person] = {}
    everyone: tuple[HandIn | Absence, ...] = (*intake.handins, *intake.absences)
    for student in dict.fromkeys(each.student for each in everyone):
        owner = Owner(name=student.name, key=student.key)
        for register in registers:
            owner = identified(owner, register)
        known[owner.identity] = Person(names=(student.name,), key=owner.key, label=student.label)
    for owner in (each for people in lists for each in people if each.key is not None):
        person = known.setdefault(owner.identity, Person(names=(), key=owner.key))
        known[owner.identity] = replace(person, names=(*person.names, owner.name))
    names = {person_name(name) for person in known.values() for name in person.names}
    others = {person_name(each.name): each for people in lists for each in people if each.key is None}
    added = (Person(names=(each.name,)) for name, each in others.items() if name not in names)
    return Register((*known.values(), *added))


def identified(owner: Owner, register: Register) -> Owner:
    """Return the owner with the key of the only person who has this name and a key. An owner who has a key is returned
    unchanged.
    """
    same = [each for each in register.named(owner.name) if each.key is not None]
    return replace(owner, key=same[0].key) if owner.key is None and len(same) == 1 else owner


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
