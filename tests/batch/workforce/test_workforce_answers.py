"""answers.py: an answer from a cluster's worker is rejected if it cannot be the result of its job."""

import json
from dataclasses import replace

import pytest
from fake_workforce import FACILITIES, GOOD, handin, outcome_of, plan_of
from samples import DEVICE

from grader.batch.station import Facilities, one_of_several_alike
from grader.batch.workforce import answers
from grader.batch.workforce.answers import read_answer
from grader.common.errors import WorkerError
from grader.results.result import Ungraded


@pytest.fixture
def job(transposition):
    plan = plan_of([transposition], handin("anna"))
    (item,) = plan.items.values()
    device = one_of_several_alike(DEVICE)
    facilities = Facilities(
        grader=GOOD.provenance.grader, device=device, simulated=FACILITIES.simulated, sandbox="process"
    )
    return replace(plan.job(item), facilities=facilities, max_points=GOOD.max_points)


@pytest.fixture
def fields(job):
    """Return an honest worker's answer as fields, so that a test can change them."""
    return json.loads(outcome_of(job, job.assignment_sha256).model_dump_json())


def test_points_are_out_of_what_can_be_earned(job, fields):
    """An answer whose maximum differs from the points that can be earned raises WorkerError.

    Platforms scale points by the maximum. With a smaller maximum, full points for half an assignment would count as
    full points for all of it.
    """
    with pytest.raises(WorkerError, match="its maximum is 45 points, but 100 can be earned"):
        read_answer(json.dumps(fields), replace(job, max_points=100.0))


def test_an_honest_answer_is_the_result(job):
    """An honest answer is returned unchanged, both as a result and as an outcome without a grade."""
    honest = outcome_of(job, job.assignment_sha256)
    assert read_answer(honest.model_dump_json(), job) == honest
    ungraded = Ungraded(assignment="a", submission="s", fault="no device.")
    assert read_answer(ungraded.model_dump_json(), job) == ungraded


def test_a_file_that_is_no_source_text_has_none_in_its_result(job, fields):
    """A result for a binary file has an empty source, because such a file is graded without being read."""
    assert read_answer(json.dumps({**fields, "source": ""}), replace(job, data=b"\x7fELF\0")).source == ""


LIES = {
    "999 of 100 points": (("points",), 999.0, "its points are not those of its checks"),
    "more to be earned": (("max_points",), 999.0, "its points are not those of its checks"),
    "a check of 999 points": (("checks", 0, "points"), 999.0, "a check has more points than it is worth"),
    "points that are taken off": (("checks", 1, "points"), -5.0, "a check has more points than it is worth"),
    "checks that are worth more": (("checks", 1, "max_points"), 999.0, "its points are not those of its checks"),
    "other bytes": (("provenance", "submission_sha256"), "0" * 64, "it is about another file"),
    "another source": (("source",), "kernel void honest() {}", "it is about another file"),
    "other inputs": (("provenance", "seed"), 1, "it was graded with other inputs"),
    "another assignment": (("assignment",), "blockMMM", "it is about another assignment"),
    "an older assignment": (("provenance", "assignment_sha256"), "0" * 64, "it is about another assignment"),
    "another grader": (("provenance", "grader"), "9", "it comes from another grader or device"),
    "another device": (("provenance", "device", "name"), "Fast", "it comes from another grader or device"),
    "a page of its own": (("page",), "<script>alert(1)</script>", "its format has"),
    "a verdict that nobody knows": (("checks", 0, "verdict"), "excellent", "its format has"),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_cannot_be_is_not_believed(job, fields, lie):
    """An answer that cannot be the result of the job raises WorkerError with the reason."""
    (*path, last), value, said = LIES[lie]
    at = fields
    for step in path:
        at = at[step]
    at[last] = value
    with pytest.raises(WorkerError, match="a worker's answer is refused") as caught:
        read_answer(json.dumps(fields), job)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", [None, 5, b"{}", "", "{", "[]", "{}", '{"points": NaN}', "[" * 5000], ids=range(9))
def test_what_is_no_result_is_an_error(job, text):
    """An answer that has the wrong type, is not JSON, lacks fields or is nested too deeply raises WorkerError."""
    with pytest.raises(WorkerError, match="is refused"):
        read_answer(text, job)


def test_an_endless_answer_is_not_even_read(job, monkeypatch):
    """An answer longer than any result raises WorkerError before it is parsed."""
    monkeypatch.setattr(answers, "MAX_ANSWER_LENGTH", 10)
    with pytest.raises(WorkerError, match="it is not a result"):
        read_answer("{" + " " * 10, job)
