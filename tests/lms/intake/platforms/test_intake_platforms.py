"""grader/lms/intake: unusual forms of downloads from Moodle, Canvas and Gradescope."""

from datetime import datetime

import downloads
import pytest
import yaml
from cost_growth import assert_linear
from downloads import source, write_folder, write_zip
from intake_findings import complaint, graded, lines, missing

from grader.course.submissions.handin import strangers
from grader.lms.intake import take_all
from grader.lms.intake.platforms import gradescope
from grader.lms.intake.reading.listing import File, Listing
from grader.lms.intake.summary import tell

KERNEL = source("coalsTransp")


@pytest.fixture(scope="session")
def one(transposition):
    return (transposition,)


# --- Moodle -----------------------------------------------------------------------------------


def test_moodles_older_folders_end_in_an_underscore(tmp_path, one):
    """The folders of older Moodle versions end in an underscore. An unpacked download is read like the zip."""
    folder = write_folder(tmp_path / "all", {"Ada Lovelace_7_assignsubmission_file_/kernels.cl": KERNEL})
    (handin,) = take_all((folder,), one).handins
    assert (handin.student.name, handin.student.key) == ("Ada Lovelace", "7")


def test_a_moodle_download_may_lie_in_a_folder(tmp_path, one):
    """A download from Moodle may be inside a folder, as after unpacking it and packing it again."""
    path = write_zip(tmp_path / "all.zip", {"Lab 3/Ada_7_assignsubmission_file/kernels.cl": KERNEL})
    assert list(graded(take_all((path,), one))) == [("Ada", "coalsTransp")]


def test_a_team_without_a_number_is_a_student(tmp_path, one):
    """In Moodle, students without a team hand in as a team that has a name but no number."""
    path = write_zip(tmp_path / "all.zip", {"Default group_assignsubmission_file/kernels.cl": KERNEL})
    assert take_all((path,), one).handins[0].student.key is None


def test_blind_marking_gives_everybody_the_same_name(tmp_path, one):
    """With blind marking, all students have the same name, and the number in the label distinguishes them."""
    people = [("Participant", key, {"coalsTransp": KERNEL + key.encode()}) for key in ("17", "4")]
    intake = take_all((downloads.moodle(tmp_path / "all.zip", people),), one)
    assert [each.student.label for each in intake.handins] == ["Participant-4", "Participant-17"]


def test_online_text_is_not_graded(tmp_path, one):
    """Online text in Moodle is not graded.

    A line reports a student who handed in nothing else. If there is a file, no line is needed.
    """
    path = write_zip(
        tmp_path / "all.zip",
        {
            "Ada_7_assignsubmission_file/kernels.cl": KERNEL,
            "Ada_7_assignsubmission_onlinetext/onlinetext.html": b"<p>hello",
            "Bob_8_assignsubmission_onlinetext_onlinetext.html": b"<p>__kernel",
        },
    )
    intake = take_all((path,), one)
    assert missing(intake) == [("Bob", "coalsTransp")]
    assert len(intake.unplaced) == 1
    assert "Bob_8_assignsubmission_onlinetext_onlinetext.html: is online text" in lines(intake.unplaced)


@pytest.mark.parametrize(
    "name",
    [
        "Eve_9_assignsubmission_file/Ada_7_assignsubmission_file/kernels.cl",
        "Eve_9_assignsubmission_file_x_7_assignsubmission_file_kernels.cl",
        "Eve_9_assignsubmission_file/Ada_7_assignsubmission_file.zip",
    ],
)
def test_nobody_hands_in_as_somebody_else(name, tmp_path, one):
    """Names that a student chooses may look like the platform's, but the platform's own names take precedence."""
    data = write_zip(tmp_path / "x.zip", {"Ada_7_assignsubmission_file/kernels.cl": KERNEL}).read_bytes()
    members = {"Ada_7_assignsubmission_file/kernels.cl": KERNEL + b" ", name: data if name.endswith("zip") else KERNEL}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert {each.student.key: each.data for each in intake.handins} == {"7": KERNEL + b" ", "9": KERNEL}


def test_what_moodle_did_not_name_is_told(tmp_path, one):
    """A file that was put among Moodle's folders by hand is reported."""
    members = {"Ada_7_assignsubmission_file/kernels.cl": KERNEL, "late/bob.cl": KERNEL}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert "all.zip/late/bob.cl: does not have a name that Moodle gives" in lines(intake.unplaced)


def test_a_team_of_moodles_is_no_copy(tmp_path, one):
    """A team's file, which every member has, is not reported as a copy. It is reported if a student outside the team
    has it.
    """
    mark = "assignsubmission_file"
    people = ("Lab-1-Ada King_1", "Lab-1-Bob_2", "Lab-2-Cy_3", "Default group-Dee_4")
    path = write_zip(tmp_path / "all.zip", {f"{each}_{mark}/kernels.cl": KERNEL for each in people[:3]})
    handins = take_all((path,), one).handins
    assert [strangers(each, handins) for each in handins] == [
        ("Lab-2-Cy",),
        ("Lab-2-Cy",),
        ("Lab-1-Ada King", "Lab-1-Bob"),
    ]
    assert "Identical files for coalsTransp" in tell(take_all((path,), one))
    alone = write_zip(tmp_path / "alone.zip", {f"{each}_{mark}/kernels.cl": KERNEL for each in people[:2]})
    assert "Identical" not in tell(take_all((alone,), one))


def test_a_dash_in_a_name_makes_no_team(tmp_path, one):
    """A dash in a name indicates a team only if all names in the download begin with the name of a team."""
    people = [
        (name, str(key), {"coalsTransp": KERNEL}) for key, name in enumerate(("Anne-Marie A", "Anne-Marie B", "Cy"))
    ]
    handins = take_all((downloads.moodle(tmp_path / "all.zip", people),), one).handins
    assert strangers(handins[0], handins) == ("Anne-Marie B", "Cy")


# --- Canvas -----------------------------------------------------------------------------------


def test_canvas_says_who_is_late(tmp_path, one):
    """Canvas marks late hand-ins in their file names. No other hand-in counts as late."""
    people = [("Ada Lovelace", "7", {"coalsTransp": KERNEL}), ("Bob Late", "8", {"coalsTransp": KERNEL + b" "})]
    intake = take_all((downloads.canvas(tmp_path / "all.zip", people, late=("8",)),), one)
    assert {each.student.label: each.late for each in intake.handins} == {"lovelaceada": False, "latebob": True}


def test_the_latest_attachment_counts(tmp_path, one):
    """The attachment with the highest number counts, compared as numbers, and a remark mentions the older one."""
    members = {"x_7_999_kernels.cl": b"old", "x_7_1000_kernels-1.cl": b"new"}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert [each.data for each in intake.handins] == [b"new"]
    assert lines(intake.remarks) == ("all.zip/x_7_999_kernels.cl: is ignored; all.zip/x_7_1000_kernels-1.cl counts")


@pytest.mark.parametrize("name", ["anon_a1B2c_55_kernels.cl", "LATE_anon_a1B2c_55_kernels.cl"])
def test_anonymous_students_have_a_key(name, tmp_path, one):
    """Anonymous students in Canvas have a key, which is the only way to return their grades."""
    (handin,) = take_all((write_zip(tmp_path / "all.zip", {name: KERNEL}),), one).handins
    assert (handin.student.key, handin.late) == ("anon_a1B2c", name.startswith("LATE"))


def test_canvas_text_and_links_are_not_graded(tmp_path, one):
    """HTML files for texts and links in Canvas are not graded. They have no attachment number."""
    members = {"x_7_55_kernels.cl": KERNEL, "y_8_text.html": b"<p>", "z_LATE_9_link.html": b"<p>"}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert missing(intake) == [("y", "coalsTransp"), ("z", "coalsTransp")]
    assert "y_8_text.html: is a text or a link" in lines(intake.unplaced)


def test_two_names_with_one_number_are_not_believed(tmp_path, one):
    """Two names with the same number are refused, and the instructor has to decide.

    A student can choose a name that ends in another student's number.
    """
    members = {"ada_7_55_kernels.cl": KERNEL, "eve_7_8_56_kernels.cl": KERNEL + b" ", "bob_5_57_kernels.cl": KERNEL}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert [each.student.label for each in intake.handins] == ["bob"]
    assert "the names ada and eve have the same number 7" in lines(intake.unplaced)


def test_a_canvas_name_that_ends_like_moodles_takes_nobody_out(tmp_path, one):
    """In a download from Canvas, a file name that ends like one from Moodle does not affect other students.

    In an earlier version, one such name made all other students unknown.
    """
    members = {f"s{n}_{n}_{n}0_kernels.cl": KERNEL + b" " * n for n in range(1, 6)}
    members["mallory_9_90_my_assignsubmission_file_kernels.cl"] = KERNEL
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert [each.student.label for each in intake.handins] == ["mallory", "s1", "s2", "s3", "s4", "s5"]


def test_nor_does_a_students_folder(tmp_path, one):
    """Among five folders, a folder with a name as in Moodle does not affect the others."""
    names = ("ada", "bob", "cy", "dee", "mallory_assignsubmission_file")
    members = {f"lab/{name}/kernels.cl": KERNEL + name.encode() for name in names}
    intake = take_all((write_zip(tmp_path / "all.zip", members),), one)
    assert len(intake.handins) == len(names)


# --- Gradescope -------------------------------------------------------------------------------


def export(path, metadata, members):
    text = metadata if isinstance(metadata, str) else yaml.safe_dump(metadata)
    return write_zip(path, {"export/submission_metadata.yml": text.encode()} | members)


def submitter(name, sid=None):
    return {":name": name, ":sid": sid, ":email": f"{name}@example.org"}


def test_a_teams_submission_is_everybodys(tmp_path, one):
    """A team's submission is graded for each member. The key is the number or, if missing, the mail address."""
    metadata = {"submission_1": {":submitters": [submitter("ada", "7"), submitter("bob")]}}
    intake = take_all((export(tmp_path / "all.zip", metadata, {"export/submission_1/kernels.cl": KERNEL}),), one)
    assert [each.student.key for each in intake.handins] == ["7", "bob@example.org"]
    assert [strangers(each, intake.handins) for each in intake.handins] == [(), ()]


def test_a_submission_without_a_folder_is_an_absence(tmp_path, one):
    """A submission that is listed but has no folder is an absence.

    A submission without a student, and a folder that is not listed, are reported.
    """
    metadata = {"submission_1": {":submitters": [submitter("ada")]}, "submission_2": {":submitters": []}}
    intake = take_all((export(tmp_path / "all.zip", metadata, {"export/submission_3/kernels.cl": KERNEL}),), one)
    assert missing(intake) == [("ada", "coalsTransp")]
    assert "submission_2: submission_metadata.yml does not state the owner" in lines(intake.unplaced)
    assert "export/submission_3: is not in submission_metadata.yml" in lines(intake.unplaced)


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("2026-03-02 10:00:00.250000000 Z", "2026-03-02T10:00:00.250000+00:00"),
        ("2026-03-02 10:00:00 -08:00", "2026-03-02T18:00:00+00:00"),
        ("2026-03-02 10:00:00", None),
        ("yesterday", None),
    ],
)
def test_a_list_says_when_work_was_handed_in(tmp_path, one, created, expected):
    """The time in the list is read to the microsecond, with its offset. A time without an offset is ignored."""
    metadata = f"submission_1:\n  :submitters:\n  - :name: ada\n    :sid: '7'\n  :created_at: {created}\n"
    intake = take_all((export(tmp_path / "all.zip", metadata, {"export/submission_1/kernels.cl": KERNEL}),), one)
    assert intake.handins[0].submitted == (None if expected is None else datetime.fromisoformat(expected))


def test_the_latest_submission_counts(tmp_path, one):
    """The latest submission of a student, by the time in the list, counts, and remarks mention the older ones."""
    times = {"submission_1": "2026-03-02 10:00:00.000000000 Z", "submission_2": "2026-03-01 10:00:00.000000000 Z"}
    metadata = "".join(
        f"{name}:\n  :submitters:\n  - :name: ada\n    :sid: '7'\n  :created_at: {time}\n  :history:\n  - :id: 5\n"
        for name, time in times.items()
    )
    folders = ("submission_1", "submission_2", "submission_5")
    members = {f"export/{name}/{name}.cl": name.encode() for name in folders}
    intake = take_all((export(tmp_path / "all.zip", metadata, members),), one)
    assert [each.data for each in intake.handins] == [b"submission_1"]
    assert "submission_2: is ignored: ada has handed in again since" in lines(intake.remarks)
    assert "submission_5: is ignored: it is an older attempt" in lines(intake.remarks)


def test_what_ruby_marks_with_its_classes_is_read_and_makes_nothing(tmp_path, one):
    """Ruby and Python class names in the list are read as plain values, so no object is created."""
    metadata = (
        "submission_1: !ruby/hash:ActiveSupport::HashWithIndifferentAccess\n"
        "  :submitters:\n  - :name: ada\n    :sid: !ruby/object:Id 7\n  :score: !ruby/object:BigDecimal 18:0.5e1\n"
    )
    path = export(tmp_path / "all.zip", metadata, {"export/submission_1/kernels.cl": KERNEL})
    assert take_all((path,), one).handins[0].student.key == "7"


@pytest.mark.parametrize(
    "metadata",
    [
        "[1, 2",
        "just words",
        "- a list",
        "a: !!python/object/apply:os.system ['true']",
        "[" * 100_000,
        "x: {:submitters: [{:name: 0x" + "f" * 9999 + "}]}",
        "a: 2026-99-99 10:00:00",
        "a: !!int ''",
        "a: !!bool x",
    ],
)
def test_a_list_that_is_none_is_refused(metadata, tmp_path, one):
    """A malformed list raises InputError, because without the list the owner of each file is unknown."""
    path = export(tmp_path / "all.zip", metadata, {"export/submission_1/kernels.cl": KERNEL})
    assert "submission_metadata.yml is not a list of submissions" in complaint(path, one)


# --- forged names -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["submission_metadata.yml", "ada_7_%d_kernels.cl", "Ada_7_assignsubmission_file/%d.cl", "blockMMM/%d.cl"]
)
def test_a_students_own_names_turn_a_folder_into_no_download(name, tmp_path, one):
    """Names chosen by a student that look like a platform's never assign other students' files to another owner."""
    own = {"eve/" + name.replace("%d", str(number)): b"a: {:submitters: []}" for number in range(9)}
    files = {"ada/kernels.cl": KERNEL, "bob/kernels.cl": KERNEL + b" ", "eve/kernels.cl": KERNEL, **own}
    intake = take_all((write_folder(tmp_path / "all", files),), one)
    assert [each.student.label for each in intake.handins] == ["ada", "bob", "eve"]
    assert {each.student.key for each in intake.handins} == {None}


@pytest.mark.parametrize("write", [write_folder, write_zip])
def test_a_students_name_is_no_editors_leftover(write, tmp_path, one):
    """Students called J. Bak and R. Orig can hand in, although files with these endings are left out."""
    names = ("ada", "j.bak", "r.orig")
    members = {f"{name}/kernels.cl": KERNEL + name.encode() for name in names} | {"ada/kernels.cl.bak": b"old"}
    intake = take_all((write(tmp_path / "all", members),), one)
    assert len(intake.handins) == len(names)
    assert lines(intake.unplaced) == lines(intake.remarks) == ""


@pytest.mark.whole
def test_many_lists_of_gradescopes_cost_no_more_than_other_names(one):
    """Many files with the name of Gradescope's list take only linear time.

    A student can hand in as many such files as an archive may contain.
    """

    def listing(size):
        paths = (("all", "eve", str(number), "submission_metadata.yml") for number in range(size // 64))
        return Listing(name="x", files=tuple(File(parts=path) for path in paths), folders=frozenset({("all",)}))

    assert_linear(lambda given: gradescope.recognises(given, one), listing)
