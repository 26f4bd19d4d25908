"""Similar sources, handed in and added to the pool."""

import hashlib

from hidden_parts import right
from services import post

from grader.common.record import replace
from grader.service.station.grader import ready

LINES = "\n".join(f"    value = value * {number} + first[{number}] - second[{number} * 2];" for number in range(1, 12))
SOLUTION = f"__kernel void add(__global float *first, __global float *second)\n{{\n    float value = 0;\n{LINES}\n}}\n"
RENAMED = SOLUTION.replace("first", "mine").replace("value", "total").replace("* 7", "+ 7")
PAGE = "/course/assignments/small/similar"


def graded(service, text, person=None):
    """Return a graded attempt with this source. Its result contains the hash of the source."""
    attempt = service.hand_in(person=person, data=text.encode())
    assignment = service.course.load("small")
    whole = right(assignment)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    provenance = whole.provenance.model_copy(update={"submission_sha256": sha256})
    return service.graded(attempt, ready(replace(whole, provenance=provenance), assignment))


def pooled(staff, kind, data, name="old.cl"):
    return post(staff, "/course/assignments/small/pool/upload", kind=kind, file=(name, data))
