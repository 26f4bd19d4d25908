"""file_checks.py: a file that cannot be graded is refused with the reason, at little cost."""

import time

import pytest
from services import SOURCE

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.submissions.file_checks import MAX_LINES, file_refusal


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x" * (SIZE_LIMIT + 1), "over 1 MiB"),
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"PK\x03\x04rest", "zip"),
        ("kernel".encode("utf-16"), "UTF-16"),
        (b"\x7fELF\x02\x01\x00", "binary"),
        (b"x\n" * (MAX_LINES + 1), "over 5,000 lines"),
        (b"x\r" * (MAX_LINES + 1), "over 5,000 lines"),
        (b"x\n\r" * (MAX_LINES // 2 + 1), "over 5,000 lines"),
        (b"x\r\n" * MAX_LINES, ""),
        (SOURCE, ""),
        (b"// \x1b[1mbold\n" + SOURCE + b"\x1a", ""),
        ("// größer\n".encode("latin-1"), ""),
    ],
)
def test_a_file_that_cannot_be_graded_is_refused_with_the_reason(data, said):
    """A file that cannot be graded is refused with a sentence that gives the reason, and no attempt is used up."""
    assert said in file_refusal(data)
    assert bool(said) == bool(file_refusal(data))


@pytest.mark.parametrize("byte", [b"\n", b"\r", b" ", b"\t", b"x", b"\xff"], ids=ascii)
def test_a_megabyte_of_anything_is_judged_at_the_speed_of_memory(byte):
    """Checking a file of 1 MiB takes less than 0.1 s, because no Python code runs for each line or byte."""
    begun = time.perf_counter()
    file_refusal(byte * SIZE_LIMIT)
    assert time.perf_counter() - begun < 0.1
