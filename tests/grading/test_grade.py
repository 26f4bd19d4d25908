"""grade.py: one part of a suite starts while another waits for its simulators."""

from dataclasses import dataclass

import pytest

from grader.common.errors import WorkerError
from grader.grading.grade import overlapped


@dataclass(frozen=True)
class Drafted:
    """A stand-in for the draft of a part."""

    task: str
    seconds: float = 0.0


@pytest.fixture
def drafting():
    """Return a function that drafts a part in steps, and the list in which the steps are recorded. The part "second"
    does not wait, and the part "fails" raises an error.
    """
    done = []

    def draft(task):
        try:
            done.append(f"{task} begins")
            if task == "fails":
                raise WorkerError("the engine has gone.")
            if task != "second":
                yield
            done.append(f"{task} ends")
        finally:
            done.append(f"{task} is closed")
        return Drafted(task)

    return draft, done


def test_a_part_begins_while_the_one_before_waits_for_the_simulator(drafting):
    """A part starts while the previous part waits for its simulator. The results are in the order of the parts."""
    draft, done = drafting
    drafts = overlapped(["first", "second", "third"], draft)
    assert [each.task for each in drafts] == ["first", "second", "third"]
    assert all(each.seconds > 0 for each in drafts)
    assert [each for each in done if "closed" not in each] == [
        "first begins",
        "second begins",
        "second ends",
        "third begins",
        "first ends",
        "third ends",
    ]


def test_a_part_that_waits_ends_with_a_failure_of_the_next(drafting):
    """If a part fails, the previous part, which is still waiting, is closed as well, so that its workers stop."""
    draft, done = drafting
    with pytest.raises(WorkerError):
        overlapped(["first", "fails"], draft)
    assert done == ["first begins", "fails begins", "fails is closed", "first is closed"]
