"""The service in a frame of a learning platform, in a real browser that blocks third-party cookies."""

from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from chromium_pipe import Driven
from lti_platforms import LEARNER, TEACHER, platform_at_work, registered
from open_service import opened
from services import graded

from grader.service.db.models import AttemptRow

OPTIONS = (
    "--test-third-party-cookie-phaseout",
    "--disable-site-isolation-trials",  # so that one connection reaches the frame
    "--disable-features=IsolateOrigins,site-per-process",
)

COOKIES = """document.cookie = 'shared=1; SameSite=None; Secure';
document.cookie = 'own=1; SameSite=None; Secure; Partitioned';
document.cookie"""
"""Script that sets an ordinary cookie and one that belongs to the frame. The browser must block the first."""


@contextmanager
def activity(browser, folder, hint, target):
    """Yield the service, the platform, and a browser at a page of the platform whose frame shows the service. The two
    have different sites.
    """
    with platform_at_work() as platform, opened(folder) as service:
        platform.address, platform.service = platform.address.replace("127.0.0.1", "localhost"), service
        registered(service, platform)
        driven = Driven(browser.program, browser.folder / "framed", *OPTIONS)
        try:
            driven.open(f"{platform.address}/activity?{urlencode({'hint': hint, 'target': target})}")
            yield service, platform, driven
        finally:
            driven.close()


def test_a_student_arrives_in_a_new_window_hands_in_and_sees_the_result(browser, tmp_path):
    """A student in a frame opens the new window, is signed in there, hands in, and sees the points."""
    with activity(browser, tmp_path, f"sub-cleo {LEARNER}", "/assignments/small") as (service, _, driven):
        driven.wait_in_frame("document.querySelector('main a.button') !== null")
        assert driven.say_in_frame(COOKIES) == "own=1"
        driven.say_in_frame("document.querySelector('main a.button').click()")
        driven.attach_to_new_page()
        driven.wait("location.pathname === '/assignments/small'")
        driven.open(f"{service.origin}/assignments/small/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        driven.say("document.querySelector('form[action$=attempts] button').click()")
        driven.wait("location.pathname.startsWith('/attempts/')")
        with service.database.reading() as session:
            attempt = session.query(AttemptRow).one()
        service.graded(attempt.id, graded(service.course))
        driven.open(f"{service.origin}/attempts/{attempt.public}")
        assert "15 / 15" in driven.say("document.body.innerText")


@pytest.mark.whole
def test_an_instructor_adds_an_assignment_inside_the_frame(browser, tmp_path):
    """An instructor chooses an assignment inside the frame, which then returns to the platform."""
    with activity(browser, tmp_path, f"sub-dora {TEACHER}", "/lti/deep-linking") as (_, platform, driven):
        driven.wait_in_frame("document.title.startsWith('Choose assignments')")
        driven.say_in_frame(
            "document.querySelector('[value=small]').click(); document.querySelector('button.main').click()"
        )
        driven.wait_in_frame("document.title === 'Added'")
        assert len(platform.returned) == 1
