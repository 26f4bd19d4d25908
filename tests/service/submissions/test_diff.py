"""diff.py: a comparison of two files is quick, short and complete."""

import time

import pytest

from grader.service.submissions.diff import MAX_LINES_SHOWN, compared


def test_a_comparison_shows_changes_with_what_is_around_them():
    """A comparison lists removed lines before added ones, with three lines of context. Files with equal lines have no
    differences.
    """
    old = b"\n".join(b"line %d" % number for number in range(30))
    new = old.replace(b"line 15\n", b"other\nmore\n")
    kinds = [(line.kind, line.old, line.new) for line in compared(old, new)]
    assert kinds[3:6] == [("removed", 16, None), ("added", None, 16), ("added", None, 17)]
    assert len(kinds) == 9
    assert compared(old, old) == []
    assert [line.kind for line in compared(b"a\r\nb", b"a\nb\n")] == []


@pytest.mark.parametrize("unit", [b"", b"same", b"%d"], ids=["empty", "same", "different"])
def test_a_comparison_of_the_largest_files_is_quick(unit):
    """Comparing the largest files takes less than 3 s, even if their lines repeat, for which other algorithms need
    minutes.
    """
    one = b"\n".join(unit % number if b"%" in unit else unit for number in range(4999))
    other = b"\n".join(reversed(one.split(b"\n"))) + b"\nx"
    begun = time.perf_counter()
    assert compared(one, other)
    assert time.perf_counter() - begun < 3


def test_a_comparison_ends_after_so_many_lines():
    """A comparison stops after a fixed number of lines. Rendering 10,000 lines would take a second and help no one."""
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(4000)) for word in (b"old", b"new"))
    shown = compared(old, new)
    assert len(shown) == MAX_LINES_SHOWN + 1
    assert shown[-1].kind == "more"
