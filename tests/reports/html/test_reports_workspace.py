"""workspace.py: code in sentences, which messages mark with backticks."""

import pytest
from pages import OWNED, PAYLOADS, Reader
from samples import BUILD, check, failed, result, unchecked

from grader.reports import REPORTS
from grader.reports.html.workspace import inline_code

SENTENCES = {
    "Use `lid < s`.": "Use <code>lid &lt; s</code>.",
    "`a` and `b`": "<code>a</code> and <code>b</code>",
    "one ` alone": "one ` alone",
    "``": "``",
    "a ` in one line\nand ` in the next": "a ` in one line\nand ` in the next",
    "`<code>`": "<code>&lt;code&gt;</code>",
    "an escape in `\x1b`": "an escape in <code>\N{REPLACEMENT CHARACTER}</code>",
}


@pytest.mark.parametrize("text", SENTENCES)
def test_only_code_between_two_backticks_of_a_line_becomes_an_element(text):
    """Code between two backticks becomes an element. Other backticks stay, and all text is escaped."""
    assert inline_code(text) == SENTENCES[text]


def elements(page):
    """Return the elements of a page except code, with their attributes except classes."""
    return [(tag, set(names) - {"class"}) for tag, names in page.structure if tag != "code"]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("frame", ["`{}`", "{} `", "` {} ` {}"], ids=["inside", "before", "between"])
def test_code_of_a_student_adds_no_element_to_a_report(payload, frame):
    """Markup in quoted code, with or without backticks, adds only code elements to a report."""
    words = frame.replace("{}", payload)
    page = Reader(REPORTS["html"](result(BUILD, failed("correctness: one (n 1)", message=words, help=words))))
    plain = Reader(REPORTS["html"](result(BUILD, failed("correctness: one (n 1)", message="a", help="b"))))
    assert elements(page) == elements(plain)
    assert " ".join(payload.split()) in page.text
    assert OWNED not in page.values("src", "href", "onload", "onerror", "onmouseover")


def test_a_group_tells_a_shared_sentence_once():
    """Checks with the same message or help share one sentence in their group, and keep their own sentences."""
    alike = [failed(f"correctness: case {n} (n {n})", message="it is wrong.", help="Use `lid`.") for n in range(10)]
    other = failed("correctness: other (n 99)", message="it is slow.", help="Use `lid`.", detail="C[1]")
    open_checks = [unchecked(f"memory: {n}", message="the simulator is missing.") for n in "abcdefghij"]
    text = Reader(REPORTS["html"](result(BUILD, *alike, other, *open_checks, check("loop")))).text
    below = text.partition(" Checks ")[2]
    assert below.count("it is wrong.") == below.count("Use lid") == below.count("it is slow.") == 1
    assert below.count("simulator is missing") == 1


def test_equal_evidence_is_shown_once_with_its_checks():
    """Checks of a cause with the same evidence show it once, with their number."""
    cases = [failed(f"correctness: case {n} (n {n})", detail="C[0] is 1, not 2") for n in range(3)]
    page = REPORTS["html"](result(BUILD, *cases, failed("correctness: last (n 9)", detail="C[5] is 0")))
    assert page.count("C[0] is 1, not 2") == page.count("C[5] is 0") == 1
    assert "correctness: case 0 (n 0) and 2 other checks" in page
