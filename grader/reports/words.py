"""Texts that several reports share: speeds, findings, memory counts, quantities."""

from collections.abc import Iterable, Iterator, Sequence

from grader.common.optional import Fault
from grader.common.phrases import TWICE, capital, count, kibibytes, listed, share_of, three_digits, two_decimals
from grader.grading.explain.error_map import as_text
from grader.protocol.text import showable
from grader.reports.statistics import Incomplete
from grader.results.check import Check, Unchecked
from grader.results.findings import Finding
from grader.results.metrics import Access, Branch, ImageUse, Performance, Usage
from grader.results.result import Correction, Deduction, Ungraded
from grader.results.verdicts import Reason

SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


STILL_TO_BE_MADE = {
    Reason.NO_SIMULATOR: "{} not checked here: the simulator is missing",
    Reason.NOT_SIMULATED: "{} not graded here: the simulator cannot run the kernel",
    Reason.NOT_MEASURED: "{} not measured: the machine was too noisy",
    Reason.INTERFERENCE: "{} not measured: the operating system disturbed the timing",
    Reason.COMPILER_FAILED: "{} open: the compiler failed",
    Reason.DECIDED_ELSEWHERE: "{} decided on the course's machine",
    Reason.PENDING: "{} pending: hidden cases run some minutes later",
}
"""Sentences about points whose checks were not made."""


def correction_in_words(correction: Correction) -> str:
    """Describe a correction, such as "Corrected by the instructor: +5 points (handed in by mail)."."""
    why = f" ({correction.comment})" if correction.comment else ""
    return f"Corrected by the instructor: {correction.points:+g} points{why}."


def deduction_in_words(deduction: Deduction) -> str:
    """Describe a deduction, such as "Late: 80 points before, 16 deducted, 64 left (2 days late: ...)."."""
    before, lost, left = deduction.before, 0 - deduction.points, deduction.after
    return f"Late: {before:g} points before, {lost:g} deducted, {left:g} left ({deduction.why})."


def faults_in_words(faults: Iterable[Fault]) -> tuple[str, ...]:
    """Return a sentence for each part that is missing because grader failed, without duplicates."""
    return tuple(dict.fromkeys(fault.sentence for fault in faults))


def score_in_words(points: float, max_points: float, unchecked: Iterable[Unchecked], hidden_points: float) -> str:
    """Describe a score, such as "68 of 100 points", "68 of 100; 32 not checked here: the simulator is missing", or "44
    points so far; 8 more are decided after release".
    """
    left, earned = unchecked_in_words(unchecked), two_decimals(points)
    if hidden_points:
        return "; ".join(filter(None, (f"{earned} points so far", hidden_in_words(hidden_points), left)))
    return f"{earned} of {two_decimals(max_points)}{f'; {left}' if left else ' points'}"


def hidden_in_words(points: float) -> str:
    """Describe hidden points, such as "8 more are decided after release", or return "" if no points are hidden."""
    return f"{two_decimals(points)} more {'is' if points == 1 else 'are'} decided after release" if points else ""


def unchecked_in_words(unchecked: Iterable[Unchecked]) -> str:
    """Describe open points, such as "32 not checked here: the simulator is missing", or return "" if everything is
    decided.
    """
    return "; ".join(map(_left_in_words, unchecked))


def _left_in_words(left: Unchecked) -> str:
    number, what = left.points, two_decimals(left.points)
    if not left.points:
        number, what = left.checks, f"{count(left.checks, 'check')} for no points"
    verb = {Reason.DECIDED_ELSEWHERE: " is" if number == 1 else " are"}.get(left.reason, "")
    return STILL_TO_BE_MADE[left.reason].format(f"{what}{verb}")


TO_BE_DECIDED = {
    Reason.COMPILER_FAILED: "the compiler failed on the kernel",
    Reason.NOT_SIMULATED: "the simulator cannot run the kernel",
}
"""Clauses about points that only an instructor can decide."""


def incomplete_in_words(incomplete: Incomplete) -> str:
    """Return a sentence about the grades of a batch that are incomplete, and how to complete them."""
    submissions, up_to = count(len(incomplete.students), "submission"), f"up to {incomplete.points:g} points each"
    if incomplete.reason is Reason.DECIDED_ELSEWHERE:
        return f"{submissions} not decided in full, {up_to}: the course's machine decides the rest."
    if incomplete.reason is Reason.PENDING:
        return f"{submissions} with open checks, {up_to}: hidden cases run some minutes later. Export again then."
    if incomplete.reason is Reason.NOT_MEASURED:
        return (
            f"{submissions} not timed, {up_to}: the machine was too noisy. Do not publish these points yet. Stop other "
            "programs; the same command then times them again."
        )
    if incomplete.reason is Reason.INTERFERENCE:
        return (
            f"{submissions} not timed, {up_to}: the operating system disturbed the timing. Do not publish these points "
            "yet. Stop other programs; the same command then times them again. If that does not help, read the code of "
            f"{listed(map(showable, incomplete.students), 'and')}: it may cause the disturbance."
        )
    if incomplete.reason in TO_BE_DECIDED:
        them, why = listed(map(showable, incomplete.students), "and"), TO_BE_DECIDED[incomplete.reason]
        return f"{submissions} left open, {up_to}: {why}. Decide the points of {them} in corrections.csv."
    return (
        f"{submissions} with open checks, {up_to}: the simulator is missing. Do not publish these points yet. "
        f"{capital(incomplete.message)} The same command then grades them again."
    )


def skip_in_words(check: Check) -> str:
    """Return the reason why a check was skipped or is hidden, and how many points it is worth."""
    worth = f"worth {check.max_points:g} points" if check.max_points else "for no points"
    if check.reason is Reason.HIDDEN:
        return f"hidden until release, {worth}"
    return f"{check.reason}, {worth}: {check.message}"


def unreached_in_words(checks: Sequence[Check]) -> str:
    """Describe the checks that a failed build prevents, such as "18 checks: correctness, sanitizer, memory,
    performance".
    """
    return f"{count(len(checks), 'check')}: {', '.join(dict.fromkeys(check.kind for check in checks))}"


def speed_in_words(performance: Performance) -> Iterator[str]:
    """Yield one line each for the rate, the share of the model solution's speed if it is known, the speed-up, the share
    of the bandwidth, and the rates of kernels if the assignment requests them.
    """
    rate, fraction = performance.rate, performance.fraction_of_reference
    yield f"{three_digits(rate.median)} {performance.unit} ({three_digits(rate.low)} to {three_digits(rate.high)})"
    if fraction is not None:
        scale = 100 if fraction.median < TWICE else 1
        ends = f"{three_digits(scale * fraction.low)} to {three_digits(scale * fraction.high)}"
        yield f"{share_of(fraction.median)} the model solution's speed ({ends})"
    if performance.yardstick is not None:
        yield f"judged by a yardstick: the model solution is {performance.yardstick:g} x as fast as the naive kernel"
    yield f"{performance.speed_up_over_baseline.median:.2g} x the naive kernel's speed"
    if performance.unit == "GB/s":  # a kernel that computes more than it moves is not compared with bandwidth
        of_copy = f"{_percent(performance.fraction_of_copy)} % of the copy bandwidth"
        yield f"{of_copy}, which is {three_digits(performance.copy_bandwidth)} GB/s"
    if performance.kernels:
        rates = (f"{each.kernel} {three_digits(each.rate)} {each.unit}" for each in performance.kernels)
        yield f"each kernel: {', '.join(rates)}"
    if performance.program is not None:
        program = performance.program
        speed_up = f"{program.speed_up:.2g} x the naive program's speed"
        of_copy = f"{_percent(program.fraction_of_copy)} % of the copy bandwidth"
        yield f"whole program: {program.seconds * 1e3:.3g} ms, {speed_up}, {of_copy}"


def figures_in_words(check: Check) -> Iterator[str]:
    """Yield the figures of a passed check, if there are any: its distance from the limit, and its speed."""
    if check.message:
        yield check.message
    if check.performance is not None:
        yield from speed_in_words(check.performance)


def _percent(fraction: float) -> str:
    """Return two digits, or three from 100 % on."""
    return f"{100 * fraction:.0f}" if fraction >= 0.1 else f"{100 * fraction:.2g}"


def spills_in_words(usage: Iterable[Usage]) -> Iterator[str]:
    """Yield a sentence for each kernel whose private variables are not all in registers, with the effect and
    its cause.
    """
    for each in usage:
        if not each.in_memory and not each.spilled:
            continue
        causes = (*([] if each.spilled == 0 else [TOO_MANY]), *([] if each.spilled else [UNKNOWN_INDEX]))
        yield (
            f"{each.kernel} keeps {count(each.in_memory or each.spilled or 0, 'byte')} of each work-item's private "
            f"variables in the device's memory, far slower than registers. The usual cause is {', or '.join(causes)}."
        )


TOO_MANY = "more values at a time than there are registers (a large RT, a long unrolled loop)"
UNKNOWN_INDEX = "a private array with an index that is not known before the kernel runs (unroll the loop around it)"


def usage_in_words(usage: Usage) -> str:
    """Describe the resources of a kernel as stated by the driver, or return "" if the driver states none."""
    registers = None if usage.registers is None else f"{count(usage.registers, 'register')} per work-item"
    local = None if usage.local is None else f"{kibibytes(usage.local)} of local memory per work-group"
    figures = ", ".join(filter(None, (registers, local)))
    return f"{usage.kernel} takes {figures}" if figures else ""


def new_message(check: Check, finding: Finding) -> str:
    """Return the finding's sentence, unless the check's message contains it already."""
    return "" if finding.message in check.message else finding.message


def closing(check: Check, finding: Finding) -> str:
    """Return the help, unless the check contains it already, and the number of sightings."""
    advice = "" if finding.help in check.help else finding.help
    seen = f"Seen {count(finding.times, 'time')}." if finding.times > 1 else ""
    return " ".join(filter(None, (advice, seen)))


def finding_in_words(check: Check, finding: Finding) -> str:
    """Return a finding as lines of plain text: the problem, each place with its source line, and the usual cause."""
    places = (f"  {place.line:>4} | {place.text.strip()}\n         {place.words}" for place in finding.places)
    return "\n".join(filter(None, (new_message(check, finding), *places, closing(check, finding))))


def reason_in_words(check: Check) -> str:
    """Return the reason why a check did not pass, with its sentences."""
    return f"{check.reason}: {check.sentences}"


def failure_in_words(check: Check) -> str:
    """Return everything about a check that did not pass: the reason, findings, spills, the detail and the error map."""
    findings = (finding_in_words(check, finding) for finding in check.findings)
    spills = spills_in_words(check.usage)
    return "\n".join(filter(None, (reason_in_words(check), *findings, *spills, check.detail, as_text(check.error_map))))


def fault_in_words(outcome: Ungraded) -> str:
    """Return a sentence which states why there is no grade, and that the student is not at fault."""
    return f"not graded, and not the student's fault: {outcome.fault}"


def access_in_words(access: Access) -> str:
    """Describe the cost of an access, compared with the lowest possible cost."""
    local = access.space == "local"
    cost = count(access.sectors, "turn" if local else "sector")
    if access.sectors <= access.fewest:
        cost += ", as few as can be"
    else:
        cost += f" where {access.fewest:,} would do ({three_digits(access.sectors / max(1, access.fewest))} x"
        cost += f", up to {three_digits(access.worst)} x in one request)"
    where = access.array if access.space == "global" else f"{access.array} in {access.space} memory"
    words = f"{access.does} {where}: {cost}, in {count(access.requests, 'request')}"
    if access.stride is None:
        return words
    return f"{words}; neighbouring work-items are {count(access.stride, 'byte')} apart"


def image_use_in_words(use: ImageUse) -> str:
    """Describe how many pixels of an image are read or written."""
    return f"{use.does} {use.image}: {count(use.times, 'pixel')}"


def branch_in_words(branch: Branch) -> str:
    """Describe how often the work-items of a warp diverge at a branch."""
    if branch.diverged == 0:
        return f"condition: every warp stays together, {count(branch.reached, 'time')}"
    return f"condition: warps diverge {count(branch.diverged, 'time')}, and reach it {count(branch.reached, 'time')}"


def seconds_in_words(seconds: float) -> str:
    """Return three digits and a unit, such as 3.52 ms."""
    return _in_units(seconds, SECONDS)


def bytes_in_words(number: float) -> str:
    """Return three digits and a unit that is a power of ten, as is usual for bandwidths, such as 16.8 MB."""
    return _in_units(number, BYTES) if number >= BYTES[-1][0] else count(round(number), "byte")


def _in_units(number: float, units: tuple[tuple[float, str], ...]) -> str:
    scale, unit = next((each for each in units if number >= each[0]), units[-1])
    return f"{three_digits(number / scale)} {unit}"
