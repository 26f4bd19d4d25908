"""timing_setup.py: the workers of the model solution and the processes in which kernels are timed."""

import pytest
from samples import DEVICE

from grader.course.assignment import Chosen
from grader.course.submissions.scan import scan
from grader.course.submissions.submission import ChosenTask, Submission, Task
from grader.grading.checks.compilation.building import Built
from grader.grading.timing.rounds import Role
from grader.grading.timing.timing_setup import request_own, request_submission
from grader.protocol.steps import ProgramSource


class Hired:
    """A stand-in for a worker, which records the processes that it is asked to use."""

    def __init__(self):
        self.processes = []

    def load(self, programs):
        assert programs
        return self

    def preprocess(self, source, definitions, process):
        assert "TILE" in definitions
        self.processes.append(process)
        return source

    def request(self, plan):
        self.processes.append(plan.process)


@pytest.mark.parametrize(
    ("name", "kind", "process", "asked"),
    [
        pytest.param("blockMMM", "cpu", "new", 1, id="on a processor, where kernels run in these processes"),
        pytest.param("blockMMM", "gpu", "used", 2, id="on a GPU"),
        pytest.param("jacobi", "gpu", "used", 1, id="on a GPU, where an oracle judges"),
    ],
)
def test_all_go_on_in_a_process_where_that_decides_nothing(course, name, kind, process, asked):
    """On a GPU, processes do not affect the timing, so the model solution uses processes of earlier gradings and the
    submission uses the process of its cases, because a driver takes long to start and end a process. On a CPU, each
    worker gets a new process.
    """
    submission = Submission(path=None, source="", sha256="", scan=scan(""))
    task = Task(assignment=course.load(name).parts[0], submission=submission, seed=1)
    hired = {}
    device = DEVICE.model_copy(update={"type": kind, "global_memory": 2**34})
    own = request_own(task, device, lambda role: hired.setdefault(role, Hired()))
    assert {role: each.processes for role, each in hired.items()} == {
        Role.REFERENCE: [process],
        Role.CONTROL: [process],
    }
    chosen = ChosenTask(assignment=Chosen(task.assignment), submission=submission, seed=1)
    student, built = Hired(), Built(task=chosen, program=ProgramSource(source=""), bindings={}, usage=())
    assert request_submission(own.with_submission(student, built), built) is None
    assert student.processes == [process] * asked, (
        "one request for a text with the constants of this device, if any, and one for the session"
    )
