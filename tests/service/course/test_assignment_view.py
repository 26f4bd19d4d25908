"""assignment_view.py: the version of an assignment tells which results must be scored or run again."""

import yaml
from courses import course_of
from hidden_parts import FIELDS
from services import NOON, Service

from grader.course.policies.deadlines import Extension
from grader.service.course.assignment_view import version_of


def test_a_version_tells_scoring_from_measuring(tmp_path):
    """New points change only the hash for scores, a new size changes both, and a new due date changes none."""
    course = course_of(tmp_path)
    path = course.assignments / "small" / "assignment.yaml"

    def version(fields):
        path.write_text(yaml.safe_dump(fields, sort_keys=False))
        return version_of(course.load("small"))

    first = version(FIELDS)
    cheaper = version({**FIELDS, "correctness": {**FIELDS["correctness"], "points": 4}})
    larger = version({**FIELDS, "sanitizer": {"sizes": {"n": 71}, "points": 3}})
    assert version({**FIELDS, "due": "2026-12-24T13:00:00+00:00"}) == first
    assert (cheaper.measured == first.measured, cheaper.scored == first.scored) == (True, False)
    assert (larger.measured == first.measured, larger.scored == first.scored) == (False, False)


def test_the_rules_of_a_student_have_their_extension(tmp_path):
    """A student with an extension gets rules with the later due date, and other students do not."""
    service = Service(tmp_path, policies="due: 2026-11-23T11:00:00+00:00\n")
    view = service.app_state.cache.assignment("small")
    extension = Extension(due=NOON)
    assert view.rules.due < view.rules_for(extension).due == NOON
    gone = view.model_copy(update={"gone": True})
    assert (view.rules.gone, gone.rules.gone, gone.rules_for(extension).gone) == (False, True, True)
    service.database.close()
