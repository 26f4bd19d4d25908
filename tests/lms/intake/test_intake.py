"""grader/lms/intake: from an instructor's path to hand-ins, absences and remarks."""

import downloads
import pytest
from downloads import source, write_folder, write_zip
from intake_findings import complaint, graded, lines, missing

from grader.lms.intake import SHAPES, take_all

TILED, TURNED, BOTH = source("blockMMM"), source("coalsTransp"), source("blockMMM", "coalsTransp")

PEOPLE = [
    ("Ada Lovelace", "7", {"blockMMM": TILED, "coalsTransp": TURNED}),
    ("Grace Hopper", "8", {"blockMMM": TILED + b"// hers\n"}),
    ("Renée Zoë Łuk", "9", {"coalsTransp": TURNED + b"// also hers\n"}),
]

WRITERS = {
    "folders": (downloads.folders, "all", "a folder or file for each student"),
    "flat": (downloads.flat, "all", "a folder or file for each student"),
    "moodle": (downloads.moodle, "all.zip", "a download from Moodle"),
    "moodle_flat": (downloads.moodle_flat, "all.zip", "a download from Moodle"),
    "canvas": (downloads.canvas, "all.zip", "a download from Canvas"),
    "gradescope": (downloads.gradescope, "all.zip", "an export from Gradescope"),
    "checkouts": (downloads.checkouts, "all", "a list of checkouts"),
}


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


@pytest.fixture(scope="session")
def two(product, transposition):
    return (product, transposition)


@pytest.mark.parametrize("writer", WRITERS)
def test_every_download_gives_the_same(writer, tmp_path, two):
    """Every form of download yields each student's files for the right assignments, and absences for the others."""
    write, name, shape = WRITERS[writer]
    intake = take_all((write(tmp_path / name, PEOPLE),), two)
    assert intake.shape == shape
    assert intake.unplaced == intake.remarks == ()
    found = [(each.assignment, each.data) for each in intake.handins]
    expected = [(assignment, data) for _, _, files in PEOPLE for assignment, data in files.items()]
    if writer == "flat":
        joined = b"\n".join(PEOPLE[0][2].values())
        expected[:2] = [("blockMMM", joined), ("coalsTransp", joined)]
    assert sorted(found) == sorted(expected)
    assert sorted(each.assignment for each in intake.absences) == ["blockMMM", "coalsTransp"]


@pytest.mark.parametrize("writer", WRITERS)
def test_students_bear_the_platforms_key(writer, tmp_path, two):
    """Students have the platform's key, with which grades are returned. Folders and lists have no keys."""
    write, name, _ = WRITERS[writer]
    intake = take_all((write(tmp_path / name, PEOPLE),), two)
    keys = {each.student.key for each in intake.handins}
    assert keys == ({"7", "8", "9"} if writer in {"moodle", "moodle_flat", "canvas", "gradescope"} else {None})


@pytest.mark.parametrize("writer", ["folders", "flat"])
def test_a_zip_of_a_folder_is_like_the_folder(writer, tmp_path, two):
    """A zip of a folder is read like the folder, whether or not the zip contains the folder itself."""
    folder = WRITERS[writer][0](tmp_path / "all", PEOPLE)
    inside = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.cl")}
    bare = take_all((write_zip(tmp_path / "bare.zip", inside),), two)
    wrapped = take_all(
        (write_zip(tmp_path / "wrapped.zip", {f"all/{name}": data for name, data in inside.items()}),), two
    )
    for intake in (bare, wrapped):
        assert {(each.student, each.data) for each in intake.handins} == {
            (each.student, each.data) for each in take_all((folder,), two).handins
        }


def test_every_student_has_something_or_an_absence_for_every_assignment(tmp_path, two):
    """Each student has a hand-in or an absence for each assignment, so that totals add up."""
    write_folder(
        tmp_path / "all",
        {
            "a/kernels.cl": BOTH,
            "b/one.cl": TILED,
            "b/two.cl": TILED + b" ",
            "c/report.pdf": b"x",
            "d/": b"",
            "e/kernels.cl": b"",
        },
    )
    intake = take_all((tmp_path / "all",), two)
    pairs = sorted([*graded(intake), *missing(intake)])
    assert pairs == [(name, each.name) for name in "abcde" for each in two]


def test_an_assignments_folders_are_recognised(tmp_path, two):
    """Top-level folders are assignments if all of them have the name of a requested assignment, in any spelling."""
    files = {"blockMMM/ada/kernels.cl": TILED, "Coals-Transp/ada/x.cl": TURNED, "Coals-Transp/bob.cl": TURNED + b" "}
    intake = take_all((write_folder(tmp_path / "all", files),), two)
    assert intake.shape == "a folder for each assignment"
    assert graded(intake) == {
        ("ada", "blockMMM"): "blockMMM/ada/kernels.cl",
        ("ada", "coalsTransp"): "Coals-Transp/ada/x.cl",
        ("bob", "coalsTransp"): "Coals-Transp/bob.cl",
    }
    assert missing(intake) == [("bob", "blockMMM")]


def test_a_students_zip_is_opened_once(tmp_path, one):
    """A student's zip is opened, even if it contains a folder. An archive inside it is reported, but not opened."""
    inner = write_zip(tmp_path / "inner.zip", {"Lab 1/kernels.cl": TURNED}).read_bytes()
    nested = write_zip(tmp_path / "nested.zip", {"inner.zip": inner}).read_bytes()
    path = write_zip(tmp_path / "all.zip", {"ada/hand-in.zip": inner, "bob/hand-in.zip": nested, "eve/a.7z": b"x"})
    intake = take_all((path,), one)
    assert graded(intake) == {("ada", "coalsTransp"): "ada/hand-in.zip/Lab 1/kernels.cl"}
    assert "bob/hand-in.zip/inner.zip: is an archive in an archive" in lines(intake.unplaced)
    assert "eve/a.7z: is an archive of a kind that is not opened; ask for the .cl file" in lines(intake.unplaced)
    assert missing(intake) == [("bob", "coalsTransp"), ("eve", "coalsTransp")]


def test_other_files_are_named(tmp_path, one):
    """A student who hands in a report instead of source text is absent, and a line lists the files."""
    files = {"ada/kernels.txt": b"notes", "ada/report.pdf": b"x", "bob/kernels.cl": TURNED, "notes.txt": b"x"}
    intake = take_all((write_folder(tmp_path / "all", files),), one)
    assert missing(intake) == [("ada", "coalsTransp")]
    assert "all/ada/report.pdf, all/ada/kernels.txt: is not source text" in lines(intake.unplaced)
    assert "all/notes.txt: is neither a folder nor a .cl file" in lines(intake.unplaced)


def test_a_file_that_names_what_is_missing_is_told(tmp_path, two):
    """A file that is named like a missing assignment, but has a wrong ending, is reported.

    A report next to such a file is not mentioned.
    """
    files = {"ada/blockMMM.cl": TILED, "ada/coalsTransp.cl.docx": TURNED, "ada/report.pdf": b"x"}
    intake = take_all((write_folder(tmp_path / "all", files),), two)
    assert missing(intake) == [("ada", "coalsTransp")]
    assert lines(intake.unplaced) == "all/ada/coalsTransp.cl.docx: is not source text; ask for the .cl file"


@pytest.mark.parametrize(
    "files",
    [
        {"ada/kernels.cl": TURNED},
        {"ada/turn.cl": TURNED, "ada/helper.cl": b"int f();"},
        {"ada/attempt 1/kernels.cl": TURNED, "ada/attempt 2/x.cl": TURNED + b" "},
        {"ada/src/turn.cl": TURNED, "ada/docs/report.pdf": b"x", "ada/test/": b""},
        {"ada/kernels.cl": TURNED, "ada/old/kernels.cl": TURNED},
    ],
)
def test_the_folder_of_a_single_student_is_no_wrapping(files, tmp_path, one):
    """The folder of a single student is not a wrapper around students, because late students often hand in alone."""
    assert list(graded(take_all((write_folder(tmp_path / "all", files),), one))) == [("ada", "coalsTransp")]


def test_assignments_folders_may_be_wrapped(tmp_path, two):
    """The folders of assignments may be inside another folder. A single student's folders are no wrapper."""
    files = {"lab/blockMMM/ada/kernels.cl": TILED, "lab/coalsTransp/bob.cl": TURNED}
    wrapped = take_all((write_zip(tmp_path / "all.zip", files),), two)
    assert sorted(graded(wrapped)) == [("ada", "blockMMM"), ("bob", "coalsTransp")]
    own = {"ada/blockMMM/kernels.cl": TILED, "ada/coalsTransp/kernels.cl": TURNED}
    single = take_all((write_zip(tmp_path / "own.zip", own),), two)
    assert sorted(graded(single)) == [("ada", "blockMMM"), ("ada", "coalsTransp")]


def test_what_systems_and_tools_leave_behind_is_no_matter(tmp_path, one):
    """Files that systems and tools leave behind are neither hand-ins nor reported."""
    rubbish = ["__MACOSX/ada/._kernels.cl", "ada/.git/kernels.cl", "ada/kernels.cl~", "ada/._kernels.cl", ".DS_Store"]
    path = write_zip(tmp_path / "all.zip", dict.fromkeys(rubbish, b"x") | {"ada/kernels.cl": TURNED})
    intake = take_all((path,), one)
    assert list(graded(intake)) == [("ada", "coalsTransp")]
    assert intake.unplaced == intake.remarks == ()


@pytest.mark.parametrize("data", [b"", b"\0\1\2", b"x" * 3_000_000])
def test_what_is_wrong_with_the_bytes_is_not_judged_here(data, tmp_path, one):
    """Empty, binary and oversized files are hand-ins. Of an oversized file, one byte more than the limit is kept."""
    intake = take_all((write_folder(tmp_path / "all", {"ada/kernels.cl": data}),), one)
    assert intake.handins[0].data == data[: 1024 * 1024 + 1]


@pytest.mark.parametrize("name", ["Ünal, Ö.", "a b", "12345", "-x", "a.b", "$(rm)", "*", "[ab]", "%s", "line\nbreak"])
def test_odd_names_are_names_like_others(name, tmp_path, one):
    """Odd names are not interpreted as patterns or options. Line breaks are removed from them."""
    write_folder(tmp_path / "all", {f"{name}/kernels.cl": TURNED, f"{name}2.cl": TURNED + b" "})
    intake = take_all((tmp_path / "all",), one)
    assert len(intake.handins) == len({each.student.label for each in intake.handins}) == 2
    assert not any("\n" in each.where + each.student.name + each.student.label for each in intake.handins)


def test_hidden_names_are_not_lost(tmp_path, one):
    """A student's name may start with a dot. A hidden folder without a hand-in is ignored."""
    write_folder(tmp_path / "all", {".anna/kernels.cl": TURNED, ".bob.cl": TURNED + b" ", ".cache/x": b"x"})
    assert sorted(graded(take_all((tmp_path / "all",), one)).values()) == [".anna/kernels.cl", ".bob.cl"]
    assert missing(take_all((tmp_path / "all",), one)) == []


def test_two_submissions_of_one_name_are_not_guessed_between(tmp_path, one):
    """A folder and a file with the same name belong to one student. A line says that it is unclear which counts."""
    write_folder(tmp_path / "all", {"anna/kernels.cl": TURNED, "anna.cl": TURNED + b" ", "bob.cl": TURNED})
    intake = take_all((tmp_path / "all",), one)
    assert list(graded(intake)) == [("bob", "coalsTransp")]
    assert missing(intake) == [("anna", "coalsTransp")]
    assert "all/anna/kernels.cl, all/anna.cl: for coalsTransp: it is unclear which" in lines(intake.unplaced)


def test_names_that_differ_in_how_accents_are_written_are_the_same(tmp_path, two):
    """Names with composed and with decomposed accents are the same student, because a Mac decomposes them."""
    files = {"Zo\u00eb/blockMMM.cl": TILED, "Zoe\u0308/coalsTransp.cl": TURNED}
    intake = take_all((write_zip(tmp_path / "all.zip", files),), two)
    assert list(graded(intake)) == [("Zo\u00eb", "blockMMM"), ("Zo\u00eb", "coalsTransp")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "does not exist"),
        ("all.txt", "is not a zip"),
        ("broken.zip", "is not a zip"),
        ("empty", "contains no submissions"),
        ("empty.zip", "contains no submissions"),
        ("photos", "contains no submissions"),
        ("empty.csv", "is not a list of checkouts"),
        ("heading.csv", "lists no checkouts"),
    ],
)
def test_what_is_of_no_use_at_all_is_refused(name, said, tmp_path, one):
    """A path without any submission raises InputError with the path and the reason."""
    write_folder(tmp_path, {"all.txt": b"x", "broken.zip": b"PK\3\4", "empty/": b"", "photos/a/1.jpg": b"x"})
    write_folder(tmp_path, {"empty.csv": b"", "heading.csv": b"student,path\n"})
    write_zip(tmp_path / "empty.zip", {})
    message = complaint(tmp_path / name, one)
    assert said in message
    assert str(tmp_path / name) in message


def test_shapes_are_told_in_words():
    """The description of a form of download fits after "Found", so it starts with an article."""
    assert all(name.startswith(("a ", "an ")) for name in SHAPES)


def test_a_zip_of_downloads_is_all_of_them(tmp_path, two):
    """A zip or a folder of downloads, from one platform or several, is read as all of these downloads."""
    first, second = downloads.moodle(tmp_path / "a.zip", PEOPLE[:2]), downloads.canvas(tmp_path / "b.zip", PEOPLE[2:])
    members = {"a.zip": first.read_bytes(), "b.zip": second.read_bytes()}
    expected = take_all((first, second), two)
    assert len(expected.handins) == 4
    for path in (write_zip(tmp_path / "all.zip", members), write_folder(tmp_path / "all", members)):
        intake = take_all((path,), two)
        assert intake.shape == "a download from Moodle and a download from Canvas"
        assert [(each.student, each.data) for each in intake.handins] == [
            (each.student, each.data) for each in expected.handins
        ]


def test_a_students_zip_among_others_is_no_download(tmp_path, one):
    """Among hand-ins, a student's zip does not count as a download, because all entries must be downloads."""
    eves = write_zip(tmp_path / "eve.zip", {"Ada_7_assignsubmission_file/kernels.cl": TURNED}).read_bytes()
    adas = write_zip(tmp_path / "ada.zip", {"kernels.cl": TURNED + b" "}).read_bytes()
    intake = take_all((write_zip(tmp_path / "all.zip", {"ada.zip": adas, "eve.zip": eves}),), one)
    assert {each.student.label: each.student.key for each in intake.handins} == {"ada": None, "eve": None}


def test_of_two_downloads_the_later_counts_where_it_has_something(tmp_path, two):
    """For each assignment, the later of two downloads counts if it has a hand-in.

    A student's number identifies the person under any name.
    """
    first = downloads.moodle(tmp_path / "1.zip", PEOPLE)
    again = [("Ada King", "7", {"blockMMM": TILED + b"// again"}), ("New", "10", {"coalsTransp": TURNED})]
    second = downloads.moodle(tmp_path / "2.zip", again)
    intake = take_all((first, second), two)
    found = {(each.student.key, each.assignment): each.where.partition("/")[0] for each in intake.handins}
    assert found[("7", "blockMMM")] == found[("10", "coalsTransp")] == "2.zip"
    assert found[("7", "coalsTransp")] == found[("8", "blockMMM")] == "1.zip"
    assert lines(intake.remarks).startswith("1.zip/Ada Lovelace_7_assignsubmission_file/blockMMM.cl: is ignored; 2.zip")
    assert {each.student.name for each in intake.handins if each.student.key == "7"} == {"Ada King"}
