"""Fuzz names and texts from outside, at each place where a result or a batch shows them.

Each report and each file for upload must have a valid format. It may not contain anything that a terminal, a browser or
a spreadsheet would execute.
"""

import csv
import io
import json
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import islice, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import strategies as st
from project import ROOT
from samples import BUILD, DEVICE, ERROR_MAP, PROFILE, RACE, SLOW, check, failed, result
from schemas.code_quality import Report as CodeQuality
from schemas.gradescope import Results
from schemas.sarif import Log
from student_rows import gradebook

from grader.cli import main as cli
from grader.course.submissions.handin import Absence, HandIn, Intake, Student
from grader.lms.exports.canvas import canvas_gradebook
from grader.lms.exports.feedback import comment, feedback_zip
from grader.lms.exports.grades import grades_csv
from grader.lms.exports.moodle import moodle_worksheet
from grader.lms.exports.sheet import DELIMITERS, read_sheet
from grader.lms.intake.labels import labels
from grader.lms.intake.owners import Owner
from grader.lms.intake.reading.listing import remark
from grader.lms.intake.summary import tell
from grader.protocol.messages import DeviceFacts
from grader.protocol.text import UNSHOWABLE
from grader.reports import REPORTS, overview_page, terminal
from grader.reports.junit import render_batch
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.metrics import Usage
from grader.results.result import Result, Ungraded

from .search import Target
from .source import BLANKS, pieces, repeated, repeating

SIZES = tuple(64 * 2**power for power in range(11))
"""Sizes up to 64 KiB."""

TRAPS = (
    *("<fuzz onfuzz=1>", '"><fuzz>', "' onfuzz='1", '" onfuzz="1', "]]><fuzz/>", "-->", "<!--"),
    *("</script><fuzz>", "{{1}}", "javascript:fuzz", "&lt;fuzz&gt;", "&#60;fuzz&#62;", "&amp", "<", ">", "&"),
    *('"', "'", "`", "</style><fuzz>", "{%", "%}", "=1+1", "+1", "-1", "@SUM(1)", "\uff1d1", "x;=1+1"),
    *("x\t=1+1", "x,=1+1", 'x";=1+1', "x\n=1+1", "x|=1", ";", ",", "\t=", "\x1b[31m", "\x1b]0;x\x07", "\x07"),
    *("\x08", "\x00", "\x7f", "\x9b31m", "\u202e", "\u2066", "\u200b", "\ufeff", "\ufffe", "../", "..", "/"),
    *("\\", "con", "nul.txt", ".", "~", "C:", "a" * 300, "%2e", "line 2", "line 9999999999", "[red]", "[/]"),
    *("kernels.cl", "Ada", "e\u0301", "\U0001d54f", "\u2028", "\u0661", "\xb2", "\x85", "(4711)", "__", "#"),
    *("--help", "-", "|", ":"),
)

PLACES = (
    *("student", "key", "label", "where", "fault", "submission", "check", "message", "detail", "cause"),
    *("finding", "place", "source", "title", "kernel", "buffer", "array", "device", "package", "sandbox"),
    *("remark", "same as", "part"),
)

RECIPES = st.fixed_dictionaries({"place": st.sampled_from(PLACES), **repeating(pieces(TRAPS, TRAPS, BLANKS))})


@dataclass(frozen=True, kw_only=True)
class Named:
    """A result, a failed grading and a batch with both, all with the fuzzed text at one place."""

    text: str
    result: Result
    ungraded: Ungraded
    book: Gradebook


def make(recipe: dict[str, str], size: int) -> Named:
    """Return the records that a recipe makes."""
    text = repeated(recipe, size)
    words = {place: text if place == recipe["place"] else place for place in PLACES}
    outcome = _result(words)
    ungraded = Ungraded(assignment="coalsTransp", submission=words["submission"], fault=words["fault"])
    student = Student(label=words["label"], name=words["student"], key=words["key"])
    grade = grade_of(outcome)
    row = StudentRow(
        student=student,
        assignment="coalsTransp",
        where=words["where"],
        grade=grade,
        shown=grade,
        same_as=(words["same as"],),
    )
    fault = StudentRow(
        student=replace(student, label=f"{student.label}2", key="7"), assignment="coalsTransp", fault=words["fault"]
    )
    book = gradebook(row, fault, StudentRow(student=Student(label="z", name="z", key="8"), assignment="coalsTransp"))
    parts = {"coalsTransp": (outcome.checks[0].part,)}
    book = replace(
        book, parts=parts, titles={"coalsTransp": words["title"]}, unplaced=(remark(words["remark"], words["remark"]),)
    )
    return Named(text=text, result=outcome, ungraded=ungraded, book=book)


def _result(words: Mapping[str, str]) -> Result:
    place = RACE.places[0].model_copy(update={"text": words["place"], "words": words["place"]})
    finding = RACE.model_copy(
        update={"message": words["finding"], "cause": words["finding"], "places": (place, *RACE.places[1:])}
    )
    wrong = failed(
        words["check"],
        message=words["message"],
        detail=words["detail"],
        cause=words["cause"],
        findings=(finding,),
        error_map=ERROR_MAP.model_copy(update={"buffer": words["buffer"]}),
        usage=(Usage(kernel=words["kernel"], registers=255, in_memory=96, spilled=132, local=8448),),
    )
    accesses = tuple(each.model_copy(update={"array": words["array"]}) for each in PROFILE.accesses)
    part = words["part"] if words["part"] != "part" else ""
    checks = tuple(each.model_copy(update={"part": part}) for each in (BUILD, wrong, check("correctness: two"), SLOW))
    whole = result(
        *checks,
        submission=words["submission"],
        title=words["title"],
        source=words["source"],
        profiles={part: PROFILE.model_copy(update={"accesses": accesses})},
    )
    changes = {
        "device": DeviceFacts(**{**DEVICE.model_dump(), "name": words["device"]}),
        "packages": {words["package"]: words["package"]},
        "sandbox": words["sandbox"],
    }
    return whole.model_copy(update={"provenance": whole.provenance.model_copy(update=changes)})


# --- checks of each format -----------------------------------------------------------------------


class _Page(HTMLParser):
    """Collects elements and attributes of a page that only a text from outside can have added."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.strange: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the elements that the fuzzed texts contain, and attributes that run code."""
        active = [name for name, value in attributes if name.startswith("on") or "script:" in (value or "").casefold()]
        self.strange += [tag] if tag in {"fuzz", "script"} else active


def _page(page: str) -> None:
    assert not _Page(page).strange, "a text became markup"
    _shown(page)


def _shown(text: str) -> None:
    """Check that a text does not move the cursor or reverse the direction of a line."""
    found = UNSHOWABLE.search(text)
    assert found is None, f"a control character is shown: {found and found[0]!r}"


def _json(named: Named) -> None:
    for outcome in (named.result, named.ungraded):
        text = REPORTS["json"](outcome)
        assert type(outcome).model_validate_json(text) == outcome
        json.loads(text)


def _junit(named: Named) -> None:
    for outcome in (named.result, named.ungraded):
        assert ElementTree.fromstring(REPORTS["junit"](outcome)).tag == "testsuites"


def _batch(named: Named) -> None:
    root = ElementTree.fromstring(
        render_batch([(named.book.rows[0].student.label, named.result), ("b", named.ungraded)])
    )
    assert len(list(root.iter("testsuite"))) == 2


def _html(named: Named) -> None:
    for outcome in (named.result, named.ungraded):
        _page(REPORTS["html"](outcome))


def _overview(named: Named) -> None:
    labels_of = {(row.student.label, row.assignment): f"students/{row.student.label}/x.html" for row in named.book.rows}
    _page(overview_page(named.book, labels_of).text)


def _terminal(named: Named) -> None:
    text = terminal.render(named.result, width=80, color=False)
    _shown(text)
    for outcome in (named.result, named.ungraded):
        line = terminal.summary(named.text, outcome)
        _shown(line)
        assert len(line.splitlines()) == 1


def _gradescope(named: Named) -> None:
    for outcome in (named.result, named.ungraded):
        _shown(json.loads(REPORTS["gradescope"](outcome))["output"])
    Results.model_validate_json(REPORTS["gradescope"](named.result))


FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters of a cell that a spreadsheet may run."""


def _issues(named: Named) -> None:
    for outcome in (named.result, named.ungraded):
        for log in (REPORTS["sarif"](outcome), REPORTS["code_quality"](outcome)):
            _shown(log)
        Log.model_validate_json(REPORTS["sarif"](outcome))
        CodeQuality.model_validate_json(REPORTS["code_quality"](outcome))


def _harmless(cells: Iterable[str]) -> None:
    """Check that a spreadsheet would not run any of the cells."""
    for cell in cells:
        assert not cell.strip().startswith(FORMULA) or _is_number(cell), f"a spreadsheet runs {cell[:40]!r}"
        _shown(cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _grades(named: Named) -> None:
    text = grades_csv(named.book).removeprefix("\ufeff")
    heading, *rows = _rows(text)
    assert [len(row) for row in rows] == [len(heading)] * len(named.book.rows)
    for delimiter in DELIMITERS:  # a spreadsheet chooses its delimiter by the country of its user
        for row in _rows(text, delimiter):
            _harmless(row)


def _rows(text: str, delimiter: str = ",") -> list[list[str]]:
    """Read a CSV without the limit on the length of a field. The limit applies to the whole process, so it
    is restored.
    """
    before = csv.field_size_limit(len(text) + 1)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    finally:
        csv.field_size_limit(before)


def _moodle(named: Named) -> None:
    sheet = _sheet("Identifier", f"Participant {named.book.rows[0].student.key}", "Grade", "Feedback comments")
    if sheet is not None:
        filled = read_sheet("x.csv", moodle_worksheet(sheet, named.book.rows).data)
        assert [len(line.cells) for line in filled.lines] == [len(line.cells) for line in sheet.lines]
        _harmless(line.value(3) for line in filled.lines)
    said = comment(named.book.rows[0])
    assert not _Page(said).strange, "a text became markup"
    assert len(said.splitlines()) <= 1


def _sheet(first: str, key: str, grade: str, *more: str):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([first, "Full name", grade, *more])
    writer.writerow([key, "x", "", *("" for _ in more)])
    try:
        return read_sheet("x.csv", file.getvalue().encode())
    except UnicodeEncodeError:
        return None


def _canvas(named: Named) -> None:
    sheet = _sheet("Student", "x", "ID", "coalsTransp (4711)")
    key = named.book.rows[0].student.key or ""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([sheet.headings, ["x", "x", key, ""]])
    filled = read_sheet(
        "x.csv", canvas_gradebook(read_sheet("x.csv", file.getvalue().encode()), named.book, "coalsTransp").data
    )
    assert {len(line.cells) for line in filled.lines} == {4}


def _feedback(named: Named) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "feedback.zip"
        feedback_zip(path, [(replace(row.student, key="7"), "x.html", b"") for row in named.book.rows])
        for name in zipfile.ZipFile(path).namelist():
            assert [bool(part.strip(". ")) for part in name.split("/")] == [True, True], name
            assert "\\" not in name
            assert len(name.partition("/")[0].encode()) < 255
            _shown(name)


def _telling(named: Named) -> None:
    student = named.book.rows[0].student
    handin = HandIn(student=student, assignment="coalsTransp", where=named.text, data=b"", late=True)
    twin = replace(handin, student=Student(label="b", name="b"))
    absence = Absence(student=Student(label=named.text, name=named.text), assignment="blockMMM")
    remarks = (remark(named.text, named.text), remark([named.text] * 5, "x"))
    _shown(tell(Intake(shape="x", handins=(handin, twin), absences=(absence,), unplaced=remarks, remarks=remarks)))


def _labels(named: Named) -> None:
    """Check the labels of many people whose names differ only in characters that a folder's name may not contain."""
    lead = named.text[:40]
    endings = map("".join, product(':"?*<>|', repeat=5))
    owners = [Owner(name=f"{lead}{ending}") for ending in islice(endings, len(named.text) // 4)] or [
        Owner(name=named.text)
    ]
    found = labels([*owners, Owner(name=named.text)])
    assert len({each.casefold() for each in found.values()}) == len(found)
    for label in found.values():
        assert label not in {"", ".", ".."}
        assert not set(label) & set("/\\\0")
        assert len(label.encode()) < 200
        _shown(label)


LONGEST = 2000
"""Most characters of an argument. The limit exists because an error message shows the argument to people."""


def _command(named: Named) -> None:
    """Run commands with the fuzzed text as the name of a missing file and as the name of an assignment."""
    text = named.text[:LONGEST].replace("\0", "")
    for words in (["grade", "--assignment", "coalsTransp", "--", f"/nowhere/{text}"], ["show", "--", f"x{text}"]):
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
            patch.setattr(sys, "argv", ["grader", *words])
            patch.setattr(cli, "interrupt_on", lambda *_: None)
            patch.setenv("GRADER_COURSE", str(ROOT))
            with pytest.raises(SystemExit):
                cli.main()
        assert "Traceback" not in said.getvalue(), "a traceback is shown"
        _shown(said.getvalue())


STEPS: dict[str, Callable[[Named], Any]] = {
    "json": _json,
    "junit": _junit,
    "junit batch": _batch,
    "html": _html,
    "overview": _overview,
    "terminal": _terminal,
    "gradescope": _gradescope,
    "issues": _issues,
    "grades": _grades,
    "moodle": _moodle,
    "canvas": _canvas,
    "feedback": _feedback,
    "telling": _telling,
    "labels": _labels,
    "command": _command,
}

TARGET = Target(recipes=RECIPES, make=make, steps=STEPS, sizes=SIZES)
