"""Choices of students: constants and launch sizes that they state in comments of kernels.cl.

    // grader: TILE = 16
    // grader: global = ceil_to(width, TILE), ceil_to(height, TILE)
    // grader: transpose local = TILE, TILE

The trusted judge reads these statements although a student wrote them. Therefore a statement must be short and may
contain only certain characters. It is evaluated only as arithmetic on whole numbers, without strings or powers, so that
values cannot become large or slow to compute.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import NoReturn

from grader.common.errors import InputError
from grader.common.phrases import listed, sizes_in_words
from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen
from grader.course.criteria import Sizes
from grader.course.launches import Launch
from grader.course.submissions.scan import Statement
from grader.course.submissions.submission import Submission
from grader.grading.explain.failures import FailedError
from grader.grading.explain.problem import Problem
from grader.protocol.messages import DeviceFacts
from grader.results.verdicts import Reason

WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")

STATEMENT_CHARACTERS = 400
"""Maximum number of characters of a statement. This is enough for three sizes of a hundred digits and their names."""

DIMENSIONS = 3
"""Maximum number of dimensions of a launch."""

ITEMS = 2**40
"""Maximum number of work-items of a launch. No device runs more within a deadline."""


def _refuse(message: str) -> NoReturn:
    raise FailedError(Problem(reason=Reason.LAUNCH_SIZES, message=message))


def chosen(assignment: Assignment, submission: Submission) -> Chosen | Problem:
    """Return the assignment with the constants and sizes that the submission states, or the problem of a statement.

    Statements are ignored if the assignment does not give students choices.
    """
    choices = assignment.choices
    if not choices.constants and not choices.launches:
        return Chosen(assignment)
    stated = submission.scan.statements
    try:
        _check_length(stated)
        constants = dict(_constants(assignment, stated))
        launches = tuple(_launch(assignment, launch, stated) for launch in assignment.launches)
    except FailedError as failed:
        return _for_another(assignment, submission, failed.problem)
    return Chosen(replace(assignment.with_constants(constants), launches=launches))


def _for_another(assignment: Assignment, submission: Submission, problem: Problem) -> Problem:
    """Add a hint if the file does not even contain the name of a kernel, for example because it is for another
    assignment.
    """
    for kernel in assignment.choices.launches:
        if not re.search(rf"\b{re.escape(kernel)}\b", submission.source):
            hint = f"The file contains no kernel named {kernel}. Is it for another assignment?"
            return dataclasses.replace(problem, help=hint)
    return problem


def _check_length(stated: tuple[Statement, ...]) -> None:
    for each in stated:
        if len(each.what) + len(each.value) > STATEMENT_CHARACTERS:
            _refuse(f"line {each.line} states more than {STATEMENT_CHARACTERS} characters; write it shorter.")


def _constants(assignment: Assignment, stated: tuple[Statement, ...]) -> Iterator[tuple[str, int]]:
    for each in stated:
        if each.what in {"global", "local"} or each.kernel is not None:
            continue
        allowed = assignment.choices.constants.get(each.what)
        if allowed is None:
            _refuse(f"line {each.line} states {each.what}, which is not yours to choose: {_offer(assignment)}")
        if not WHOLE_NUMBER.fullmatch(each.value) or int(each.value) not in allowed:
            _refuse(f"line {each.line} states {each.what} = {each.value}; it may be {listed(allowed, 'or')}.")
        yield each.what, int(each.value)


def _offer(assignment: Assignment) -> str:
    """Describe the choices that students have."""
    constants = [f"{name} ({listed(values, 'or')})" for name, values in assignment.choices.constants.items()]
    sizes = [f"global and local of {kernel}" for kernel in assignment.choices.launches]
    return f"you may state {listed((*constants, *sizes), 'and')}."


def _launch(assignment: Assignment, launch: Launch, stated: tuple[Statement, ...]) -> Launch:
    """The launch with the sizes that are stated for its kernel."""
    if launch.solution_of is not None or launch.kernel not in assignment.choices.launches:
        return launch
    sizes = {what: _stated(launch, what, stated) for what in ("global", "local")}
    if len(sizes["global"]) != len(sizes["local"]):
        _refuse(
            f"the sizes of {launch.kernel} have {len(sizes['global'])} dimensions in `global` and "
            f"{len(sizes['local'])} in `local`; give both the same number."
        )
    return launch.of_sizes(sizes["global"], sizes["local"])


def _stated(launch: Launch, what: str, stated: tuple[Statement, ...]) -> tuple[str, ...]:
    """The last statement of a size, in one to three dimensions."""
    found = [each for each in stated if each.what == what and each.kernel in {None, launch.kernel}]
    if not found:
        _refuse(
            f"you must state the {what} size of {launch.kernel}, in a comment of your file such as "
            f"`// grader: {what} = {'64' if what == 'local' else 'ceil_to(n, 64)'}`."
        )
    dimensions = split(found[-1].value)
    if not 1 <= len(dimensions) <= DIMENSIONS or not all(dimensions):
        _refuse(f"line {found[-1].line} states `{what} = {found[-1].value}`; give one to three sizes.")
    return dimensions


def split(value: str) -> tuple[str, ...]:
    """Split the text at commas outside brackets, for example into the dimensions of a size."""
    parts, depth = [""], 0
    for character in value:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(part.strip() for part in parts)


def unfit_sizes(assignment: Chosen, device: DeviceFacts) -> Problem | None:
    """Return the problem of the launch sizes that a submission states, at any size on this device; None if all fit."""
    stated = [launch for launch in assignment.student_launches if launch.kernel in assignment.choices.launches]
    return unfit_launches(assignment, stated, device)


def unfit_launches(assignment: Chosen, launches: Sequence[Launch], device: DeviceFacts) -> Problem | None:
    """Return the problem of the sizes of these launches on this device; None if all fit."""
    try:
        for sizes in assignment.all_sizes():
            for launch in launches:
                _check_fit(assignment, launch, sizes, device)
    except FailedError as failed:
        return failed.problem
    return None


def _check_fit(assignment: Assignment, launch: Launch, sizes: Sizes, device: DeviceFacts) -> None:
    at = f"at {sizes_in_words(sizes)}"
    try:
        global_size, local_size = (
            assignment.items(launch, stated, sizes) for stated in (launch.global_size, launch.local_size)
        )
    except InputError as error:
        _refuse(f"the sizes of {launch.kernel} make no sense {at}: {error}")
    for number, (all_items, group) in enumerate(zip(global_size, local_size, strict=True)):
        if all_items < 1 or group < 1:
            _refuse(
                f"dimension {number} of {launch.kernel} would have {all_items} work-items in groups of {group} {at}; "
                "both must be at least 1."
            )
        if all_items % group:
            _refuse(
                f"{launch.kernel} would have {all_items:,} work-items in dimension {number} {at}, which is not a "
                f"multiple of the group size {group:,}: round up, as ceil_to(n, {group}) does."
            )
    if prod(local_size) > device.max_work_group:
        sides = f"{' x '.join(map(str, local_size))} = " if len(local_size) > 1 else ""
        _refuse(
            f"{launch.kernel} would have groups of {sides}{prod(local_size):,} work-items {at}, but "
            f"{device.name} runs groups of at most {device.max_work_group:,}."
        )
    if prod(global_size) > ITEMS:
        _refuse(f"{launch.kernel} would have {prod(global_size):,} work-items {at}, far more than can be run.")
