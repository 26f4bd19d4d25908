"""A recorded grading, and stations that replay it in its real time, for loads that these machines could not grade.

`python tests/helpers/service/replay.py RECORDING` runs such a station. GRADER_DATABASE names its database.
"""

import os
import pickle
import platform
import signal
import sys
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from grader.common.errors import InterruptedGradingError
from grader.common.interrupts import interrupt_on
from grader.common.record import replace
from grader.service.db.session import Database
from grader.service.station.backends import LocalBackend
from grader.service.station.grader import Judge
from grader.service.station.loop import work
from grader.service.submissions import queue
from grader.service.submissions.queue import ClaimedGrading


@dataclass(frozen=True)
class Recording:
    """The events of a grading with their seconds, the outcome that is stored, and the grading's duration in seconds."""

    events: tuple
    graded: object
    seconds: float

    def faster(self, times):
        """Return the recording in a fraction of its time."""
        events = tuple((second / times, event) for second, event in self.events)
        return Recording(events, self.graded, self.seconds / times)


def record(course, settings_json, assignment, source):
    """Grade a source with a station's own judge, and record it."""
    judge, events, begun = Judge(course, LocalBackend(settings_json), 1), [], time.monotonic()
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
    """A judge that repeats a recording, at the same seconds."""

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
