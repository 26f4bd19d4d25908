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
