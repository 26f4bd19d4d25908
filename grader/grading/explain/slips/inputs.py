"""Finds inputs that the kernel never reads."""

from grader.common.phrases import listed
from grader.grading.explain.simulator.oclgrind import GLOBAL, was_cut_off
from grader.grading.explain.simulator.source_lines import FEW, lines_in_words
from grader.grading.explain.slips.blocking import blocking, in_number, kept_from
from grader.grading.explain.slips.launch import SimulatedLaunch
from grader.grading.explain.slips.slip import Slip


def unread_inputs(launch: SimulatedLaunch) -> Slip | None:
    """Explain wrong results by inputs that no work-item reads in the simulator, at any of its sizes, although
    work-items store results.
    """
    read = {each.array for each in launch.seen.accesses if each.space == GLOBAL and not each.writes}
    read |= {array for array, writes in launch.elsewhere if not writes}
    named = {each.name for each in launch.seen.arrays if each.space == GLOBAL}
    unread = sorted((launch.inputs & named) - read)
    is_stored = any(each.writes and each.space == GLOBAL for each in launch.seen.accesses)
    if not unread or not is_stored or was_cut_off(launch.seen):
        return None
    lines = {line for line, text in launch.text.lines if text in unread}
    inputs = listed((f"`{name}`" for name in unread), "and")
    what = f"{inputs} {'is' if len(unread) == 1 else 'are'} never read"
    cause = "an input is never read"
    if not lines:
        kernel, line = launch.seen.kernel, launch.text.line
        return Slip(
            message=f"line {line}: {kernel} does not use {inputs}.", help=f"Read {inputs} in {kernel}.", cause=cause
        )
    load, happens = ("load", "happens") if len(lines) == 1 else ("loads", "happen")
    where = f" in {lines_in_words(lines)}" if len(lines) <= FEW else ""
    body = launch.text.function.body
    tests = blocking(launch, [each for each in range(*body) if launch.text.outline.code[each].text in unread])
    if where and 1 <= len(tests) <= FEW:
        check = f"Check the {in_number('condition', tests)}."
        return Slip(message=f"{what}: {kept_from(tests, load, lines)}.", help=check, cause=cause)
    return Slip(
        message=f"{what}: the {load}{where} never {happens}.",
        help=f"Check the conditions and the loops around {'it' if len(lines) == 1 else 'them'}.",
        cause=cause,
    )
