"""The JSON report: the whole record. Its schema is printed by `grader schema result`."""

from grader.results.result import Result, Ungraded


def render(outcome: Result | Ungraded) -> str:
    """Everything there is to know, in the fields of results/result.py."""
    return outcome.model_dump_json(indent=2) + "\n"
