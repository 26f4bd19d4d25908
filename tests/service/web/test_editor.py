"""editor.py and editor.js: a student edits the latest source and sees findings at their lines."""

import re

import pytest
from hidden_parts import failing, hiding_course, right
from open_service import driving, errors, opened
from samples import RACE
from services import Service, field, parts
from sqlalchemy.exc import OperationalError

from grader.service.station.grader import ready
from grader.service.submissions.accept import MAX_LINES
from grader.service.web.routes.student.hand_ins import EDITABLE

SOURCE = b"__kernel void add()\n{\n    int a = 1;\n}\n" + b"\n" * 20
EVIL = b"</textarea><script>alert(1)</script>\n"


@pytest.fixture
def ada(service):
    return service.browser("ada")


def text_in(page):
    """Return the content of the text field as a browser would read it."""
    return re.search(r"<textarea [^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)[1]


def racing(service):
    """Return an outcome with a data race in lines 13 and 17."""
    assignment = service.course.load("small")
    return failed(assignment, message="line 3 is wrong.", findings=(RACE,))


def failed(assignment, **more):
    """Return an outcome of SOURCE with a failed check."""
    result = failing(right(assignment), 1, **more).model_copy(update={"source": SOURCE.decode()})
    return ready(result, assignment)


def test_it_begins_with_the_skeleton_then_with_the_latest_attempt(service, ada):
    """The editor starts with the skeleton and, later, with the latest attempt. The student can also choose another
    attempt or the skeleton.
    """
    skeleton = text_in(ada.get("/assignments/small/edit"))
    assert "z[i] = x[i] + y[i];" in skeleton
    service.hand_in(data=b"first\n")
    service.hand_in(data=b"second\n")
    page = "/assignments/small/edit"
    assert text_in(ada.get(page)) == "second\n"
    assert text_in(ada.get(f"{page}?start=1")) == "first\n"
    assert text_in(ada.get(f"{page}?start=0")) == skeleton
    assert ada.get(f"{page}?start=3").status_code == 404


def test_nobody_edits_anothers_attempt(service):
    """Numbers in the editor refer to the reader's own attempts, so no one can open another person's attempt, not even
    staff.
    """
    service.hand_in(data=b"of ada\n")
    assert "of ada" not in service.browser("ben").get("/assignments/small/edit").text
    assert service.browser("staff").get("/assignments/small/edit?start=1").status_code == 404


def test_the_text_is_text_and_stays_as_it_was(service, ada):
    """Markup in a source is escaped and cannot end the text field. An empty first line is kept."""
    service.hand_in(data=b"\n" + EVIL + b"a & b\xff\n")
    page = ada.get("/assignments/small/edit")
    assert "<script>alert" not in page.text
    assert text_in(page) == "\n&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;\na &amp; b\ufffd\n"


def test_findings_of_the_attempt_are_listed_by_their_lines(service, ada):
    """The editor lists the findings of the attempt that it shows, by line, and no findings of other attempts."""
    service.graded(service.hand_in(data=SOURCE), racing(service))
    service.graded(service.hand_in(data=SOURCE))
    page = ada.get("/assignments/small/edit?start=1").text
    assert re.findall(r'data-line="(\d+)"', page) == ["3", "13", "17"]
    assert '<span class="words"><a href="#text" data-line="3">line 3</a> is wrong.</span>' in page
    assert "there is no barrier between them" in page
    assert "data-line" not in ada.get("/assignments/small/edit").text


def test_each_of_several_lines_in_a_sentence_leads_to_its_own(service, ada):
    """Each line number in a sentence is a link to its line, and the rest of the sentence is escaped."""
    assignment = service.course.load("small")
    service.graded(service.hand_in(data=SOURCE), failed(assignment, message="lines 3, 5 and 17 write <b>."))
    (words,) = re.findall('<span class="words">lines (.*)</span>', ada.get("/assignments/small/edit").text)
    link = '<a href="#text" data-line="{0}">{0}</a>'
    assert words == f"{link.format(3)}, {link.format(5)} and {link.format(17)} write &lt;b&gt;."


def test_nothing_that_is_hidden_is_found_in_a_line(tmp_path):
    """Findings of hidden checks are not listed, because their lines would reveal the outcome."""
    service = Service(tmp_path, hiding_course(tmp_path / "course", "case"))
    assignment = service.course.load("small")
    whole = failing(right(assignment), 2, message="line 3 is wrong.", findings=(RACE,))
    service.graded(service.hand_in(data=SOURCE), ready(whole, assignment))
    assert "data-line" not in service.browser("ada").get("/assignments/small/edit").text


def refused(service, client, headers=None, **more):
    """Return the page that refuses a text, after checking that nothing was stored."""
    page = "/assignments/small/edit"
    shown = client.get(page)
    keys = {name: field(shown, name) for name in ("form_token", "form_key")}
    headers = {"referer": f"{service.origin}{page}?start=0"} if headers is None else headers
    said = client.post("/assignments/small/attempts", files=parts(**keys | more), headers=headers)
    assert (said.status_code in {409, 422}, service.claim()) == (True, None)
    return said


@pytest.mark.parametrize(
    "more", [{}, {"form_token": "of another session"}, {"form_key": ""}], ids=["used", "stale", "key"]
)
def test_a_text_that_is_refused_is_given_back(tmp_path, more):
    """If a text is refused for any reason, the answer contains it, escaped, because it was not stored. A link leads
    back to the editor.
    """
    service = Service(tmp_path, policies="attempts: {most: 1}\n")
    service.graded(service.hand_in())
    said = refused(service, service.browser("ada"), text="\n" + EVIL.decode() + "a & b\n", **more)
    assert "<script>alert" not in said.text
    assert text_in(said) == "\n&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;\na &amp; b\n"
    assert f'href="{service.origin}/assignments/small/edit"' in said.text


def test_a_text_is_given_back_where_the_session_has_ended(service, ada):
    """A text that is sent after the session has ended is shown again, so that hours of work are not lost."""
    shown = ada.get("/assignments/small/edit")
    keys = {name: field(shown, name) for name in ("form_token", "form_key")}
    ada.cookies.clear()
    said = ada.post("/assignments/small/attempts", files=parts(**keys, text="hours of work"))
    assert (said.status_code, text_in(said)) == (401, "hours of work")
    assert service.claim() is None


def test_a_text_is_given_back_where_the_database_does_not_answer(ada, monkeypatch):
    """A text is shown again if the database does not answer or the disk is full."""
    shown = ada.get("/assignments/small/edit")
    keys = {name: field(shown, name) for name in ("form_token", "form_key")}

    def full(*_):
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    monkeypatch.setattr("grader.service.web.routes.student.hand_ins.accept", full)
    said = ada.post("/assignments/small/attempts", files=parts(**keys, text="hours of work"))
    assert (said.status_code, text_in(said)) == (503, "hours of work")


def test_a_file_that_is_refused_is_not_shown(service, ada):
    """A refused file is not shown, because the student still has it. The message is at the field for the file."""
    said = refused(service, ada, {"referer": f"{service.origin}/assignments/small"}, file=("kernels.cl", b"PK\x03\x04"))
    assert said.status_code == 422
    assert 'id="file-error">The file is a zip; hand in the .cl file itself.<' in said.text
    assert "<textarea" not in said.text


def test_a_text_that_cannot_be_graded_stays_in_the_editor(service, ada):
    """A text with too many lines is shown again in the editor, with the message at its field."""
    text = "x\n" * (MAX_LINES + 1)
    said = refused(service, ada, text=text)
    assert (said.status_code, text_in(said)) == (422, text)
    assert 'id="text-error">The file has over 5,000 lines. Hand in an ordinary kernel.<' in said.text
    assert 'aria-describedby="text-error keys"' in said.text
    assert "Hand in</button>" in said.text


@pytest.mark.parametrize("referer", ["http://evil.example/x", "javascript:alert(1)", ""])
def test_a_refusal_leads_to_nobody_elses_page(service, ada, referer):
    """A refusal links back only to pages of this service. If the request came from elsewhere, it links to the
    assignments.
    """
    said = refused(service, ada, {"origin": service.origin, "referer": referer}, text="x", form_token="stale")
    assert re.findall('<a href="([^"]*)"', said.text.partition("<main")[2]) == ["/"]


@pytest.mark.whole
def test_in_a_browser_it_is_an_editor(tmp_path, browser):
    """A browser highlights OpenCL C and marks findings at their lines without violating the security policy. The Tab
    key leaves the editor, and text that was typed just before is handed in.
    """
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        service.graded(service.hand_in(data=SOURCE), racing(service))
        driven.open(f"{service.origin}/assignments/small/edit")
        driven.wait("document.querySelectorAll('.CodeMirror-line').length >= 4")
        styles = "Array.from(document.querySelectorAll('.{}'), (each) => each.textContent).join()"
        assert driven.say(styles.format("cm-keyword")) == "__kernel"
        assert driven.say(styles.format("cm-type")) == "void,int"
        assert driven.say("document.querySelectorAll('.CodeMirror-code .marked').length") == 3
        assert driven.say("document.querySelector('.CodeMirror-gutter-elt span').title") == "line 3 is wrong."
        driven.say("document.querySelector('[data-line]').click()")
        driven.wait("document.activeElement.closest('.CodeMirror') !== null")
        driven.type("// typed ")
        driven.press("Tab")
        assert driven.say("document.activeElement.textContent") == "Hand in"
        driven.press("Enter")
        driven.wait("document.title.startsWith('Attempt 2')")
        assert errors(driven) == []
        handed_in = service.browser("ada").get(f"{service.page_of(2)}/file").content
        assert handed_in == SOURCE.replace(b"    int", b"// typed     int")


@pytest.mark.whole
def test_a_text_that_was_changed_is_not_lost_by_a_slip(tmp_path, browser):
    """The browser asks for confirmation before the reader leaves a page with a changed text."""
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        driven.open(f"{service.origin}/assignments/small/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        asks = "!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        assert driven.say(asks) is False
        driven.say("document.querySelector('.CodeMirror').CodeMirror.replaceRange('x', {line: 0, ch: 0})")
        assert driven.say(asks) is True


@pytest.mark.whole
def test_a_text_that_was_refused_is_still_a_draft(tmp_path, browser):
    """The service does not have a text that it has refused. So the browser keeps it, and asks before it is lost."""
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        page = f"{service.origin}/assignments/small/edit"
        driven.open(page)
        driven.wait("document.querySelector('.CodeMirror') !== null")
        driven.say("document.querySelector('.CodeMirror').CodeMirror.setValue('// mine' + '\\n'.repeat(5001))")
        driven.wait("localStorage.length === 1")
        driven.say("document.querySelector('main button.main').click()")
        driven.wait("document.getElementById('text-error') !== null")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        assert driven.say("document.querySelector('.CodeMirror [aria-invalid=true]') !== null") is True
        assert driven.say("localStorage.length") == 1
        assert driven.say("!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))") is True
        assert [each for each in errors(driven) if "422" not in each] == []


@pytest.mark.whole
def test_what_was_typed_is_there_again(tmp_path, browser):
    """A draft is offered again after its page was closed, but not after it has been handed in."""
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        page = f"{service.origin}/assignments/small/edit"
        offered = "!document.getElementById('draft').hidden"
        text = "document.querySelector('.CodeMirror').CodeMirror.getValue()"
        driven.open(page)
        driven.wait("document.querySelector('.CodeMirror') !== null")
        assert driven.say(offered) is False
        driven.say("document.querySelector('.CodeMirror').CodeMirror.replaceRange('// mine', {line: 0, ch: 0})")
        driven.wait("localStorage.length === 1")
        driven.say("window.dispatchEvent(new Event('pagehide'))")
        driven.say("document.querySelector('.CodeMirror').CodeMirror.markClean()")
        driven.open(page)
        driven.wait(offered)
        assert "// mine" not in driven.say(text)
        driven.say("document.querySelector('#draft button').click()")
        assert "// mine" in driven.say(text)
        driven.say("document.querySelector('main button.main').click()")
        driven.wait("document.title.startsWith('Attempt 1')")
        driven.open(page)
        driven.wait("document.querySelector('.CodeMirror') !== null")
        assert driven.say(offered) is False
        assert errors(driven) == []


@pytest.mark.whole
def test_a_file_that_nobody_edits_in_a_page_is_not_sent_as_one(service, ada):
    """A source that is too large for the editor is not sent in a page, and not in a refusal either. A megabyte of
    quotation marks would become five, which occupy memory as long as a reader likes.
    """
    service.hand_in(data=b"//" + b"'" * EDITABLE)
    said = ada.get("/assignments/small/edit")
    assert said.status_code == 409
    assert "too large to be edited here. Download it" in said.text
    page = ada.get("/assignments/small/edit?start=0")
    large = {"text": "'" * (EDITABLE + 1), "form_key": field(page, "form_key"), "form_token": "stale"}
    refused = ada.post("/assignments/small/attempts", files=parts(**large))
    assert (refused.status_code, "<textarea" in refused.text) == (409, False)
