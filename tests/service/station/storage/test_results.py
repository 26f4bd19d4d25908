"""results.py: a result is stored with what students see, and nothing hidden is in their part."""

import json
import zlib

import pytest
from hidden_parts import HIDDEN, SECRET, failing, hiding_course, right

from grader.common.record import replace
from grader.service.station.storage.results import ready, ready_dry_run


def readable(outcome):
    """Return the texts that students get from a stored outcome before the release."""
    pages = (zlib.decompress(each).decode() for each in (outcome.early_page, outcome.early_result))
    return [outcome.early_checks, *pages]


@pytest.mark.sampled
@pytest.mark.parametrize("hidden", HIDDEN)
def test_the_part_for_students_is_the_same_however_a_hidden_check_went(tmp_path, hidden):
    """The part for students does not depend on the hidden check. The whole result does."""
    assignment = hiding_course(tmp_path, hidden).load("small")
    whole = right(assignment)
    passed, failed = (ready(each, assignment) for each in (whole, failing(whole, HIDDEN[hidden])))
    assert readable(passed)[0] == readable(failed)[0]
    assert (passed.early_points, passed.early_max) == (failed.early_points, failed.early_max)
    assert passed.full_checks != failed.full_checks
    assert not any(SECRET in each for each in readable(failed))
    assert SECRET in zlib.decompress(failed.full_page).decode()
    assert SECRET in failed.result


def test_a_result_without_hidden_parts_is_stored_once(service):
    """If nothing is hidden, the whole page and the whole checks are not stored a second time."""
    assignment = service.course.load("small")
    outcome = ready(right(assignment), assignment)
    assert (outcome.full_checks, outcome.full_page) == (None, None)
    assert (outcome.points, outcome.max_points) == (outcome.early_points, outcome.early_max)
    assert json.loads(outcome.result)["points"] == outcome.points
    assert (outcome.measured_sha256, outcome.scored_sha256) == (
        assignment.measured_sha256,
        assignment.scored_sha256,
    )
    assert not outcome.is_pending


def test_a_dry_run_withholds_nothing(tmp_path):
    """A dry run has no hidden outcomes, so its whole result is the part that its student sees."""
    assignment = hiding_course(tmp_path, "case").load("small")
    whole = right(assignment)
    shown = replace(whole, checks=tuple(each for at, each in enumerate(whole.checks) if at != HIDDEN["case"]))
    outcome = ready_dry_run(shown, assignment)
    assert (outcome.full_checks, outcome.full_page) == (None, None)
    assert json.loads(zlib.decompress(outcome.early_result)) == json.loads(outcome.result)
