"""lineup.py: who is hired for our own kernels, and in which processes they are timed."""

import pytest
from samples import DEVICE

from grader.course.submissions.submission import Submission
from grader.course.submissions.task import Task
from grader.grading.timing.contestant import Role
from grader.grading.timing.lineup import line_up


class Hired:
    """Stands in for a worker, and notes what it is asked."""

    def __init__(self):
        self.said = []

    def stay(self):
        self.said.append("stay")

    def load(self, programs):
        self.said.append("load" if programs else "nothing to load")
        return self

    def begin_open(self, _):
        self.said.append("open")


@pytest.mark.parametrize(
    ("name", "kind", "stays"),
    [
        pytest.param("blockMMM", "cpu", False, id="on a processor, where kernels run in these processes"),
        pytest.param("blockMMM", "gpu", True, id="on a GPU"),
        pytest.param("jacobi", "gpu", False, id="on a GPU, where sessions are renewed to lie elsewhere"),
    ],
)
def test_our_own_kernels_stay_in_a_process_where_that_decides_nothing(course, name, kind, stays):
    """A GPU's driver takes long to begin and to end one; elsewhere each grading has new ones, as the submission has."""
    submission = Submission(path=None, source="", sha256="", scan=None)
    task = Task(assignment=course.load(name).parts[0], submission=submission, seed=1)
    hired = {}
    line_up(
        task,
        DEVICE.model_copy(update={"type": kind, "global_memory": 2**34}),
        lambda role: hired.setdefault(role, Hired()),
    )
    expected = [*(["stay"] if stays else []), "load", "open"]
    assert {role: each.said for role, each in hired.items()} == {Role.REFERENCE: expected, Role.CONTROL: expected}
