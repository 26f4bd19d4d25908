"""The JSON report, which contains the whole record. `grader schema result` prints its schema."""

from grader.results.result import Result, Ungraded


def render(outcome: Result | Ungraded) -> str:
    """Return all facts, in the fields of results/result.py and check.py."""
    return outcome.model_dump_json(indent=2) + "\n"
