"""releases.py: nothing hidden is shown before its release, and everything after it."""

import json
from dataclasses import replace

import pytest
from hidden_parts import SECRET, failing, hiding_course, right
from services import Service, post, told, upload

from grader.service.station.grader import ready

HOME = "/course/people/{}/assignments/small"


def test_what_hides_nothing_cannot_be_released(service):
    """If an assignment hides nothing, its page has no release button, and a request to release it is refused."""
    staff, page = service.browser("staff"), "/course/assignments/small"
    assert "This assignment hides nothing." in staff.get(page).text
    assert "/release" not in staff.get(page).text
    said = post(staff, f"{page}/release")
    assert (said.status_code, "small hides nothing" in said.text) == (409, True)
    assert "released" not in staff.get("/course/audit").text


def test_nothing_tells_what_is_hidden_before_the_release_and_everything_after(tmp_path):
    """Before the release, no page or file reveals whether a hidden case passed or failed. After the release, all points
    are shown.
    """
    for outcome in ("right", "wrong"):
        course = hiding_course(tmp_path / outcome / "course", "case")
        service = Service(tmp_path / outcome, course=course)
        assignment = course.load("small")
        result = right(assignment) if outcome == "right" else failing(right(assignment), 2)
        stored = ready(result, assignment)
        attempt = service.graded(service.hand_in(), stored)
        staff = service.browser("staff")
        before = told(service, attempt)
        assert not any(SECRET in each for each in before)
        assert f"{stored.early_points:g} / {stored.max_points:g} <small>5 hidden until release</small>" in before[0]
        assert "1 check of this assignment is hidden." in staff.get("/course/assignments/small").text
        assert post(staff, "/course/assignments/small/release", "/course/assignments/small").status_code == 303
        assert post(staff, "/course/assignments/small/release", "/course/assignments/small").status_code == 409
        after = told(service, attempt)
        assert f"{stored.points:g} / {stored.max_points:g}" in after[0]
        assert "hidden until release" not in after[0]
        assert json.loads(after[4])["points"] == stored.points
        assert json.loads(after[8])["points"] == stored.points
        assert any(SECRET in each for each in after) is (outcome == "wrong")
        assert "released its hidden checks" in staff.get("/course/audit").text
        later = service.graded(service.hand_in(), stored)
        assert (
            f"<b>{stored.points:g}</b> / {stored.max_points:g} points"
            in service.browser("ada").get(service.page_of(later)).text
        )
        service.database.close()


def test_what_an_assignment_hides_no_more_can_be_released_of_earlier_attempts(tmp_path):
    """If `hidden: true` is removed from the file, the outcomes of earlier attempts remain withheld, and staff can still
    release them.
    """
    course = hiding_course(tmp_path / "course", "case")
    service = Service(tmp_path, course=course)
    attempt = service.graded(service.hand_in(), ready(right(course.load("small")), course.load("small")))
    rubric = course.assignments / "small" / "assignment.yaml"
    rubric.write_text(rubric.read_text().replace("hidden: true", "hidden: false"))
    staff, ada, numbers = service.browser("staff"), service.browser("ada"), "/course/assignments/small"
    assert service.app_state.cache.assignment("small").hidden == 0
    assert "it did when attempts were graded" in staff.get(numbers).text
    before = ada.get(service.page_of(attempt)).text
    assert post(staff, f"{numbers}/release", numbers).status_code == 303
    assert ada.get(service.page_of(attempt)).text != before
    service.database.close()


@pytest.mark.whole
def test_a_release_is_asked_for_on_a_page_that_says_what_it_shows(tmp_path):
    """The release page shows how many attempts and students a release affects, which checks it reveals, and until when
    students can still hand in. Opening the page releases nothing. Trial runs and attempts without hidden outcomes do
    not count.
    """
    course = hiding_course(tmp_path / "course", "case")
    due = "due: 2026-12-01T12:00Z\nlate: refused\ngroups: 2\n"
    service, assignment = Service(tmp_path, course=course, policies=due), course.load("small")
    withheld = ready(right(assignment), assignment)
    known = replace(withheld, full_checks=None)
    staff, numbers = service.browser("staff"), "/course/assignments/small"
    roster = ("roster.csv", b"key,name,group\nada,Ada,7\ncleo,Cleo,7\n")
    post(staff, "/course/people/roster", file=roster)
    for key, stored in (("ada", withheld), ("ada", withheld), ("ben", known), ("staff", withheld)):
        upload(service.browser(key))
        service.finish(service.claim(), stored)
    assert f'href="{numbers}/release"' in staff.get(numbers).text
    assert f'action="{numbers}/release"' not in staff.get(numbers).text
    asked = staff.get(f"{numbers}/release").text
    assert "At once, 2 students see the outcomes of hidden checks in 2 attempts" in asked
    assert "Hidden so far: correctness: ragged (n 1000)." in asked
    assert "Students can still hand in until 2026-12-01 12:00 UTC" in asked
    assert "cannot be undone" in asked
    assert "released" not in staff.get("/course/audit").text
    service.passes(days=10)
    assert "can still hand in" not in staff.get(f"{numbers}/release").text
    page = HOME.format(service.ben)
    post(staff, f"{page}/extension", page, until="2026-12-24T12:00", reason="ill")
    assert "Students can still hand in until" in staff.get(f"{numbers}/release").text
    assert post(staff, f"{numbers}/release", f"{numbers}/release").status_code == 303
    assert staff.get(f"{numbers}/release").status_code == 409
    service.database.close()
