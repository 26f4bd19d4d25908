"""checkouts.py: a CSV file that lists the working trees of students."""

from datetime import UTC, datetime

import pytest
from downloads import source, write_folder
from intake_findings import complaint, graded, lines, missing

from grader.lms.intake import take_all

TILED, TURNED = source("blockMMM"), source("coalsTransp")


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


@pytest.fixture(scope="session")
def two(product, transposition):
    return (product, transposition)


def taken(tmp_path, text, assignments):
    path = tmp_path / "list.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return take_all((path,), assignments)


@pytest.fixture
def trees(tmp_path):
    return write_folder(
        tmp_path,
        {
            "r/ada/src/kernels.cl": TURNED,
            "r/ada/.git/kernels.cl": b"no",
            "r/bob/kernels.cl": TURNED + b" ",
            "r/bob/README.md": b"x",
            "r/eve.cl": TURNED + b"  ",
            "r/empty/": b"",
        },
    )


@pytest.mark.parametrize(
    "text",
    [
        "student,path\nAda,r/ada\nBob,r/bob\n",
        "\ufeffStudent;PATH\r\nAda;r/ada\r\nBob;r/bob\r\n",
        "path\tstudent\tnote\nr/ada\tAda\thello\nr/bob\tBob\n\n\n",
        '"student", "path"\n"Ada","r/ada"\nBob, r/bob \n',
        "student,path\nAda,r/ada\nBob,r/bob\nBob,r/bob\n",
        "student,path\nAda,r/ada\nBob,r/bob\n".encode("utf-16"),
    ],
)
def test_lists_as_spreadsheets_write_them(text, trees, one):
    """Lists are read with all delimiters, encodings and line ends that spreadsheet programs write."""
    found = graded(taken(trees, text, one))
    assert found == {("Ada", "coalsTransp"): "ada/src/kernels.cl", ("Bob", "coalsTransp"): "bob/kernels.cl"}


def test_names_in_an_older_encoding(trees, one):
    """A list in the encoding that Excel uses in western Europe can be read."""
    intake = taken(trees, "student;path\nZoë;r/ada\n".encode("cp1252"), one)
    assert [each.student.name for each in intake.handins] == ["Zoë"]


def test_paths_are_taken_as_they_are_written(trees, one):
    """Paths keep decomposed accents, as a Mac writes them, while the accents of a student's name are composed."""
    write_folder(trees, {"r/Zoe\u0308/kernels.cl": TURNED})
    (handin,) = taken(trees, "student,path\nZoe\u0308,r/Zoe\u0308\n", one).handins
    assert handin.student.name == "Zo\u00eb"


def test_a_path_may_be_a_file(trees, one):
    """A path in the list may refer to a file, which is then the hand-in."""
    assert list(graded(taken(trees, "student,path\nEve,r/eve.cl\n", one))) == [("Eve", "coalsTransp")]


def test_what_is_not_there_is_an_absence_with_a_line(trees, one):
    """A missing path, an empty folder, a link and an invalid path are absences, each reported in a line."""
    (trees / "r" / "link").symlink_to(trees / "r" / "ada")
    rows = "Ada,r/none\nBob,r/empty\nEve,r/link\nZoe,r/a\0b\nPat,r/" + "x" * 300
    intake = taken(trees, f"student,path\n{rows}\n", one)
    assert sorted(name for name, _ in missing(intake)) == ["Ada", "Bob", "Eve", "Pat", "Zoe"]
    text = lines(intake.unplaced)
    assert "list.csv, line 2: Ada: r/none does not exist" in text
    assert "line 3: Bob: r/empty contains no files" in text
    assert "line 4: Eve: r/link is a link" in text


def test_links_in_a_checkout_are_not_followed(trees, one):
    """Links in a checkout are not followed, because a student can commit a link to any path."""
    (trees / "r" / "ada" / "src" / "kernels.cl").unlink()
    (trees / "r" / "ada" / "src" / "kernels.cl").symlink_to(trees / "r" / "eve.cl")
    intake = taken(trees, "student,path\nAda,r/ada\n", one)
    assert missing(intake) == [("Ada", "coalsTransp")]
    assert "r/ada/src/kernels.cl: is a link" in lines(intake.unplaced)


def test_a_student_twice_is_refused(trees, one):
    """A student with two different paths is refused, with a line for each row."""
    intake = taken(trees, "student,path\nAda,r/ada\nBob,r/bob\nAda,r/eve.cl\n", one)
    assert list(graded(intake)) == [("Bob", "coalsTransp")]
    assert missing(intake) == [("Ada", "coalsTransp")]
    assert "line 2: Ada: is in the list twice" in lines(intake.unplaced)
    assert "line 4: Ada: is in the list twice" in lines(intake.unplaced)


def test_a_row_may_say_which_assignment_it_is_for(trees, two):
    """A column may state the assignment, so that a student can have several rows.

    Rows for other assignments and incomplete rows are reported.
    """
    write_folder(trees, {"r/mmm/kernels.cl": TILED})
    rows = "Ada,r/ada,coalstransp\nAda,r/mmm,blockMMM\nBob,r/bob,rgblkMMM\n,r/bob,\nBob,,\n"
    intake = taken(trees, f"student,path,assignment\n{rows}", two)
    assert sorted(graded(intake)) == [("Ada", "blockMMM"), ("Ada", "coalsTransp")]
    text = lines(intake.unplaced)
    assert "line 4: Bob: is for rgblkMMM, which is not graded in this run" in text
    assert "line 5: : needs both a student and a path" in text
    assert "line 6: Bob: needs both a student and a path" in text


@pytest.mark.parametrize(
    "text", ["", "name,folder\nx,y\n", "student,path\n", 'student,path\n"' + "x" * 200_000, b"\xff\xfe\0"]
)
def test_what_is_no_list_is_refused(text, tmp_path, one):
    """A file that is not such a list raises InputError, with its path in one line."""
    (tmp_path / "list.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert str(tmp_path / "list.csv") in complaint(tmp_path / "list.csv", one)


@pytest.mark.usefixtures("trees")
def test_a_list_may_say_when_work_was_handed_in(tmp_path, one):
    """A column may contain the times of hand-ins, in the format of the course's dates. Its cells may be empty."""
    text = "student,path,submitted\nada,r/ada,2026-12-01 23:59\nbob,r/bob,2026-12-02T00:00Z\neve,r/eve.cl,\n"
    found = {each.student.label: each.submitted for each in taken(tmp_path, text, one).handins}
    assert found == {
        "ada": datetime.fromisoformat("2026-12-01T23:59"),
        "bob": datetime(2026, 12, 2, tzinfo=UTC),
        "eve": None,
    }
    (tmp_path / "list.csv").write_text("student,path,submitted\nada,r/ada,2026-12-01 23:59\nbob,r/bob,2.12.\n")
    said = complaint(tmp_path / "list.csv", one)
    assert "list.csv, line 3: submitted: '2.12.' is not a date with a time; write one such as" in said


@pytest.mark.usefixtures("trees")
def test_two_times_for_one_checkout_are_refused(tmp_path, one):
    """Two times for one checkout are refused, because it is unclear which of them counts."""
    text = "student,path,submitted\nada,r/ada,2026-12-01 23:59\nada,r/ada,2026-12-02 23:59\nbob,r/bob,\n"
    intake = taken(tmp_path, text, one)
    assert [each.student.label for each in intake.handins] == ["bob"]
