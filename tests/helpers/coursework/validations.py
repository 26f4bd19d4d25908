"""Made-up results of validations, and the text that is printed about them."""

from samples import BUILD, PROFILE, check, failed, performance, result

from grader.authoring.selftest import Claim
from grader.course.rubric import Kind
from grader.grading.checks.correctness import unrun_cases
from grader.results.metrics import Interval

WIDTH = 80


HOLDS = Claim(claim="the model solution passes every check", holds=True, seen="100 of 100 points")


def exactly(value):
    return Interval(median=value, low=value, high=value)


def timed(fraction, naive=0.25):
    """Return the result of a right submission of this speed. The baseline has `naive` of the model solution's speed."""
    figures = performance(fraction_of_reference=exactly(fraction), speed_up_over_baseline=exactly(fraction / naive))
    speed = check("performance: cpu (n 1000000)", kind=Kind.PERFORMANCE, performance=figures)
    return result(BUILD, speed, profiles={"": PROFILE})


def skeleton_of(assignment):
    """Return the result of the skeleton, which fails each case."""
    cases = unrun_cases(assignment, assignment.correctness.cases)
    return result(BUILD, *(failed(each.name, kind=each.kind, message="nothing was written.") for each in cases))


def joined_lines(text):
    """Return the text with line breaks replaced by spaces."""
    return " ".join(text.split())
