"""Shape with a folder for each assignment that contains a folder or file for each student:
ASSIGNMENT/NAME/kernels.cl.
"""

from dataclasses import replace

from grader.course.submissions.handin import Remark
from grader.course.suite import Coursework
from grader.lms.intake.matching import named_by
from grader.lms.intake.owners import Pile, Sorted, gather
from grader.lms.intake.platforms.students import by_name, unwrapped
from grader.lms.intake.reading.listing import Listing, remark


def recognises(listing: Listing, assignments: tuple[Coursework, ...]) -> bool:
    """True if every folder at the top level has the name of a requested assignment."""
    tops = [folder for folder in unwrapped(listing, assignments).folders if len(folder) == 1]
    return bool(tops) and all(named_by(top[0], assignments) for top in tops)


def sort(listing: Listing, assignments: tuple[Coursework, ...]) -> Sorted:
    """Sort by the names of the folders and files in each assignment's folder."""
    listing = unwrapped(listing, assignments)
    piles: list[Pile] = []
    unplaced: list[Remark] = []
    for top in sorted(folder for folder in listing.folders if len(folder) == 1):
        assignment = named_by(top[0], assignments)
        sorted_one = by_name(listing, top)
        unplaced += sorted_one.unplaced
        for mine in sorted_one.piles:
            pieces = tuple(replace(each, assignment=assignment) for each in mine.pieces)
            piles.append(Pile(owner=mine.owner, pieces=pieces))
    strays = [listing.where(file) for file in listing.files if len(file.parts) == 1]
    if strays:
        unplaced.append(remark(strays, "is outside the folders of the assignments, so its owner is unknown"))
    return Sorted(piles=gather(piles).piles, unplaced=tuple(unplaced))
