"""Gradescope's "Export Submissions": folders submission_{id}/, and submission_metadata.yml with their owners.

The list is YAML as Ruby writes it, so keys such as ":submitters" are strings. A team's submission belongs to every
member. The list contains only the active submission; ":history" contains the names of the older ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import yaml

from grader.common.errors import InputError
from grader.common.people import person_name
from grader.course.loading import NOT_YAML
from grader.course.suite import Coursework
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, pile
from grader.lms.intake.reading.listing import (
    METADATA,
    METADATA_LIMIT,
    File,
    Listing,
    UnreadableFileError,
    normal,
    one_line,
    remark,
)

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""A loader for the same language as SafeLoader, but several times as fast if the C version is available."""


DEPTH_LIMIT = 50
"""Maximum number of nested levels. The list needs five, and the faster loader crashes at some thousands."""


class Loader(LOADER):  # type: ignore[misc]
    """A safe loader, which makes plain values even of objects that Ruby marked with its classes."""


def _plain(loader: Any, _tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else node.value


Loader.add_multi_constructor("!", _plain)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A submission in the list. `created` sorts by time. Older attempts are known only by the names of their
    folders.
    """

    folder: str
    submitters: tuple[Owner, ...]
    created: str
    older: tuple[str, ...]

    @property
    def submitted(self) -> datetime | None:
        """Hand-in time, if the list states it with an offset."""
        try:
            when = datetime.fromisoformat(self.created)
        except ValueError:
            return None
        return when if when.tzinfo is not None else None


def recognises(listing: Listing, _assignments: tuple[Coursework, ...]) -> bool:
    """True if the list is present."""
    return _list(listing) is not None


def sort(listing: Listing, _assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by student number or, without a number, by mail address."""
    file = _list(listing)
    entries = _entries(listing, file) if file else ()
    root = file.parts[:-1] if file else ()
    inside = listing.grouped(len(root) + 1)
    piles, unplaced, remarks = [], [], []
    for theirs in _by_person(entries):
        latest = max(entry.created for _, entry in theirs)
        for owner, entry in theirs:
            if entry.created == latest:
                piles.append(_pile(owner, entry, listing, inside.get((*root, entry.folder), []), len(root) + 1))
            else:
                why = f"is ignored: {one_line(owner.name)} has handed in again since"
                remarks.append(remark(f"{listing.name}/{entry.folder}", why))
    nobodys = [f"{listing.name}/{entry.folder}" for entry in entries if not entry.submitters]
    if nobodys:
        unplaced.append(remark(nobodys, f"{METADATA} does not state the owner"))
    listed = {(*root, entry.folder) for entry in entries}
    older = {(*root, folder) for entry in entries for folder in entry.older}
    for folder in sorted(_tops(listing, root) - listed):
        where = "/".join((listing.name, *folder))
        if folder in older:
            remarks.append(remark(where, "is ignored: it is an older attempt"))
        else:
            unplaced.append(remark(where, f"is not in {METADATA}, so its owner is unknown"))
    gathered = gather(piles)
    return Sorted(piles=gathered.piles, unplaced=(*gathered.unplaced, *unplaced), remarks=tuple(remarks))


def _pile(owner: Owner, entry: Entry, listing: Listing, files: list[File], depth: int) -> Pile:
    mine = pile(owner, listing, files, depth)
    team = entry.folder if len(entry.submitters) > 1 else ""
    return replace(mine, pieces=tuple(replace(each, team=team, submitted=entry.submitted) for each in mine.pieces))


def _by_person(entries: tuple[Entry, ...]) -> Iterable[list[tuple[Owner, Entry]]]:
    """Return the submissions of each person, with the submitter as stated in the list. Two names are treated as two
    people.
    """
    theirs: dict[tuple[str, ...], list[tuple[Owner, Entry]]] = {}
    for entry in entries:
        for owner in entry.submitters:
            theirs.setdefault((*owner.identity, person_name(owner.name)), []).append((owner, entry))
    return theirs.values()


def _list(listing: Listing) -> File | None:
    """Return the platform's list. It is at the top level, or in the only folder of the export, where a student's own
    file never is.
    """
    level = listing.level
    return next((file for file in listing.files if file.name == METADATA and len(file.parts) <= level), None)


def _tops(listing: Listing, root: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return the folders and files next to the list."""
    inside = len(root) + 1
    paths = {*listing.folders, *(file.parts for file in listing.files)}
    return {path for path in paths if len(path) == inside and path[:-1] == root and path[-1] != METADATA}


def _entries(listing: Listing, file: File) -> tuple[Entry, ...]:
    where = one_line(listing.where(file))
    data = _data(file, where)
    try:
        _check_depth(data)
        fields = yaml.load(data, Loader=Loader)  # noqa: S506 - derived from the safe loader
        return tuple(_entry(str(folder), entry) for folder, entry in fields.items())
    except (*NOT_YAML, AttributeError) as error:
        reason = one_line(" ".join(str(error).split()))
        raise InputError(f"{where} is not a list of submissions: {reason}; export them again.") from error


def _data(file: File, where: str) -> bytes:
    why = file.refused
    try:
        data = file.read(METADATA_LIMIT + 1) if file.read is not None else b""
    except UnreadableFileError as error:
        why = str(error)
    else:
        why = why or ("" if len(data) <= METADATA_LIMIT else f"is over {METADATA_LIMIT // 1024**2} MiB")
        if not why:
            return data
    raise InputError(f"{where} {why}; export the submissions again.")


def _check_depth(data: bytes) -> None:
    """Raise ValueError if the data is nested too deeply for a list."""
    depth = 0
    for event in yaml.parse(data, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_LIMIT:
            raise ValueError("it is nested too deeply")


def _entry(folder: str, entry: Any) -> Entry:
    submitters = [_submitter(each) for each in _items(entry, ":submitters")]
    numbers = [_text(each, ":id") for each in _items(entry, ":history")]
    return Entry(
        folder=normal(folder),
        submitters=tuple(dict.fromkeys(each for each in submitters if each is not None)),
        created=_text(entry, ":created_at"),
        older=tuple(f"submission_{number}" for number in numbers if number),
    )


def _submitter(fields: Any) -> Owner | None:
    number, address = _text(fields, ":sid"), _text(fields, ":email")
    name = _text(fields, ":name") or address or number
    return Owner(name=normal(name), key=number or address or None) if name else None


def _items(fields: Any, key: str) -> list[Any]:
    found = fields.get(key) if isinstance(fields, Mapping) else None
    return found if isinstance(found, list) else []


def _text(fields: Any, key: str) -> str:
    """Return a plain value as text. Times keep their order."""
    found = fields.get(key) if isinstance(fields, Mapping) else None
    return str(found).strip() if isinstance(found, str | int | float) or hasattr(found, "isoformat") else ""
