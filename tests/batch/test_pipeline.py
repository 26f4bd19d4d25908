"""pipeline.py: a batch from its arguments to the last file, graded by a fake workforce."""

import csv
import json
import shutil
import zipfile
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from fake_workforce import FACILITIES, FakeWorkforce
from samples import BUILD, SPEED, failed, result

from grader import reports
from grader.batch import lms_files, publishing
from grader.batch.page_renderer import INLINE, PageRenderer
from grader.batch.pipeline import BatchRequest, grade_batch, look
from grader.batch.progress_table import outcome_in_words
from grader.batch.store import Store
from grader.cli.result_codes import batch_exit_code
from grader.common.errors import InputError, InterruptedGradingError, WorkerError
from grader.common.optional import Fault
from grader.lms.exports.canvas import CanvasGradebook
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.lms.platforms import PLATFORMS, FeedbackFile
from grader.reports import bare, junit
from grader.results.result import Ungraded

RIGHT = "__kernel void coalsTransp() {}\n"
ORDERS = '{"sandbox": "process"}'


@pytest.fixture
def submissions(tmp_path):
    """Identical files from Anna and Bob, a different one from Carol, and an empty folder for Dora."""
    folder = tmp_path / "submissions"
    for name, text in (("anna", RIGHT), ("bob", RIGHT), ("carol", RIGHT + "// mine\n"), ("dora", None)):
        (folder / name).mkdir(parents=True)
        if text is not None:
            (folder / name / "kernels.cl").write_text(text)
    return folder


@pytest.fixture
def run(submissions, tmp_path, transposition):
    """Return a function that grades these submissions and returns gradebook, workforce and printed lines."""

    def run(workforce=None, assignment=transposition, renderer=INLINE, **changes):
        workforce = workforce or FakeWorkforce(assignment_sha256=assignment.sha256)
        said = []
        request = BatchRequest(
            **{
                "submissions": (submissions,),
                "assignments": (assignment,),
                "folder": tmp_path / "out",
                "settings_json": ORDERS,
                "seed": 7,
                **changes,
            }
        )
        return grade_batch(request, lambda: workforce, said.append, renderer), workforce, said

    return run


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_everything_is_written(run, tmp_path):
    """The batch writes a result for each distinct file, reports for each student, and reports for the whole batch."""
    book, workforce, _ = run()
    assert workforce.dismissed
    assert workforce.closed
    assert len(workforce.grading_jobs) == 2
    found = files_in(tmp_path / "out")
    reports = ("codequality.json", "gradescope.json", "html", "json", "sarif", "xml")
    assert [name for name in found if not name.startswith("results/")] == sorted(
        ["batch.json", "batch.lock", "batch.xml", "files.jsonl", "grades.csv", "index.html"]
        + [f"students/{who}/coalsTransp.{ending}" for who in ("anna", "bob", "carol") for ending in reports]
    )
    assert len([name for name in found if name.startswith("results/")]) == 2
    assert {row.student.label: (row.status, row.same_as) for row in book.rows} == {
        "anna": ("graded", ("bob",)),
        "bob": ("graded", ("anna",)),
        "carol": ("graded", ()),
        "dora": ("absent", ()),
    }


EVERYBODY = [f"submissions/{who}/kernels.cl" for who in ("anna", "bob", "carol")]


class Recorder(PageRenderer):
    """Makes pages in this process, and records which pages were begun or made and in which order."""

    def __init__(self, workforce):
        self.workforce, self.begun, self.made, self.before, self.started = workforce, [], [], [], 0

    def start(self):
        self.started += 1

    def begin(self, told):
        self.begun.append((told.submission, self.workforce.dismissed))

    def page(self, told):
        self.made.append(told.submission)
        self.before.append(len(self.begun))
        return super().page(told)


def test_pages_are_begun_while_others_are_graded(run, transposition):
    """The page of each student is begun during grading, even for identical files. Current pages are not begun again."""
    workforce = FakeWorkforce(capacity=1, assignment_sha256=transposition.sha256)
    renderer = Recorder(workforce)
    run(workforce, renderer=renderer)
    assert [name for name, dismissed in renderer.begun if not dismissed] == EVERYBODY
    assert renderer.made == EVERYBODY
    again = Recorder(FakeWorkforce(capacity=1, assignment_sha256=transposition.sha256))
    run(again.workforce, renderer=again)
    assert (again.begun, again.made, again.started) == ([], [], 0)


def test_the_next_pages_are_made_while_one_is_written(run, transposition, tmp_path):
    """All pages are begun before the first is written, even if nothing is graded, as after a changed threshold."""
    run()
    shutil.rmtree(tmp_path / "out" / "students")
    renderer = Recorder(FakeWorkforce(assignment_sha256=transposition.sha256))
    run(renderer.workforce, renderer=renderer)
    assert [name for name, _ in renderer.begun] == EVERYBODY
    assert renderer.before == [3, 3, 3], "all three were begun before the first was made"


def test_who_is_refused_is_not_absent(run, submissions, tmp_path):
    """A student whose only file is refused is ungraded rather than absent. The refusal appears in every report."""
    (submissions / "eve.zip").write_bytes(b"no zip")
    book, _, said = run()
    assert {row.student.label: row.status for row in book.rows}["eve"] == "ungraded"
    assert {row.student.label: row.status for row in book.rows}["dora"] == "absent"
    assert batch_exit_code(book.rows) == 3
    assert "1 without, 1 refused" in said[0]
    assert "Refused for coalsTransp, for the reasons below: eve." in said[0]
    why = "refused: submissions/eve.zip: is not a zip, or is damaged"
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = (row for row in csv.DictReader(file) if row["label"] == "eve")
    assert (row["status"], row["points"]) == ("ungraded", "")
    assert row["fault"].startswith(why)
    for text in ((tmp_path / "out" / name).read_text() for name in ("batch.xml", "index.html")):
        assert why in text
    assert f"not graded: eve, coalsTransp: {why}" in outcome_in_words(book, tmp_path)


def test_totals_reconcile_with_the_parts(run, tmp_path):
    """The gradebook, the CSV file, the JUnit file and the JSON file of each student contain the same points."""
    book, _, _ = run()
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        points = {row["label"]: row["points"] for row in csv.DictReader(file)}
    suites = ElementTree.parse(tmp_path / "out" / "batch.xml").getroot()
    assert {each.get("name"): each.get("skipped") for each in suites}["dora coalsTransp"] == "1"
    assert len(suites) == 4
    for row in book.rows:
        if row.grade is None:
            assert points[row.student.label] == ""
            continue
        told = json.loads((tmp_path / "out" / "students" / row.student.label / "coalsTransp.json").read_text())
        assert row.grade.points == told["points"] == float(points[row.student.label])
        assert told["points"] == sum(check["points"] for check in told["checks"])
        assert told["submission"] == f"submissions/{row.student.label}/kernels.cl"


def test_a_second_run_grades_nothing_and_writes_the_same(run, tmp_path):
    """A second run grades nothing. It does not change any file's content or the time stamps of up-to-date reports."""
    run()
    out = tmp_path / "out"
    before = {name: (out / name).read_bytes() for name in files_in(out)}
    page = out / "students" / "anna" / "coalsTransp.html"
    made = page.stat().st_mtime_ns
    _, workforce, said = run()
    assert workforce.grading_jobs == []
    assert {name: (out / name).read_bytes() for name in files_in(out)} == before
    assert page.stat().st_mtime_ns == made
    assert any("2 gradings, 2 of them made before" in line for line in said)


AGAIN = "Graded again, since the last run had other conditions: "
"""Beginning of the line that says why stored results are not used."""


def test_a_run_names_the_sandbox_and_why_it_grades_again(run, transposition):
    """The start of a run names the sandbox. If results of the last run cannot be used, one line says what changed."""

    def said_with(**changes):
        facilities = replace(FACILITIES, **changes)
        return run(FakeWorkforce(facilities=facilities, assignment_sha256=transposition.sha256))[2]

    first = said_with()
    assert any(line.endswith("with the simulator, in the sandbox process.") for line in first)
    assert not any(line.startswith(AGAIN) for line in (*first, *said_with(), *said_with(sandbox="docker")))
    device = FACILITIES.device
    for changes, why in (
        ({"grader": "1"}, "grader 0, now 1."),
        (
            {"device": device.model_copy(update={"name": "Other"})},
            f"grader 1, now 0; the device {device.name}, now Other.",
        ),
        (
            {"device": device.model_copy(update={"name": "Other", "driver": "9"})},
            "another driver or configuration of Other.",
        ),
        ({"simulated": False}, f"the device Other, now {device.name}; the simulator, which is missing now."),
    ):
        assert [line for line in said_with(**changes) if line.startswith(AGAIN)] == [AGAIN + why]


def test_a_run_names_the_settings_that_have_changed(run, tmp_path):
    """If settings have changed since the last run, one line names each of them with both values. A results folder that
    was made before grader stored settings gets a line without names.
    """

    def why(settings):
        said = run(settings_json=json.dumps(settings))[2]
        return [line.removeprefix(AGAIN) for line in said if line.startswith(AGAIN)]

    before = {"sandbox": "docker", "timing": {"min_pairs": 9, "max_pairs": 20}}
    assert why(before) == []
    now = {"sandbox": "process", "timing": {"min_pairs": 9, "max_pairs": 30}, "device": 1}
    assert why(now) == ["device not set, now 1; sandbox docker, now process; timing.max_pairs 20, now 30."]
    memo = tmp_path / "out" / "batch.json"
    stored = json.loads(memo.read_text())
    del stored["conditions"]["settings"]
    memo.write_text(json.dumps(stored))
    assert why({"sandbox": "podman"}) == ["other settings."]


def test_a_report_that_is_gone_is_written_again_without_grading(run, tmp_path):
    """A deleted report is written again from the stored result."""
    run()
    page = tmp_path / "out" / "students" / "anna" / "coalsTransp.html"
    text = page.read_text()
    page.unlink()
    _, workforce, _ = run()
    assert workforce.grading_jobs == []
    assert page.read_text() == text


def test_files_follow_from_one_state_and_say_what_became_of_them(run, tmp_path):
    """A second run without the worksheet removes the first run's copy. An edited table is kept under another name."""
    grades = tmp_path / "out" / "grades.csv"
    _, _, said = run()
    assert "21 files written (students/anna/*, students/bob/*, students/carol/*, batch.xml, grades.csv" in said[-1]
    right = grades.read_bytes()
    run(uploads=(MoodleWorksheet(sheet=read_sheet("worksheet.csv", WORKSHEET.encode())),))
    grades.write_bytes(right + b"bonus for Anna\r\n")
    _, _, said = run()
    assert grades.read_bytes() == right
    assert grades.with_name("grades.edited.csv").read_bytes() == right + b"bonus for Anna\r\n"
    assert said[-2] == (
        "2 files written (grades.csv, index.html); 19 as before.\n"
        "1 file of earlier runs removed (moodle-worksheet.csv).\n"
        "grades.csv had been edited since the last run; the edited file is now grades.edited.csv."
    )
    assert not (tmp_path / "out" / "moodle-worksheet.csv").exists()


@pytest.mark.whole
def test_who_is_gone_leaves_no_reports(run, submissions, tmp_path):
    """The reports of a student who is no longer in the download are removed."""
    run()
    (submissions / "carol" / "kernels.cl").unlink()
    (submissions / "carol").rmdir()
    _, _, said = run()
    assert sorted(path.name for path in (tmp_path / "out" / "students").iterdir()) == ["anna", "bob"]
    assert "6 files of earlier runs removed (students/carol/*)" in said[-2]


def test_a_stored_result_is_read_twice_by_a_run_with_nothing_to_do(run, monkeypatch):
    """A run with nothing to grade reads each stored result once to validate it and once per student.

    It does not keep them, because the results of a course do not fit into memory.
    """
    run()
    read = Counter()
    load = Store.load

    def counting(store, key):
        read[key] += 1
        return load(store, key)

    monkeypatch.setattr(Store, "load", counting)
    run()
    assert sorted(read.values()) == [1 + 1, 1 + 2]  # Carol's result, and the shared result of Anna and Bob


def test_only_who_is_to_be_graded_again_is(run, tmp_path):
    """--regrade grades only the chosen student again. The other stored results are not rewritten."""
    run()
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "results").glob("*.json")}
    _, workforce, said = run(regrade=("student=carol",))
    assert "--regrade student=carol: 1 stored grading to make again." in said
    assert said[-1] == "No grade has changed since the last run."
    assert [job.data for job in workforce.grading_jobs] == [(RIGHT + "// mine\n").encode()]
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out" / "results").glob("*.json")}
    assert before.keys() == after.keys()
    assert sum(before[name] != after[name] for name in before) == 1


def test_a_choice_that_matches_nothing_says_so(run):
    """A --regrade choice that matches nothing is reported, and nothing is graded."""
    run()
    _, workforce, said = run(regrade=("check=coalescing", "changed=coalsTransp"))
    assert workforce.grading_jobs == []
    for wanted in ("check=coalescing", "changed=coalsTransp"):
        assert f"--regrade {wanted} matches no stored grading, so nothing is graded again for it." in said


def test_what_has_changed_is_summed_up(run, submissions):
    """The last line lists each changed grade with its old and new points. After a first run, there is no such list."""
    _, _, said = run()
    assert not [text for text in said if "last run" in text]
    (submissions / "dora" / "kernels.cl").write_text(RIGHT + "// Dora's\n")
    (submissions / "carol" / "kernels.cl").write_text(RIGHT + "// wrong\n")
    (submissions / "bob" / "kernels.cl").unlink()
    (submissions / "bob").rmdir()
    wrong = result(BUILD, failed("correctness: one"), SPEED)
    fault = Ungraded(assignment="coalsTransp", submission="kernels.cl", fault="no device.")
    answers = {(RIGHT + "// wrong\n").encode(): [wrong], (RIGHT + "// Dora's\n").encode(): [fault] * 3}
    _, _, said = run(FakeWorkforce(answers=answers))
    assert said[-1] == (
        "Changed since the last run:\n"
        "  bob, coalsTransp: 45 of 45 points before, not in the list now\n"
        "  carol, coalsTransp: 45 of 45 points before, 0 of 22.5 points now\n"
        "  dora, coalsTransp: nothing handed in before, not graded now"
    )


def test_changed_thresholds_score_anew_without_a_grading(run, tmp_path, transposition):
    """Doubled points change every report and the gradebook. The stored results remain valid, so no grading runs."""
    first, _, _ = run()
    stored = {path: path.read_bytes() for path in (tmp_path / "out" / "results").iterdir()}
    correctness = transposition.correctness.model_copy(update={"points": 2 * transposition.correctness.points})
    changed = transposition.model_copy(update={"correctness": correctness})
    changed.__dict__["sha256"] = "another version"
    second, workforce, _ = run(assignment=changed)
    assert workforce.grading_jobs == []
    assert {path: path.read_bytes() for path in stored} == stored
    for old, new in zip(first.rows, second.rows, strict=True):
        if old.grade is not None:
            kinds = {mark.kind for mark in new.grade.checks}
            assert len(kinds) > 1
            assert new.grade.max_points != old.grade.max_points
            page = (tmp_path / "out" / "students" / new.student.label / "coalsTransp.html").read_text()
            assert f"{new.grade.max_points:g}" in page
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["max_points"] for row in csv.DictReader(file)} == {f"{second.rows[0].grade.max_points:g}", ""}


def test_what_could_not_be_graded_is_listed_and_the_rest_is_there(run, tmp_path):
    """A submission that cannot be graded is reported as ungraded, not as failed, and is an error in the JUnit file.

    The other submissions are graded.
    """
    fault = Ungraded(assignment="coalsTransp", submission="kernels.cl", fault="the machine is too noisy.")
    data = (RIGHT + "// mine\n").encode()
    book, _, said = run(FakeWorkforce(answers={data: [fault] * 3}))
    assert {row.student.label: row.status for row in book.rows}["carol"] == "ungraded"
    assert sum("will be tried again" in line for line in said) == 2
    assert sum("given up" in line for line in said) == 1
    junit = (tmp_path / "out" / "students" / "carol" / "coalsTransp.xml").read_text()
    assert "<error" in junit
    assert "too noisy" in junit
    again, workforce, _ = run()
    assert [job.data for job in workforce.grading_jobs] == [data]
    assert {row.status for row in again.rows} == {"graded", "absent"}


def test_an_end_in_the_middle_says_how_to_go_on(run, tmp_path):
    """An interrupted batch says how many gradings are stored and where, and that the same command continues."""

    class Interrupted(FakeWorkforce):
        def submit(self, job):
            if self.grading_jobs:
                raise InterruptedGradingError("interrupted by SIGINT.")
            return super().submit(job)

    workforce = Interrupted(capacity=1)
    with pytest.raises(InterruptedGradingError) as caught:
        run(workforce)
    assert str(caught.value) == (
        f"interrupted by SIGINT. 1 of 2 gradings are done and kept in {tmp_path / 'out'}; the same command "
        "continues from there (without --regrade)."
    )
    assert workforce.closed
    _, rest, _ = run()
    assert len(rest.grading_jobs) == 1


def test_a_workforce_that_cannot_start_is_our_error(run):
    """If the workforce cannot start, the batch raises WorkerError and closes the workforce."""

    class Broken(FakeWorkforce):
        def facilities(self):
            raise WorkerError("no device.")

    workforce = Broken()
    with pytest.raises(WorkerError, match="no device"):
        run(workforce)
    assert workforce.closed


def test_a_folder_with_nothing_to_grade_is_refused(run, tmp_path):
    """A folder without submissions is refused before the folder for results is created."""
    (tmp_path / "none" / "anna").mkdir(parents=True)
    with pytest.raises(InputError):
        run(submissions=(tmp_path / "none",))
    assert not (tmp_path / "out").exists()


def test_results_do_not_lie_among_the_submissions(run, submissions):
    """A folder for results inside the submissions is refused, because the next run would take it for a submission."""
    for folder in (submissions, submissions / "out"):
        with pytest.raises(InputError, match="would be read as a submission"):
            run(folder=folder)
    assert not (submissions / "out").exists()


def test_two_batches_do_not_share_a_folder_at_once(run):
    """A second batch in the same folder is refused while the first is running."""

    class Second(FakeWorkforce):
        def submit(self, job):
            with pytest.raises(InputError, match="another grader is working"):
                run()
            return super().submit(job)

    book, _, _ = run(Second())
    assert {row.status for row in book.rows} == {"graded", "absent"}


WORKSHEET = (
    "Identifier,Full name,Status,Grade,Maximum grade,Feedback comments\r\n"
    "Participant 7,Anna,Submitted for grading - 3 hours late,,10.00,\r\n"
)
GRADEBOOK = (
    "Student,ID,SIS Login ID,Section,Coalesced transposition (44)\r\n    Points Possible,,,,100\r\nAnna,7,anna,A,\r\n"
)


def test_what_is_for_upload_is_filled_in(run, tmp_path):
    """Filled-in copies of the worksheet and the gradebook are written next to the reports.

    For a download from Moodle, a zip of feedback in Moodle's layout is written too.
    """
    moodle = tmp_path / "moodle"
    home = moodle / "Anna Alt_7_assignsubmission_file_"
    home.mkdir(parents=True)
    (home / "kernels.cl").write_text(RIGHT)
    uploads = (
        MoodleWorksheet(sheet=read_sheet("worksheet.csv", WORKSHEET.encode())),
        CanvasGradebook(sheet=read_sheet("gradebook.csv", GRADEBOOK.encode())),
    )
    book, _, _ = run(submissions=(moodle,), uploads=uploads)
    (row,) = book.rows
    assert row.late
    share = row.grade.points / row.grade.max_points
    (filled,) = csv.DictReader((tmp_path / "out" / "moodle-worksheet.csv").read_text().splitlines())
    assert float(filled["Grade"]) == pytest.approx(10 * share)
    (_, scored) = csv.DictReader((tmp_path / "out" / "canvas-gradebook.csv").read_text().splitlines())
    assert float(scored["Coalesced transposition (44)"]) == pytest.approx(100 * share)
    with zipfile.ZipFile(tmp_path / "out" / "moodle-feedback.zip") as archive:
        (name,) = archive.namelist()
        assert name == "Anna Alt_7_assignsubmission_file_/coalsTransp.html"
        assert (
            archive.read(name) == (tmp_path / "out" / "students" / row.student.label / "coalsTransp.html").read_bytes()
        )


def test_a_gradebook_that_cannot_be_filled_is_told_before_anything_is_graded(run):
    """A gradebook without a matching column is refused before grading starts."""
    sheet = read_sheet("gradebook.csv", GRADEBOOK.replace("Coalesced transposition", "Essay").encode())
    workforce = FakeWorkforce()
    with pytest.raises(InputError, match="--canvas-column"):
        run(workforce, uploads=(CanvasGradebook(sheet=sheet),))
    assert workforce.grading_jobs == []


TWO_OF_A_NAME = (
    "Student,ID,SIS Login ID,Section,Coalesced transposition (44)\r\n    Points Possible,,,,100\r\n"
    '"Lim, Mei",11,mlim,A,\r\n"Lim, Mei",12,mlim2,A,\r\n'
)


@pytest.mark.parametrize("name", ["Lim, Mei", "mei lim"])
@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("corrections.csv", "student,assignment,points\n{},coalsTransp,+5\n"),
        ("extensions.csv", "student,assignment,attempts\n{},coalsTransp,2\n"),
    ],
)
def test_a_line_for_one_of_two_people_of_a_name_is_refused(run, tmp_path, name, file, line):
    """A line with a name that two people share is refused, but one with a person's key is accepted.

    This is also true if one of the two has not handed in anything and only the gradebook has the full names.
    """
    download = tmp_path / "canvas"
    download.mkdir()
    (download / "limmei_11_90000_kernels.cl").write_text(RIGHT)
    given = {
        "submissions": (download,),
        "uploads": (CanvasGradebook(sheet=read_sheet("gradebook.csv", TWO_OF_A_NAME.encode())),),
    }
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text(line.format(f'"{name}"'))
    workforce = FakeWorkforce()
    with pytest.raises(InputError, match=f"{file}, line 2: '{name}' may be 2 people, key 11 and key 12; write the key"):
        run(workforce, **given)
    assert workforce.grading_jobs == []
    (tmp_path / "out" / file).write_text(line.format("11"))
    book, _, _ = run(**given)
    assert [row.status for row in book.rows if row.student.key == "11"] == ["graded"]


def test_who_has_no_result_can_be_given_points(run, submissions, tmp_path):
    """Points without a sign give a grade to a student without a result, for example for work handed in by mail.

    A signed difference is not applied, and the run says so.
    """
    (submissions / "eve.zip").write_bytes(b"no zip")
    lines = ("dora,coalsTransp,60,by mail", "eve,coalsTransp,50,it was readable for me", "anna,coalsTransp,+5,")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "corrections.csv").write_text("student,assignment,points,comment\n" + "\n".join(lines))
    book, _, _ = run()
    grades = {row.student.label: (row.status, row.grade.points) for row in book.rows}
    assert (grades["dora"], grades["eve"]) == (("graded", 60.0), ("graded", 50.0))
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        table = {row["label"]: row for row in csv.DictReader(file)}
    assert (table["dora"]["points"], table["dora"]["correction"]) == ("60", "60")
    assert table["dora"]["correction_comment"] == "by mail"
    assert "+60 points (by mail)" in (tmp_path / "out" / "batch.xml").read_text()
    assert "+60 points (by mail)" in (tmp_path / "out" / "index.html").read_text()
    (tmp_path / "out" / "corrections.csv").write_text("student,assignment,points,comment\ndora,coalsTransp,+5,\n")
    book, _, said = run()
    assert {row.student.label: row.status for row in book.rows}["dora"] == "absent"
    assert (
        "corrections.csv, line 2: not applied: dora has no grade for coalsTransp; write points without a sign." in said
    )


def test_a_dry_run_shows_what_there_is_and_makes_nothing(submissions, tmp_path, transposition):
    """A dry run lists the hand-ins and the problems, but does not create a folder."""
    said = []
    request = BatchRequest(
        submissions=(submissions,), assignments=(transposition,), folder=tmp_path / "out", settings_json=ORDERS
    )
    deadlines, _ = look(request, said.append)
    assert len(deadlines.intake.handins) == 3
    assert "3 hand-ins, 1 without" in said[0]
    assert not (tmp_path / "out").exists()


def test_a_second_download_adds_to_the_first(run, submissions, tmp_path):
    """A later download replaces files of the students in it. The other students remain and are not graded again."""
    run()
    late = tmp_path / "late"
    for name, text in (("bob", RIGHT + "// again\n"), ("dora", RIGHT + "// late\n"), ("carol", None)):
        (late / name).mkdir(parents=True)
        if text is not None:
            (late / name / "kernels.cl").write_text(text)
    book, workforce, said = run(submissions=(submissions, late))
    assert sorted(job.data for job in workforce.grading_jobs) == sorted(
        (RIGHT + f"// {what}\n").encode() for what in ("again", "late")
    )
    assert {row.student.label: row.where for row in book.rows} == {
        "anna": "submissions/anna/kernels.cl",
        "bob": "late/bob/kernels.cl",
        "carol": "submissions/carol/kernels.cl",
        "dora": "late/dora/kernels.cl",
    }
    assert "submissions/bob/kernels.cl: is ignored; late/bob/kernels.cl counts." in " ".join(said[0].split())


def test_a_report_that_cannot_be_made_costs_no_other(run, tmp_path, monkeypatch):
    """If a report fails, its traceback is listed and the others are written. The next run makes the missing one."""
    with monkeypatch.context() as patch:
        patch.setitem(publishing.BESIDE, "xml", lambda _: 1 / 0)
        patch.setattr(junit, "_cases", lambda *_: 1 / 0)
        book, _, said = run()
    out = tmp_path / "out"
    assert [row.grade.points for row in book.rows if row.grade] == [45.0] * 3
    home = out / "students" / "anna"
    assert {path.suffix for path in home.iterdir()} == {".json", ".html", ".sarif"}
    (suite, *_) = ElementTree.parse(out / "batch.xml").getroot()
    assert "The suite of anna coalsTransp is missing: the grader failed." in suite[0][0].get("message")
    assert "the grader failed 6 times to explain or report something. The grades are not affected." in said[-1]
    listed = (out / "faults.txt").read_text()
    assert "anna, coalsTransp: The file students/anna/coalsTransp.xml is missing" in listed
    assert "ZeroDivisionError" in listed
    _, workforce, said = run()
    assert not workforce.grading_jobs
    assert (home / "coalsTransp.xml").exists()
    assert not (out / "faults.txt").exists()


def test_what_results_lack_by_our_fault_is_listed(run, tmp_path, transposition):
    """The traceback of a grader fault is for the instructor. Students read one sentence and keep their points."""
    fault = Fault(lost="the line of the mistake", traceback="Traceback: a secret")
    lacking = result(BUILD, failed("correctness: one", faults=(fault,)), SPEED)
    provenance = lacking.provenance.model_copy(update={"assignment_sha256": transposition.sha256})
    lacking = lacking.model_copy(update={"provenance": provenance})
    workforce = FakeWorkforce(answers={RIGHT.encode(): [lacking]}, assignment_sha256=transposition.sha256)
    _, _, said = run(workforce)
    out = tmp_path / "out"
    assert "failed 2 times" in said[-1]  # Anna and Bob handed in identical files
    assert (out / "faults.txt").read_text().count("Traceback: a secret") == 2
    for path in (out / "students" / "anna").iterdir():
        assert "secret" not in path.read_text()
    assert fault.sentence in (out / "students" / "anna" / "coalsTransp.html").read_text()
    assert not (out / "instructor").exists()


def test_a_page_that_lacks_something_is_made_again_by_the_next_run(run, tmp_path, monkeypatch):
    """A page that cannot be made is replaced by a bare page until the next run makes it."""
    with monkeypatch.context() as patch:
        patch.setitem(reports.REPORTS, "html", lambda _: 1 / 0)
        run()
    page = tmp_path / "out" / "students" / "anna" / "coalsTransp.html"
    assert bare.MISSING in page.read_text()
    run()
    assert bare.MISSING not in page.read_text()
    assert not (tmp_path / "out" / "faults.txt").exists()


def test_a_file_for_upload_that_cannot_be_made_costs_no_other(run, tmp_path, monkeypatch):
    """If a file for upload cannot be made, the output names it, and the other files are written."""
    book, _, _ = run()
    moodle = next(each for each in PLATFORMS if each.feedback)
    broken = FeedbackFile(name=moodle.feedback.name, write=lambda *_: 1 / 0)
    monkeypatch.setattr(lms_files, "PLATFORMS", (replace(moodle, download=book.shape, feedback=broken),))
    _, _, said = run()
    assert any("The file moodle-feedback.zip is missing: the grader failed." in line for line in said)
    assert (tmp_path / "out" / "index.html").exists()
    assert "feedback.zip" in (tmp_path / "out" / "faults.txt").read_text()
