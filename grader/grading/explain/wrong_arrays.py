"""Problems of arrays: wrong results, and stores to memory that a kernel may not change."""

import dataclasses
from collections.abc import Callable

from grader.common.optional import OptionalWork
from grader.common.phrases import count, numeral, percent, quoted, whole_numeral
from grader.course.truth.comparison import Mismatch, place
from grader.grading.explain.diagnosis.evidence import Explanation, Use
from grader.grading.explain.problem import EXPLANATION, Problem, evidence_of
from grader.results.verdicts import Reason

FAR_OFF = 1000
"""Multiple of the allowed error above which the exact number is not informative."""

NAN_AT_FIRST = "Words that no kernel has written hold NaN, and so do words past the end of an array."
"""Sentence about unwritten words. On some devices, adding to the NaN of an unwritten word gives the same NaN, bit for
bit.
"""


def of_mismatch(mismatch: Mismatch) -> Problem:
    """The problem of a wrong array: the number of wrong elements, the first one, and the largest error."""
    with OptionalWork(EXPLANATION) as work:
        return _of_mismatch(mismatch)
    return Problem(reason=Reason.WRONG_OUTPUT, message=f"`{mismatch.buffer}` is wrong.", faults=(work.fault,))


def _of_mismatch(mismatch: Mismatch) -> Problem:
    if mismatch.unwritten == mismatch.total:
        return _unwritten(mismatch)
    where = place(mismatch)
    if mismatch.total == 1:
        message = f"{where} is wrong: {_got_and_expected(mismatch)}."
        return Problem(reason=Reason.WRONG_OUTPUT, message=message, detail=_how_far(mismatch))
    verb = "is" if mismatch.wrong == 1 else "are"
    parts = [f"{mismatch.wrong:,} of {count(mismatch.total, 'element')} of {mismatch.buffer} {verb} wrong"]
    if mismatch.unwritten:
        share = "all" if mismatch.unwritten == mismatch.wrong else f"{mismatch.unwritten:,}"
        parts.append(f"{share} of them were never written")
    parts.append(f"the first is {where}: {_got_and_expected(mismatch)}")
    return Problem(reason=Reason.WRONG_OUTPUT, message="; ".join(parts) + ".", detail=_how_far(mismatch))


def _unwritten(mismatch: Mismatch) -> Problem:
    """The problem of an array whose elements the launch has not changed. Only floating-point types have NaN."""
    array, elements = mismatch.buffer, count(mismatch.total, "element")
    if isinstance(mismatch.expected, int):
        message, detail = f"nothing was stored in {quoted(array)}.", f"no value in {elements}."
    else:
        message = f"nothing was written to {quoted(array)}, or only NaN."
        detail = f"no number in {elements}. {NAN_AT_FIRST}"
    use = Use(array=array, writes=True)
    return Problem(reason=Reason.NOT_WRITTEN, message=message, detail=detail, use=use)


def explained(problem: Problem, explanation: Explanation) -> Problem:
    """The problem of a wrong array with the explanation as its message and the numbers as evidence."""
    detail = evidence_of(problem.message, problem.detail)
    return dataclasses.replace(problem, message=explanation.sentence, detail=detail, cause=explanation.cause)


def _got_and_expected(mismatch: Mismatch) -> str:
    number = _numeral(mismatch)
    if mismatch.first_unwritten:
        return f"never written, expected {number(mismatch.expected)}"
    if mismatch.rule == "multiset":
        return f"{number(mismatch.got)} is there more often than expected"
    got, expected = number(mismatch.got), number(mismatch.expected)
    if got == expected:  # nine digits distinguish any two floats
        got, expected = f"{mismatch.got:.9g}", f"{mismatch.expected:.9g}"
    return f"got {got}, expected {expected}"


def _how_far(mismatch: Mismatch) -> str:
    if mismatch.unwritten == mismatch.wrong:
        return ""
    if mismatch.rule == "share":
        return f"{percent(mismatch.wrong / mismatch.total)} of the elements differ; {percent(mismatch.amount)} may."
    if mismatch.rule == "multiset":
        return "the order of the elements does not matter."
    if mismatch.largest_error is None:
        return "none of the wrong elements holds a finite number."
    return f"largest error: {_numeral(mismatch)(mismatch.largest_error)}{_excess(mismatch)}"


def _excess(mismatch: Mismatch) -> str:
    """Words for the ratio of the largest error to the allowed one."""
    if mismatch.excess is None:
        return "; this output must match exactly."
    limit = "rounding" if mismatch.rule == "rounding" else "the tolerance"
    if mismatch.excess > FAR_OFF:
        return f", far more than {limit} explains."
    return f"; at worst {numeral(mismatch.excess)} times what {limit} allows."


def _numeral(mismatch: Mismatch) -> Callable[[float], str]:
    """The function that writes the numbers of a mismatch."""
    return whole_numeral if mismatch.whole else numeral


def of_stray_write(buffer: str, words: int) -> Problem:
    """The problem of a changed guard band. `words` counts from the end of the buffer or, if negative, from its start.
    The message does not blame a store, because on a CPU, work-items that miss a barrier can also change this memory.
    """
    distance = count(words + 1 if words >= 0 else -words, "element")
    place = "past its end" if words >= 0 else "before its start"
    return Problem(
        reason=Reason.OUT_OF_BOUNDS,
        message=f"memory outside {quoted(buffer)} was changed, starting {distance} {place}.",
        help="Work-items beyond the edge must not store, but they must still reach every barrier.",
    )


def of_changed_input(buffer: str) -> Problem:
    """The problem of an input that the kernel has changed."""
    return Problem(
        reason=Reason.INPUT_CHANGED,
        message=f"the kernel changed its input {quoted(buffer)}, which it may only read.",
    )
