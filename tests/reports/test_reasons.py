"""reasons.py: the explanation of each reason is the sentence in the guide for students."""

import re

from project import ROOT

from grader.reports.reasons import MEANINGS
from grader.results.verdicts import NOT_MADE, Reason

GUIDE = (ROOT / "docs" / "reading-your-report.md").read_text(encoding="utf-8")


def test_every_reason_of_a_failed_check_has_its_sentence_from_the_guide():
    """Each reason that a failed check can have is explained, in the words of the guide."""
    told = {Reason(name): text for name, text in re.findall(r"^\| `([A-Z_]+)` \| (.+) \|$", GUIDE, re.MULTILINE)}
    assert told.keys() == set(Reason)
    assert {reason: told[reason] for reason in MEANINGS} == MEANINGS
    assert MEANINGS.keys() == set(Reason) - NOT_MADE - {Reason.NOT_RUN}
