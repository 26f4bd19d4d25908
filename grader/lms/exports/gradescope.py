"""Gradescope's results.json, under the name that the service imports."""

from grader.reports.gradescope import render as gradescope_results

__all__ = ["gradescope_results"]
