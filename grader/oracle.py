"""`from grader.oracle import Truth` for an assignment's oracle.py. This import path stays, even if its module moves."""

from grader.course.truth.oracle import Truth

__all__ = ["Truth"]
