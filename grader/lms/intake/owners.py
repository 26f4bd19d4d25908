"""Whose files are whose: what a shape makes of a listing, and students with labels of their own."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.course.submissions.handin import Remark
from grader.lms.intake.lines import remark
from grader.lms.intake.reading.listing import File, Listing, Read


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Whom a file belongs to, as the download says it: a name, and the platform's key for the person."""

    name: str
    key: str | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """The same for the same person."""
        return ("name", self.name) if self.key is None else ("key", self.key)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A file of somebody's; `data` is what it holds, cut one byte after the limit, once it has been opened.

    `parts` is its path within what is theirs, `where` its path for people. `order` is the platform's own: of two files
    of the same name the higher is the later. `assignment` is set where the download itself says which it is for.
    """

    parts: tuple[str, ...]
    where: str
    read: Read | None = None
    data: bytes | None = None
    refused: str = ""
    order: int = 0
    late: bool = False
    assignment: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pile:
    """All that is somebody's; no pieces if there is nothing, or if `refused` says why none of it counts."""

    owner: Owner
    pieces: tuple[Piece, ...] = ()
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """A listing sorted by owner; `unplaced` has no owner."""

    piles: tuple[Pile, ...]
    unplaced: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()


def piece(listing: Listing, file: File, parts: tuple[str, ...]) -> Piece:
    """A file of a listing as somebody's, `parts` being its path within what is theirs."""
    return Piece(parts=parts, where=listing.where(file), read=file.read, refused=file.refused)


def gather(piles: Iterable[Pile]) -> Sorted:
    """One pile for each person. A key that two names share is ambiguous; its files stay unassigned."""
    owners: dict[tuple[str, str], list[Owner]] = {}
    pieces: dict[tuple[str, str], list[Piece]] = {}
    refusals: dict[tuple[str, str], str] = {}
    for each in piles:
        owners.setdefault(each.owner.identity, []).append(each.owner)
        pieces.setdefault(each.owner.identity, []).extend(each.pieces)
        refusals[each.owner.identity] = refusals.get(each.owner.identity) or each.refused
    gathered, unplaced = [], []
    for identity, same in owners.items():
        names = sorted({owner.name for owner in same})
        if len(names) == 1:
            gathered.append(Pile(owner=same[0], pieces=tuple(pieces[identity]), refused=refusals[identity]))
            continue
        why = f"the names {' and '.join(names)} have the same number {same[0].key}; find out whose these are"
        unplaced.append(remark([one.where for one in pieces[identity]], why))
        gathered.append(Pile(owner=replace(same[0], name=names[0]), refused=why))
    return Sorted(piles=tuple(gathered), unplaced=tuple(unplaced))


def pile(owner: Owner, listing: Listing, files: Iterable[File], depth: int) -> Pile:
    """Files as somebody's, their paths counted from a folder so deep in the listing."""
    return Pile(owner=owner, pieces=tuple(piece(listing, file, file.parts[depth:]) for file in files))
