"""The service in a frame of a learning platform, in a real browser that blocks third-party cookies."""

from contextlib import contextmanager
from html import escape
from itertools import count
from urllib.parse import urlencode

import pytest
from chromium_pipe import Driven
from lti_platforms import HTML, LEARNER, TEACHER, platform_at_work, registered
from open_service import opened
from services import graded

from grader.service.db.tables.submissions import AttemptRow
from grader.service.web.routes.machines import lti as routes

OPTIONS = (
    "--test-third-party-cookie-phaseout",
    "--disable-site-isolation-trials",  # so that one connection reaches the frame
    "--disable-features=IsolateOrigins,site-per-process",
)

COOKIES = """document.cookie = 'shared=1; SameSite=None; Secure';
document.cookie = 'own=1; SameSite=None; Secure; Partitioned';
document.cookie"""
"""Script that sets an ordinary cookie and one that belongs to the frame. The browser must block the first."""


STORING = """
const kept = {}, asked = [];
addEventListener("message", ({ data, origin, source }) => {
  asked.push(data.subject);
  if (data.subject === "lti.put_data") kept[data.key] = data.value;
  const answer = { subject: `${data.subject}.response`, message_id: data.message_id, key: data.key };
  ANSWER
});
"""
"""Script of a platform's page that stores data for tools. ANSWER is replaced by the code that sends the answer."""

RIGHT = "source.postMessage({ ...answer, value: kept[data.key] }, origin);"

FORGED = f"""if (data.subject === "lti.put_data") {{ {RIGHT} }}
else frames[1].postMessage({{ ...answer, value: `1.${{Math.floor(Date.now() / 1000)}}.forged` }}, "*");"""
"""Code that sends the answer to a request for the data from another frame, which has a different origin."""

FORWARDING = "<script>addEventListener('message', ({ data }) => parent.frames[0].postMessage(data, '*'));</script>"


@contextmanager
def storing(browser, folder, answer, host="localhost"):
    """Yield a browser that shows a page of the platform, at this host, which stores data for tools. In the first frame
    of the page, an instructor chooses assignments, and the browser does not return the cookie of the sign-in.
    """
    with platform_at_work() as platform, opened(folder) as service, pytest.MonkeyPatch.context() as patched:
        names = count()
        patched.setattr(routes, "_cookie", lambda *_: f"lost-{next(names)}")
        port = platform.address.rpartition(":")[2]
        platform.address, platform.service, platform.storage = f"http://localhost:{port}", service, "_parent"
        registered(service, platform)
        address = escape(platform.login_address(f"sub-dora {TEACHER}", "/lti/deep-linking"))
        frames = f'<iframe src="{address}"></iframe><iframe src="http://127.0.0.1:{port}/forwarding"></iframe>'
        shown = f"<title>Keeping</title><script>{STORING.replace('ANSWER', answer)}</script>{frames}"
        platform.answers["/keeping"] = lambda *_: (200, HTML, shown)
        platform.answers["/forwarding"] = lambda *_: (200, HTML, FORWARDING)
        driven = Driven(browser.program, browser.folder / "keeping", *OPTIONS)
        try:
            driven.open(f"http://{host}:{port}/keeping")
            yield driven
        finally:
            driven.close()


def test_a_platform_keeps_the_sign_in_for_a_browser_without_cookies(browser, tmp_path):
    """The platform's page stores the secret of a sign-in and returns it, so that an instructor can choose assignments
    without a cookie.
    """
    with storing(browser, tmp_path, RIGHT) as driven:
        driven.wait_in_frame("document.title.startsWith('Choose assignments')")
        assert driven.say("asked.join()") == "lti.put_data,lti.get_data"
        assert driven.say("Object.keys(kept)[0]").startswith("grader-1-")


def test_a_page_of_another_origin_does_not_get_the_secret(browser, tmp_path):
    """A hostile page that shows the service in a frame does not get a message, and no one is signed in."""
    with storing(browser, tmp_path, RIGHT, host="127.0.0.1") as driven:
        driven.wait_in_frame("document.body.innerText.includes('did not send the cookie')")
        assert driven.say("asked.length") == 0


def test_an_answer_of_another_frame_is_ignored(browser, tmp_path):
    """An answer from a frame whose origin is not the platform's is ignored."""
    with storing(browser, tmp_path, FORGED) as driven:
        driven.wait_in_frame("document.body.innerText.includes('did not send the cookie')")
        assert driven.say("asked.join()") == "lti.put_data,lti.get_data"


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
