"""Results of a service that are scored again after a change of their assignment."""

import yaml
from hidden_parts import FIELDS, right

from grader.batch.rescoring import rescore
from grader.common.record import replace
from grader.service.course.assignments import AssignmentCache
from grader.service.station.storage import Upkeep, ready

CHEAPER = {**FIELDS, "correctness": {**FIELDS["correctness"], "points": 4}}
"""Assignment worth 6 points less, with unchanged measurements."""


def result_of(service, change=lambda whole: whole):
    """Return an outcome as a station stores it, for the current version of the assignment files."""
    assignment = service.course.load("small")
    whole = change(rescore(right(assignment), assignment))  # the made-up counts exceed a limit
    provenance = replace(whole.provenance, assignment_sha256=assignment.sha256)
    return ready(replace(whole, assignment="small", provenance=provenance), assignment)


def says(service, fields):
    """Write these fields to the assignment file."""
    (service.course.assignments / "small" / "assignment.yaml").write_text(yaml.safe_dump(fields, sort_keys=False))


def score_again(service):
    """Score all results again, as a new station does between gradings. Return its upkeep."""
    upkeep = Upkeep(service.course, AssignmentCache(service.course, service.data))
    while upkeep.score_some(service.database):
        pass
    return upkeep
