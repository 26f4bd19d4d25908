"""overlap.py: one part of a suite begins while another waits for its simulators."""

from dataclasses import dataclass

import pytest

from grader.common.errors import WorkerError
from grader.grading.phases.overlap import overlapped


@dataclass(frozen=True)
class Drafted:
    """Test double for a draft."""

    task: str
    seconds: float = 0.0


@pytest.fixture
def drafting():
    """Return a generator function that drafts parts, and the list of its steps. The part "second" never waits."""
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
    """A part begins while the part before waits for its simulator. Results keep the order of the parts."""
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
    """If a part fails, the waiting part before it is closed, too, which stops its workers."""
    draft, done = drafting
    with pytest.raises(WorkerError):
        overlapped(["first", "fails"], draft)
    assert done == ["first begins", "fails begins", "fails is closed", "first is closed"]
