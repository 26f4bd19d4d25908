"""Files sorted by their owners, which is the result of applying a shape to a listing."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from grader.common.people import person_key, person_name
from grader.course.submissions.handin import Remark
from grader.lms.intake.reading.listing import File, Listing, Read, remark


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The owner of a file as stated in the download: a name, the platform's key for the person, and a mail address."""

    name: str
    key: str | None = None
    mail: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """Identity of a person, which is the key or, without a key, the name, such as the name of a folder."""
        return ("name", person_key(self.name)) if self.key is None else ("key", person_key(self.key))


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A file of an owner. `data` is its content after it was opened, cut off one byte after the limit.

    `parts` is its path within the owner's files, and `where` is its path for people. `order` comes from the platform:
    of two files with the same name, the one with the higher order is later. `assignment`, `team` and `submitted` are
    set if the download states the assignment, the co-owners, or the time, which may lack an offset.
    """

    parts: tuple[str, ...]
    where: str
    read: Read | None = None
    data: bytes | None = None
    refused: str = ""
    order: int = 0
    late: bool = False
    assignment: str | None = None
    team: str = ""
    submitted: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Pile:
    """All files of one owner. There are no pieces if there are no files, or if `refused` is the reason why no file
    counts.
    """

    owner: Owner
    pieces: tuple[Piece, ...] = ()
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """A listing sorted by owner. `unplaced` contains the files without an owner."""

    piles: tuple[Pile, ...]
    unplaced: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()


def piece(listing: Listing, file: File, parts: tuple[str, ...]) -> Piece:
    """Return a file of a listing as a piece. `parts` is its path within the owner's files."""
    return Piece(parts=parts, where=listing.where(file), read=file.read, refused=file.refused)


def gather(piles: Iterable[Pile]) -> Sorted:
    """Return one pile for each person. A key that occurs with two names is ambiguous, and its files stay unassigned."""
    owners: dict[tuple[str, str], list[Owner]] = {}
    pieces: dict[tuple[str, str], list[Piece]] = {}
    refusals: dict[tuple[str, str], str] = {}
    for each in piles:
        owners.setdefault(each.owner.identity, []).append(each.owner)
        pieces.setdefault(each.owner.identity, []).extend(each.pieces)
        refusals[each.owner.identity] = refusals.get(each.owner.identity) or each.refused
    gathered, unplaced = [], []
    for identity, same in owners.items():
        names = sorted({person_name(owner.name): owner.name for owner in same}.values())
        if len(names) == 1:
            gathered.append(Pile(owner=same[0], pieces=tuple(pieces[identity]), refused=refusals[identity]))
            continue
        why = f"the names {' and '.join(names)} have the same number {same[0].key}; find out whose these are"
        unplaced.append(remark([one.where for one in pieces[identity]], why))
        gathered.append(Pile(owner=replace(same[0], name=names[0]), refused=why))
    return Sorted(piles=tuple(gathered), unplaced=tuple(unplaced))


def pile(owner: Owner, listing: Listing, files: Iterable[File], depth: int) -> Pile:
    """Return the pile of one owner. Its paths leave out the first `depth` folders of the listing."""
    return Pile(owner=owner, pieces=tuple(piece(listing, file, file.parts[depth:]) for file in files))
