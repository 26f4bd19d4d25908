"""evaluator.py: on a device, many edits that run in one launch get the same verdicts as when they run alone."""

from time import perf_counter

import pytest
from kernels import TRANSPOSITION, changed
from submission_texts import submitted

from grader.course.submissions.submission import Task
from grader.course.truth.oracle import load_oracle
from grader.execution.session import WorkerSession
from grader.grading.checks.compilation.building import build
from grader.grading.checks.correctness import trial_of
from grader.grading.search.edits import edits
from grader.grading.search.evaluated_case import evaluated_case
from grader.grading.search.evaluator import Evaluator
from grader.grading.search.mutants.mutant_schema import mutant_schema
from grader.grading.source.reading import outline

WRONG = changed(TRANSPOSITION, "tile[lx][ly]", "tile[ly][lx]")


def evaluator(worker, assignment, source, most=100):
    """Return the name of a case and an evaluator for the first edits of a transposition. The case is exactly one tile,
    so that no word stays unset.
    """
    built = build(Task(assignment=assignment, submission=submitted(source), seed=5), worker)
    seen = outline(built.program.source, [binding.name for binding in built.bindings.values()])
    case = next(each for each in assignment.correctness.shown if each.name == "exactly one tile")
    trial = trial_of(case, built, load_oracle(assignment))
    cases = {case.name: evaluated_case(case, trial, built.bindings)}
    switched = [edit for edit in edits(seen, most=most) if edit.region.role != "type"]
    schema = mutant_schema(seen, switched)
    return case.name, Evaluator(worker=worker, cases=cases, ends=perf_counter() + 60, schema=schema)


def mended(tried, name, edits):
    """Return the line, part and text of each edit with which the case is right."""
    return {(edit.line, edit.part, edit.text) for edit in tried.right(name, edits)}


STORE = "B[(x0 + ly) * height + (y0 + lx)] = tile[ly][lx];"
WALKING = changed(WRONG, STORE, "{ B += (x0 + ly) * height; *(B + y0 + lx) = tile[ly][lx]; }")
CONSTANT = [changed(WRONG, "__global real *B", f"__global real *{how} B") for how in ("const", "const restrict")]


@pytest.mark.parametrize(
    "in_words",
    [
        pytest.param(WRONG, id="movable"),
        pytest.param(WALKING, id="moving", marks=pytest.mark.whole),
        pytest.param(CONSTANT[0], id="const", marks=pytest.mark.whole),
        pytest.param(CONSTANT[1], id="const restrict"),
    ],
)
def test_many_at_once_are_as_right_as_one_alone(environment, transposition, in_words):
    """Edits get the same verdicts in one launch as alone, even if the kernel moves a pointer. If a pointer is constant
    and cannot be moved, the edits run one at a time.
    """
    with environment.worker() as worker:
        name, together = evaluator(worker, transposition, in_words)
        assert together.open()
        of_many = mended(together, name, together.edits)
        assert together.unchanged.same_in_batch == {name: in_words in {WRONG, WALKING}}
        alone = {
            edit for edit in together.edits if together._is_right(together.cases[name], together.schema.numbers[edit])
        }
        together.close()
    assert of_many == {(edit.line, edit.part, edit.text) for edit in alone}
    assert of_many


@pytest.mark.whole
def test_an_edit_that_ends_the_session_takes_no_other_with_it(environment, transposition, monkeypatch):
    """If a launch of many edits crashes, each of them is tried alone, so that a right edit is found even if another one
    crashes.
    """
    with environment.worker() as worker:
        name, together = evaluator(worker, transposition, WRONG)
        assert together.open()
        right = mended(together, name, together.edits)
        run = WorkerSession.run

        def crashing(session, script, arrays, key=0, fetched=None):
            outcome = run(session, script, arrays, key, fetched)
            return outcome if fetched is None else None

        monkeypatch.setattr(WorkerSession, "run", crashing)
        assert mended(together, name, together.edits) == right
        together.close()
