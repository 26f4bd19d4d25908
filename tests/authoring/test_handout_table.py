"""handout_table.py: rows of a handout's table agree with the rubric, or are reported with their line."""

import pytest

from grader.authoring.handout_table import HandoutPage, facts_of_tables, numbers

HEAD = "| check | goal | points |\n| --- | --- | --- |\n"


@pytest.fixture
def stale(transposition):
    """Return a function that checks a table with the given rows. For each stale fact, it returns the line, what the row
    says and what the assignment asks for.
    """

    def compare(*rows, head=HEAD):
        page = HandoutPage(file="README.md", text=head + "\n".join(rows) + "\n")
        found = facts_of_tables(page, transposition)
        return [(fact.line, fact.says, fact.asked) for fact in found if not fact.agrees]

    return compare


@pytest.mark.parametrize(
    "row",
    [
        "| build | it compiles | 0 |",
        "| correctness | 12 cases, from 1 x 1 to 1100 x 1290 | 2.5 each, 30 |",
        "| **Correctness** | cases of all kinds, some of 2^10 rows | 30 |",
        "| sanitizer | no data races, at 63 x 95 | 8 |",
        "| sanitizer, simulated: 63 x 95 | nothing hidden | 8 |",
        "| speed on a CPU | 40 % of the model solution's speed, 2048 x 1024 | 20 |",
        "| performance, GPU: 12,288 x 12,288 | 45 % of the model solution's speed; 40 % for 10 points | 20 |",
        "| speed on a GPU | 151 million elements | 20 |",
        "| style | 3 comments at least | 5 |",
        "| sanitizer | | see below |",
    ],
)
def test_rows_that_agree(stale, row):
    """Correct rows are accepted in every form that the course and the draft use, and also if they are written in
    words.
    """
    assert stale(row) == []


@pytest.mark.parametrize(
    ("row", "says", "asked"),
    [
        ("| correctness | 12 cases | 20 |", "20 points", "gives 30"),
        ("| correctness | 12 cases | 30, 3 each |", "3 points each", "gives 2.5"),
        ("| correctness | 11 cases | 30 |", "11 cases", "has 12"),
        ("| correctness | up to 900 x 1000 | 30 |", "up to 900 x 1000", "has cases up to 1,290"),
        ("| sanitizer | at 63 x 96 | 8 |", "at 63 x 96", "has height 63, width 95"),
        ("| sanitizer, 63 x 96 | no race | 8 |", "other sizes", "has height 63, width 95"),
        (
            "| speed on a CPU | 45 % of the model solution's speed | 20 |",
            "45 % of the model solution's speed",
            "asks for 40 %",
        ),
        ("| speed on a GPU | 30 % for 10 points | 20 |", "30 % for 10 points", "asks for 40 % for 10 points"),
        ("| speed on a CPU | 2048 x 2000 | 20 |", "2048 x 2000", "has height 2048, width 1024"),
    ],
)
def test_rows_that_are_stale(stale, row, says, asked):
    """A row with a wrong number is reported with its check, the number in the row and the number in the rubric."""
    check = row.split("|")[1].strip()
    assert stale(row) == [(3, f'says "{check}": {says}', asked)]


MEMORY = [
    "| memory: whole warps take part | at most `height*width/16` = 1,536 memory requests | 0 |",
    "| memory: coalesced accesses | at most 10 % of unused bytes | 26 |",
    "| memory: no traffic but the array's | at most `height*width` = 24,576 words | 8 |",
    "| memory: bank conflicts | at most 2 words | 8 |",
]


def test_memory_checks_have_their_points_and_limits(stale):
    """A memory check is recognised by its name. Its limit is the number after "at most" or "=", or the percentage of
    unused bytes.
    """
    assert stale(*MEMORY) == []
    free, first, second, third = MEMORY
    in_words = "| memory, simulated: 128 x 192 | coalesced accesses: neighbours access neighbours | 26 |"
    assert stale(free, in_words, second, third) == []
    assert stale(free, in_words.replace("192", "193"), second, third)[0][2] == "has height 128, width 192"
    assert stale(free, first.replace("10 %", "20 %"), second, third)[0][1:] == (
        'says "memory: coalesced accesses": at most 20 % of unused bytes',
        "allows at most 1.1 at height 128, width 192",
    )
    assert stale(free, first, second.replace("24,576", "20,000"), third)[0][2].startswith(
        "allows at most 24,576 at height"
    )
    assert stale(free, first, second, third.replace("8 |", "9 |"))[0][2] == "gives 8"


def test_a_memory_check_that_is_gone_or_has_no_row_is_named(stale):
    """A row about an unknown memory check is reported. If a table lists only some of the memory checks, the missing
    ones are reported.
    """
    free, first, second, third = MEMORY
    (unknown, missing) = stale(free, first, second, third.replace("bank conflicts", "conflicts"))
    assert unknown[:2] == (6, 'says "memory: conflicts": a memory check')
    assert '"bank conflicts"' in unknown[2]
    assert missing == (5, "has no row for a memory check", 'gives 8 points for "memory: bank conflicts"')


def test_a_kernel_without_checks_is_named(stale):
    """A row about a kernel that the assignment does not grade is reported."""
    head = "| kernel | check | goal | points |\n| --- | --- | --- | --- |\n"
    assert stale("| `coalsTransp` | sanitizer | | 8 |", head=head) == []
    assert stale("| `other` | sanitizer | | 9 |", head=head) == [
        (3, 'says "sanitizer": a check of other', "has checks of coalsTransp")
    ]


def test_other_tables_are_not_compared(stale):
    """A table that lacks the column "check" or the column "points" is not compared."""
    assert stale("| correctness | 3 | 4 |", head="| check | words | FLOP |\n| --- | --- | --- |\n") == []


def test_numbers_in_words_are_not_compared():
    """Numbers may contain commas as thousands separators. A text with powers, spaces or words in its numbers yields no
    numbers.
    """
    assert numbers("1,024 x 2.5") == {1024, 2.5}
    for text in ("2^20 elements", "1 000 000 elements", "4 million", "16 Ki words", "3 and 2**4"):
        assert numbers(text) == set()
