"""Kernels that avoid an exercise, and model solutions with a slip. Their points show if the assignment really rewards
solving it.

An instructor puts them in reference/NAME/avoiding/, one file each; kernels for one part of a suite go in its subfolder
PART. Three more kernels are made from the baseline, if its kernels take the same arguments as the student's: the
baseline itself (unless the exercise is to write it), one work-item that does all the work, and one work-item in each
group.

A slip does not concern the lesson of the assignment, such as a missing barrier or a missing guard.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.course.assignment import Assignment
from grader.course.expressions import FUNCTIONS, Expression
from grader.course.folders import BASELINE_FILE, MODEL_FILE, read_text
from grader.course.launches import Launch
from grader.grading.checks.compilation.signature import expected_signature
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline

FOLDER = "avoiding"

HEAD = """\
#define ceil_div(value, step) (((value) + (step) - 1) / (step))
#define ceil_to(value, step) (ceil_div(value, step) * (step))
#define get_global_id(d) (item[d])
#define get_local_id(d) (item[d] % item[3 + (d)])
#define get_group_id(d) (item[d] / item[3 + (d)])
#define get_local_size(d) (item[3 + (d)])
#define get_global_size(d) (item[6 + (d)])
"""
"""Macros that give a function the position of a work-item. `item` contains the global ID, the local size and the global
size.
"""

TAIL = """\
#undef get_global_id
#undef get_local_id
#undef get_group_id
#undef get_local_size
#undef get_global_size
"""

WRAPPER = """\
%(signature)s
{
    const uint grader_global[3] = {%(global)s};
    const uint grader_lid = get_local_id(0) + get_local_size(0) * get_local_id(1);
    const uint grader_group = get_group_id(0) + get_num_groups(0) * get_group_id(1);
    const uint grader_groups = get_num_groups(0) * get_num_groups(1);
    const uint grader_size = get_local_size(0) * get_local_size(1);
    if (%(idle)s)
        return;
    const uint grader_all = grader_global[0] * grader_global[1] * grader_global[2];
    for (uint grader_number = %(first)s; grader_number < grader_all; grader_number += %(step)s) {
        const uint item[9] = {grader_number %% grader_global[0], grader_number / grader_global[0] %% grader_global[1],
                              grader_number / (grader_global[0] * grader_global[1]), %(local)s, %(global)s};
        %(function)s(%(arguments)s, item);
    }
}
"""
"""A kernel that calls the function for its share of the baseline's work-items. Arguments keep their names from the
assignment, so the kernel's own variables have names that no argument uses.
"""

FUNCTION = "grader_"
"""Prefix of a function that was a kernel of the baseline. Without it, the function could have the name of the student's
kernel.
"""

KERNEL = re.compile(r"\b(?:__)?kernel\s+void\s+(\w+)\s*\(")


@dataclass(frozen=True, kw_only=True)
class SampleKernel:
    """A kernel file that is graded to see how many points it earns."""

    name: str
    source: str


@dataclass(frozen=True, kw_only=True)
class _Share:
    """Expressions of OpenCL C that assign work-items of the baseline to work-items of a submission."""

    name: str
    idle: str
    first: str
    step: str


SHARES = (
    _Share(name="one work-item does everything", idle="grader_group + grader_lid > 0", first="0", step="1"),
    _Share(name="one work-item in each group", idle="grader_lid > 0", first="grader_group", step="grader_groups"),
)
EACH = _Share(
    name="the baseline",
    idle="false",
    first="grader_group * grader_size + grader_lid",
    step="grader_groups * grader_size",
)


def avoiding(assignment: Assignment) -> Iterator[SampleKernel]:
    """Yield the instructor's kernels, then the kernels made from the baseline."""
    folder = assignment.reference / FOLDER / assignment.part
    for path in sorted(folder.glob("*.cl")):
        yield SampleKernel(name=path.stem, source=read_text(path))
    yield from _made_from_the_baseline(assignment)


def _made_from_the_baseline(assignment: Assignment) -> Iterator[SampleKernel]:
    if len(assignment.student_launches) != len(assignment.baseline):
        return
    pairs = tuple(zip(assignment.student_launches, assignment.baseline, strict=True))
    if not all(_is_alike(own, naive) for own, naive in pairs):
        return
    source, stated = assignment.source(BASELINE_FILE), _stated(assignment)
    has_barrier = re.search(r"\b(?:barrier|work_group_barrier)\s*\(|__local\b", source) is not None
    is_sayable = all(_is_sayable(assignment, *pair) for pair in pairs)
    fits_unchanged = has_barrier or all(_sizes(own) == _sizes(naive) for own, naive in pairs)
    if assignment.baseline_avoids and fits_unchanged:
        yield SampleKernel(name=EACH.name, source=stated + _renamed(source, pairs))
    elif assignment.baseline_avoids and is_sayable:
        yield SampleKernel(name=EACH.name, source=stated + _shared_out(assignment, source, pairs, EACH))
    if is_sayable and not has_barrier:
        for share in SHARES:
            yield SampleKernel(name=share.name, source=stated + _shared_out(assignment, source, pairs, share))


def _stated(assignment: Assignment) -> str:
    """Return comments that state the launch sizes which students must choose, with the values from assignment.yaml."""
    lines = [
        f"// grader: {launch.kernel} {what} = {', '.join(map(str, sizes))}\n"
        for launch in assignment.student_launches
        if launch.kernel in assignment.choices.launches
        for what, sizes in (("global", launch.global_size), ("local", launch.local_size))
    ]
    return "".join(dict.fromkeys(lines))


Pairs = Sequence[tuple[Launch, Launch]]
"""Pairs of a launch of the student's kernel and the baseline launch that it replaces."""


def _is_alike(own: Launch, naive: Launch) -> bool:
    """True if the baseline's kernel takes the same arguments as the student's, apart from local arrays at the end."""
    return own.args[: len(naive.args)] == naive.args


def _sizes(launch: Launch) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    return launch.global_size, launch.local_size


def _is_sayable(assignment: Assignment, own: Launch, naive: Launch) -> bool:
    """True if the student's kernel can compute the sizes of the baseline's launch."""
    used = set(re.findall(r"[A-Za-z_]\w*", " ".join(map(str, (*naive.global_size, *naive.local_size)))))
    return used <= {*own.args, *assignment.constants, *FUNCTIONS}


def _renamed(source: str, pairs: Pairs) -> str:
    for own, naive in dict.fromkeys((own.kernel, naive.kernel) for own, naive in pairs):
        source = re.sub(rf"\b{naive}\b", own, source)
    return source


def _shared_out(assignment: Assignment, source: str, pairs: Pairs, share: _Share) -> str:
    """Return the baseline's kernels as functions, with kernels that call them for each work-item of the baseline."""
    wrappers = {own.kernel: _wrapper(assignment, own, naive, share) for own, naive in pairs}
    return "\n".join((HEAD, _as_functions(source), TAIL, *wrappers.values()))


def _as_functions(source: str) -> str:
    while kernel := KERNEL.search(source):
        opened, place = 1, kernel.end()
        while opened:
            opened += {"(": 1, ")": -1}.get(source[place], 0)
            place += 1
        parameters = source[kernel.end() : place - 1]
        function = f"void {FUNCTION}{kernel[1]}({parameters}, const uint *item)"
        source = source[: kernel.start()] + function + source[place:]
    return source


def _wrapper(assignment: Assignment, own: Launch, naive: Launch, share: _Share) -> str:
    return WRAPPER % {
        "signature": expected_signature(assignment, own),
        "global": _three(naive.global_size),
        "local": _three(naive.local_size),
        "idle": share.idle,
        "first": share.first,
        "step": share.step,
        "function": f"{FUNCTION}{naive.kernel}",
        "arguments": ", ".join(naive.args),
    }


def _three(sizes: Sequence[Expression]) -> str:
    return ", ".join(map(str, (*sizes, 1, 1)[:3]))


BARRIERS = frozenset({"barrier", "work_group_barrier"})


def slips(assignment: Assignment) -> Iterator[SampleKernel]:
    """Yield copies of the model solution, each without one of its barriers or without one `if` that compares with a
    size, if the assignment counts these as slips.
    """
    source = assignment.source(MODEL_FILE)
    own = [launch.kernel for launch in assignment.student_launches]
    seen = outline(source, own)
    if seen is None:
        return
    others = set(KERNEL.findall(source)) - set(own)
    bodies = [range(*each.body) for each in seen.functions if each.name not in others]
    for number, token in enumerate(seen.code):
        if not any(number in body for body in bodies):
            continue
        after = seen.code[number + 1].text if number + 1 < len(seen.code) else ""
        if token.text in BARRIERS and after == "(" and "barrier" in assignment.slips:
            last = seen.pairs[number + 1] + 1
            yield SampleKernel(
                name=f"the model solution without the barrier in line {token.line}",
                source=_without(seen, number, last + (seen.code[last].text == ";"), ""),
            )
        elif token.text == "if" and after == "(" and "guard" in assignment.slips:
            first, last = number + 2, seen.pairs[number + 1]
            if any(each.text in assignment.sizes for each in seen.code[first:last]):
                yield SampleKernel(
                    name=f"the model solution without the guard in line {token.line}",
                    source=_without(seen, first, last, _always(seen, last)),
                )


def _always(seen: Outline, closing: int) -> str:
    """Return the condition that lets every work-item continue: false if the next statement returns, true otherwise."""
    following = [token.text for token in seen.code[closing + 1 : closing + 3]]
    return "0" if "return" in (following[:1] if following[:1] != ["{"] else following[1:]) else "1"


def _without(seen: Outline, first: int, last: int, instead: str) -> str:
    """Return the text with `instead` in place of these tokens. All lines keep their numbers."""
    begin, end = seen.code[first].start, seen.end(last - 1)
    breaks = "\n" * seen.text.count("\n", begin, end)
    return f"{seen.text[:begin]}{instead}{breaks}{seen.text[end:]}"
