"""A batch without a real environment: handmade files and plans, and a workforce with prepared answers."""

from concurrent.futures import Future

from samples import BUILD, DEVICE, SPEED, check, result, unchecked

from grader.batch.scheduler import make_plan
from grader.batch.station import Facilities
from grader.course.rubric import Kind
from grader.course.submissions.handin import Absence, HandIn, Intake, Student
from grader.results.result import Result, Ungraded
from grader.results.verdicts import Reason

FACILITIES = Facilities(grader="0", device=DEVICE, simulated=True, sandbox="process")
ORDERS = '{"sandbox": "process"}'
GOOD = result(BUILD, check("correctness: one"), SPEED)
NOISY = unchecked(SPEED.name, Kind.PERFORMANCE, 40, Reason.NOT_MEASURED, "this machine was too noisy to time kernels.")
UNTIMED = result(BUILD, check("correctness: one"), NOISY)


def student(label):
    return Student(label=label, name=label.title())


def handin(label, data=b"__kernel void f() {}\n", assignment="coalsTransp", **more):
    return HandIn(student=student(label), assignment=assignment, where=f"{label}/kernels.cl", data=data, **more)


def intake(*handins, absent=(), **more):
    absences = tuple(Absence(student=student(label), assignment="coalsTransp") for label in absent)
    return Intake(shape="a folder", handins=handins, absences=absences, **more)


def plan_of(assignments, *handins, seed=7):
    return make_plan(intake(*handins), tuple(assignments), FACILITIES, ORDERS, seed)


def outcome_of(job, assignment_sha256="a"):
    """Return a result whose provenance matches its job."""
    provenance = GOOD.provenance.model_copy(
        update={"submission_sha256": job.sha256, "seed": job.seed, "assignment_sha256": assignment_sha256}
    )
    fields = {"assignment": job.bundle.name, "source": job.data.decode("latin-1"), "provenance": provenance}
    return GOOD.model_copy(update=fields)


class FakeWorkforce:
    """A workforce with `capacity` stations. `answers` maps the bytes of a job to a list of answers, which are used in
    turn. An answer is an outcome, an error to raise, or None for a good result. All other jobs get a good result.
    """

    def __init__(self, capacity=2, answers=None, facilities=FACILITIES, assignment_sha256="a"):
        self.capacity = capacity
        self.answers = {data: list(turns) for data, turns in (answers or {}).items()}
        self.grading_jobs = []
        self.most = 0
        self.dismissed = self.closed = False
        self._facilities = facilities
        self._sha256 = assignment_sha256

    def facilities(self):
        return self._facilities

    def submit(self, job):
        self.grading_jobs.append(job)
        turns = self.answers.get(job.data)
        answer = turns.pop(0) if turns else None
        future = Future()
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        elif isinstance(answer, Result | Ungraded):
            future.set_result(answer)
        else:
            future.set_result(outcome_of(job, self._sha256))
        return future

    def dismiss(self):
        self.dismissed = True

    def close(self):
        self.closed = True


def silent(_):
    """Ignore a message."""
