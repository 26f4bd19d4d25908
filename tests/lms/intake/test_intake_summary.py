"""summary.py: the text that is shown before grading starts."""

from grader.course.submissions.handin import Absence, HandIn, Intake, Remark, Student
from grader.lms.intake.summary import NAMES, WIDTH, tell


def student(label):
    return Student(label=label, name=label)


def handin(label, assignment="blockMMM", data=b"", **more):
    return HandIn(student=student(label), assignment=assignment, where="", data=data or label.encode(), **more)


def test_everything_is_told():
    """The summary contains the form of the download, the counts, late students, identical files and all remarks."""
    intake = Intake(
        shape="a download from Moodle",
        handins=(
            handin("Ada", data=b"1"),
            handin("Bob", data=b"1", late=True),
            handin("Bob", assignment="coalsTransp", data=b"1"),
        ),
        absences=(Absence(student=student("Ada"), assignment="coalsTransp"),),
        unplaced=(Remark(where="x.zip/Eve", why="is a link"),),
        remarks=(Remark(where="x.zip/old.cl", why="is left aside"),),
    )
    assert tell(intake) == (
        "Found a download from Moodle: 3 hand-ins of 2 students.\n"
        "  blockMMM: 2 hand-ins, 0 without\n"
        "  coalsTransp: 1 hand-in, 1 without\n"
        "Late: Bob (blockMMM).\n"
        "Identical files for blockMMM, graded once: Ada, Bob.\n"
        "Nothing to grade for coalsTransp: Ada.\n"
        "Not graded:\n"
        "  x.zip/Eve: is a link.\n"
        "Noted:\n"
        "  x.zip/old.cl: is left aside.\n"
    )


def test_members_of_a_team_are_one_hand_in_of_an_identical_file():
    """The members of a team are listed together as one hand-in. A file that only one team has is not listed."""
    team = [handin(label, data=b"1", team="7") for label in ("Ada", "Zoe")]
    told = tell(Intake(shape="a", handins=(team[0], handin("Bob", data=b"1"), team[1])))
    assert "Identical files for blockMMM, graded once: Ada with Zoe, Bob." in told
    assert "Identical" not in tell(Intake(shape="a", handins=tuple(team)))


def test_nothing_to_say_is_not_said():
    """If there is nothing to report, the summary has two lines."""
    assert tell(Intake(shape="a", handins=(handin("Ada"),))).count("\n") == 2


def test_it_fits_a_terminal():
    """Long names, paths and lists are wrapped to the width of the terminal."""
    many = [student(f"Student with a name of some length {number}") for number in range(NAMES + 13)]
    intake = Intake(
        shape="a folder or file for each student",
        handins=(),
        absences=tuple(Absence(student=each, assignment="blockMMM") for each in many),
        unplaced=(Remark(where="x" * 300, why="y " * 100),),
    )
    text = tell(intake)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert " ".join(text.split()).count("Student with a name") == NAMES
    assert "and 13 more." in " ".join(text.split())
