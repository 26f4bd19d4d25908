"""Programs that workers build, with their options and definitions.

Some drivers provide functions of later versions of OpenCL C, but other drivers and the simulator do not. If OpenCL C
1.2 has an equivalent, the function is defined as a macro for it, so that every driver gets the same text. A text that
calls any other later function is refused before a driver compiles it. Otherwise a kernel would be right on one device
and would be reported as a misspelling on another.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.course.assignment import Assignment
from grader.course.submissions.scan import Scan
from grader.course.submissions.submission import ChosenTask
from grader.execution.device import PEAK_GROUP, PEAK_SOURCE
from grader.protocol.steps import ProgramSource

SIZE_TYPE = "uint32_t"
SIZE_MEANS = "uint"


def own_program(assignment: Assignment, source: str) -> ProgramSource:
    """A program of the course. It may use the course's name for a 32-bit size, which is not part of OpenCL C."""
    names = {**assignment.definitions, SIZE_TYPE: SIZE_MEANS}
    options = tuple(f"-D{name}={value}" for name, value in names.items())
    return ProgramSource(source=source, options=options, types=types_of(assignment))


def types_of(assignment: Assignment) -> str:
    """The definitions of the assignment's structs."""
    return " ".join(struct.definition for struct in assignment.laid_out_structs)


PEAK_PROGRAM = ProgramSource(source=PEAK_SOURCE, options=("-cl-mad-enable", f"-DGROUP={PEAK_GROUP}"))
"""The program of the kernel that only computes. It multiplies and adds in one instruction if the device has such an
instruction.
"""


def submitted_definitions(task: ChosenTask) -> dict[str, str]:
    """Macros for the expansion of a student's text.

    Files of the course define the size type themselves. If a text does not, the macros define it.
    """
    definitions = {**equivalents(task.submission.scan), **task.assignment.definitions}
    if SIZE_TYPE in task.submission.scan.defined:
        return definitions
    return {**definitions, SIZE_TYPE: SIZE_MEANS}


EQUIVALENTS = {
    "work_group_barrier(flags, ...)": "barrier(flags)",
    "get_local_linear_id()": "((get_local_id(2)*get_local_size(1) + get_local_id(1))*get_local_size(0)"
    " + get_local_id(0))",
    "get_global_linear_id()": "((get_global_id(2)*get_global_size(1) + get_global_id(1))*get_global_size(0)"
    " + get_global_id(0))",
    "get_enqueued_local_size(dimension)": "get_local_size(dimension)",
    "atomic_work_item_fence(flags, order, scope)": "mem_fence(flags)",
}
"""Macros and their equivalents. These are correct because launches do not have an offset, and all groups of a launch
have the same size.
"""

GROUP = "Write it with local memory and barrier(CLK_LOCAL_MEM_FENCE)."
ATOMIC = "It has atomic_add, atomic_min, atomic_max, atomic_xchg, atomic_cmpxchg and the like, on int and uint."

LATER = {
    r"work_group_(?:all|any|broadcast|(?:reduce|scan_(?:in|ex)clusive)_(?:add|min|max))": GROUP,
    r"(?:intel_)?sub_group_\w+|get_(?:max_|enqueued_num_|num_)?sub_groups?(?:_\w+)?": GROUP,
    r"atomic_(?:init|load|store|exchange|compare_exchange_(?:strong|weak)|fetch_(?:add|sub|or|xor|and|min|max)"
    r"|flag_(?:test_and_set|clear))(?:_explicit)?": ATOMIC,
    r"to_(?:global|local|private)|get_fence": "Declare each pointer with its address space, such as __global.",
    r"ctz": "Write popcount((x & -x) - 1) for ctz(x).",
}
"""Patterns of the names of other later functions, with advice on how to do without them."""

CALLED = re.compile(r"\b(?:(?P<before>\w+)\s+)?(?P<name>" + "|".join(LATER) + r")\s*\(")
"""Pattern of a call of a later function, with the word before the name. That word is a type if the text defines the
function itself.
"""

NO_TYPES = frozenset({None, "return", "else", "do", "case"})


@dataclass(frozen=True, kw_only=True)
class LaterCall:
    """A call of a function that OpenCL C 1.2 lacks: its line, its name, and advice on how to do without it."""

    line: int
    name: str
    advice: str


def equivalents(scan: Scan) -> Mapping[str, str]:
    """Return the macros for a text, except names that the text defines itself."""
    text = "\n".join(scan.code)
    return {macro: becomes for macro, becomes in EQUIVALENTS.items() if not _defines(scan, text, macro.split("(")[0])}


def _defines(scan: Scan, text: str, name: str) -> bool:
    words = re.findall(rf"\b(\w+)\s+{name}\s*\(", text)
    return name in scan.defined or any(word not in NO_TYPES for word in words)


def first_later_call(code: Sequence[str]) -> LaterCall | None:
    """Return the first call of a later function that the text does not define; None if it calls none.

    `code` contains the lines of the text without comments and with macros expanded.
    """
    calls = [(line, call) for line, text in enumerate(code, start=1) for call in CALLED.finditer(text)]
    own = {call["name"] for _, call in calls if call["before"] not in NO_TYPES}
    for line, call in calls:
        if call["name"] not in own:
            advice = next(words for names, words in LATER.items() if re.fullmatch(names, call["name"]))
            return LaterCall(line=line, name=call["name"], advice=advice)
    return None
