"""phrases.py: parts of sentences in correct English."""

import pytest

from grader.common.phrases import (
    NO_BREAK,
    capital,
    count,
    ending,
    first_sentence,
    kibibytes,
    percent,
    share,
    share_of,
    unbroken,
)


@pytest.mark.parametrize(("number", "words"), [(0, "0 elements"), (1, "1 element"), (2048, "2,048 elements")])
def test_things_are_counted(number, words):
    """The noun after a number is singular for one and plural for all other numbers. Thousands have commas."""
    assert count(number, "element") == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 bytes"), (1023, "1,023 bytes"), (8448, "8.25 KiB"), (1 << 21, "2,048 KiB")]
)
def test_local_memory_is_measured_in_kibibytes(number, words):
    """Sizes from 1 KiB are in KiB, as the limits of devices are. Smaller sizes are in bytes."""
    assert kibibytes(number) == words


def test_a_sentence_begins_with_a_capital():
    """Only the first letter of the text is capitalized."""
    assert capital("work-item (3, 0) of A") == "Work-item (3, 0) of A"
    assert capital("") == ""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("line 3 races. A barrier is missing.", "line 3 races."),
        ("stopped after 2.5 s: is there a loop? Look.", "stopped after 2.5 s: is there a loop?"),
        ("one", "one"),
        ("", ""),
    ],
)
def test_a_sentence_ends_where_the_next_begins(text, first):
    """The first sentence ends before the next one, and not at the decimal point of a number."""
    assert first_sentence(text) == first


@pytest.mark.parametrize(
    ("fraction", "short", "long"),
    [
        (0.004567, "0.457 %", "0.457 % of"),
        (0.985, "98.5 %", "98.5 % of"),
        (1.5, "150 %", "150 % of"),
        (1.994, "199 %", "199 % of"),
        (2.0, "2 x", "2 times"),
        (12.6, "12.6 x", "12.6 times"),
        (1234.5, "1,230 x", "1,230 times"),
    ],
)
def test_a_speed_is_a_share_up_to_twice_and_a_factor_beyond(fraction, short, long):
    """A speed is compared with another in per cent. From twice on, it is a factor, and never has an exponent."""
    assert (share(fraction), share_of(fraction)) == (short, long)


@pytest.mark.parametrize(
    ("signal", "exit_code", "words"),
    [
        (11, None, "with SIGSEGV"),
        (200, None, "with signal 200"),
        (None, 3, "with exit code 3"),
        (None, 0, "with exit code 0"),
    ],
)
def test_the_end_of_a_process_has_the_name_of_its_signal(signal, exit_code, words):
    """The words name the signal of a dead process, by its number if it has no name, or else state the exit code."""
    assert ending(signal, exit_code) == words


def test_a_large_share_has_no_exponent():
    """A share above 1,000 % has three digits and no exponent."""
    assert percent(12.64) == "1,260 %"


@pytest.mark.parametrize(
    "text",
    [
        "cpu (n_320, iterations_20), 3.39_GFLOPS, 100_% of the model",
        "(height_53, width_90) and",
        "see 1_and 2",
        "3_of 8_cases",
    ],
)
def test_a_number_stays_with_its_unit_and_its_name(text):
    """Lines are not broken between a number and its unit, or between a size and its number."""
    assert unbroken(text.replace("_", " ")).replace(NO_BREAK, "_") == text
