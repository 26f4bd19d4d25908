"""Recorded gradings, and stations that replay them at their real pace, for loads that this machine could not grade.

`python tests/helpers/service/replay.py RECORDING` runs such a station. GRADER_DATABASE is the address of its database.
"""

import os
import pickle
import platform
import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from grader.common.errors import InterruptedGradingError
from grader.common.interrupts import interrupt_on
from grader.service.db.session import Database
from grader.service.station.backends import Backend
from grader.service.station.grader import Judge
from grader.service.station.loop import work
from grader.service.submissions import queue
from grader.service.submissions.claims import ClaimedGrading


@dataclass(frozen=True)
class Recording:
    """The events of a grading with the second at which each occurred, the outcome that is stored, and the duration in
    seconds.
    """

    events: tuple
    graded: object
    seconds: float

    def faster(self, times):
        """Return the recording accelerated by this factor."""
        events = tuple((second / times, event) for second, event in self.events)
        return Recording(events, self.graded, self.seconds / times)


def record(course, settings_json, assignment, source):
    """Grade a source with the judge that stations use, and record the grading."""
    judge, events, begun = Judge(course, Backend(settings_json), 1), [], time.monotonic()
    claimed = ClaimedGrading(
        grading_id=1,
        station="",
        turn=1,
        assignment=assignment,
        data=source,
        sha256="0" * 64,
        hides=False,
        pending=None,
    )
    try:
        graded = judge.grade(claimed, lambda event: events.append((time.monotonic() - begun, event)))
    finally:
        judge.close()
    return Recording(tuple(events), graded, time.monotonic() - begun)


class Replaying:
    """A judge that replays the events of a recording at their recorded times."""

    def __init__(self, recording):
        self.recording = recording

    def grade(self, claimed, progress):
        if claimed.pending is not None:
            time.sleep(self.recording.seconds)
            return replace(self.recording.graded, is_pending=False)
        begun = time.monotonic()
        for second, event in self.recording.events:
            time.sleep(max(0.0, begun + second - time.monotonic()))
            progress(event)
        time.sleep(max(0.0, begun + self.recording.seconds - time.monotonic()))
        return self.recording.graded

    def elsewhere(self):
        return frozenset()

    def keep_up(self, _database):
        return False


def main():
    interrupt_on([signal.SIGTERM], lambda _: InterruptedGradingError("stopped"))
    recording = pickle.loads(Path(sys.argv[1]).read_bytes())
    queue.MAX_HIDDEN_PAUSE = timedelta(seconds=recording.seconds)  # a measurement waits for hidden cases
    with closing(Database(os.environ["GRADER_DATABASE"])) as database, suppress(InterruptedGradingError):
        work(database, Replaying(recording), f"{platform.node()}-{os.getpid()}")


if __name__ == "__main__":
    main()
