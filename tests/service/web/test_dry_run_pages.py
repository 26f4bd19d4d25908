"""Pages of dry runs: Try shows the result of a file without handing it in. The forms also show what handing in would
cost now.
"""

import io
import json
import re
import zipfile

import pytest
from hidden_parts import SECRET, failing, hiding_course, right
from open_service import driving, errors, opened
from samples import RACE
from services import SOURCE, Service, field, parts, visible

from grader.common.record import replace
from grader.grading.explain.problem import UNMADE
from grader.results.verdicts import Reason
from grader.results.withholding import withheld
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import DryRunRow
from grader.service.people.auth.sessions import end_all_access
from grader.service.station.storage import ready_dry_run
from grader.service.submissions.progress import ProgressNote, keep_note

PAGE = "/assignments/small"
TRY = f"{PAGE}/try"

TEXT = b"__kernel void add()\n{\n    int a = 1;\n}\n" + b"\n" * 20

EDITOR = "document.querySelector('.CodeMirror').CodeMirror"

MARKED = f"""(() => {{
  const marked = [];
  {EDITOR}.eachLine((line) => {{ if (line.bgClass === 'marked') marked.push(line.lineNo() + 1); }});
  return marked;
}})()"""
"""Numbers of the lines that the editor marks."""


@pytest.fixture
def ada(service):
    return service.browser("ada")


def tries(client, headers=None, **fields):
    """Send the text in the editor with the button Try."""
    token = field(client.get(f"{PAGE}/edit"), "form_token")
    return client.post(TRY, files=parts(**{"form_token": token, "text": SOURCE.decode(), **fields}), headers=headers)


def stored(service):
    with service.database.reading() as session:
        return session.query(DryRunRow).count()


def test_without_scripts_try_leads_to_a_page_with_the_result(service, ada):
    """Try leads to a page that first shows the progress and then the result. Nothing is handed in."""
    said = tries(ada)
    assert (said.status_code, said.headers["location"]) == (303, TRY)
    assert "Next in the queue" in ada.get(TRY).text
    claimed = service.claim()
    with service.database.writing() as session:
        keep_note(session, claimed, ProgressNote(words="building"), service.now)
    assert "building" in ada.get(TRY).text
    service.finish(claimed)
    shown = visible(ada.get(TRY))
    assert "Nothing is handed in." in shown
    assert "Only you see a dry run." in shown
    assert ada.get(f"{TRY}/report").status_code == 200
    assert [name for name, *_ in re.findall(r"event: (\w+)", ada.get(f"{TRY}/events").text)] == ["n", "o"]
    assert "No attempts yet" in ada.get(PAGE).text


def test_a_file_can_be_tried_and_then_edited(ada):
    """The form for files also has the button. The text that was tried opens in the editor and can be handed in from
    there.
    """
    assert f'formaction="{TRY}"' in ada.get(PAGE).text
    said = tries(ada, file=("mine.cl", b"first </textarea>\n"))
    assert said.status_code == 303
    assert "first &lt;/textarea&gt;" in ada.get(f"{TRY}/edit").text


def test_a_fault_of_the_service_is_not_the_students(service, ada):
    """If a dry run ends with a fault of the service, its page says so without giving the details of the fault."""
    tries(ada)
    for _ in range(3):
        service.claim()
        service.passes(minutes=1)
    service.claim()
    shown = visible(ada.get(TRY))
    assert "Not graded: fault of the service" in shown
    assert ada.get(f"{TRY}/report").status_code == 404


@pytest.mark.sampled
@pytest.mark.parametrize("key", ["ben", "staff"])
def test_no_address_shows_what_another_person_tried(service, key):
    """The addresses of dry runs always show the reader's own, so neither students nor staff can read
    another person's.
    """
    service.tried(data=b"of ada\n")
    other = service.browser(key)
    for path in (TRY, f"{TRY}/report", f"{TRY}/edit", f"{TRY}/events", f"{TRY}?person={service.ada}"):
        assert other.get(path).status_code == 404
    service.tried(person=service.ben if key == "ben" else service.staff, data=b"own\n")
    assert "of ada" not in other.get(f"{TRY}/edit").text
    assert "of ada" not in other.get("/data.zip").content.decode("latin-1")


@pytest.mark.parametrize("hidden", ["case", "sanitizer", "memory", "performance"])
def test_no_page_of_a_dry_run_tells_a_hidden_outcome(tmp_path, hidden):
    """Pages, events and the personal data of a dry run show nothing of hidden checks."""
    service = Service(tmp_path, hiding_course(tmp_path / "course", hidden))
    ada = service.browser("ada")
    tries(ada)
    claimed = service.claim()
    assert claimed.is_dry_run
    service.finish(claimed)
    told = [ada.get(each).text for each in (TRY, f"{TRY}/report", f"{TRY}/events", "/data")]
    assert not any(SECRET in each for each in told)
    service.database.close()


def test_too_many_are_refused_with_the_time_to_wait(service, ada):
    """Too many dry runs are answered with 429, a sentence, the seconds to wait and the text that was sent."""
    (service.course.assignments.parent / "course.yaml").write_text("dry_runs: 2\n")
    assert [tries(ada).status_code for _ in range(3)] == [303, 303, 429]
    service.passes(minutes=45)
    said = tries(ada, text="hours of work")
    assert (said.status_code, said.headers["retry-after"]) == (429, "900")
    assert "You have tried 2 kernels within an hour. Try the next one in 15 minutes." in said.text
    assert "hours of work" in said.text
    assert service.claim().is_dry_run
    assert service.claim() is None


def test_no_other_site_tries_for_a_student(service, ada):
    """A form from another session or another site, or without a token, does not start a dry run."""
    assert tries(ada, form_token="of another session").status_code == 409
    assert tries(ada, headers={"origin": "https://evil.example"}).status_code == 403
    assert ada.post(TRY, data={"text": "kernel"}).status_code == 415
    assert ada.get(f"{TRY}?text=kernel").status_code == 404
    assert service.browser().post(TRY, files=parts(text="kernel")).status_code == 401
    assert stored(service) == 0


def test_a_huge_file_is_not_stored(service, ada):
    """A file over the limit for hand-ins is refused before anything is stored, even if it is much larger."""
    for size in (2**20 + 1, 2**22):
        said = tries(ada, file=("kernels.cl", b"x" * size))
        assert (said.status_code, 'id="file-error">The file is over 1 MiB' in said.text) == (422, True)
    assert stored(service) == 0


def test_a_person_who_left_tries_nothing_and_hears_nothing(service, ada):
    """When all access of a person has been ended, their browser gets no result, and streams of events end."""
    token = field(ada.get(f"{PAGE}/edit"), "form_token")
    service.dry_run()
    with service.database.writing() as session:
        end_all_access(session, session.get_one(PersonRow, service.ada), "staff", service.now)
    assert [ada.get(each).status_code for each in (TRY, f"{TRY}/report", f"{TRY}/events")] == [303] * 3
    assert ada.post(TRY, files=parts(form_token=token, text="x")).status_code == 401


def test_a_course_can_switch_it_off(service, ada):
    """With `dry_runs: 0`, pages do not have the button, and a form that was opened earlier is refused."""
    (service.course.assignments.parent / "course.yaml").write_text("dry_runs: 0\n")
    for page in (PAGE, f"{PAGE}/edit"):
        assert TRY not in ada.get(page).text
    said = tries(ada, text="hours of work")
    assert said.status_code == 422
    assert 'id="text-error">Your course does not allow you to try a kernel of this assignment. Hand it in' in said.text
    assert "hours of work" in said.text
    assert "does not allow you to try" in tries(ada, file=("kernels.cl", b"kernel")).text


def test_the_zip_of_ones_data_has_the_dry_run(service, ada):
    """The archive of personal data has the file, the report and the rows of a dry run until it is deleted."""
    service.graded(service.hand_in())
    number = service.tried(data=b"tried\n")
    with zipfile.ZipFile(io.BytesIO(ada.get("/data.zip").content)) as archive:
        assert archive.read("files/small-dry-run.cl") == b"tried\n"
        assert f"reports/small-dry-run-{number}.html" in archive.namelist()
        rows = json.loads(archive.read("data.json"))
    assert [row["assignment"] for row in rows["dry_runs"]] == ["small"]
    assert [row["dry_run_id"] is None for row in rows["gradings"]] == [True, False]


COSTS = [
    ("counts: best\n", ""),
    ("attempts: {most: 5}\n", "4 of 5 attempts left"),
    ("due: 2026-11-24T12:00Z\n", "on time"),
    (
        "due: 2026-11-22T06:00Z\nlate: {percent: 10}\nattempts: {most: 5}\n",
        "2 days late: 20 % off; 4 of 5 attempts left",
    ),
    ("due: 2026-11-22T06:00Z\nlate: {percent: 10, days: 1}\n", "2 days late: 1 late day used, 0 left, 10 % off"),
    ("due: 2026-11-22T06:00Z\n", "2 days late: no points off"),
]


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize(("policies", "cost"), COSTS)
def test_the_cost_of_handing_in_is_next_to_the_button(tmp_path, policies, cost):
    """Both forms show next to Hand in what it costs now, according to the student's dates and limits."""
    service = Service(tmp_path, policies=policies)
    service.graded(service.hand_in())
    for page in (PAGE, f"{PAGE}/edit"):
        (found,) = re.findall(
            r"Hand in</button>(?: <span class=.quiet.>(.*?)</span>)?", service.browser("ada").get(page).text
        )
        assert found == cost
    assert "late" not in re.findall(r"Hand in</button>(.*)</p>", service.browser("staff").get(PAGE).text)[0]
    service.database.close()


def test_where_nothing_can_be_handed_in_a_kernel_can_be_tried(tmp_path):
    """If no attempts are left, the pages say so, and Try still works."""
    service = Service(tmp_path, policies="attempts: {most: 1}\n")
    service.graded(service.hand_in())
    ada = service.browser("ada")
    for page in (PAGE, f"{PAGE}/edit"):
        assert "You have used all of your 1 attempt" in ada.get(page).text
        assert "Hand in</button>" not in ada.get(page).text
    assert "Try a kernel" in ada.get(PAGE).text
    assert "You can still try this text." in ada.get(f"{PAGE}/edit").text
    assert tries(ada).status_code == 303
    service.database.close()


def test_in_a_browser_the_result_appears_below_the_text(tmp_path, browser):
    """Try shows the progress and the result below the editor, which keeps its text. A refusal is shown there too."""
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        driven.open(f"{service.origin}{PAGE}/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        driven.say("document.querySelector('.CodeMirror').CodeMirror.setValue('typed here\\n')")
        driven.say("document.getElementById('try').click()")
        driven.wait("document.getElementById('now')?.textContent === 'Waiting for a station'")
        claimed = service.claim()
        assert claimed.data == b"typed here\n"
        service.finish(claimed)
        driven.wait("/\\d+ points\\. The report is below/.test(document.getElementById('tried').textContent)")
        assert driven.say("document.querySelector('.CodeMirror').CodeMirror.getValue()") == "typed here\n"
        assert driven.say("location.pathname") == f"{PAGE}/edit"
        (service.course.assignments.parent / "course.yaml").write_text("dry_runs: 1\n")
        driven.say("document.getElementById('try').click()")
        driven.wait("document.getElementById('tried').textContent.includes('within an hour')")
        assert [each for each in errors(driven) if "429" not in each] == []


@pytest.mark.whole
def test_in_a_browser_a_new_check_looks_like_those_before_it(tmp_path, browser):
    """A check that is decided while the page is open has the sign and the word of one that was decided before."""
    note = ProgressNote(words="too slow.", check="performance: cpu", verdict="partial", reason="TOO_SLOW")
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        service.dry_run()
        claimed = service.claim()
        for number in (1, 2):
            with service.database.writing() as session:
                keep_note(session, claimed, note, service.now)
            if number == 1:
                driven.open(f"{service.origin}{TRY}")
            driven.wait(f"document.querySelectorAll('#decided li').length === {number}")
        rows = driven.say(
            "Array.from(document.querySelectorAll('#decided li'), (row) => row.className + row.innerText)"
        )
        assert rows[0] == rows[1]
        assert "◐" in rows[0]
        assert "partly" in rows[0]
        assert errors(driven) == []


def racing(service):
    """Return a result of a text of twenty lines, with mistakes in lines 3, 13 and 17."""
    wrong = failing(right(service.course.load("small")), 1, message="line 3 is wrong.", findings=(RACE,))
    return wrong.model_copy(update={"source": TEXT.decode()})


def test_the_page_of_a_dry_run_is_its_report(service, ada):
    """The page of a dry run shows the causes next to the source, whose blamed lines are marked, as the page of an
    attempt does. The editor lists the remarks about lines of the file that was tried.
    """
    service.tried(racing(service), data=TEXT)
    shown = ada.get(TRY).text
    assert '<div class="code-line marked" id="L3">' in shown
    assert 'href="/static/workspace.css' in shown
    editor = ada.get(f"{TRY}/edit").text
    assert "Found in your try" in editor
    assert re.findall(r'data-line="(\d+)"', editor) == ["3", "13", "17"]


def test_the_headline_of_a_dry_run_says_that_no_hidden_check_ran(tmp_path):
    """A dry run makes no hidden check, so its points are out of those of the shown checks, and no outcome is announced
    for the time after the release.
    """
    service = Service(tmp_path, hiding_course(tmp_path / "course", "sanitizer"))
    assignment = service.course.load("small")
    unmade = withheld(right(assignment), assignment)
    checks = [UNMADE.skip(each) if each.reason is Reason.HIDDEN else each for each in unmade.checks]
    service.tried(replace(unmade, checks=tuple(checks)))
    for path in (TRY, f"{TRY}/report"):
        shown = " ".join(visible(service.browser("ada").get(path)).split())
        assert f"{unmade.points:g} / {unmade.points:g} points ✓ passed Every visible check passed." in shown
        assert "Hidden checks are not part of a try. They run when you hand in, for 3 more points." in shown
        assert "release" not in shown
    service.database.close()


@pytest.mark.whole
def test_in_a_browser_the_editor_marks_the_lines_that_were_tried(tmp_path, browser):
    """After Try, the editor marks the lines that are wrong, also if lines were added above them meanwhile. A further
    try replaces the marks.
    """
    with opened(tmp_path) as service, driving(browser, service, "ada") as driven:
        driven.open(f"{service.origin}{PAGE}/edit")
        driven.wait("document.querySelector('.CodeMirror') !== null")
        driven.say(f"{EDITOR}.setValue({json.dumps(TEXT.decode())})")
        driven.say("document.getElementById('try').click()")
        driven.wait("document.getElementById('now')?.textContent === 'Waiting for a station'")
        driven.say(f"{EDITOR}.replaceRange('// new\\n', {{line: 0, ch: 0}})")
        tried = service.course.load("small")
        service.finish(service.claim(), ready_dry_run(racing(service), tried))
        driven.wait("document.querySelector('#remarks [data-line]') !== null")
        assert driven.say(MARKED) == [4, 14, 18]
        assert driven.say("document.querySelectorAll('#dry-run .code-line.marked').length") == 3
        driven.say("document.querySelector('#remarks [data-line]').click()")
        assert driven.say(f"{EDITOR}.getCursor().line + 1") == 4
        driven.say("document.getElementById('try').click()")
        driven.wait("document.getElementById('now')?.textContent === 'Waiting for a station'")
        service.finish(service.claim(), ready_dry_run(right(tried), tried))
        driven.wait("document.querySelector('#remarks [data-line]') === null")
        assert driven.say(MARKED) == []
        assert errors(driven) == []
