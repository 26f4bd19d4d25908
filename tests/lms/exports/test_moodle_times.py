"""moodle_times.py: reading the times of hand-ins from worksheets in several languages."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.lms.exports.moodle import submitted
from grader.lms.exports.moodle_times import MODIFIED, read_moodle_time
from grader.lms.exports.sheet import read_sheet


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wednesday, 10 June 2026, 2:14 PM", "2026-06-10T14:14"),
        ("Wednesday, June 10, 2026, 12:05 AM", "2026-06-10T00:05"),
        ("Wednesday, 10 June 2026, 12:05 p.m.", "2026-06-10T12:05"),
        ("Mittwoch, 10. Juni 2026, 14:14", "2026-06-10T14:14"),
        ("Sonntag, 1. März 2026, 09:03", "2026-03-01T09:03"),
        ("mercredi 10 juin 2026, 14:14", "2026-06-10T14:14"),
        ("mardi 4 août 2026, 23:59", "2026-08-04T23:59"),
        ("miércoles, 10 de junio de 2026, 14:14", "2026-06-10T14:14"),
        ("quarta-feira, 10 de junho de 2026, 14:14", "2026-06-10T14:14"),
        ("-", None),
        ("", None),
        ("středa, 10. června 2026, 14.14", None),
        ("Wednesday, 31 June 2026, 2:14 PM", None),
        ("Wednesday, 10 June 2026", None),
    ],
    ids=range(14),
)
def test_dates_are_read_in_five_languages(text, expected):
    """Dates are read in five languages. For any other form, the result is None rather than a guess."""
    assert read_moodle_time(text) == (None if expected is None else datetime.fromisoformat(expected))


@given(st.text(max_size=200))
def test_no_text_is_trouble(text):
    """For any text in a cell, the result is None or a time without a zone."""
    found = read_moodle_time(text)
    assert found is None or found.tzinfo is None


@pytest.mark.parametrize("heading", MODIFIED)
def test_a_worksheet_tells_when_each_handed_in(heading):
    """The times of hand-ins are read in the language of the download. A dash means that nothing was handed in."""
    rows = ('Participant 7,"Monday, 7 December 2026, 8:00 AM"', "Participant 8,-")
    sheet = read_sheet("w.csv", "\r\n".join((f"Identifier,{heading}", *rows, "")).encode())
    assert submitted(sheet) == {"7": datetime.fromisoformat("2026-12-07T08:00")}


def test_a_worksheet_without_that_column_tells_nothing():
    """A worksheet without the column for times yields no times."""
    assert submitted(read_sheet("w.csv", b"Identifier,Grade\r\nParticipant 7,\r\n")) == {}
