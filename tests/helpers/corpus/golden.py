"""The golden corpus of this repository. grader/authoring/golden.py describes expected.yaml."""

from functools import cache

from attacks import HOSTILE
from project import ROOT

from grader.authoring.golden import read_golden

SUBMISSIONS = ROOT / "tests" / "submissions"
CORPUS = sorted(path.parent for path in SUBMISSIONS.glob("*/*/expected.yaml") if path.parent.parent != HOSTILE)

read = cache(read_golden)
"""Read the submission in a folder, with its expected verdicts."""


def expectation(folder):
    """Return the content of a folder's expected.yaml."""
    return read(folder).expectation


def reasons_of(expected):
    """Return all reasons that occur in the content of an expected.yaml."""
    listed = [why for each in expected.fails.values() for why in (each.values() if isinstance(each, dict) else [each])]
    return {reason for reasons in (*listed, (expected.open,)) for reason in reasons if reason is not None}
