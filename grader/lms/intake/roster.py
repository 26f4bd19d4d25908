"""Everybody who is in a course, so that who handed in nothing stands in every list, too."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from grader.common.errors import InputError
from grader.lms.intake.lines import remark
from grader.lms.intake.owners import Owner, Pile, Sorted
from grader.lms.intake.reading.listing import normal
from grader.lms.intake.reading.table import read_table


def read_roster(path: Path) -> tuple[Owner, ...]:
    """The people in a CSV with the column student and, if need be, key; raises InputError if it is none."""
    rows = read_table(path, "a list of students", ("student",))
    people = (Owner(name=normal(row.field("student")), key=row.field("key") or None) for row in rows)
    found = tuple(dict.fromkeys(owner for owner in people if owner.name))
    if not found:
        raise InputError(f"{path} names no students; give each a line.")
    return found


def enrolled(everything: Sorted, roster: tuple[Owner, ...]) -> Sorted:
    """What was found, and everybody of the roster who is not in it.

    Who has no key gets that of the only one of this name. What is found of a stranger to the roster stays, and is told.
    """
    if not roster:
        return everything
    piles = [replace(each, owner=_known(each.owner, roster)) for each in everything.piles]
    keys = {each.owner.key for each in piles}
    names = {_plain(each.owner.name) for each in piles}
    absent = [each for each in roster if (_plain(each.name) not in names if each.key is None else each.key not in keys)]
    listed = {each.identity for each in roster} | {("name", each.name) for each in roster if each.key is None}
    known_names = {_plain(each.name) for each in roster if each.key is None}
    strangers = [
        each.owner.name
        for each in piles
        if each.owner.identity not in listed and _plain(each.owner.name) not in known_names
    ]
    remarks = [remark(strangers, "is not on the roster, and graded all the same")] if strangers else []
    return Sorted(
        piles=(*piles, *(Pile(owner=each) for each in absent)),
        unplaced=everything.unplaced,
        remarks=(*everything.remarks, *remarks),
    )


def _known(owner: Owner, roster: Iterable[Owner]) -> Owner:
    """The owner with the key of the only one who is called so."""
    same = [each for each in roster if each.key is not None and _plain(each.name) == _plain(owner.name)]
    return replace(owner, key=same[0].key) if owner.key is None and len(same) == 1 else owner


def _plain(name: str) -> str:
    """Equal for "Lovelace, Ada" and "ada lovelace"."""
    last, comma, first = name.partition(",")
    return " ".join(f"{first} {last}".split() if comma else name.split()).casefold()
