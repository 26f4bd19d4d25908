"""Draws conclusions from all cases of a submission: the cause of wrong results, and the lines to look at."""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from grader.common.optional import Fault, OptionalWork
from grader.common.phrases import capital, sentence
from grader.common.record import replace
from grader.course.assignment import Chosen
from grader.course.criteria import Case
from grader.course.truth.oracle import Oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.plan import STUDENT
from grader.grading.checks.causes.source_slips import of_wrong_result
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.correctness import Tried, trial_of
from grader.grading.checks.simulation.sanitizer_run import findings_of
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.checks.trials.array_evidence import evidence_of_right
from grader.grading.explain.diagnosis.evidence import Evidence, Explanation
from grader.grading.explain.diagnosis.rules import MISTAKES, explain
from grader.grading.explain.problem import EXPLANATION, evidence_of
from grader.grading.explain.simulator.source_lines import WHEREABOUTS, lines_of, locate, whereabouts
from grader.grading.explain.slips.slip import Slip
from grader.results.check import Check
from grader.results.findings import Finding
from grader.results.verdicts import Reason, Verdict


def conclude(
    tried: Sequence[Tried],
    built: Built,
    oracle: Oracle,
    seen: Simulated | None = None,
    slip: Slip | Fault | None = None,
) -> tuple[Check, ...]:
    """Return the checks of cases that were run, with explanations.

    `seen` provides the lines that use arrays. A mistake in the source (`slip`) takes precedence over any explanation
    that does not predict the wrong array.
    """
    explanations = _explanations(tried, built, oracle)
    return tuple(
        _naming_its_kernel(_explained(each, explanations.get(each.case.name), seen, slip), each.case.alone)
        for each in tried
    )


def _naming_its_kernel(check: Check, kernel: str) -> Check:
    """The check of a case. If it failed with only one kernel, the message ends with the name of this kernel."""
    if not kernel or check.reason in {None, Reason.NOT_RUN, Reason.KERNEL_MISSING}:
        return check
    return replace(check, message=f"{check.message} Only {kernel} ran, with correct inputs.")


def _explained(
    tried: Tried, explanation: Explanation | Fault | None, seen: Simulated | None, slip: Slip | Fault | None
) -> Check:
    if tried.check.verdict is Verdict.PASSED:
        return tried.check
    is_predicted = isinstance(explanation, Explanation) and explanation.rule in MISTAKES
    if isinstance(slip, Slip) and not is_predicted:
        check = of_wrong_result(tried.check, slip)
        return replace(check, faults=(*check.faults, explanation)) if isinstance(explanation, Fault) else check
    check = _concluded(tried, explanation, seen)
    if isinstance(slip, Fault) and check.verdict is Verdict.FAILED:
        return replace(check, faults=(*check.faults, slip))
    return check


def _concluded(tried: Tried, explanation: Explanation | Fault | None, seen: Simulated | None) -> Check:
    """The check with its explanation, or with the fault that prevented one."""
    check = explanation if isinstance(explanation, Fault) else _attempted(tried, explanation, seen)
    return replace(tried.check, faults=(*tried.check.faults, check)) if isinstance(check, Fault) else check


def _attempted(tried: Tried, explanation: Explanation | None, seen: Simulated | None) -> Check | Fault:
    with OptionalWork(EXPLANATION) as work:
        return _told(tried, explanation, seen)
    return work.fault


def _told(tried: Tried, explanation: Explanation | None, seen: Simulated | None) -> Check:
    """The check with the explanation as its message, and the lines to which it refers. If it refers to no line, the
    help lists all lines to look at.
    """
    check = tried.check if explanation is None else _with_explanation(tried.check, explanation)
    if seen is None:
        return check
    seen = _launches_of(tried.case.alone, seen) if tried.case.alone else seen
    use = explanation.use if explanation else tried.use
    lines = lines_of(use, seen.kernels) if use else ""
    if explanation and lines:
        return replace(check, message=_with_lines(check.message, lines))
    return locate(_with_findings(check, seen), f"{WHEREABOUTS}{lines}" if lines else lines_to_look_at(tried.case, seen))


def lines_to_look_at(case: Case, seen: Simulated) -> str:
    """All lines that use arrays. If a kernel runs alone in the case, only this kernel's lines."""
    launches = list(zip(seen.kernels, seen.scenes, strict=True))
    launches = [each for each in launches if each[0].kernel == case.alone] or launches
    return whereabouts([kernel for kernel, _ in launches], [scene for _, scene in launches])


def _launches_of(kernel: str, seen: Simulated) -> Simulated:
    """The simulated launches of one kernel, to which the lines of a case belong in which only this kernel runs."""
    launches = [each for each in zip(seen.kernels, seen.scenes, strict=True) if each[0].kernel == kernel]
    return dataclasses.replace(
        seen, kernels=tuple(kernel for kernel, _ in launches), scenes=tuple(scene for _, scene in launches)
    )


def _with_lines(message: str, lines: str) -> str:
    """The message with the lines that use the array, in brackets after its first clause."""
    clause = re.match(r".*?(?=: |\. |\.$)", message)
    if clause is None:
        return f"{message} {sentence(lines)}"
    return f"{clause[0]} ({lines.removesuffix('.')}){message[clause.end() :]}"


def _with_explanation(check: Check, explanation: Explanation) -> Check:
    """The check with the explanation as its message and the numbers as evidence."""
    detail = evidence_of(check.message, check.detail)
    return replace(check, message=explanation.sentence, detail=detail, cause=explanation.cause)


def _with_findings(check: Check, seen: Simulated) -> Check:
    """The check of a result. If the simulator saw another mistake that can be the cause, the help describes that
    mistake.
    """
    if check.reason is Reason.NOT_WRITTEN:
        found = [each for each in findings_of(seen) if each.reason is Reason.OUT_OF_BOUNDS and READS in each.message]
        return replace(check, help=f"{capital(found[0].message)} Such words hold NaN.") if found else check
    if check.reason is Reason.OUT_OF_BOUNDS:
        found = [each for each in findings_of(seen) if each.reason in STRAYS]
        is_explained = not found or any(WRITES in each.message for each in found)
        return check if is_explained else replace(check, help=_fix_first(found[0]))
    return check


def _fix_first(finding: Finding) -> str:
    """Help that points to another mistake, which may be the cause."""
    where = next((f" in line {line}" for line in finding.lines), "")
    return f"The simulator sees another mistake{where}, which can cause this one. Fix that mistake first."


READS, WRITES = " reads outside ", " writes outside "

STRAYS = frozenset({Reason.BARRIER_DIVERGENCE, Reason.OUT_OF_BOUNDS})
"""Reasons of findings that can explain changed memory outside a buffer."""


def _explanations(tried: Sequence[Tried], built: Built, oracle: Oracle) -> dict[str, Explanation | Fault | None]:
    """Explanations by the names of cases. Cases in which the same array is wrong are explained together, unless a
    kernel runs alone in only some of them.
    """
    found: dict[str, Explanation | Fault | None] = {}
    for alone, buffer in dict.fromkeys((each.case.alone, each.evidence.buffer) for each in tried if each.evidence):
        alike = [each for each in tried if each.case.alone == alone]
        failed = {each.case.name: each.evidence for each in alike if each.evidence and each.evidence.buffer == buffer}
        with OptionalWork(EXPLANATION) as work:
            found |= _of_array(buffer, failed, alike, built, oracle)
            continue
        found |= dict.fromkeys(failed, work.fault)
    return found


def _of_array(
    buffer: str, failed: Mapping[str, Evidence], tried: Sequence[Tried], built: Built, oracle: Oracle
) -> dict[str, Explanation | None]:
    told = explain(tuple(failed.values()), _passed(tried, buffer, built, oracle))
    return dict(zip(failed, told, strict=True))


def _passed(tried: Sequence[Tried], buffer: str, built: Built, oracle: Oracle) -> Iterator[Evidence]:
    """Evidence about the array in the cases that passed, computed again from their seeds."""
    for each in tried:
        if each.check.verdict is Verdict.PASSED:
            trial = trial_of(each.case, built, oracle)
            script = submission_plan(Chosen(trial.assignment), each.case.sizes, built.bindings).scripts[STUDENT]
            yield evidence_of_right(trial, script, buffer)
