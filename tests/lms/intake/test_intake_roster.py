"""roster.py: students on a roster who did not hand in are in every list, and names get their keys."""

import downloads
import pytest
from downloads import source
from intake_findings import lines

from grader.common.errors import InputError
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.lms.intake import take_in
from grader.lms.intake.owners import Owner
from grader.lms.intake.roster import read_roster

KERNEL = source("coalsTransp")
PEOPLE = [("Ada Lovelace", "7", {"coalsTransp": KERNEL}), ("Bob Late", "8", {"coalsTransp": KERNEL + b" "})]
WORKSHEET = (
    "Identifier,Full name,Grade\nParticipant 7,Ada Lovelace,\nParticipant 9,Eve Away,\nParticipant 8,Bob Late,\n"
)
GRADEBOOK = (
    'Student,ID,SIS Login ID,Section,T (1)\n    Points Possible,,,,10\n"Lovelace, Ada",7,a,A,\n'
    '"Away, Eve",9,e,A,\n"Late, Bob",8,b,A,\n"Student, Test",99,,A,\n'
)
MOODLE = MoodleWorksheet(sheet=read_sheet("w.csv", WORKSHEET.encode())).roster()
CANVAS = CanvasGradebook(sheet=read_sheet("g.csv", GRADEBOOK.encode())).roster()


@pytest.mark.parametrize(
    ("write", "name", "roster"),
    [
        (downloads.moodle, "m.zip", MOODLE),
        (downloads.canvas, "c.zip", CANVAS),
        (downloads.folders, "f", MOODLE),
        (downloads.folders, "f", CANVAS),
        (downloads.checkouts, "r", MOODLE),
    ],
)
def test_everybody_is_listed_once(write, name, roster, tmp_path, transposition):
    """Each student is listed once: by the platform's key or, in a folder, by name in either order of its parts."""
    intake = take_in(write(tmp_path / name, PEOPLE), (transposition,), roster)
    assert sorted(each.student.key for each in intake.handins) == ["7", "8"]
    (absence,) = intake.absences
    assert (absence.student.key, absence.refused) == ("9", "")
    assert intake.remarks == ()


def test_a_list_of_names_is_a_roster(tmp_path, transposition):
    """A list of names is a roster, with or without keys. Empty lines are ignored."""
    (tmp_path / "all.csv").write_text("Student,Key\nAda Lovelace,\nEve Away,\n,\n")
    roster = read_roster(tmp_path / "all.csv")
    assert roster == (Owner(name="Ada Lovelace"), Owner(name="Eve Away"))
    intake = take_in(downloads.folders(tmp_path / "f", PEOPLE), (transposition,), roster)
    assert [each.student.label for each in intake.absences] == ["Eve Away"]
    assert lines(intake.remarks) == "Bob Late: is not on the roster, but is still graded"


def test_a_list_without_names_is_refused(tmp_path):
    """A list without the column or without names raises InputError, because no student would be on the roster."""
    for text, said in (("name\nAda\n", "must contain the column student"), ("student\n", "lists no students")):
        (tmp_path / "all.csv").write_text(text)
        with pytest.raises(InputError, match=said):
            read_roster(tmp_path / "all.csv")
