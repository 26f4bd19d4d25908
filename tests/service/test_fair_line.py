"""fair_line.py: few at once, many who wait, and networks by turns."""

import asyncio

import pytest

from grader.service.errors import RefusalError
from grader.service.fair_line import FairLine


def made(*, longest=10, patience=30.0):
    return FairLine(1, "come again", longest=longest, patience=patience)


async def served(line, network, done, name):
    async with line.turn(network):
        done.append(name)
        await asyncio.sleep(0)


async def begun(*waiting):
    """Tasks that have come as far as they do at first, in this order."""
    tasks = [asyncio.create_task(each) for each in waiting]
    await asyncio.sleep(0)
    return tasks


def test_networks_are_served_by_turns():
    """Whoever comes last, from a network of their own, waits for one of the flood and not for all of it."""

    async def play():
        line, done = made(), []
        async with line.turn("flood"):
            names = [("flood", "f1"), ("flood", "f2"), ("flood", "f3"), ("room", "r1"), ("room", "r2")]
            tasks = await begun(*(served(line, network, done, name) for network, name in names))
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(play()) == ["f1", "r1", "f2", "r2", "f3"]


def test_a_network_with_a_full_line_is_told_so_at_once_and_others_are_not():
    """The words are the line's; a network elsewhere still has places."""

    async def play():
        line, done = made(longest=2), []
        async with line.turn("flood"):
            tasks = await begun(*(served(line, "flood", done, name) for name in "ab"))
            with pytest.raises(RefusalError, match="come again"):
                await served(line, "flood", done, "c")
            tasks += await begun(served(line, "room", done, "d"))
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(play()) == ["a", "d", "b"]


def test_who_waits_too_long_is_told_so_and_who_leaves_keeps_no_turn():
    """Also who leaves in the moment in which the turn comes."""

    async def play():
        line, done = made(patience=0.01), []
        async with line.turn("a"):
            with pytest.raises(RefusalError, match="come again"):
                await served(line, "a", done, "late")
            (gone,) = await begun(served(line, "b", done, "gone"))
            gone.cancel()
        (leaving,) = await begun(served(line, "a", done, "first"))
        await leaving
        async with line.turn("a"):
            (leaving,) = await begun(served(line, "a", done, "leaving"))
        leaving.cancel()
        await asyncio.gather(gone, leaving, return_exceptions=True)
        with pytest.raises(ZeroDivisionError):
            async with line.turn("a"):
                _ = 1 / 0
        await served(line, "b", done, "last")
        return done

    assert asyncio.run(play()) == ["first", "last"]
