"""A batch of thirty students: after each change, all files show the same points and no file is stale.

The grading results are made up. The intake, the scoring and the files are real.
"""

import csv
import gzip
import io
import json
import re
import tarfile
import zipfile
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest
from courses import KERNEL, any_speed
from downloads import write_zip
from fake_workforce import FakeWorkforce
from hidden_parts import AT_ANY_SPEED, FIELDS, failing, hiding_course, right

from grader.batch.pipeline import BatchRequest, grade_batch
from grader.grading.checks.requirements import forfeit
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.results.withholding import released, withheld

RIGHT, HIDDEN, WRONG, NONE = "right", "wrong in a hidden case", "wrong", "nothing to grade"

WHOLE = {RIGHT: 24, HIDDEN: 19, WRONG: 11}
"""Points out of 24 for each kind of submission."""

RAISED = {RIGHT: 21, HIDDEN: 16, WRONG: 11}
"""Points for each kind of submission under a speed threshold that no submission reaches."""

OF_HIDDEN = {RIGHT: 5, HIDDEN: 0, WRONG: 5}
"""Points for the hidden case. Students see them only after the release; they see all other points immediately."""

KINDS = {
    **dict.fromkeys(range(1, 13), RIGHT),
    **dict.fromkeys(range(13, 17), HIDDEN),
    **dict.fromkeys(range(17, 21), WRONG),
    **dict.fromkeys((21, 22, 23, 24), RIGHT),  # in other file formats
    **dict.fromkeys((25, 26), RIGHT),  # identical files
    **dict.fromkeys((27, 28, 29, 30), NONE),  # online text, a document, an empty folder, a name on the roster
}
AGAIN, LATE = 12, 11
"""The student who handed in twice, of which the later hand-in counts, and the student who was late."""

CORRECTIONS = "student,assignment,points,comment\n1,small,-2,copied a line\nP13,small,20,by hand\n27,small,12,by mail\n"

MEMORY = {**FIELDS["memory"], "checks": [{**each, "at_most": 1_000_000} for each in FIELDS["memory"]["checks"]]}
"""Memory limits higher than any count, because the counts are made up too."""

SPEEDS = {"bands": [{"fraction": 1.5, "points": 5}, {"fraction": 0.001, "points": 2}]}


def text(number, what=KERNEL):
    return f"{what}// P{number} {KINDS[number]}\n".encode()


def tar_gz(data):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        info = tarfile.TarInfo("lab/kernels.cl")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return gzip.compress(file.getvalue())


def downloads_in(folder):
    """Return a zip with the downloads of two groups, and the zip of a later download with one new hand-in."""
    plain = {number: {"file/kernels.cl": text(number)} for number in range(1, 21)}
    special = {
        21: {"file/kernels.cl.txt": text(21)},
        22: {"file/kernels.cl": text(22).decode().encode("utf-16")},
        23: {"file/hand-in.tar.gz": tar_gz(text(23))},
        24: {"file/my kernel.c": text(24)},
        25: {"file/kernels.cl": text(25)},
        26: {"file/kernels.cl": text(25)},
        27: {"onlinetext/onlinetext.html": b"<p>see mail</p>"},
        28: {"file/report.docx": b"PK"},
        29: {"file/": b""},
    }
    plain[AGAIN] = {"file/kernels.cl": text(AGAIN, KERNEL + "// the first attempt\n")}

    def members(people):
        return {
            f"P{n}_{n}_assignsubmission_{name}": data for n, files in people.items() for name, data in files.items()
        }

    groups = (members({n: plain[n] for n in range(1, 13)}), members({n: plain[n] for n in range(13, 21)} | special))
    zips = {f"group {n}.zip": write_zip(folder / "x.zip", each).read_bytes() for n, each in enumerate(groups)}
    first = write_zip(folder / "first.zip", zips)
    return first, write_zip(folder / "later.zip", members({AGAIN: {"file/kernels.cl": text(AGAIN)}}))


def sheets():
    """Return the Moodle worksheet and the Canvas gradebook of all thirty students."""
    worksheet = ["Identifier,Full name,Status,Grade,Maximum grade,Feedback comments"]
    gradebook = ["Student,ID,SIS Login ID,Section,Adding (44)", "    Points Possible,,,,24"]
    for number in KINDS:
        status = "Submitted for grading" + (" - 2 hours late" if number == LATE else "")
        worksheet.append(f"Participant {number},P{number},{status},,24,")
        gradebook.append(f"P{number},{number},p{number},A,")
    texts = ("\r\n".join((*lines, "")).encode() for lines in (worksheet, gradebook))
    return MoodleWorksheet(sheet=read_sheet("w.csv", next(texts))), CanvasGradebook(
        sheet=read_sheet("g.csv", next(texts))
    )


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Options of one run, and the points that each student must have: all of them, and those that students may see."""

    raised: bool = False
    corrected: bool = False
    released: bool = False

    def points(self, number, whole):
        """Return a student's points, or None for a student without a grade."""
        earned = RAISED if self.raised else WHOLE
        if not whole and not self.released:
            earned = {kind: points - OF_HIDDEN[kind] for kind, points in earned.items()}
        if not self.corrected or number not in {1, 13, 27}:
            return earned.get(KINDS[number])
        return {1: earned[RIGHT] - 2, 13: 20, 27: 12}[number]

    @property
    def graded(self):
        return [number for number in KINDS if self.points(number, whole=True) is not None]

    @property
    def with_pages(self):
        return [number for number in KINDS if KINDS[number] != NONE]


class Course:
    """The batch of thirty students."""

    def __init__(self, folder):
        self.folder, self.out, self.said = folder, folder / "out", []
        self.sources = downloads_in(folder)
        slow = {"cpu": {**AT_ANY_SPEED["cpu"], **any_speed(5), **SPEEDS}}
        strict = {"performance": {**FIELDS["performance"], "classes": slow}}
        self.usual = hiding_course(folder / "usual", "case", memory=MEMORY).load("small")
        self.strict = hiding_course(folder / "strict", "case", memory=MEMORY, **strict).load("small")
        results = {RIGHT: right(self.usual)}
        results |= {kind: failing(results[RIGHT], check) for kind, check in ((HIDDEN, 2), (WRONG, 1))}
        self.answers = {text(n): [self.result_of(results[kind])] for n, kind in KINDS.items() if kind != NONE}

    def result_of(self, result):
        """Return the result as a station would return it: without the points that a wrong kernel cannot earn."""
        checks = forfeit(self.usual, result.checks)
        provenance = result.provenance.model_copy(update={"assignment_sha256": self.usual.sha256})
        fields = {"assignment": "small", "checks": checks, "provenance": provenance}
        return result.model_copy(update={**fields, "points": sum(check.points for check in checks)})

    def run(self, stage, uploads=None):
        """Grade the batch and return the number of gradings that ran."""
        self.said.clear()
        if stage.corrected:
            (self.out / "corrections.csv").write_text(CORRECTIONS)
        else:
            (self.out / "corrections.csv").unlink(missing_ok=True)
        workforce = FakeWorkforce(answers=self.answers, assignment_sha256=self.usual.sha256)
        request = BatchRequest(
            submissions=self.sources,
            assignments=(self.strict if stage.raised else self.usual,),
            folder=self.out,
            settings_json='{"sandbox": "process"}',
            uploads=sheets() if uploads is None else uploads,
            seed=7,
            view=released if stage.released else withheld,
        )
        grade_batch(request, lambda: workforce, self.said.append)
        return len(workforce.grading_jobs)

    def files(self):
        """Return the contents of each file except the stored results."""
        paths = (path for path in self.out.rglob("*") if path.is_file() and path.parent.name != "results")
        return {path.relative_to(self.out).as_posix(): path.read_bytes() for path in paths}

    def table(self, name, key):
        text = (self.out / name).read_text("utf-8-sig")
        return {row[key]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


def junit_points(suite):
    texts = "".join(each.text or "" for each in suite.iter("system-out"))
    return sum(map(float, re.findall(r"\[\[PROPERTY\|points=([-0-9.e]+)\]\]", texts)))


def check_instructors_files(course, stage):
    """Check the full points in the table, the JUnit file, the overview and the instructor's copies of the pages."""
    whole = {f"P{number}": stage.points(number, whole=True) for number in KINDS}
    grades = course.table("grades.csv", "label")
    assert {label: float(row["points"]) if row["points"] else None for label, row in grades.items()} == whole
    assert {label for label, row in grades.items() if row["late"] == "yes"} == {f"P{LATE}"}
    assert {label for label, row in grades.items() if row["same_as"]} == {"P25", "P26"}
    suites = {each.get("name").split()[0]: each for each in ElementTree.parse(course.out / "batch.xml").getroot()}
    assert suites.keys() == whole.keys()
    for number in stage.with_pages:
        assert junit_points(suites[f"P{number}"]) == whole[f"P{number}"]
    rows = re.findall(
        r'<tr class="[^"]*" style="[^"]*"><th scope="row">(?:<a href="[^"]*">)?(P[0-9]+)(?:</a>)?\s*</th>\s*'
        r'<td data-name="points">(.*?)</td>',
        (course.out / "index.html").read_text(),
    )
    points = {label: re.match(r"([0-9.]+)/24", told) for label, told in rows}
    assert {label: float(told[1]) if told else None for label, told in points.items()} == whole
    for number in () if stage.released else stage.with_pages:
        page = (course.out / "instructor" / f"P{number}" / "small.html").read_text()
        assert f'<p class="score"><b>{whole[f"P{number}"]}</b>' in page


def check_students_files(course, stage):
    """Check the points that students may see in each report, in the zip of feedback and in the files for upload."""
    shown = {number: stage.points(number, whole=False) for number in KINDS}
    for number in stage.with_pages:
        home = course.out / "students" / f"P{number}"
        told = json.loads((home / "small.json").read_text())["points"]
        scored = json.loads((home / "small.gradescope.json").read_text())["score"]
        junit = junit_points(ElementTree.parse(home / "small.xml").getroot())
        assert (told, scored, junit) == (shown[number],) * 3
        assert f'<p class="score"><b>{shown[number]}</b>' in (home / "small.html").read_text()
    worksheet = course.table("moodle-worksheet.csv", "Full name")
    gradebook = course.table("canvas-gradebook.csv", "Student")
    for number, points in shown.items():
        row = worksheet[f"P{number}"]
        cells = ("", "") if points is None else (f"{points}", f"{points}")
        assert (row["Grade"], gradebook[f"P{number}"]["Adding (44)"]) == cells
        assert row["Feedback comments"].startswith("" if points is None else f"grader: {points} ")
        assert ("Corrected by the instructor" in row["Feedback comments"]) is (
            stage.corrected and number in {1, 13, 27}
        )
    with zipfile.ZipFile(course.out / "moodle-feedback.zip") as archive:
        pages = {name.partition("_")[0]: archive.read(name) for name in archive.namelist()}
    homes = {f"P{number}": course.out / "students" / f"P{number}" / "small.html" for number in stage.with_pages}
    assert pages == {label: path.read_bytes() for label, path in homes.items()}


def check_names(course, stage):
    """Check that the folder contains only the files of this run, of the instructor and of the batch itself."""
    endings = ("codequality.json", "gradescope.json", "html", "json", "sarif", "xml")
    expected = {f"students/P{n}/small.{ending}" for n in stage.with_pages for ending in endings}
    expected |= {"batch.json", "batch.lock", "files.jsonl", "index.html", "grades.csv", "batch.xml"}
    expected |= {"moodle-worksheet.csv", "canvas-gradebook.csv", "moodle-feedback.zip"}
    expected |= {"corrections.csv"} if stage.corrected else set()
    expected |= set() if stage.released else {f"instructor/P{n}/small.html" for n in stage.with_pages}
    assert course.files().keys() == expected


STAGES = (
    Stage(),
    Stage(raised=True),
    Stage(),
    Stage(corrected=True),
    Stage(corrected=True, released=True),
    Stage(raised=True, corrected=True, released=True),
    Stage(released=True),
    Stage(),
)


@pytest.fixture
def course(tmp_path):
    """The batch of thirty students, with an empty folder for results."""
    (tmp_path / "out").mkdir()
    return Course(tmp_path)


def test_every_file_says_what_it_must(course):
    """Raised and lowered thresholds, corrections and a release change the points consistently in every file.

    Undoing all of these changes restores the files of the first run.
    """
    first = {}
    for number, stage in enumerate(STAGES):
        assert course.run(stage) == (25 if number == 0 else 0)
        check_names(course, stage)
        check_instructors_files(course, stage)
        check_students_files(course, stage)
        if stage == Stage():
            first = first or course.files()
            assert course.files() == first
    assert "P27, small: 12 of 24 points (corrected) before, not graded now" not in course.said[-1]


def test_what_was_read_and_what_has_changed_is_told(course):
    """The run reports every student whose work it read, and then each changed grade with its old and new points.

    A worksheet that is no longer requested is removed.
    """
    course.run(Stage())
    told = " ".join(course.said[0].split())
    assert "Found a download from Moodle: 26 hand-ins of 30 students. small: 26 hand-ins, 2 without, 2 refused" in told
    assert "Late: P11 (small)." in told
    assert "Identical files for small, graded once: P25, P26." in told
    assert "Nothing to grade for small: P29, P30." in told
    assert "Refused for small, for the reasons below: P27, P28." in told
    assert "P12_12_assignsubmission_file/kernels.cl is ignored" in told or "is ignored; later.zip/P12_12" in told
    course.run(Stage(corrected=True), uploads=())
    assert course.said[-1] == (
        "Changed since the last run:\n"
        "  P1, small: 24 of 24 points before, 22 of 24 points (corrected) now\n"
        "  P13, small: 19 of 24 points before, 20 of 24 points (corrected) now\n"
        "  P27, small: not graded before, 12 of 24 points (corrected) now\n"
        "  P30, small: nothing handed in before, not in the list now"
    )
    assert "(canvas-gradebook.csv, moodle-worksheet.csv)" in course.said[-2]
