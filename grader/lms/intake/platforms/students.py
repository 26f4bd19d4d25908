"""Shape with a folder or file for each student: NAME/kernels.cl, NAME/ASSIGNMENT.cl, NAME.cl, NAME.zip."""

from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.lms.intake.lines import remark
from grader.lms.intake.owners import Owner, Pile, Sorted, gather, piece, pile
from grader.lms.intake.reading.listing import OTHER_ARCHIVES, File, Listing, ending, is_archive, is_source, stem
from grader.lms.intake.reading.wrapping import unwrapped


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
