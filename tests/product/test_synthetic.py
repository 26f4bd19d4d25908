"""A small synthetic course (synthetic.py) is graded like a real one, from the learning platforms' downloads to the
grades.
"""

import csv
import io
import os
import re
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from cohort_audit import misplaced, unexpected
from junitparser import JUnitXml
from project import ROOT
from synthetic import QUICK, Cohort, batch, cohort_of, course_of, write_courses

from grader.course.catalogue import Course
from grader.course.submissions.handin import Intake
from grader.lms.exports.grades import KINDS
from grader.lms.intake import take_all
from grader.results.result import Result

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("synthetic")]  # one process grades each course only once

SEED = 2

TRUSTED = {"right": 2, "wrong": 3, "malformed": 1, "empty": 1, "copy": 1}
"""Number of hand-ins of each kind that may run without a container."""

UNTRUSTED = {"right": 1, "wrong": 1, "hostile": 4, "malformed": 1, "copy": 1}

SOME_FAILED = 1


@dataclass(frozen=True, kw_only=True)
class Graded:
    """A cohort after its batch, with the intake, the finished command and the folder of results."""

    cohort: Cohort
    course: Course
    intake: Intake
    command: list[str | Path]
    environment: dict[str, str]
    ended: subprocess.CompletedProcess[str]
    out: Path

    def again(self) -> subprocess.CompletedProcess[str]:
        """Run the same command a second time."""
        return run(self.command, self.environment)


def run(command, environment):
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)


def grade(cohort, folder, sandbox, more):
    """Grade the cohort's download with `grader batch`."""
    course = write_courses(folder / "courses")[cohort.plot.course]
    download = cohort.download(folder / "download")
    environment = {**os.environ, **QUICK, **more, "GRADER_LOCKS": str(folder)}
    command = [*batch(cohort, download, course, folder / "out"), "--jobs", "2", *sandbox]
    return Graded(
        cohort=cohort,
        course=course,
        intake=take_all((download,), tuple(course.load(name) for name in cohort.plot.assignments)),
        command=command,
        environment=environment,
        ended=run(command, environment),
        out=folder / "out",
    )


@pytest.fixture(scope="module", params=["moodle", "gradescope"])
def trusted(request, tmp_path_factory):
    """A cohort without hostile hand-ins, which is graded in processes."""
    cohort = cohort_of(request.param, sum(TRUSTED.values()), SEED, TRUSTED)
    sandbox = ["--sandbox", "process"]
    return grade(cohort, tmp_path_factory.mktemp(request.param), sandbox, {})


def assert_whole(graded):
    """Check that every hand-in is assigned to its student, and has its expected verdict and all reports. The exit code
    says that some checks failed.
    """
    assert misplaced(graded.cohort, graded.intake) == []
    assert graded.ended.returncode == SOME_FAILED, graded.ended.stderr
    assert list(unexpected(graded.cohort, graded.intake, graded.out, graded.course)) == []
    for handin in graded.intake.handins:
        home = graded.out / "students" / handin.student.label
        assert {path.name for path in home.glob(f"{handin.assignment}.*")} == {
            f"{handin.assignment}.{ending}"
            for ending in ("codequality.json", "gradescope.json", "html", "json", "sarif", "xml")
        }


@pytest.mark.whole
def test_a_course_without_engine_gets_its_verdicts(trusted):
    """Without a container engine, hand-ins from two platforms get their expected verdicts. Some are correct, others are
    wrong, malformed, empty or copied.
    """
    assert_whole(trusted)


@pytest.mark.whole
def test_tables_reconcile_with_the_reports(trusted):
    """For each hand-in, the table of grades and the JUnit file agree with its report, and the overview links the
    report.
    """
    text = (trusted.out / "grades.csv").read_text(encoding="utf-8-sig")
    rows = {(row["label"].removeprefix("'"), row["assignment"]): row for row in csv.DictReader(io.StringIO(text))}
    everybody = (*trusted.intake.handins, *trusted.intake.absences)
    assert set(rows) == {(each.student.label, each.assignment) for each in everybody}
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(trusted.out / "batch.xml"))}
    page = (trusted.out / "index.html").read_text(encoding="utf-8")
    links = {unquote(unescape(link)) for link in re.findall(r'href="\./(students/[^"]*)"', page)}
    for handin in trusted.intake.handins:
        label, row = handin.student.label, rows[handin.student.label, handin.assignment]
        path = f"students/{label}/{handin.assignment}"
        result = Result.model_validate_json((trusted.out / f"{path}.json").read_bytes())
        assert float(row["points"]) == pytest.approx(result.points)
        assert sum(float(row[kind]) for kind in KINDS) == pytest.approx(result.points)
        lines = len(result.checks) - len(result.unreached) + bool(result.unreached)  # unreached checks share one line
        assert suites[f"{label} {handin.assignment}"].tests == lines
        assert f"{path}.html" in links


@pytest.mark.whole
def test_a_second_run_grades_nothing_anew(trusted):
    """A second run ends with the same exit code and does not rewrite any result or report."""
    written = {path: path.stat().st_mtime_ns for path in (trusted.out / "results").iterdir()}
    reports = {path: path.stat().st_mtime_ns for path in (trusted.out / "students").rglob("*.*")}
    again = trusted.again()
    assert again.returncode == SOME_FAILED, again.stderr
    number = len({(handin.sha256, handin.assignment) for handin in trusted.intake.handins})
    assert f"{number} gradings, {number} of them made before" in again.stdout
    assert {path: path.stat().st_mtime_ns for path in (trusted.out / "results").iterdir()} == written
    assert {path: path.stat().st_mtime_ns for path in (trusted.out / "students").rglob("*.*")} == reports


@pytest.mark.whole
def test_a_course_with_attacks_gets_its_verdicts(worker_image, tmp_path):
    """Hostile hand-ins in containers do not change any other grade and leave no array files behind."""
    (tmp_path / "arrays").mkdir()
    where = {"GRADER_DOCKER__IMAGE": worker_image, "GRADER_DOCKER__FOLDER": str(tmp_path / "arrays")}
    cohort = cohort_of("folders", sum(UNTRUSTED.values()), SEED, UNTRUSTED)
    graded = grade(cohort, tmp_path, ["--sandbox", "docker"], where)
    assert_whole(graded)
    assert list((tmp_path / "arrays").iterdir()) == []


@pytest.mark.whole
def test_a_course_is_the_same_for_the_same_seed():
    """One seed always gives the same course, and another seed gives a different one. Only copies and empty files have
    identical contents.
    """
    assert course_of(60, 1) == course_of(60, 1)
    assert course_of(60, 1) != course_of(60, 2)
    works = [work for cohort in course_of(300, 1) for work in cohort.works]
    own = [work.data for work in works if work.kind not in {"copy", "empty"}]
    assert len(works) == 300
    assert len(set(own)) == len(own)


@pytest.mark.whole
def test_a_large_course_is_placed_to_the_last_student(tmp_path):
    """A thousand hand-ins in the downloads of all platforms are each assigned to the right student. None is lost and
    none is added.
    """
    courses = write_courses(tmp_path)
    for cohort in course_of(1000, SEED):
        course = courses[cohort.plot.course]
        asked = tuple(course.load(name) for name in cohort.plot.assignments)
        assert misplaced(cohort, take_all((cohort.download(tmp_path / cohort.plot.shape),), asked)) == []
