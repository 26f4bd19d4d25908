"""batch.py: which submissions a folder holds, and that none of them stops the others."""

import os

import pytest
from samples import BUILD, failed, result

from grader import batch
from grader.batch import find_submissions, grade_all
from grader.errors import DeviceError, InputError, InterruptedGradingError, NoiseError, SolutionError, WorkerError
from grader.reports import REPORTS
from grader.reports.terminal import summary
from grader.result import Result, Ungraded
from grader.submission import FILE_NAME
from grader.text import showable


def submission(folder, name, text="__kernel void f() {}\n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(folder):
    """Names, and the files that will be read."""
    entries = [
        (each.name, each.path / FILE_NAME if each.path.is_dir() else each.path) for each in find_submissions(folder)
    ]
    return [(name, path.relative_to(folder).as_posix()) for name, path in entries]


def complaint(folder):
    with pytest.raises(InputError) as caught:
        find_submissions(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- finding ----------------------------------------------------------------------------------


def test_folders_and_files_are_found_by_name(tmp_path):
    """Both kinds in one list, in the order of their names."""
    for name in ("zoe/kernels.cl", "bob.cl", "adam/kernels.cl", "carol.cl"):
        submission(tmp_path, name)
    assert found(tmp_path) == [
        ("adam", "adam/kernels.cl"),
        ("bob", "bob.cl"),
        ("carol", "carol.cl"),
        ("zoe", "zoe/kernels.cl"),
    ]


def test_a_folder_without_a_submission_is_listed_and_other_files_are_not(tmp_path):
    """Somebody misspelt a name: that must not look as if nobody had handed in anything."""
    submission(tmp_path, "anna/kernels.cl")
    for name in ("README.md", "bob/solution.cl", "carol/old/kernels.cl", "kernels.cl.bak", "dora/KERNELS.CL", "eve.CL"):
        submission(tmp_path, name)
    (tmp_path / "empty").mkdir()
    (tmp_path / ".git").mkdir()
    assert [name for name, _ in found(tmp_path)] == ["anna", "bob", "carol", "dora", "empty"]


@pytest.mark.parametrize(
    "name", ["Ünal, Ö.", "a b", "12345", "-x", "a.b", "$(rm)", "*", "[ab]", "%s", "x" * 200, "line\nbreak"]
)
def test_odd_names_are_names_like_others(tmp_path, name):
    """As people and learning platforms give them; no pattern and no option is seen in them."""
    submission(tmp_path, f"{name}/kernels.cl")
    submission(tmp_path, f"{name}2.cl")
    assert found(tmp_path) == [(name, f"{name}/kernels.cl"), (f"{name}2", f"{name}2.cl")]


def test_hidden_names_are_not_lost(tmp_path):
    """A student's name may begin with a dot; a report for one too many is better than for one too few."""
    submission(tmp_path, ".anna/kernels.cl")
    submission(tmp_path, ".bob.cl")
    assert found(tmp_path) == [(".anna", ".anna/kernels.cl"), (".bob", ".bob.cl")]


def test_two_submissions_of_one_name_are_refused(tmp_path):
    """Their reports would have the same name; the line says which to choose between."""
    submission(tmp_path, "anna/kernels.cl")
    submission(tmp_path, "anna.cl")
    submission(tmp_path, "bob.cl")
    said = complaint(tmp_path)
    assert "anna.cl" in said
    assert "anna/kernels.cl" in said
    assert "bob" not in said


def test_a_folder_whose_name_ends_like_a_file_is_one_submission(tmp_path):
    """It is a folder that holds a kernels.cl, and nothing else."""
    submission(tmp_path, "anna.cl/kernels.cl")
    assert found(tmp_path) == [("anna.cl", "anna.cl/kernels.cl")]


def test_a_folder_without_submissions_is_refused(tmp_path):
    """The line says what was looked for."""
    submission(tmp_path, "notes.txt")
    assert complaint(tmp_path) == f"{tmp_path} holds no submissions: neither NAME/kernels.cl nor NAME.cl."


@pytest.mark.parametrize("name", ["none", "kernels.cl"])
def test_what_is_no_folder_is_refused(tmp_path, name):
    """One submission is not a folder of them."""
    submission(tmp_path, "kernels.cl")
    assert f"{tmp_path / name} is not a folder" in complaint(tmp_path / name)


# --- grading ----------------------------------------------------------------------------------


@pytest.fixture
def entries(tmp_path):
    for name in ("anna", "bob", "carol"):
        submission(tmp_path, f"{name}.cl")
    return find_submissions(tmp_path)


@pytest.fixture
def graded(monkeypatch):
    """Stands in for gradings: tasks come in, and what `outcomes` holds for a name is returned or raised."""
    outcomes = {}
    tasks = []

    def grade(task, _bench, progress):
        progress("building")
        tasks.append(task)
        outcome = outcomes.get(task.submission.path.stem, result(BUILD))
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(batch, "grade_submission", grade)
    return outcomes, tasks


def silent(_):
    pass


def test_every_submission_gets_its_outcome_in_turn(entries, graded, transposition):
    """One at a time: who reads the first outcome has it before the second is begun."""
    outcomes, tasks = graded
    outcomes["bob"] = result(BUILD, failed("correctness: one"))
    run = grade_all(entries, transposition, None, silent)
    for entry in entries:
        assert next(run) == (entry, outcomes.get(entry.name, result(BUILD)))
        assert tasks[-1].submission.path == entry.path
    assert len(tasks) == 3
    assert next(run, None) is None


def test_inputs_are_secret_from_one_to_the_next(entries, graded, transposition):
    """Each has a seed of its own."""
    list(grade_all(entries, transposition, None, silent))
    assert len({task.seed for task in graded[1]}) == 3


def test_progress_names_who_is_graded(entries, graded, transposition):
    """And none of the steps in between."""
    said = []
    list(grade_all(entries, transposition, None, said.append))
    assert said == ["anna", "bob", "carol"]
    assert len(graded[1]) == 3


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (WorkerError("the engine has gone."), "the engine has gone."),
        (DeviceError("no device."), "no device."),
        (SolutionError("the model solution is wrong."), "the model solution is wrong."),
        (NoiseError("too noisy."), "too noisy."),
        (InputError("it is empty."), "it is empty."),
        (ValueError("odd"), "a fault in grader itself: ValueError('odd')"),
        (RecursionError(), "a fault in grader itself: RecursionError()"),
        (MemoryError(), "a fault in grader itself: MemoryError()"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_one_that_cannot_be_graded_does_not_stop_the_rest(entries, graded, transposition, error, fault):
    """It is a line of its own, with no points and no zero."""
    graded[0]["bob"] = error
    outcomes = {entry.name: outcome for entry, outcome in grade_all(entries, transposition, None, silent)}
    assert outcomes["bob"] == Ungraded(
        assignment="coalsTransp", submission=str(entries[1].path), fault=fault, status="ungraded"
    )
    assert isinstance(outcomes["anna"], Result)
    assert isinstance(outcomes["carol"], Result)


@pytest.mark.parametrize("error", [InterruptedGradingError("by SIGTERM."), KeyboardInterrupt(), SystemExit(3)])
def test_who_ends_the_grader_ends_the_batch(entries, graded, transposition, error):
    """After those that are done, before any other is begun."""
    graded[0]["bob"] = error
    run = grade_all(entries, transposition, None, silent)
    assert next(run)[0].name == "anna"
    with pytest.raises(type(error)):
        next(run)
    assert [task.submission.path.stem for task in graded[1]] == ["anna", "bob"]


def test_a_file_that_is_no_source_text_is_not_graded_and_says_why(tmp_path, graded, transposition):
    """Each by its own fault: nothing, something binary, a folder in place of the file, a link to nowhere."""
    submission(tmp_path, "empty.cl", "")
    submission(tmp_path, "binary/kernels.cl", "\x7fELF\x00")
    (tmp_path / "folder" / "kernels.cl").mkdir(parents=True)
    (tmp_path / "link.cl").symlink_to("nowhere")
    submission(tmp_path, "right.cl")
    outcomes = {
        entry.name: outcome for entry, outcome in grade_all(find_submissions(tmp_path), transposition, None, silent)
    }
    assert isinstance(outcomes.pop("right"), Result)
    assert "is empty" in outcomes["empty"].fault
    assert "binary file" in outcomes["binary"].fault
    assert "has no kernels.cl" in outcomes["folder"].fault
    assert "there is no file" in outcomes["link"].fault
    assert all(isinstance(outcome, Ungraded) for outcome in outcomes.values())
    assert len(graded[1]) == 1


def test_a_submission_that_is_gone_when_its_turn_comes_is_not_graded(entries, graded, transposition):
    """The list is made at the beginning, and a batch takes hours."""
    run = grade_all(entries, transposition, None, silent)
    next(run)
    entries[1].path.unlink()
    assert "there is no file" in next(run)[1].fault
    assert isinstance(next(run)[1], Result)
    assert len(graded[1]) == 2


@pytest.mark.parametrize(
    "name",
    ["a\x1b[2Jb", os.fsdecode(b"l\xf8sning"), "anna\nbob", "\u202egnirts"],
    ids=["escape", "not UTF-8", "two lines", "backwards"],
)
@pytest.mark.parametrize("text", ["", "__kernel void f() {}\n"], ids=["not graded", "graded"])
def test_no_name_can_spoil_a_report_or_the_list(tmp_path, graded, transposition, name, text):
    """Names come from students and old archives: each is one showable line, and every report can be written."""
    submission(tmp_path, f"{name}.cl", text)
    ((entry, outcome),) = grade_all(find_submissions(tmp_path), transposition, None, silent)
    assert isinstance(outcome, Result if text else Ungraded)
    assert len(graded[1]) == bool(text)
    for report in (REPORTS["json"](outcome), REPORTS["junit"](outcome), summary(entry.name, outcome)):
        assert showable(report.encode().decode()) == report
    assert "\n" not in summary(entry.name, outcome)


def test_a_real_batch_survives_a_real_crash(tmp_path, bench, transposition):
    """A kernel that kills its process, and one that does not compile, are graded; each by its own result.

    The sanitizer says why the first crashed: in a simulator it does not.
    """
    signature = "__kernel void coalsTransp(__global float *A, __global float *B, uint height, uint width)"
    submission(tmp_path, "crash.cl", signature + "{ B[1000000000000UL + width] = A[0]; }\n")
    submission(tmp_path, "wrong.cl", signature + "{ B[0] = nothing; }\n")
    correctness = transposition.correctness
    short = correctness.model_copy(update={"cases": correctness.cases[:2]})
    assignment = transposition.model_copy(update={"correctness": short})
    run = grade_all(find_submissions(tmp_path), assignment, bench, silent)
    reasons = {entry.name: {check.reason for check in outcome.checks} for entry, outcome in run}
    assert reasons == {"crash": {None, "CRASH", "OUT_OF_BOUNDS", "NOT_RUN"}, "wrong": {"BUILD_ERROR", "NOT_RUN"}}
