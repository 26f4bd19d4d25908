"""leaderboard.py: the page of the leaderboard, its pseudonyms and its API."""

import re

import pytest
from services import Service, post, told
from untimed import POINTS, untimed_course

from grader.service.web.state import MAX_PSEUDONYM_TRIES

PAGE = "/assignments/small/leaderboard"
STAFF_PAGES = ("/course", "/course/points", "/course/overview", "/course/assignments/small", "/course/points.csv")


def test_students_see_pseudonyms_and_instructors_names(service):
    """Students see pseudonyms and a link only to their own attempt. Staff see real names."""
    attempt = service.graded(service.hand_in())
    ada, ben, staff = (service.browser(each) for each in ("ada", "ben", "staff"))
    assert "No one is listed yet" in ada.get(PAGE).text
    assert post(ada, f"{PAGE}/pseudonym", pseudonym="Night Owl").headers["location"] == PAGE
    own, others, all_of_it = (each.get(PAGE).text for each in (ada, ben, staff))
    assert "Test Device" in others
    assert "Night Owl" in others
    assert "<b>you</b>" in own
    assert "<b>you</b>" not in others
    assert (service.page_of(attempt) in own, service.page_of(attempt) in others) == (True, False)
    assert ">Ada<" not in others.replace('<a href="/data">Ada</a>', "")
    assert ">Ada<" in all_of_it
    assert f'href="{PAGE}"' in ada.get("/assignments/small").text


def test_a_name_that_cannot_be_is_refused_with_its_reason(service):
    """An invalid pseudonym is refused with the reason and is not stored."""
    said = post(service.browser("ada"), f"{PAGE}/pseudonym", pseudonym="<b>")
    assert said.status_code == 422
    assert "letters, digits, blanks" in said.text


@pytest.mark.whole
def test_an_instructor_takes_a_pseudonym_away(service):
    """A pseudonym that an instructor has removed is no longer visible to students."""
    service.graded(service.hand_in())
    post(service.browser("ada"), f"{PAGE}/pseudonym", pseudonym="Rude")
    assert post(service.browser("staff"), f"{PAGE}/{service.ada}/end").status_code == 303
    assert "No one is listed yet" in service.browser("ben").get(PAGE).text
    assert "Rude" in service.browser("staff").get("/course/audit").text


def test_an_assignment_without_a_leaderboard_has_no_such_page(tmp_path):
    """If an assignment has no leaderboard, there is no page for it and no link to it, for students and staff alike."""
    service = Service(tmp_path, policies="attempts: {most: 20}\n")
    for key in ("ada", "staff"):
        client = service.browser(key)
        assert client.get(PAGE).status_code == 404
        assert "leaderboard" not in client.get("/assignments/small").text


def test_programs_are_told_the_same(service):
    """The API returns the entries of the leaderboard under pseudonyms."""
    service.graded(service.hand_in())
    post(service.browser("ada"), f"{PAGE}/pseudonym", pseudonym="Owl")
    bearer = {"authorization": f"Bearer {service.token(service.ben, 'read')}"}
    told = service.browser().get(f"/api/v1{PAGE}", headers=bearer).json()
    assert told == [{"device": "Test Device", "place": 1, "pseudonym": "Owl", "speed": 1.0}]


def test_pseudonyms_cannot_be_tried_until_one_is_known_to_be_somebodys_key(service):
    """The number of tries of pseudonyms is limited, because a refused name may be the key of a student who is not
    listed.
    """
    ada = service.browser("ada")
    codes = [post(ada, f"{PAGE}/pseudonym", pseudonym=f"Owl {n}").status_code for n in range(MAX_PSEUDONYM_TRIES + 1)]
    assert codes == [303] * MAX_PSEUDONYM_TRIES + [409]
    assert post(service.browser("ben"), f"{PAGE}/pseudonym", pseudonym="Fox").status_code == 303


def test_an_assignment_that_checks_no_speed_says_that_it_has_none(tmp_path):
    """An assignment without a speed check has no leaderboard, form or link, even if course.yaml switches on
    leaderboards for all.
    """
    service = Service(tmp_path, course=untimed_course(tmp_path / "course"), policies="leaderboard: true\n")
    service.graded(service.hand_in())
    for key in ("ada", "staff"):
        client = service.browser(key)
        page = client.get(PAGE)
        assert (
            page.status_code,
            "This assignment has no leaderboard, because it does not check speed." in page.text,
        ) == (200, True)
        assert "Join" not in page.text
        assert "leaderboard" not in client.get("/assignments/small").text
    bearer = {"authorization": f"Bearer {service.token(service.ben, 'read')}"}
    assert service.browser().get(f"/api/v1{PAGE}", headers=bearer).json() == []


@pytest.mark.whole
def test_pages_of_an_attempt_have_no_word_about_speed(tmp_path):
    """Pages, reports, the API and exports of an assignment without a speed check do not mention speed."""
    service = Service(tmp_path, course=untimed_course(tmp_path / "course"))
    attempt = service.graded(service.hand_in())
    texts = [*told(service, attempt), *(service.browser("staff").get(page).text for page in STAFF_PAGES)]
    assert f"{POINTS} / {POINTS}" in texts[0]
    assert not any(re.search(r"performance:|GB/s|GFLOPS", text) for text in texts)
