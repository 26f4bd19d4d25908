"""The golden corpus of this repository (grader/authoring/golden.py says what an expected.yaml holds)."""

from functools import cache

from attacks import HOSTILE
from project import ROOT

from grader.authoring.golden import read_golden

SUBMISSIONS = ROOT / "tests" / "submissions"
CORPUS = sorted(path.parent for path in SUBMISSIONS.glob("*/*/expected.yaml") if path.parent.parent != HOSTILE)

read = cache(read_golden)
"""The submission in a folder, with what is expected of it."""


def expectation(folder):
    """What its expected.yaml says."""
    return read(folder).expectation
