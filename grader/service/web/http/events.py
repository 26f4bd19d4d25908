"""Server-sent events about one grading. Notes are stored in the database, so a browser that reconnects continues after
the last note that it received.

event note   a numbered ProgressNote with the number of its try: a step that begins, or a decided check
event place  the number of gradings before this one, and the expected wait in words, empty if it is not known
event over   the grading has ended, and the page must be loaded again
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from grader.service.db.tables.grading_states import State
from grader.service.submissions.health import PlaceInQueue
from grader.service.submissions.progress import ProgressNote

POLL_SECONDS = {State.RUNNING: 0.5, State.WAITING: 2.0}
"""Seconds between two reads of the database, by the state of the grading."""

GRADINGS_PER_SLOWDOWN, MAX_SLOWDOWN = 10, 3
"""The pause between two reads is multiplied by 1 + `ahead` // GRADINGS_PER_SLOWDOWN, and at most by 1 + MAX_SLOWDOWN,
because a place far back in the queue changes slowly.
"""

STREAM_SECONDS = 600.0
"""Seconds after which a stream ends. The browser then reconnects by itself."""

KEEP_ALIVE_SECONDS = 15.0
"""Seconds of silence after which a comment is sent, so that proxies do not close the connection."""

MAX_STREAMS = 6
"""Maximum number of streams of one person at once. Browsers do not open more connections to a host."""


@dataclass(frozen=True, kw_only=True)
class GradingProgress:
    """State of a grading, with its new notes."""

    state: State
    turn: int
    place: PlaceInQueue
    notes: tuple[tuple[int, ProgressNote], ...]


class StreamCounter:
    """Counts the streams of each person in this process."""

    def __init__(self) -> None:
        self._open: Counter[int] = Counter()

    def enter(self, person_id: int) -> bool:
        """Count another stream of a person. Returns False without counting it if the person has too many."""
        if self._open[person_id] >= MAX_STREAMS:
            return False
        self._open[person_id] += 1
        return True

    def leave(self, person_id: int) -> None:
        """Stop counting a closed stream of a person."""
        self._open[person_id] -= 1
        self._open += Counter()  # removes people without streams


streams = StreamCounter()


async def events(
    read_progress: Callable[[int], GradingProgress | None], after: int, person_id: int
) -> AsyncIterator[str]:
    """The events of a grading, until it ends or the stream has lasted STREAM_SECONDS. `read_progress` returns the
    progress with the notes after a number, or None if the reader is no longer signed in or the grading was deleted. A
    reader with too many streams is asked to reconnect later.
    """
    if not streams.enter(person_id):
        yield "retry: 30000\n\n"
        return
    try:
        begun = spoke = time.monotonic()
        place: dict[str, object] | None = None
        yield "retry: 2000\n\n"
        while time.monotonic() - begun < STREAM_SECONDS:
            seen = await run_in_threadpool(read_progress, after)
            if seen is None:
                return
            told = [
                f"id: {number}\n" + _event("note", {"turn": seen.turn, **note.model_dump()})
                for number, note in seen.notes
            ]
            after = seen.notes[-1][0] if seen.notes else after
            if seen.state is State.WAITING and _place(seen) != place:
                place = _place(seen)
                told.append(_event("place", place))
            if not seen.state.open:
                told.append(_event("over", {"state": seen.state}))
            if not told and time.monotonic() - spoke > KEEP_ALIVE_SECONDS:
                told.append(": still here\n\n")
            for each in told:
                spoke = time.monotonic()
                yield each
            if not seen.state.open:
                return
            await asyncio.sleep(
                POLL_SECONDS[seen.state] * (1 + min(seen.place.ahead // GRADINGS_PER_SLOWDOWN, MAX_SLOWDOWN))
            )
    finally:
        streams.leave(person_id)


def _place(seen: GradingProgress) -> dict[str, object]:
    return {"ahead": seen.place.ahead, "wait": seen.place.wait_in_words}


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
