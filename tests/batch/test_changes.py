"""changes.py: the summary of what a run changed in files and grades."""

from gradebooks import grade, gradebook, mark, row

from grader.batch.changes import NAMES, files_in_words, grades_in_words, stands_of
from grader.batch.outputs import Changes
from grader.batch.store import Stand


def changes(**what):
    return Changes(**{"written": (), "same": (), "removed": (), "kept": {}, **what})


def test_files_are_named_and_students_reports_by_student():
    """Changed files are listed by name, with reports grouped by student. A long list ends with the number of further
    files.
    """
    reports = tuple(f"students/s{i}/a.{ending}" for i in range(NAMES + 5) for ending in ("html", "xml"))
    words = files_in_words(changes(written=(*reports[:4], "grades.csv"), same=("x",), removed=reports))
    first, second = words.splitlines()
    assert first == "5 files written (students/s0/*, students/s1/*, grades.csv); 1 as before."
    assert second.endswith(f"students/s{NAMES - 1}/*, 5 more).")


def test_edited_files_are_named():
    """Edited files are listed by their new names. If there are many, as in another program's folder, the others are
    counted.
    """
    assert "a.csv had been edited since the last run; the edited file is now a.edited.csv." in files_in_words(
        changes(kept={"a.csv": "a.edited.csv"})
    )
    many = files_in_words(changes(kept={f"{i}.csv": f"{i}.edited.csv" for i in range(NAMES + 7)}))
    assert len(many.splitlines()) == 1 + NAMES + 1
    assert "7 more had been edited, or existed before the first run" in many


def test_grades_are_told_by_student():
    """Each changed grade is reported in a line. If no grade changed, one sentence says so; a first run reports none."""
    now = stands_of(gradebook(row("ada", grade(mark())), row("bob"), row("cem", fault="no device")))
    assert [each.words for each in now] == ["5 of 5 points", "nothing handed in", "not graded"]
    assert grades_in_words(None, now) == ""
    assert grades_in_words(now, now) == "No grade has changed since the last run."
    before = (Stand(label="ada", assignment="coalsTransp", words="3 of 5 points"), *now[1:])
    assert grades_in_words(before, now) == (
        "Changed since the last run:\n  ada, coalsTransp: 3 of 5 points before, 5 of 5 points now"
    )
