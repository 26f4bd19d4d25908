"""All people of a batch, from the roster, the platforms' lists and the hand-ins."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from grader.common.people import Person, Register, person_name
from grader.course.submissions.handin import Absence, HandIn, Intake
from grader.lms.intake.owners import Owner


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
