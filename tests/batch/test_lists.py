"""lists.py: an instructor's corrections are applied last and appear in every file that contains points."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from fake_workforce import handin, intake, student
from hidden_parts import WITHOUT_POINTS, Batch, points_in

from grader.batch.lists import CORRECTIONS, EXTENSIONS, read_corrections, read_extensions
from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import read_date
from grader.lms.intake.roster import everybody
from grader.results.withholding import released

HEAD = "student,assignment,points,comment\n"

FIELDS = "student,assignment,due,extra,attempts,comment\n"
DUE = {"timezone": "Europe/Berlin", "due": read_date("2026-12-01T23:59")}


@pytest.fixture
def read(tmp_path, transposition):
    """Return a function that reads a corrections file for Anna, Bob, and Carol, who handed in nothing."""

    def read(text, encoding="utf-8"):
        (tmp_path / CORRECTIONS).write_text(text, encoding)
        found = intake(handin("anna"), handin("bob", b"b"), absent=("carol",))
        return read_corrections(tmp_path, everybody(found, ()), {"coalsTransp": transposition})

    return read


@pytest.mark.parametrize(
    ("points", "earned", "corrected"),
    [("80", 30, 80), ("+5", 30, 35), ("-2,5", 30, 27.5), ("\u22125", 30, 25), ("+1", 100, 101), ("-40", 30, 0)],
)
def test_points_are_what_a_grade_is_to_be_or_a_difference(read, points, earned, corrected):
    """Points without a sign replace the grade, and signed points are added to it.

    A grade cannot fall below zero, but a bonus can raise it above full points.
    """
    orders, others = read(f'{HEAD}anna,coals-transp,"{points}",because\n')
    assert others == ()
    order = orders["anna", "coalsTransp"]
    assert (order.amount.points(earned, 100), order.comment) == (corrected, "because")


def test_a_spreadsheet_may_have_saved_it(read):
    """The delimiter and encoding of a spreadsheet program are accepted. Letter case and empty lines are ignored."""
    orders, _ = read("Student;Assignment;Points\n;;\nAnna;coalsTransp;12,5\n", "utf-16")
    assert orders["anna", "coalsTransp"].amount.to == 12.5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ana,coalsTransp,5,", "line 2: no single student matches 'ana'; did you mean anna?"),
        (",coalsTransp,5,", "no single student matches ''"),
        ("anna,coalsTransp,lots,", "points are 'lots'; write points such as 80, +5 or -2.5."),
        ("anna,coalsTransp,,", "points are ''"),
        ("anna,coalsTransp,101,", "101 points exceed the 100 points of coalsTransp"),
        ("anna,coalsTransp,+900,", "900 points exceed the 100 points of coalsTransp"),
        ("anna,coalsTransp,5,\nanna,coalsTransp,6,", "line 3: anna has two corrections for coalsTransp; keep one."),
    ],
)
def test_a_line_that_is_not_understood_is_refused(read, line, said):
    """An invalid line is refused before grading starts, because only the student would notice a skipped correction."""
    with pytest.raises(InputError, match=re.escape(said)):
        read(f"{HEAD}{line}\n")


def test_corrections_of_another_assignment_wait(read):
    """A correction for another batch's assignment is reported but not applied, because batches may share a folder."""
    orders, (remark,) = read(f"{HEAD}anna,blockMMM,5,\n")
    assert orders == {}
    assert remark.why == "not applied: blockMMM is not in this batch."


def test_no_file_is_no_correction(tmp_path, transposition):
    """A batch without a corrections file has no corrections."""
    assert read_corrections(tmp_path, everybody(intake(handin("anna")), ()), {"coalsTransp": transposition}) == ({}, ())
    assert student("anna").label == "anna"


@pytest.mark.parametrize(("points", "added"), [("-3", -3), ("12", None)])
def test_a_correction_stands_in_every_file_with_points(tmp_path, points, added):
    """A correction and its comment appear in every file that contains points, also after another run.

    If the corrections file is deleted, the next run restores the earlier grades.
    """
    batch = Batch(tmp_path, "practice")
    batch.run(view=released)
    before = batch.whole.points
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), before))
    after = before + added if added else 12
    (batch.folder / "out" / CORRECTIONS).write_text(f"{HEAD}7,small,{points},told me of it\n")
    for _ in range(2):
        batch.run(view=released)
        assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), after))
        words = f"Corrected by the instructor: {after - before:+g} points (told me of it)."
        of_student = (data for name, data in batch.for_students().items() if not name.endswith(WITHOUT_POINTS))
        for data in (*of_student, batch.moodle()["Feedback comments"].encode()):
            assert words in data.decode() or '"comment": "told me of it"' in data.decode()
        for name in ("index.html", "batch.xml"):
            assert words in batch.read(name)
    assert batch.said[-1] == "No grade has changed since the last run."
    (batch.folder / "out" / CORRECTIONS).unlink()
    batch.run(view=released)
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), before))


def test_a_bonus_on_full_points_stands_in_every_file_with_points(tmp_path):
    """A bonus on top of full points appears in every file as the points that it adds, not as +0.

    The run asks the instructor to check that the platform accepted a grade above the maximum.
    """
    batch = Batch(tmp_path, "practice")
    right = batch.right()
    batch.whole = batch.whole.model_copy(update={"checks": right.checks, "points": right.points})
    full = batch.whole.points
    assert full == batch.whole.max_points
    (batch.folder / "out").mkdir()
    (batch.folder / "out" / CORRECTIONS).write_text(f"{HEAD}7,small,+1,a bonus\n")
    batch.run(view=released)
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), full + 1))
    assert "Corrected by the instructor: +1 points (a bonus)." in batch.read("batch.xml")
    assert any("has more than full points" in line for line in batch.said)


def test_what_is_decided_by_hand_tells_nothing_of_hidden_checks(tmp_path):
    """Neither corrected points nor the difference printed with them reveal the outcome of hidden checks."""
    told = []
    for name, earned in (("failed", None), ("passed", 1)):
        batch = Batch(tmp_path / name, "case")
        if earned:
            batch.whole = batch.whole.model_copy(
                update={"checks": batch.right().checks, "points": batch.right().points}
            )
        (batch.folder / "out").mkdir()
        (batch.folder / "out" / CORRECTIONS).write_text(f"{HEAD}7,small,12,by hand\n")
        batch.run()
        told.append((batch.for_students(), batch.read("moodle-worksheet.csv"), batch.read("canvas-gradebook.csv")))
        assert batch.uploaded() == [12.0, 12.0]
        assert batch.moodle()["Feedback comments"].startswith("grader: 12 of 24 points.")
    assert told[0] == told[1]


@pytest.fixture
def read_given(tmp_path, transposition):
    """Return a function that reads an extensions file for Anna, Bob, and Carol, who handed in nothing."""

    def read_given(text, **policies):
        (tmp_path / EXTENSIONS).write_text(text)
        found = intake(handin("anna"), handin("bob", b"b"), absent=("carol",))
        return read_extensions(tmp_path, everybody(found, ()), {"coalsTransp": replace(transposition, **policies)})

    return read_given


def test_each_way_to_extend(read_given):
    """An extension can be a date with or without an offset, a time in one of several units, or a number of attempts.

    The student does not need to have handed in anything.
    """
    found, others = read_given(
        f"{FIELDS}anna,coalsTransp,2026-12-05 23:59,,,ill\nbob,coals-transp,,2 days,,\nCarol,coalsTransp,,,+3,\n",
        **DUE,
    )
    assert others == ()
    assert found == {
        ("anna", "coalsTransp"): Extension(due=read_date("2026-12-05T23:59")),
        ("bob", "coalsTransp"): Extension(extra=timedelta(days=2)),
        ("carol", "coalsTransp"): Extension(attempts=3),
    }
    found, _ = read_given(f"{FIELDS}anna,coalsTransp,2026-12-02T00:00Z,,2,\nbob,coalsTransp,,90 Min,,\n", **DUE)
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
def test_an_extension_that_is_not_understood_is_refused(read_given, line, said):
    """An invalid line is refused before grading starts, because only the student would notice a skipped extension."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        read_given(f"{FIELDS}{line}\n", **DUE)
    assert str(caught.value).startswith(f"{EXTENSIONS}, line ")


def test_a_date_without_any_zone_is_refused(read_given):
    """A date without an offset is refused if the course has no time zone."""
    with pytest.raises(
        InputError,
        match=r"line 2: due: 2026-12-05 23:59 has no time zone; set one in course.yaml, such as `timezone: Europe",
    ):
        read_given(f"{FIELDS}anna,coalsTransp,2026-12-05 23:59,,,\n", due=datetime(2026, 12, 1, tzinfo=UTC))


def test_what_cannot_be_applied_is_told(read_given):
    """Extensions for other batches and extra time without a due date are reported. Extra attempts need no due date."""
    lines = "anna,blockMMM,,1 d,,\nanna,coalsTransp,,1 d,,\nbob,coalsTransp,,,2,\n"
    _, (foreign, undated) = read_given(f"{FIELDS}{lines}")
    assert (foreign.where, foreign.why) == (f"{EXTENSIONS}, line 2", "not applied: blockMMM is not in this batch.")
    assert undated.where == f"{EXTENSIONS}, line 3"
    assert "coalsTransp has no due date; write `due` in course.yaml" in undated.why


def test_no_file_is_no_extension(tmp_path, transposition):
    """A batch without an extensions file has no extensions."""
    assert read_extensions(tmp_path, everybody(intake(handin("anna")), ()), {"coalsTransp": transposition}) == ({}, ())
