"""Shape with a folder or file for each student: NAME/kernels.cl, NAME/ASSIGNMENT.cl, NAME.cl, NAME.zip. The outer
folder that results from packing a folder is removed, but not the folder of a single student.
"""

from dataclasses import replace

from grader.course.submissions.submission import FILE_NAME, SIZE_LIMIT
from grader.course.suite import Coursework
from grader.lms.intake.matching import attempt_of, copy_of, defined_in, named_by
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, piece, pile
from grader.lms.intake.reading.listing import (
    OTHER_ARCHIVES,
    File,
    Listing,
    UnreadableFileError,
    ending,
    is_archive,
    is_source,
    remark,
    stem,
)
from grader.lms.intake.reading.opening import Budget


def unwrapped(listing: Listing, assignments: tuple[Coursework, ...]) -> Listing:
    """Return the listing without a folder that contains everything. It is unchanged if there is no such folder."""
    if listing.level == 1:
        return listing
    top = listing.files[0].parts[0]
    inside = {folder[1] for folder in listing.folders if len(folder) == 2}
    by_assignment = bool(inside) and all(named_by(name, assignments) for name in inside)
    people = _people(listing, 2 if by_assignment else 1, assignments)
    if named_by(top, assignments) or len(people) < 2 or any(_is_own(name, assignments) for name in people):
        return listing
    return Listing(
        name=f"{listing.name}/{top}",
        files=tuple(replace(file, parts=file.parts[1:]) for file in listing.files),
        folders=frozenset(folder[1:] for folder in listing.folders if len(folder) > 1),
        unplaced=listing.unplaced,
    )


def _people(listing: Listing, place: int, assignments: tuple[Coursework, ...]) -> set[str]:
    """Return the names at this depth in the paths of apparent hand-ins. These may be students."""
    budgets: dict[str, Budget] = {}
    found: set[str] = set()
    for file in listing.files:
        if len(file.parts) > place and file.parts[place] not in found:
            budget = budgets.setdefault(file.parts[place], Budget())
            found.update({file.parts[place]} if _is_handin(file, assignments, budget) else ())
    return found


def _is_handin(file: File, assignments: tuple[Coursework, ...], budget: Budget) -> bool:
    if file.read is None or not is_source(file.name):
        return file.read is not None and is_archive(file.name)
    try:
        return bool(defined_in(budget.read(file.read, SIZE_LIMIT), assignments))
    except UnreadableFileError:
        return False


def _is_own(name: str, assignments: tuple[Coursework, ...]) -> bool:
    """True if a student would give this name to a hand-in, so that it is not the name of a student."""
    called = copy_of(stem(name))[0].casefold() == stem(FILE_NAME)
    return called or attempt_of(name) is not None or named_by(name, assignments) is not None


def recognises(_listing: Listing, _assignments: tuple[Coursework, ...]) -> bool:
    """Return True, because this shape is for listings that no other shape recognises."""
    return True


def sort(listing: Listing, assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by the names of the folders and files at the top level."""
    return by_name(unwrapped(listing, assignments), ())


def by_name(listing: Listing, root: tuple[str, ...]) -> Sorted:
    """Sort by the names of the folders and files in a folder."""
    depth = len(root) + 1
    inside = listing.grouped(depth)
    tops = sorted(folder for folder in listing.folders if len(folder) == depth and folder[:-1] == root)
    meant = [top for top in tops if _is_meant(top, inside.get(top, []))]
    piles = [pile(Owner(name=top[-1]), listing, inside.get(top, []), depth) for top in meant]
    strays = []
    for file in listing.files:
        if len(file.parts) != depth or file.parts[:-1] != root:
            continue
        if is_source(file.name) or is_archive(file.name):
            parts = (FILE_NAME,) if is_source(file.name) else (file.name,)
            piles.append(Pile(owner=Owner(name=stem(file.name)), pieces=(piece(listing, file, parts),)))
        elif file.refused or ending(file.name) in OTHER_ARCHIVES:
            piles.append(Pile(owner=Owner(name=stem(file.name)), pieces=(piece(listing, file, (file.name,)),)))
        else:
            strays.append(listing.where(file))
    unplaced = [remark(strays, "is neither a folder nor a .cl file nor an archive")] if strays else []
    return Sorted(piles=gather(piles).piles, unplaced=tuple(unplaced))


def _is_meant(top: tuple[str, ...], files: list[File]) -> bool:
    """True if a folder is a student's. An empty folder counts, so that it is noticed. A hidden folder counts only with
    a kernels.cl.
    """
    return not top[-1].startswith(".") or (*top, FILE_NAME) in {file.parts for file in files}
