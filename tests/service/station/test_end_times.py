"""end_times.py: the time at which a grading ends does not reveal the outcome of hidden checks."""

from types import SimpleNamespace

import pytest

from grader.course.rubric import Correctness, Kind, Memory, Sanitizer, SpeedGoals
from grader.grading.progress import Decided
from grader.results.check import Check
from grader.results.verdicts import Verdict
from grader.service.station.end_times import SLOT, Pace


def decided(kind):
    return Decided(check=Check(name="it", kind=kind, verdict=Verdict.PASSED, points=1, max_points=1, seconds=0.1))


def part(*, sanitizer=False, speed=False):
    hidden = {Sanitizer: sanitizer, SpeedGoals: speed, Memory: True, Correctness: True}
    sections = [SimpleNamespace(time_tells=each.time_tells, hides=(hides,)) for each, hides in hidden.items()]
    return SimpleNamespace(sections=sections)


def ended(hiding, *, takes):
    """Return the number of reported events, and the seconds from the last one to the end of a grading whose hidden part
    takes this long.
    """
    times, told, now = [], [], [100.0]

    def sleep(seconds):
        now[0] += seconds

    def tell(event):
        told.append(event)
        times.append(now[0])

    pace = Pace(coursework=SimpleNamespace(parts=(hiding,)), progress=tell, clock=lambda: now[0], sleep=sleep)
    for event in ("building", decided(Kind.CORRECTNESS), "watching", decided(Kind.MEMORY)):
        now[0] += 0.3
        pace.note(event)
    now[0] += takes
    pace.wait()
    return len(told), now[0] - times[-1]


@pytest.mark.parametrize("hiding", [part(sanitizer=True), part(speed=True)])
def test_a_grading_ends_at_the_same_time_whatever_is_hidden(hiding):
    """A grading with a hidden part ends at the end of a time slot, so that the time of an explanation stays hidden.
    Events after a hidden check are not reported.
    """
    ends = [ended(hiding, takes=takes) for takes in (1.0, 2.0, 3.0)]
    assert [count for count, _ in ends] == [1] * 3
    assert [seconds for _, seconds in ends] == pytest.approx([SLOT] * 3)
    assert ended(hiding, takes=SLOT + 1)[1] == pytest.approx(2 * SLOT)


@pytest.mark.parametrize("hiding", [part(sanitizer=True), part(speed=True)])
def test_a_grading_without_events_ends_a_whole_number_of_slots_after_its_beginning(hiding):
    """A grading without reported events, as on a cluster, ends a whole number of slots after its start."""
    now, slept = [100.0], []
    pace = Pace(coursework=SimpleNamespace(parts=(hiding,)), progress=print, clock=lambda: now[0], sleep=slept.append)
    now[0] += SLOT + 1
    pace.wait()
    assert slept == pytest.approx([SLOT - 1])


def test_where_nothing_is_hidden_nobody_waits():
    """A grading without hidden parts reports every event and does not wait at its end."""
    assert ended(part(), takes=1.0) == (4, pytest.approx(1.0))
