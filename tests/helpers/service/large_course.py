"""A service with a course of 13 assignments and many students, whose attempts are stored without being graded by
stations.

Seven assignments have attempts, one has only a due date in the future, and the others are not in use. At each
assignment, the students in turn pass or fail for one of the CAUSES.
"""

import shutil
from contextlib import contextmanager
from datetime import timedelta

import yaml
from courses import course_of
from hidden_parts import failing, right
from services import Service
from sqlalchemy import event, insert

from grader.results.verdicts import Reason, Verdict
from grader.service.db.tables.assignments import HoldRow
from grader.service.db.tables.decisions import RequestRow
from grader.service.db.tables.grading_states import State
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.db.tables.submissions import AttemptRow, GradingRow
from grader.service.station.grader import ready

NAMES = tuple(f"task{number:02}" for number in range(1, 14))
USED, AHEAD = NAMES[:7], NAMES[7]

LEFT_OUT = "The last, partial tile along k is left out."
CAUSES = (
    (LEFT_OUT, Reason.WRONG_OUTPUT, 1),
    ("Rows and columns are swapped.", Reason.WRONG_OUTPUT, 1),
    ("", Reason.DATA_RACE, 2),
)
"""A cause, its reason, and the index of the check that fails because of it."""


def large_course(folder):
    """Return a course with the assignments in NAMES."""
    course = course_of(folder / "course", name=NAMES[0])
    for name in NAMES[1:]:
        for home in (course.assignments, course.reference):
            shutil.copytree(home / NAMES[0], home / name)
    for number, name in enumerate(NAMES):
        path = course.assignments / name / "assignment.yaml"
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
        dated = {"due": f"2026-11-{10 + 2 * number:02}T23:59:00+00:00"} if number < len(USED) else {}
        dated = {"due": "2026-12-20T23:59:00+00:00"} if name == AHEAD else dated
        path.write_text(yaml.safe_dump({**fields, "title": f"Task {number + 1}", **dated}, sort_keys=False))
    return course


def large_service(folder, students=200):
    """Return a service with this number of students. Each of them has submitted once for each assignment in use."""
    service = Service(folder, course=large_course(folder), policies="counts: best\n")
    assignment = service.course.load(NAMES[0])
    whole = right(assignment)
    outcomes = [ready(whole, assignment), *(ready(_failed(whole, *each), assignment) for each in CAUSES)]
    versions = {each.name: each.version for each in service.app_state.cache.all()}
    with service.database.writing() as session:
        people = [{"key": f"s{n:03}", "folded": f"s{n:03}", "name": f"Student {n:03}"} for n in range(students - 2)]
        usual = {"role": CourseRole.STUDENT, "created": service.now}
        session.execute(insert(PersonRow), [{**each, **usual} for each in people])
        numbers = [row.id for row in session.query(PersonRow).filter_by(role=CourseRole.STUDENT).order_by("id")]
        attempts, gradings = [], []
        for name in USED:
            for place, person in enumerate(numbers):
                number = len(attempts) + 1
                attempts.append(attempt_row(service, number, person, name))
                version = versions[name]
                outcome = outcomes[place % len(outcomes)].columns
                outcome |= {"measured_sha256": version.measured, "scored_sha256": version.scored}
                gradings.append(grading_row(service, number, State.DONE, **outcome))
        session.execute(insert(AttemptRow), attempts)
        session.execute(insert(GradingRow), gradings)
    return service


def needs_attention(service):
    """Add a question about the third assignment, a fault at the second, a hold on the first, and open gradings."""
    with service.database.writing() as session:
        named = {name: session.query(AttemptRow).filter_by(assignment=name).order_by("id").all() for name in USED}
        row = named[USED[2]][0]
        asked = {"asked": "Why?", "at": service.now, "answer": "", "answered_by": ""}
        session.add(RequestRow(attempt_id=row.id, person_id=row.person_id, **asked))
        session.add(HoldRow(assignment=USED[0], who="staff", at=service.now))
        for name, state in ((USED[1], State.FAULTED), (USED[3], State.WAITING), (USED[4], State.RUNNING)):
            at = named[name][1]
            at.gradings.append(GradingRow(**grading_row(service, at.id, state, fault="The device is gone.")))


@contextmanager
def statements(database):
    """Yield a list that receives each SQL statement that the block executes."""
    seen = []

    def note(_connection, _cursor, statement, *_more):
        seen.append(statement)

    engine = database._engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


def _failed(whole, cause, reason, check):
    return failing(whole, check, reason=reason, cause=cause, message="C[3] is wrong.", verdict=Verdict.FAILED)


def attempt_row(service, number, person, name):
    """Return the row of an attempt, whose grading has an equal number."""
    return {
        "id": number,
        "public": f"a{number:06}",
        "person_id": person,
        "assignment": name,
        "number": 1,
        "form_key": f"form {number}",
        "file_name": "kernels.cl",
        "data": b"kernel",
        "size": 6,
        "sha256": "0" * 64,
        "received": service.now - timedelta(days=20),
        "late": False,
        "counted_id": number,
    }


def grading_row(service, attempt, state, **more):
    return {
        "attempt_id": attempt,
        "why": "handed in",
        "priority": 0,
        "state": state,
        "created": service.now,
        "not_before": service.now,
        "tries": 1,
        "stop_asked": False,
        "fault": "",
        **more,
    }
