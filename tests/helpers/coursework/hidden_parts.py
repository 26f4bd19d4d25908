"""A small assignment with a hidden part, handmade results for it, and a batch that reports them."""

import copy
import csv
import json
import re
import zipfile
from xml.etree import ElementTree

from courses import ADDITION, KERNEL, any_speed, course_of
from fake_workforce import FakeWorkforce
from samples import PROFILE, RACE, SPILLING, performance, result

from grader.batch.pipeline import BatchRequest, grade_batch
from grader.course.rubric import Kind
from grader.grading.check_kinds import unobserved_checks, untimed_checks
from grader.grading.checks.correctness import unrun_cases
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.results.check import Check
from grader.results.verdicts import Reason, Verdict
from grader.results.withholding import withheld

WORKSHEET = "Identifier,Full name,Grade,Maximum grade,Feedback comments\r\nParticipant 7,Anna,,{},\r\n"
GRADEBOOK = "Student,ID,SIS Login ID,Section,Adding (44)\r\n    Points Possible,,,,{0}\r\nAnna,7,anna,A,\r\n"

SECRET = "it-is-a-secret"
"""Marker that is part of each text that students must not see."""

CASES = [
    {"name": "one", "sizes": {"n": 1}},
    {"name": "ragged", "sizes": {"n": 1000}},
    {"name": "large", "sizes": {"n": 5000}, "practice": True},
]
AT_ANY_SPEED = {"cpu": {"sizes": {"n": 100000}, **any_speed(5)}}
"""Any speed is enough. Such short launches could not decide about a higher goal on a busy machine."""

FIELDS = {
    **ADDITION,
    "performance": {**ADDITION["performance"], "classes": AT_ANY_SPEED},
    "correctness": {**ADDITION["correctness"], "cases": CASES},
    "sanitizer": {"sizes": {"n": 70}, "points": 3},
    "memory": {
        "sizes": {"n": 128},
        "checks": [
            {"name": "reads", "measure": "words read", "at_most": "2*n", "points": 2},
            {"name": "coalesced", "measure": "coalescing", "at_most": 1.1, "points": 4},
        ],
    },
}
PLACES = {
    "case": ("correctness", "cases", 1),
    "practice": ("correctness", "cases", 2),
    "sanitizer": ("sanitizer",),
    "memory": ("memory", "checks", 0),
    "performance": ("performance",),
}
"""Paths of the parts of an assignment that can be hidden."""

HIDDEN = {"case": 2, "practice": 3, "sanitizer": 4, "memory": 5, "performance": 7}
"""Index of the check that becomes hidden, by the name of the hidden part."""


WRONG_WHEN_RAGGED = KERNEL.replace("x[i] + y[i];", "x[i] + y[i] + (n == 1000 && i == 7);")
"""A submission that fails the correctness case that may be hidden."""

WRONG_FOR_PRACTICE = KERNEL.replace("x[i] + y[i];", "x[i] + y[i] + (n == 5000 && i == 7);")
"""A submission that fails only the practice case."""


def hiding_course(folder, *hidden, **more):
    """Return a course with the assignment. The parts in `hidden` are hidden, and `more` replaces fields."""
    fields = copy.deepcopy({**FIELDS, **more})
    for name in hidden:
        place = fields
        for step in PLACES[name]:
            place = place[step]
        place["hidden"] = True
    return course_of(folder, fields)


def right(assignment):
    """Return the handmade result of a submission that passes everything."""
    build = Check(name="build", kind=Kind.BUILD, verdict=Verdict.PASSED, points=0, max_points=0, seconds=0.5)
    device = result().provenance.device
    measured = {"performance": performance(), "usage": (SPILLING,)}
    speed = (each.model_copy(update=measured) for each in untimed_checks(assignment, device))
    checks = (
        build,
        *unrun_cases(assignment, assignment.correctness.cases),
        *unobserved_checks(assignment, device),
        *speed,
    )
    timed = (each.model_copy(update={"seconds": 0.25}) for each in checks)
    return result(*timed, profiles={"": PROFILE}, seconds=9.0)


def changed(whole, *changes):
    """Return the result with the checks at these indices replaced and the sums adapted."""
    checks = list(whole.checks)
    for number, check in changes:
        checks[number] = check
    return whole.model_copy(
        update={
            "checks": tuple(checks),
            "points": sum(each.points for each in checks),
            "max_points": sum(each.max_points for each in checks),
        }
    )


def failing(whole, number, **more):
    """Return the result with one check failed. The reason that it gives is secret."""
    words = {field: f"{SECRET} {field}" for field in ("message", "detail", "cause")}
    told = {"reason": Reason.WRONG_OUTPUT, **words}
    old = whole.checks[number]
    return changed(whole, (number, old.model_copy(update={"verdict": Verdict.FAILED, "points": 0.0, **told, **more})))


WITHOUT_POINTS = (".sarif", ".codequality.json")
"""Endings of the files with issues. These files do not contain points or mention hidden checks."""


class Batch:
    """A Moodle download with one submission, by Anna, for an assignment with a hidden part that she fails."""

    def __init__(self, folder, hidden):
        self.folder, self.hidden, self.versions, self.said = folder, hidden, 0, []
        home = folder / "moodle" / "Anna Alt_7_assignsubmission_file_"
        home.mkdir(parents=True)
        (home / "kernels.cl").write_text(KERNEL)
        self.assignment = self.version(hidden)
        whole = failing(right(self.assignment), HIDDEN[hidden], findings=(RACE,))
        provenance = whole.provenance.model_copy(update={"assignment_sha256": self.assignment.sha256})
        self.whole = whole.model_copy(update={"assignment": "small", "provenance": provenance})

    def version(self, *hidden):
        """Return the assignment with these parts hidden."""
        self.versions += 1
        return hiding_course(self.folder / f"course{self.versions}", *hidden).load("small")

    def run(self, view=withheld, assignment=None):
        """Run the batch, and return the gradebook and the number of gradings."""
        workforce = FakeWorkforce(answers={KERNEL.encode(): [self.whole]})
        most = f"{self.whole.max_points:g}"
        request = BatchRequest(
            submissions=(self.folder / "moodle",),
            assignments=(assignment or self.assignment,),
            folder=self.folder / "out",
            settings_json='{"sandbox": "process"}',
            uploads=(
                self.worksheet(),
                CanvasGradebook(sheet=read_sheet("gradebook.csv", GRADEBOOK.format(most).encode())),
            ),
            seed=7,
            view=view,
        )
        return grade_batch(request, lambda: workforce, self.said.append), len(workforce.grading_jobs)

    def worksheet(self):
        """Return a Moodle worksheet without grades."""
        most = f"{self.whole.max_points:g}"
        return MoodleWorksheet(sheet=read_sheet("worksheet.csv", WORKSHEET.format(most).encode()))

    def for_students(self):
        """Return the bytes of each file that students get, by name. Members of a zip count as files."""
        out = self.folder / "out"
        files = {str(path.relative_to(out)): path.read_bytes() for path in sorted((out / "students").rglob("*.*"))}
        with zipfile.ZipFile(out / "moodle-feedback.zip") as archive:
            files |= {name: archive.read(name) for name in archive.namelist()}
        return files

    def read(self, name):
        """Return the text of one of the instructor's files."""
        return (self.folder / "out" / name).read_text(encoding="utf-8-sig")

    def moodle(self):
        """Return Anna's row in the worksheet."""
        (row,) = csv.DictReader(self.read("moodle-worksheet.csv").splitlines())
        return row

    def uploaded(self):
        """Return Anna's points in the worksheet and in the Canvas gradebook."""
        (*_, canvas) = csv.DictReader(self.read("canvas-gradebook.csv").splitlines())
        return [float(self.moodle()["Grade"]), float(canvas["Adding (44)"])]

    def right(self):
        """Return the result of a submission that passes everything, including the hidden part."""
        return right(self.assignment)


def points_in(batch):
    """Return Anna's points in each file that contains points, by the file's name."""
    out = batch.folder / "out"
    (table,) = csv.DictReader(batch.read("grades.csv").splitlines())
    home = out / "students" / "Anna Alt"
    gradescope = json.loads((home / "small.gradescope.json").read_text())
    (suite,) = ElementTree.parse(out / "batch.xml").getroot()
    (shown,) = re.findall(r'<p class="score"><b>([0-9.]+)</b>', (home / "small.html").read_text())
    (listed,) = re.findall(r'<td data-name="points">([0-9.]+)/', batch.read("index.html"))
    worksheet, gradebook = batch.uploaded()
    return {
        "grades.csv": float(table["points"]),
        "json": json.loads((home / "small.json").read_text())["points"],
        "gradescope": gradescope["score"],
        "junit": junit_points(ElementTree.parse(home / "small.xml").getroot()),
        "batch.xml": junit_points(suite),
        "page": float(shown),
        "index.html": float(listed),
        "worksheet": worksheet,
        "gradebook": gradebook,
        "comment": float(re.match(r"grader: ([0-9.]+) ", batch.moodle()["Feedback comments"])[1]),
    }


def junit_points(element):
    texts = "".join(each.text or "" for each in element.iter("system-out"))
    return sum(map(float, re.findall(r"\[\[PROPERTY\|points=([-0-9.]+)\]\]", texts)))
