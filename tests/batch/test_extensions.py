"""extensions.py: extra time or attempts for one student, and the error message for each invalid line."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from fake_workforce import handin, intake

from grader.batch.extensions import EXTENSIONS, read_extensions
from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import read_date
from grader.lms.intake.people import everybody

HEAD = "student,assignment,due,extra,attempts,comment\n"
DUE = {"timezone": "Europe/Berlin", "due": read_date("2026-12-01T23:59")}


@pytest.fixture
def read(tmp_path, transposition):
    """Return a function that reads an extensions file for Anna, Bob, and Carol, who handed in nothing."""

    def read(text, **policies):
        (tmp_path / EXTENSIONS).write_text(text)
        found = intake(handin("anna"), handin("bob", b"b"), absent=("carol",))
        return read_extensions(tmp_path, everybody(found, ()), {"coalsTransp": replace(transposition, **policies)})

    return read


def test_each_way_to_extend(read):
    """An extension can be a date with or without an offset, a time in one of several units, or a number of attempts.

    The student does not need to have handed in anything.
    """
    found, others = read(
        f"{HEAD}anna,coalsTransp,2026-12-05 23:59,,,ill\nbob,coals-transp,,2 days,,\nCarol,coalsTransp,,,+3,\n", **DUE
    )
    assert others == ()
    assert found == {
        ("anna", "coalsTransp"): Extension(due=read_date("2026-12-05T23:59")),
        ("bob", "coalsTransp"): Extension(extra=timedelta(days=2)),
        ("carol", "coalsTransp"): Extension(attempts=3),
    }
    found, _ = read(f"{HEAD}anna,coalsTransp,2026-12-02T00:00Z,,2,\nbob,coalsTransp,,90 Min,,\n", **DUE)
    assert found["anna", "coalsTransp"] == Extension(due=datetime(2026, 12, 2, tzinfo=UTC), attempts=2)
    assert found["bob", "coalsTransp"].extra == timedelta(minutes=90)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ana,coalsTransp,,1 day,,", "line 2: no single student matches 'ana'; did you mean anna?"),
        (",coalsTransp,,1 day,,", "no single student matches ''"),
        ("anna,coalsTransp,,,,", "line 2: the line has no extension"),
        (
            "anna,coalsTransp,2026-12-05 23:59,1 day,,",
            "the line has both a new due date and extra time; keep one of them.",
        ),
        ("anna,coalsTransp,5.12.2026,,,", "due: '5.12.2026' is not a date with a time; write one such as"),
        ("anna,coalsTransp,2026-12-05,,,", "due: '2026-12-05' is not a date with a time"),
        ("anna,coalsTransp,2026-11-31 12:00,,,", "due: '2026-11-31 12:00' is not a date: day is out of range"),
        ("anna,coalsTransp,2026-12-01 23:59,,,", "is not after the usual due date, 2026-12-01 23:59 CET"),
        ("anna,coalsTransp,,soon,,", "extra is 'soon'; write time such as 2 days, 36 h or 90 min."),
        ("anna,coalsTransp,,-1 day,,", "extra is '-1 day'"),
        ("anna,coalsTransp,,,-1,", "attempts is '-1'; write the number of additional attempts, such as 2."),
        (
            "anna,coalsTransp,,1 d,,\nAnna,coalsTransp,,2 d,,",
            "line 3: anna has two extensions for coalsTransp; keep one.",
        ),
    ],
    ids=range(12),
)
def test_a_line_that_is_not_understood_is_refused(read, line, said):
    """An invalid line is refused before grading starts, because only the student would notice a skipped extension."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read(f"{HEAD}{line}\n", **DUE)
    assert str(caught.value).startswith(f"{EXTENSIONS}, line ")


def test_a_date_without_any_zone_is_refused(read):
    """A date without an offset is refused if the course has no time zone."""
    with pytest.raises(
        InputError,
        match=r"line 2: due: 2026-12-05 23:59 has no time zone; set one in course.yaml, such as `timezone: Europe",
    ):
        read(f"{HEAD}anna,coalsTransp,2026-12-05 23:59,,,\n", due=datetime(2026, 12, 1, tzinfo=UTC))


def test_what_cannot_be_applied_is_told(read):
    """Extensions for other batches and extra time without a due date are reported. Extra attempts need no due date."""
    lines = "anna,blockMMM,,1 d,,\nanna,coalsTransp,,1 d,,\nbob,coalsTransp,,,2,\n"
    _, (foreign, undated) = read(f"{HEAD}{lines}")
    assert (foreign.where, foreign.why) == (f"{EXTENSIONS}, line 2", "not applied: blockMMM is not in this batch.")
    assert undated.where == f"{EXTENSIONS}, line 3"
    assert "coalsTransp has no due date; write `due` in course.yaml" in undated.why


def test_no_file_is_no_extension(tmp_path, transposition):
    """A batch without an extensions file has no extensions."""
    assert read_extensions(tmp_path, everybody(intake(handin("anna")), ()), {"coalsTransp": transposition}) == ({}, ())
