"""Canvas's "Download Submissions": a flat list of files, `{name}_[LATE_]{user}_{attachment}_{file name}`.

The name is the sortable name in small letters without spaces; an anonymous assignment has `anon_{id}` instead of name
and user. Canvas itself finds people by the first `_{number}_`. It adds -1, -2 to the file names of students who hand in
again; the attachment with the highest number is the latest. Texts and links are `..._text.html` and `..._link.html`.
"""

import re
from dataclasses import replace

from grader.course.suite import Coursework
from grader.lms.intake.owners import Owner, Piece, Pile, Sorted, gather, piece
from grader.lms.intake.reading.listing import File, Listing, remark

MARK = re.compile(
    r"(?:(?P<name>\w*?)_)??(?P<late>LATE_)?(?P<key>anon_[A-Za-z0-9]+|[0-9]+)_"
    r"(?:(?P<attachment>[0-9]{1,20})_(?P<file>.+)|(?:text|link)\.html)",
    re.DOTALL,
)

TEXT_OR_LINK = "is a text or a link, which is not graded; ask for a file"


def recognises(listing: Listing, _assignments: tuple[Coursework, ...]) -> bool:
    """True if most names at the top level have Canvas's form. The names below were chosen by students."""
    level = listing.level
    beside = [file for file in listing.files if len(file.parts) == level]
    folders = [folder for folder in listing.folders if len(folder) == level]
    return sum(MARK.fullmatch(file.name) is not None for file in beside) * 2 > len(beside) + len(folders)


def sort(listing: Listing, _assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by user number."""
    piles, foreign, texts = [], [], {}
    level = listing.level
    for file in listing.files:
        match = MARK.fullmatch(file.name) if len(file.parts) == level else None
        if match is None:
            foreign.append(listing.where(file))
            continue
        owner = Owner(name=match["name"] or match["key"], key=match["key"])
        if match["file"] is None:
            texts[owner] = listing.where(file)
            piles.append(Pile(owner=owner, refused=TEXT_OR_LINK))
        else:
            piles.append(Pile(owner=owner, pieces=(_piece(listing, file, match),)))
    gathered = gather(piles)
    wordy = [texts[pile.owner] for pile in gathered.piles if pile.owner in texts and not pile.pieces]
    unplaced = [remark(where, TEXT_OR_LINK) for where in wordy]
    if foreign:
        unplaced.append(remark(foreign, "does not have a name that Canvas gives to hand-ins"))
    return Sorted(piles=gathered.piles, unplaced=(*gathered.unplaced, *unplaced))


def _piece(listing: Listing, file: File, match: re.Match[str]) -> Piece:
    plain = piece(listing, file, (*file.parts[:-1], match["file"]))
    return replace(plain, order=int(match["attachment"]), late=match["late"] is not None)
