"""Using only the keyboard of a real browser, a student edits and hands in a file, and reads the result."""

from hidden_parts import failing, right
from open_service import driving, errors, opened
from page_checks import FOCUSED
from samples import RACE
from services import SOURCE

from grader.service.station.grader import ready

SHIFT = 8
MOST = 40
"""Maximum number of times that Tab is pressed to reach an element."""


def tab_to(driven, expression, modifiers=0):
    """Press Tab until an expression is true for the focused element, and return how often it was pressed. Each focused
    element must have a visible mark.
    """
    for number in range(1, MOST):
        driven.press("Tab", modifiers)
        at = driven.say(FOCUSED)
        assert at is None or at["shown"], at
        if at is not None and driven.say(f"((each) => {expression})(document.activeElement)"):
            return number
    raise AssertionError(f"no stop: {expression}")


def test_the_keyboard_alone_hands_in_and_leads_back_to_the_editor(tmp_path, browser):
    """Tab moves into the editor, out of it in both directions, and to the button. Enter hands in the typed text. On the
    page of the result, Enter opens the editor again.
    """
    in_editor = "each.closest('.CodeMirror') !== null"
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        driven.open(f"{service.origin}/assignments/small/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        driven.say("document.activeElement.blur()")
        tab_to(driven, in_editor)
        driven.type("// typed\n")
        driven.press("Tab", SHIFT)
        assert not driven.say(f"((each) => {in_editor})(document.activeElement)")
        assert tab_to(driven, in_editor) == 1
        assert tab_to(driven, "each.textContent === 'Hand in'") == 1
        driven.press("Enter")
        driven.wait("document.title.startsWith('Attempt 1')")
        assert service.browser("ada").get(f"{service.page_of(1)}/file").text.startswith("// typed\n")
        racing = failing(right(service.course.load("small")), 1, message="line 3 is wrong.", findings=(RACE,))
        result = racing.model_copy(update={"source": SOURCE.decode()})
        service.graded(1, ready(result, service.course.load("small")))
        driven.open(f"{service.origin}{service.page_of(1)}")
        tab_to(driven, "each.matches('a[href*=\"/edit\"]')")
        driven.press("Enter")
        driven.wait("document.title.startsWith('Edit')")
        assert errors(driven) == []
