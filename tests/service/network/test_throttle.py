"""throttle.py: concurrent work is limited, waiting networks take turns, and each key may cause only so many events in a
period.
"""

import asyncio
import threading
import time

import pytest
from processes import wait_for

from grader.service.errors import RefusedError
from grader.service.network.throttle import ConcurrencyLimiter, FairQueue, RateLimiter, network_of


def test_one_works_one_waits_and_a_third_is_told_at_once():
    """With one slot, a second caller waits for it, and a third is refused at once."""
    limiter, over, done = ConcurrencyLimiter(1, "come again", max_waiting=1, wait_seconds=30), threading.Event(), []

    def work(name):
        with limiter.slot():
            over.wait(30)
            done.append(name)

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    assert wait_for(lambda: not limiter._admitted._value)
    start = time.monotonic()
    with pytest.raises(RefusedError, match="come again"), limiter.slot():
        pass
    assert time.monotonic() - start < 10
    over.set()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["a", "b"]


def test_who_waits_too_long_is_told_so_and_keeps_nobody_out():
    """A caller that waits too long is refused. Neither that caller nor one that fails keeps a slot."""
    limiter = ConcurrencyLimiter(1, "come again", max_waiting=1, wait_seconds=0.01)
    with limiter.slot(), pytest.raises(RefusedError, match="come again"), limiter.slot():
        pass
    with pytest.raises(ZeroDivisionError), limiter.slot():
        _ = 1 / 0
    with limiter.slot():
        pass
    assert limiter._admitted._value == 2


def made(*, max_waiting=10, wait_seconds=30.0):
    return FairQueue(1, "come again", max_waiting=max_waiting, wait_seconds=wait_seconds)


async def served(line, network, done, name):
    async with line.slot(network):
        done.append(name)
        await asyncio.sleep(0)


async def begun(*waiting):
    """Return tasks for these coroutines. Each has run up to its first wait, in this order."""
    tasks = [asyncio.create_task(each) for each in waiting]
    await asyncio.sleep(0)
    return tasks


def test_networks_are_served_by_turns():
    """Networks take turns, so another network waits for one request of a flooding network instead of all of them."""

    async def play():
        line, done = made(), []
        async with line.slot("flood"):
            names = [("flood", "f1"), ("flood", "f2"), ("flood", "f3"), ("room", "r1"), ("room", "r2")]
            tasks = await begun(*(served(line, network, done, name) for network, name in names))
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(play()) == ["f1", "r1", "f2", "r2", "f3"]


def test_a_network_with_a_full_line_is_told_so_at_once_and_others_are_not():
    """If the line of a network is full, its next request is refused at once. Other networks still have places."""

    async def play():
        line, done = made(max_waiting=2), []
        async with line.slot("flood"):
            tasks = await begun(*(served(line, "flood", done, name) for name in "ab"))
            with pytest.raises(RefusedError, match="come again"):
                await served(line, "flood", done, "c")
            tasks += await begun(served(line, "room", done, "d"))
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(play()) == ["a", "d", "b"]


def test_who_waits_too_long_is_told_so_and_who_leaves_keeps_no_turn():
    """Callers that time out, are cancelled or fail give up their turn, even if the cancellation coincides with the
    turn.
    """

    async def play():
        line, done = made(wait_seconds=0.01), []
        async with line.slot("a"):
            with pytest.raises(RefusedError, match="come again"):
                await served(line, "a", done, "late")
            (gone,) = await begun(served(line, "b", done, "gone"))
            gone.cancel()
        (leaving,) = await begun(served(line, "a", done, "first"))
        await leaving
        async with line.slot("a"):
            (leaving,) = await begun(served(line, "a", done, "leaving"))
        leaving.cancel()
        await asyncio.gather(gone, leaving, return_exceptions=True)
        with pytest.raises(ZeroDivisionError):
            async with line.slot("a"):
                _ = 1 / 0
        await served(line, "b", done, "last")
        return done

    assert asyncio.run(play()) == ["first", "last"]


def test_a_key_has_so_many_events_in_a_while(monkeypatch):
    """Each key has its own limit of events per period. The first event starts the period."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    limit = RateLimiter(2, 10)
    assert [limit.allows("a") for _ in range(3)] == [True, True, False]
    assert limit.allows("b")
    now += 9.9
    assert not limit.allows("a")
    now += 0.2
    assert limit.allows("a")


def test_a_look_counts_nothing():
    """Asking whether a limit is reached does not count as an event."""
    limit = RateLimiter(2, 10)
    assert not any(limit.is_reached("a") for _ in range(10))
    limit.count("a")
    assert not limit.is_reached("a")
    limit.count("a")
    assert limit.is_reached("a")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "20010db800010002::"),
        ("2001:db8:1:2::1", "20010db800010002::"),
        ("127.0.0.1", "this machine"),
        ("::1", "this machine"),
        ("::ffff:127.0.0.1", "this machine"),
        ("testclient", "testclient"),
    ],
)
def test_whoever_has_a_network_of_addresses_counts_once(address, network):
    """Addresses in one IPv6 /64 network count as one network. All addresses of this machine also count as one, because
    a proxy that does not pass on its clients' addresses would otherwise have no limit.
    """
    assert network_of(address) == network
