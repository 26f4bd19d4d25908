"""roster.py: students on a roster who did not hand in are in every list, and names get their keys."""

import downloads
import pytest
from downloads import source, write_folder, write_zip
from intake_findings import lines, missing

from grader.common.errors import InputError
from grader.common.people import AmbiguousPersonError
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.lms.intake import take_all
from grader.lms.intake.owners import Owner
from grader.lms.intake.roster import everybody, read_roster

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

TWO = (Owner(name="Lim, Mei", key="11"), Owner(name="Lim, Mei", key="12"))
MEI = ("Mei Lim", "11", {"coalsTransp": KERNEL})


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
    intake = take_all((write(tmp_path / name, PEOPLE),), (transposition,), roster)
    assert sorted(each.student.key for each in intake.handins) == ["7", "8"]
    (absence,) = intake.absences
    assert (absence.student.key, absence.refused) == ("9", "")
    assert intake.remarks == ()


def test_a_list_of_names_is_a_roster(tmp_path, transposition):
    """A list of names is a roster, with or without keys. Empty lines are ignored."""
    (tmp_path / "all.csv").write_text("Student,Key\nAda Lovelace,\nEve Away,\n,\n")
    roster = read_roster(tmp_path / "all.csv")
    assert roster == (Owner(name="Ada Lovelace"), Owner(name="Eve Away"))
    intake = take_all((downloads.folders(tmp_path / "f", PEOPLE),), (transposition,), roster)
    assert [each.student.label for each in intake.absences] == ["Eve Away"]
    assert lines(intake.remarks) == "Bob Late: is not on the roster, but is still graded"


def test_a_list_without_names_is_refused(tmp_path):
    """A list without the column or without names raises InputError, because no student would be on the roster."""
    for text, said in (("name\nAda\n", "must contain the column student"), ("student\n", "lists no students")):
        (tmp_path / "all.csv").write_text(text)
        with pytest.raises(InputError, match=said):
            read_roster(tmp_path / "all.csv")


@pytest.fixture
def one(transposition):
    return (transposition,)


@pytest.mark.parametrize("roster", [(), TWO], ids=["no roster", "roster"])
def test_a_name_is_looked_for_among_all_people_known(roster, tmp_path, one):
    """A name is looked up among all known people.

    If a gradebook has two people with the same name, the name is ambiguous even if only one of them handed in.
    """
    people = everybody(take_all((downloads.canvas(tmp_path / "c.zip", [MEI]),), one, roster), (roster, TWO))
    with pytest.raises(AmbiguousPersonError, match="key 11 and key 12"):
        people.find("Lim, Mei")
    assert people.find("11").label == people.find("limmei").label == "limmei"
    assert (people.find("12").label is not None) == bool(roster)


def test_a_gradebooks_name_leads_to_who_handed_in(tmp_path, one):
    """A name from a gradebook finds the student's hand-in, although downloads from Canvas have shortened names."""
    people = everybody(take_all((downloads.canvas(tmp_path / "c.zip", [MEI]),), one), (TWO[:1],))
    assert people.find("mei lim").label == "limmei"


@pytest.mark.parametrize("write", [downloads.moodle, downloads.folders])
@pytest.mark.parametrize("keys", [(None, "11"), ("11", None), (None, None), ("11", "11")], ids=str)
def test_a_person_whom_several_lists_have_is_one(write, keys, tmp_path, one):
    """A person who is in several lists, with a key in only some of them, is one person."""
    lists = [(Owner(name=name, key=key),) for name, key in zip(("Lim, Mei", "mei lim"), keys, strict=True)]
    people = everybody(take_all((write(tmp_path / "m", [MEI]),), one, lists[0]), lists)
    assert people.find("LIM, MEI").label == "Mei Lim"
    assert len(people.people) == 1


def test_a_folder_named_as_two_people_is_told(tmp_path, one):
    """A folder whose name fits two people on the roster is graded without a key, and both people are absent."""
    intake = take_all((downloads.folders(tmp_path / "f", [MEI]),), one, TWO)
    assert [each.student.key for each in intake.handins] == [None]
    assert sorted(each.student.key for each in intake.absences) == ["11", "12"]
    assert lines(intake.remarks) == ("Mei Lim: may be key 11 or key 12 on the roster, so it is graded without a key")


@pytest.mark.parametrize("other", ["MEI LIM", "mei lim "])
def test_hand_ins_that_differ_in_case_are_of_one_person(other, tmp_path, one):
    """Folders whose names differ only in case belong to one person.

    If their files differ, they are refused. If the files are equal, one of them counts.
    """
    files = {"Mei Lim/kernels.cl": KERNEL, f"{other}/kernels.cl": KERNEL + b" "}
    intake = take_all((write_folder(tmp_path / "f", files),), one)
    assert intake.handins == ()
    assert len(missing(intake)) == 1
    assert "it is unclear which of them counts; keep one" in lines(intake.unplaced)
    (tmp_path / "f" / other / "kernels.cl").write_bytes(KERNEL)
    assert len(take_all((tmp_path / "f",), one).handins) == 1


METADATA = """---
submission_1:
  :submitters:
  - :name: Zoë Lim
    :email: Zoe.Lim@example.org
  :created_at: 2026-01-02 10:00:00.000000000 Z
submission_2:
  :submitters:
  - :name: Zoë Lim
    :email: zoe.lim@Example.org
  :created_at: 2026-01-03 10:00:00.000000000 Z
"""


def test_a_mail_address_is_one_in_any_case(tmp_path, one):
    """Mail addresses that differ only in case belong to one account, so the later submission counts.

    The address is shown as the platform wrote it.
    """
    files = {"submission_1/kernels.cl": KERNEL, "submission_2/kernels.cl": KERNEL + b" "}
    export = write_zip(tmp_path / "g.zip", {"submission_metadata.yml": METADATA.encode(), **files})
    roster = (Owner(name="Lim, Zo\u00eb", key="ZOE.LIM@EXAMPLE.ORG"),)
    intake = take_all((export,), one, roster)
    (handin,) = intake.handins
    assert handin.data == KERNEL + b" "
    assert handin.student.key == "zoe.lim@Example.org"
    assert intake.absences == ()
    assert "handed in again since" in lines(intake.remarks)


def test_a_key_of_two_names_on_a_roster_is_refused(tmp_path):
    """A key with two names on a roster raises InputError with both lines. One person on two lines is accepted."""
    path = tmp_path / "all.csv"
    path.write_text('student,key\nAda Lovelace,A1\nBob Late,b2\n"Lovelace, Ada",a1\n')
    assert [each.key for each in read_roster(path)] == ["A1", "b2"]
    path.write_text("student,key\nAda Lovelace,A1\nBob Late,a1\n")
    with pytest.raises(InputError, match=r"all\.csv, lines 2 and 3: Ada Lovelace and Bob Late have the same key A1"):
        read_roster(path)
