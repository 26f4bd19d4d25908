"""Moodle's "Download all submissions": `{full name}_{participant}_assignsubmission_file/...`, or without folders.

Moodle removes underscores from full names, so the first mark in a path is Moodle's own. A team's hand-in appears for
each member, as `{team}-{full name}_...`, or has the team's name; students without a team form a team without a number.
Online text appears next to it as `..._assignsubmission_onlinetext`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from grader.course.suite import Coursework
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, piece
from grader.lms.intake.reading.listing import File, Listing, remark

MARK = re.compile(
    r"(?P<name>.+?)(?:_(?P<key>[0-9]+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)

ONLINE_TEXT = "is online text, which is not graded; ask for a file"


def recognises(listing: Listing, _assignments: tuple[Coursework, ...]) -> bool:
    """True if half of the names at the top level have Moodle's mark, or half of the names in the folders there. The
    other names are chosen by students, who also choose the ends of names in the downloads from other platforms.
    """
    paths = [*listing.folders, *(file.parts for file in listing.files)]
    return any(_is_half_marked({path[:depth] for path in paths if len(path) >= depth}) for depth in {1, listing.level})


def _is_half_marked(places: set[tuple[str, ...]]) -> bool:
    marked = sum(MARK.fullmatch(place[-1]) is not None for place in places)
    return 0 < len(places) <= 2 * marked


def sort(listing: Listing, _assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by participant number."""
    marked = (_mark(folder) for folder in listing.folders)
    piles = [Pile(owner=_owner(found[1])) for found in marked if found]
    foreign, texts = [], {}
    for file in listing.files:
        found = _mark(file.parts)
        if found is None:
            foreign.append(listing.where(file))
            continue
        owner = _owner(found[1])
        if found[1]["plugin"] != "file":
            texts[owner] = listing.where(file)
            piles.append(Pile(owner=owner, refused=ONLINE_TEXT))
        elif parts := _below(file, *found):
            piles.append(Pile(owner=owner, pieces=(piece(listing, file, parts),)))
    gathered = gather(sorted(_teams(piles), key=lambda pile: (pile.owner.name, pile.owner.key or "")))
    wordy = [texts[pile.owner] for pile in gathered.piles if pile.owner in texts and not pile.pieces]
    unplaced = [remark(where, ONLINE_TEXT) for where in wordy]
    if foreign:
        unplaced.append(remark(foreign, "does not have a name that Moodle gives to hand-ins"))
    return Sorted(piles=gathered.piles, unplaced=(*gathered.unplaced, *unplaced))


def _teams(piles: list[Pile]) -> Iterator[Pile]:
    """Yield the piles with their teams, if every name begins with a team. A single name may contain a dash."""
    in_teams = bool(piles) and all(each.owner.name.partition("-")[2] for each in piles)
    for each in piles:
        team = each.owner.name.rpartition("-")[0] if in_teams else ""
        yield replace(each, pieces=tuple(replace(piece, team=team) for piece in each.pieces))


def _mark(parts: tuple[str, ...]) -> tuple[int, re.Match[str]] | None:
    """Return the index of the first marked part of a path, and the match. Only the first two parts can be marked."""
    marks = ((place, MARK.fullmatch(part)) for place, part in enumerate(parts[:2]))
    return next(((place, match) for place, match in marks if match), None)


def _owner(match: re.Match[str]) -> Owner:
    return Owner(name=match["name"], key=match["key"])


def _below(file: File, place: int, match: re.Match[str]) -> tuple[str, ...]:
    """Return the path within the owner's files. Folders around the download may have the assignment's name, so they
    stay.
    """
    named = (match["file"],) if match["file"] else ()
    return (*file.parts[:place], *named, *file.parts[place + 1 :])
