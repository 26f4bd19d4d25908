"""proposed_thresholds.py: figures and proposals are printed next to the demands of assignment.yaml."""

import re

import pytest
import yaml
from drafts import course_in, spoil
from validations import joined_lines, timed

from grader.course.catalogue import merged


@pytest.mark.whole
def test_what_is_proposed_can_be_pasted_into_the_file(printed, drafted):
    """Each proposal is YAML with the nesting that the file needs, and the assignment loads after pasting it."""
    text, _ = printed(timed(1.0))
    blocks = re.findall(r"Proposed:\s*\n\n((?:[a-z ].*\n)+)", text)
    found = [yaml.safe_load(block) for block in blocks]
    path = drafted / "assignments" / "scaling" / "assignment.yaml"
    fields = yaml.safe_load(path.read_text())
    assert found[0]["performance"]["classes"]["cpu"] == {
        "baseline": "fails",
        "bands": [{"fraction": 0.5, "points": 20}, {"fraction": 0.37, "points": 10}],
    }
    assert found[1]["memory"]["checks"] == [
        {
            "name": "coalesced accesses",
            "measure": "coalescing",
            "at_most": 11.37,
            "points": 42,
            "teaches": "Neighbouring work-items access neighbouring words.",
        }
    ]
    for each in found:
        fields = merged(fields, each)
    path.write_text(yaml.safe_dump(fields))
    goal = course_in(drafted).load("scaling").performance.classes["cpu"]
    assert [band.fraction for band in goal.bands] == [0.5, 0.37]


def test_figures_stand_beside_what_is_asked(printed):
    """Each goal is printed next to the speeds of the model solution, the baseline and the right submissions.

    Each memory limit is printed next to the counts of the model solution and the baseline.
    """
    text, _ = printed(timed(1.02))
    assert re.search(r"the model solution, again\s+1\.02", text)
    assert re.search(r"the baseline\s+0\.25", text)
    assert re.search(r"adds-in-place\s+0\.90", text)
    assert "old-y-left-out" not in text
    assert re.search(r"coalesced accesses \(coalescing\)\s+10\.33\s+10\.33\s+1\.1\s+11\.37", text)
    assert "The goal for a gpu needs such a device" in joined_lines(text)
    assert "A student kit can decide about speed if you add `yardstick: 4.1`." in joined_lines(text)


@pytest.mark.whole
def test_a_yardstick_that_is_far_off_is_remarked(printed, drafted):
    """A yardstick far from the measured one is remarked upon, but is not a fault."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "    cpu:\n", "    cpu:\n      yardstick: 9\n")
    text, failed = printed(timed(1.0))
    assert failed == 0
    assert "remark The yardstick is 9, but 4 was measured: student kits are too strict about speed." in joined_lines(
        text
    )


@pytest.mark.whole
def test_what_asks_for_more_than_is_proposed_is_marked(printed, drafted):
    """A goal above the proposed one, or a check that the baseline passes too, is remarked upon, but is not a fault."""
    spoil(drafted, "assignments/scaling/assignment.yaml", "fraction: 0.01", "fraction: 0.7")
    spoil(drafted, "assignments/scaling/README.md", "1 % of", "70 % of")
    text, failed = printed(timed(1.0))
    assert failed == 0
    said = joined_lines(text)
    assert "strict full points require a fraction of 0.7, but 0.5 is proposed." in said
    assert "strict coalesced accesses: at_most 1.1 is below the proposed 11.37." in said
    assert "remark coalesced accesses: the baseline passes" in said


@pytest.mark.whole
def test_a_count_that_could_not_be_made_is_a_question_mark(printed):
    """A missing count is printed as a question mark, for example if the baseline does not run in the simulator."""
    text, _ = printed(timed(1.0), baseline=None)
    assert re.search(r"coalesced accesses \(coalescing\)\s+10\.33\s+\?\s+1\.1\s+11\.37", text)
