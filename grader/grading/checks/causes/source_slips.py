"""Adds a mistake that was found in the source to the messages of the checks that it explains."""

import ast
import dataclasses
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.common.optional import Fault, OptionalWork
from grader.common.phrases import sentence
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.criteria import Sizes
from grader.course.expressions import Expression, evaluate_int
from grader.course.launches import Launch
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.explain.problem import EXPLANATION, evidence_of
from grader.grading.explain.simulator.bounds_messages import without_deciding_lines
from grader.grading.explain.simulator.oclgrind import GLOBAL
from grader.grading.explain.simulator.source_lines import called_in
from grader.grading.explain.slips.launch import SimulatedLaunch, Text
from grader.grading.explain.slips.rules import first_slip
from grader.grading.explain.slips.slip import TOLD, Slip
from grader.grading.source.polynomial import Polynomial, atom, constant
from grader.grading.source.reading import outline
from grader.grading.source.values import TooComplexError
from grader.protocol.observation import SeenKernel
from grader.results.check import Check
from grader.results.findings import Finding
from grader.results.verdicts import Verdict

OPERATORS: Mapping[type[ast.operator], Callable[[Polynomial, Polynomial], Polynomial]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def slip_of(built: Built, runs: Sequence[Simulated | None]) -> Slip | Fault | None:
    """Return the mistake that the runs prove; None if no rule applies, if the parameters are wrong, or if the text
    is too complex to analyse.
    """
    if built.wrong_parameters:
        return None
    with OptionalWork(EXPLANATION) as work:
        return _first(built, runs)
    return work.fault


def _first(built: Built, runs: Sequence[Simulated | None]) -> Slip | None:
    try:
        return first_slip(_compared([each for run in runs if run for each in _launches(built, run)]))
    except (TooComplexError, RecursionError):  # students write such a text only to keep grader busy
        return None


def _compared(launches: Sequence[SimulatedLaunch]) -> list[SimulatedLaunch]:
    """The launches, each with the arrays that its kernel accesses in any launch."""
    used: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for launch in launches:
        accesses = (each for each in launch.seen.accesses if each.space == GLOBAL)
        used[launch.seen.kernel] |= {(each.array, each.writes) for each in accesses}
    return [dataclasses.replace(each, elsewhere=frozenset(used[each.seen.kernel])) for each in launches]


def with_slip(checks: Sequence[Check], slip: Slip | Fault | None) -> tuple[Check, ...]:
    """Return the checks. The mistake is put in front of the first finding that it explains, and a fault is added to
    failed checks.
    """
    return tuple(_with_slip(check, slip) for check in checks)


def _with_slip(check: Check, slip: Slip | Fault | None) -> Check:
    if slip is None or check.verdict is not Verdict.FAILED:
        return check
    if isinstance(slip, Fault):
        return replace(check, faults=(*check.faults, slip))
    number = next((number for number, each in enumerate(check.findings) if _is_explained(each, slip)), None)
    if number is None:
        return check
    seen = check.findings[number]
    found = replace(seen, message=f"{slip.message} {_observed(seen, slip)}", help=slip.help, barrier=None)
    findings = (*check.findings[:number], found, *check.findings[number + 1 :])
    if number > 0:
        return replace(check, findings=findings)
    return replace(check, message=check.message.replace(seen.message, found.message), help=slip.help, findings=findings)


def _is_explained(finding: Finding, slip: Slip) -> bool:
    return finding.reason in slip.effects and any(place.line in slip.explains for place in finding.places)


def _observed(finding: Finding, slip: Slip) -> str:
    """The message of a finding as the sentence after the mistake. It does not repeat the line number, or mention the
    lines that determine an index, because the mistake is known.
    """
    seen = without_deciding_lines(finding.message)
    line = re.match(r"line \d+ ", seen)
    is_same = line is not None and slip.message.startswith(line[0]) and slip.message.count(". ") == 0
    return f"It {seen[len(line[0]) :]}" if line is not None and is_same else sentence(seen)


def of_wrong_result(check: Check, slip: Slip) -> Check:
    """Return the check. If it failed for a reason in TOLD, the mistake becomes its message, and the former message its
    evidence.
    """
    if check.verdict is not Verdict.FAILED or check.reason not in TOLD:
        return check
    detail = evidence_of(check.message, check.detail)
    return replace(check, message=slip.message, help=slip.help, detail=detail, cause=slip.cause)


def _launches(built: Built, run: Simulated) -> Iterator[SimulatedLaunch]:
    """Yield the launches of a run whose kernels can be parsed."""
    asked = built.task.assignment.student_launches
    names = [built.bindings[each.kernel].name for each in asked]
    seen = outline(built.program.source, names)
    if seen is None:
        return
    functions = {each.name: each for each in seen.functions}
    ran = tuple(zip(run.kernels, run.scenes, strict=True))
    for number, (each, name, (kernel, scene)) in enumerate(zip(asked, names, ran, strict=False), start=1):
        if name in functions:
            text = Text(outline=seen, function=functions[name], scene=scene)
            launch = _launch(built.task.assignment, each, text, run.sizes, kernel)
            unset = frozenset(unset_later(kernel, run.kernels))
            yield dataclasses.replace(launch, unset_later=unset, later=ran[number:])


def unset_later(launch: SeenKernel, others: Sequence[SeenKernel]) -> Iterator[tuple[str, int]]:
    """Yield the arrays of a launch of which other launches read unset words, each with a line of such a read."""
    for other in others:
        for unset in other.unset:
            if unset.space == GLOBAL and other is not launch:
                yield called_in(launch, other, unset.name), unset.line


def _launch(assignment: Assignment, asked: Launch, text: Text, sizes: Sizes, seen: SeenKernel) -> SimulatedLaunch:
    own = dict(zip(asked.args, text.parameters, strict=False))
    names = {arg: own[arg] for arg in asked.args if arg in sizes}
    buffers = {own[arg]: assignment.buffers[arg] for arg in asked.args if arg in assignment.buffers}
    used = re.findall(r"[A-Za-z_]\w*", " ".join(map(str, (*asked.global_size, *asked.local_size))))

    def size(expression: Expression) -> Polynomial:
        return _polynomial(expression, names, assignment.names(sizes))

    return SimulatedLaunch(
        text=text,
        seen=seen,
        items=assignment.items(asked, asked.global_size, sizes),
        group=assignment.items(asked, asked.local_size, sizes),
        shapes={name: tuple(map(size, buffer.shape)) for name, buffer in buffers.items()},
        sizes=dict(_whole_numbers(assignment, own, sizes)),
        extent=tuple(map(size, asked.extent or ())),
        inputs=frozenset(name for name, buffer in buffers.items() if buffer.part == "input"),
        constants=assignment.definitions,
        stated=frozenset(used) & assignment.definitions.keys(),
    )


def _whole_numbers(assignment: Assignment, own: Mapping[str, str], sizes: Sizes) -> Iterator[tuple[str, int]]:
    """Yield the whole numbers that a kernel receives, by the names of its parameters."""
    known = assignment.known(sizes)
    for arg, mine in own.items():
        value = known.get(arg)
        if isinstance(value, int):
            yield mine, value


def _polynomial(expression: Expression, own: Mapping[str, str], names: Mapping[str, object]) -> Polynomial:
    """A size as a polynomial in the kernel's parameters. Any other expression is evaluated to a constant."""
    try:
        found = _of_node(ast.parse(str(expression), mode="eval").body, own)
    except SyntaxError:
        found = None
    return constant(evaluate_int(expression, names)) if found is None else found


def _of_node(node: ast.expr, own: Mapping[str, str]) -> Polynomial | None:
    match node:
        case ast.Constant(value=int(value)):
            return constant(value)
        case ast.Name(id=name) if name in own:
            return atom(own[name])
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sign, right=right):
            one, other = _of_node(left, own), _of_node(right, own)
            if one is None or other is None:
                return None
            return OPERATORS[type(sign)](one, other)
    return None
