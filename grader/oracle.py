"""For an assignment's oracle.py: `from grader.oracle import Truth`. This address stays, wherever its module moves."""

from grader.course.truth.oracle import Truth

__all__ = ["Truth"]
