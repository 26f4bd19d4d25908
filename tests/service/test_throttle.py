"""throttle.py: few at once, few who wait, and all others are told so at once."""

import threading
import time

import pytest
from processes import wait_for

from grader.service.errors import RefusalError
from grader.service.throttle import ConcurrencyLimiter


def test_one_works_one_waits_and_a_third_is_told_at_once():
    """Who waits has a turn when the first is over."""
    limiter, over, done = ConcurrencyLimiter(1, "come again", waiting=1, patience=30), threading.Event(), []

    def work(name):
        with limiter.one():
            over.wait(30)
            done.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    assert wait_for(lambda: not limiter._places._value)
    start = time.monotonic()
    with pytest.raises(RefusalError, match="come again"), limiter.one():
        pass
    assert time.monotonic() - start < 10
    over.set()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["a", "b"]


def test_who_waits_too_long_is_told_so_and_keeps_nobody_out():
    """Nor does who fails in their turn."""
    limiter = ConcurrencyLimiter(1, "come again", waiting=1, patience=0.01)
    with limiter.one(), pytest.raises(RefusalError, match="come again"), limiter.one():
        pass
    with pytest.raises(ZeroDivisionError), limiter.one():
        _ = 1 / 0
    with limiter.one():
        pass
    assert limiter._places._value == 2
