"""Decides whether a search is needed. The decision depends only on results that students see."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from grader.course.assignment import Assignment
from grader.course.rubric import Kind
from grader.grading.checks.building import Built
from grader.grading.checks.sanitizer_run import NUMBER, findings_of
from grader.grading.checks.simulated_run import Subject, simulate
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.source_lines import EXPLAINED, names_a_line
from grader.grading.rules import SearchRules
from grader.grading.search.localisation import CONFIRMING, IsClean
from grader.results.check import Check, Reason, Verdict

UNTOLD = EXPLAINED | {Reason.CRASH}
"""Reasons that do not reveal where the mistake is. A crash in one case does not reveal it for other cases."""


def rightness(assignment: Assignment, checks: Sequence[Check]) -> dict[str, bool]:
    """Map the name of each case that counts to True if the case is right."""
    cases = zip(assignment.correctness.shown, checks, strict=True)
    return {case.name: check.verdict is Verdict.PASSED for case, check in cases if not case.practice}


def is_needed(built: Built, checks: Sequence[Check], watched: Sequence[Check]) -> bool:
    """True if results are wrong and nothing that is shown says where: in some case, no explanation names a line, and
    the simulator saw no mistake.
    """
    asked = built.task.assignment
    failed = [check for check in checks if check.verdict is Verdict.FAILED and check.kind is Kind.CORRECTNESS]
    is_untold = all(check.reason in UNTOLD for check in failed) and not built.misordered
    is_wrong = any(check.reason in EXPLAINED and not names_a_line(check) for check in failed)
    return asked.hints != "none" and is_wrong and is_untold and not _shown_findings(asked, watched)


def _shown_findings(assignment: Assignment, watched: Sequence[Check]) -> bool:
    return not assignment.hides_sanitizer and any(check.findings for check in watched)


def cleanness(subject: Subject, watched: Sequence[Check], rules: SearchRules) -> IsClean:
    """Return the function that decides whether an edited program is clean. It is clean if the simulator does not report
    a mistake and, if all cases are fixed, its simulated results are right. If there is no simulator, or if its findings
    are hidden, every program counts as clean.
    """
    asked = subject.task.assignment.sanitizer
    ends = perf_counter() + rules.seconds + CONFIRMING

    def is_clean(built: Built, is_all: bool) -> bool:
        assert asked is not None, "a case without a sanitizer is clean"
        left = ends - perf_counter()
        if left <= 0:
            return False
        with subject.worker.timeouts.hurried(max(1.0, left)):
            seen = simulate(replace(subject, built=built), asked.sizes, NUMBER)
        if isinstance(seen, Problem) or (is_all and seen.problem is not None):
            return False
        return not findings_of(seen)

    made = any(check.kind is Kind.SANITIZER and check.reason is not Reason.NO_SIMULATOR for check in watched)
    return is_clean if asked is not None and made and not asked.hidden else lambda *_: True
