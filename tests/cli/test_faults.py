"""faults.py and grading.py: commands report faults of the grader that do not affect points."""

import dataclasses
from pathlib import Path

import pytest
from samples import BUILD, failed, result

from grader import reports
from grader.cli.commands.grade import ReportOptions
from grader.cli.faults import SHOWN, told_at_the_end
from grader.cli.grading import Grading
from grader.common.optional import OptionalWork
from grader.reports.terminal import render
from grader.results.withholding import withheld

OUTCOME = result(BUILD, failed("correctness: one"))


@pytest.fixture
def told(tmp_path, transposition):
    """A grading whose reports are written to a folder."""
    files = {"junit": tmp_path / "report.xml", "json": tmp_path / "result.json", "html": tmp_path / "page.html"}
    options = ReportOptions(files=files)
    return Grading(coursework=transposition, arguments="", seed=1, view=withheld, draw=render, write=options.write)


def test_a_report_that_cannot_be_made_costs_no_other(told, tmp_path, monkeypatch, capsys):
    """If a report fails, the grade and the other reports are complete, and the last line names the missing file."""
    monkeypatch.setitem(reports.REPORTS, "junit", lambda _: 1 / 0)
    lost = told.tell(OUTCOME)
    assert [fault.lost for fault in lost] == [f"the file {tmp_path / 'report.xml'}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "result.json"]
    said = capsys.readouterr()
    assert "0 / 5" in said.out
    assert said.err.endswith("report.xml is missing: the grader failed. The grade is not affected.\n")


def test_a_file_that_cannot_be_written_is_one_that_is_missing(told, tmp_path, capsys):
    """A report whose folder disappears during the grading counts as missing, and the other reports are written."""
    options = ReportOptions(files={"junit": tmp_path / "gone" / "report.xml", "json": tmp_path / "result.json"})
    lost = options.write(OUTCOME)
    assert [Path(fault.lost).name for fault in lost] == ["report.xml"]
    assert "InputError: cannot write" in lost[0].traceback
    assert (tmp_path / "result.json").exists()
    assert told.tell(OUTCOME) == ()
    assert capsys.readouterr().err == ""


def test_a_grade_is_shown_even_if_its_report_fails(told, capsys):
    """If the report for the terminal fails, the points are still printed, with a line about the missing report."""
    dataclasses.replace(told, draw=lambda *_, **__: 1 / 0).tell(OUTCOME)
    said = capsys.readouterr().out
    assert said.startswith("Coalesced transposition: 0 of 5 points.\n")
    assert "The report is missing: the grader failed. The grade is not affected." in said


def test_tracebacks_come_after_the_report_and_are_few(capsys):
    """Tracebacks are printed after the report. Only the first few are printed, because many usually have one cause."""
    with told_at_the_end():
        for _ in range(SHOWN + 2):
            with OptionalWork("a figure"):
                divmod(1, 0)
        assert capsys.readouterr().err == ""
    said = capsys.readouterr().err
    assert said.count("ZeroDivisionError") == SHOWN
    last = f"grader: {SHOWN + 2} faults in grader itself; no points were lost. Please report the lines above.\n"
    assert said.endswith(last)
    with told_at_the_end():
        pass
    assert capsys.readouterr().err == ""
