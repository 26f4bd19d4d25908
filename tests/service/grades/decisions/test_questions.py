"""questions.py: a question of a student is listed until it is answered."""

import pytest
from services import post


@pytest.mark.whole
def test_a_question_is_listed_until_it_is_answered(service):
    """A student may ask one question about an attempt, which is listed until it is answered. The student reads the
    answer, and other students cannot ask about the attempt.
    """
    attempt = service.graded(service.hand_in())
    page, ada, staff = service.page_of(attempt), service.browser("ada"), service.browser("staff")
    assert post(ada, f"{page}/request", page, text="Line 3 <b> is right").status_code == 303
    assert post(ada, f"{page}/request", page, text="Again").status_code == 422
    assert post(service.browser("ben"), f"{page}/request", "/", text="Mine?").status_code == 404
    assert "Line 3 &lt;b&gt; is right" in staff.get("/course/requests").text
    assert post(staff, "/course/requests/1/answer", "/course/requests", answer="It is not.").status_code == 303
    assert post(staff, "/course/requests/1/answer", "/course/requests", answer="Well.").status_code == 409
    assert "No open questions" in staff.get("/course/requests").text
    assert "It is not." in ada.get(page).text
    assert "answered a question" in staff.get("/course/audit").text


@pytest.mark.whole
def test_an_answer_of_two_lines_is_shown_as_two_lines(service):
    """A question or answer of two lines is shown on two lines, although browsers send CR LF."""
    page, ada, staff = (
        service.page_of(service.graded(service.hand_in())),
        service.browser("ada"),
        service.browser("staff"),
    )
    assert post(ada, f"{page}/request", page, text="Why?\r\nI was in time.").status_code == 303
    assert "Why?\nI was in time." in staff.get("/course/requests").text
    assert (
        post(staff, "/course/requests/1/answer", "/course/requests", answer="See line 18.\r\nAsk me.").status_code
        == 303
    )
    assert "See line 18.\nAsk me." in ada.get(page).text
