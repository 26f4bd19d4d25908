"""Every page of the service passes axe, fits the window in all looks and works with the keyboard, in a real browser.

GRADER_PICTURES=FOLDER saves screenshots of all pages, so that people can review them.
"""

import os
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

import pytest
from chromium_pipe import Driven
from full_service import POLICIES, Eventful
from open_service import driving, errors, opened
from page_checks import LOOKS, OTHER_LOOKS, problems, short, stumbles
from selection import param
from services import SOURCE

from grader.service.web import pages

NO_PAGES = frozenset({"base.html.jinja", "forms.html.jinja", "parts.html.jinja"})
"""Templates that other templates include or extend."""

REPORTS = ("/report", "/overview")
"""Ends of the addresses of reports. Their policy does not allow scripts and would therefore block axe."""

PEOPLE = ("nobody", "ada", "staff")


@pytest.fixture
def course(tmp_path):
    with opened(tmp_path, policies=POLICIES) as service:
        yield Eventful(service)


@contextmanager
def signed_in(course, browser, key):
    """Return a browser in which this person is signed in. For "nobody", no one is signed in."""
    if key != "nobody":
        with driving(browser, course.service, key) as driven:
            yield driven
        return
    driven = Driven(browser.program, browser.folder / "nobody")
    try:
        yield driven
    finally:
        driven.close()


def walk(course, browser, key, judge, every=1):
    """Return the faults in the pages that this person sees, one per line. If `every` is 2 or more, only every second,
    third, ... page is tried.
    """
    pages_seen, found = 0, []
    with signed_in(course, browser, key) as driven:
        for address in islice(course.pages(None if key == "nobody" else key), 0, None, every):
            driven.ask("Page.setBypassCSP", enabled=address.endswith(REPORTS))
            driven.open(f"{course.service.origin}{address}")
            pages_seen += 1
            found += [f"{address}: {each}" for each in judge(driven)]
            keep_pictures(driven, f"{key}-{short(address)}")
        complaints = [each for each in errors(driven) if "404" not in each]
    assert pages_seen > 2
    assert complaints == []
    return "\n".join(found)


def keep_pictures(driven, name):
    folder = os.environ.get("GRADER_PICTURES")
    for width, scheme in (*LOOKS, *OTHER_LOOKS) if folder else ():
        driven.looks(width, scheme)
        driven.screenshot(Path(folder) / f"{name}-{width}-{scheme}.png")


def test_axe_finds_nothing_in_what_a_student_sees(course, browser):
    """axe finds no fault in a student's pages. To save time, this test tries every sixth page, and each page in one
    look.
    """
    looks = cycle(LOOKS)
    said = walk(course, browser, "ada", lambda driven: problems(driven, (next(looks),)), every=6)
    assert not said, said


@pytest.mark.whole
@pytest.mark.parametrize("looks", [LOOKS, OTHER_LOOKS], ids=["some", "others"])
@pytest.mark.parametrize("key", PEOPLE)
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(course, browser, key, looks):
    """axe finds no fault. Pages fit narrow and wide windows in light and dark colours, and do not violate the security
    policy.
    """
    said = walk(course, browser, key, lambda driven: problems(driven, looks))
    assert not said, said


@pytest.mark.parametrize("key", [pytest.param(key, marks=pytest.mark.whole) for key in PEOPLE])
def test_the_keyboard_alone_reaches_everything_in_order(course, browser, key):
    """The keyboard reaches every control in order and with a visible focus. The first stop skips to the content."""
    said = walk(course, browser, key, stumbles)
    assert not said, said


ANSWERS = {
    "link.html.jinja": ("staff", "/course/people", "form[action$=invitation] button", ".secret"),
    "mail_sent.html.jinja": ("nobody", "/sign-in", "form[action$=mail] button", "main p"),
    "token.html.jinja": ("ada", "/tokens", "form[action='/tokens'] button", ".secret"),
}
"""Pages that answer a form, with the person who sends it, the page of the form, its button and an element of the
answer.
"""

FROM_PLATFORMS = frozenset(
    f"lti_{name}.html.jinja"
    for name in ("launch", "register", "registered", "return", "selection", "storing", "window")
)
"""Pages for browsers that come from a learning platform, which tests/service/lti/ visits."""

REFUSED = "refused.html.jinja"
"""Answer to a refused form. It contains the text that was entered."""


@pytest.mark.whole
def test_every_template_is_among_the_pages(course, monkeypatch):
    """Every template is used by a page that these tests visit, so a new page cannot be forgotten."""
    seen, get = set(), pages.ENVIRONMENT.get_template
    monkeypatch.setattr(pages.ENVIRONMENT, "get_template", lambda name, *more: (seen.add(name), get(name, *more))[1])
    for key in (None, "ada", "staff"):
        list(course.pages(key))
    assert set(pages.ENVIRONMENT.list_templates()) - NO_PAGES - FROM_PLATFORMS - {REFUSED} - seen == {*ANSWERS}


ONE = "token.html.jinja"
"""The only answer that `make test` checks."""


@pytest.mark.parametrize("template", [param(each, each, frozenset({ONE})) for each in ANSWERS])
def test_axe_finds_nothing_in_the_answer_to_a_form(course, browser, template):
    """axe finds no fault in the answers to forms, which are shown only once and have no address of their own."""
    key, address, button, there = ANSWERS[template]
    with signed_in(course, browser, key) as driven:
        driven.open(f"{course.service.origin}{address}")
        before = driven.say("document.title")
        fill = "for (const each of document.querySelectorAll('main [required]')) each.value = 'laptop'"
        driven.say(f"{fill}; for (const each of document.querySelectorAll('[type=checkbox]')) each.checked = true")
        driven.say(f'document.querySelector("{button}").click()')
        driven.wait(f"document.title !== {before!r} && document.querySelector({there!r}) !== null")
        assert problems(driven, LOOKS) == []


@pytest.mark.whole
def test_axe_finds_nothing_in_a_refusal(course, browser):
    """axe finds no fault in a refusal. A text that is refused after the last attempt was used is shown again with a
    link to the editor.
    """
    with signed_in(course, browser, "ada") as driven:
        driven.open(f"{course.service.origin}/assignments/small/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        (course.service.course.assignments.parent / "course.yaml").write_text("attempts: {most: 1}\n")
        driven.say("document.querySelector('form[action$=attempts] button').click()")
        driven.wait("document.title.startsWith('That was not done')")
        assert problems(driven, LOOKS) == []
        assert driven.say("document.querySelector('textarea').value").encode() == SOURCE
        keep_pictures(driven, "ada-refused")
        driven.say("document.querySelector('main a').click()")
        driven.wait("document.title.startsWith('Edit')")
