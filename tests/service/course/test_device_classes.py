"""device_classes.py: a station grades only what its class may grade."""

import pytest
from project import ROOT
from services import Service

from grader.service.course.assignments import AssignmentCache
from grader.service.course.device_classes import classes_of, elsewhere
from grader.service.submissions.queue import claim


def test_a_station_passes_over_what_is_graded_elsewhere(service):
    """A station skips gradings for another device class and takes the next one. A station of that class takes the
    first.
    """
    first, second = service.hand_in(assignment="large"), service.hand_in(person=service.ben)
    left = elsewhere({"small": "cpu", "large": "gpu", "other": ""}, "cpu")
    assert left == {"large"}
    with service.database.writing() as session:
        taken = claim(session, "one", service.now, left)
        assert claim(session, "one", service.now, left) is None
        other = claim(session, "two", service.now, elsewhere({"small": "cpu", "large": "gpu"}, "gpu"))
    assert [taken.grading_id, other.grading_id] == [service.gradings(each)[0].id for each in (second, first)]


@pytest.mark.parametrize(("text", "found"), [("device_class: gpu\n", "gpu"), ("", "")])
def test_the_class_is_what_the_course_says(tmp_path, text, found):
    """An assignment that has become unreadable keeps its last device class. If it could never be read, it has none, so
    a station of any class takes its gradings and reports the error.
    """
    service = Service(tmp_path, policies=f"{text}counts: best\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    (service.course.assignments / "small" / "assignment.yaml").write_text("title: [\n")
    assert classes_of(service.app_state.cache) == {"small": found}
    assert classes_of(AssignmentCache(service.course, ROOT / "docs" / "reading-your-report.md")) == {"small": ""}
