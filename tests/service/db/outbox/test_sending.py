"""sending.py: pauses between attempts grow up to a limit, and a row is refused after the last attempt."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from grader.service.db.outbox.sending import SendState, doubled, note_failure

NOW = datetime(2026, 11, 28, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_pauses_double_up_to_the_longest():
    """Each pause is twice as long as the one before, and none is longer than the longest."""
    assert doubled(MINUTE, 30 * MINUTE, 7) == tuple(each * MINUTE for each in (1, 2, 4, 8, 16, 30, 30))


def test_a_row_is_refused_after_the_last_pause_and_one_more_try():
    """The nth failure is followed by the nth pause. If the attempt after the last pause fails, the row is refused."""
    row = SimpleNamespace(state=SendState.TO_SEND, tries=0, not_before=NOW)
    seen = []
    while row.state == SendState.TO_SEND:
        row.tries += 1
        note_failure(row, (MINUTE, 5 * MINUTE), NOW)
        seen.append((row.tries, row.not_before - NOW, str(row.state)))
    assert seen == [(1, MINUTE, "to send"), (2, 5 * MINUTE, "to send"), (3, 5 * MINUTE, "refused")]
