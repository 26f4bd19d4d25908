"""Distinguishes failures of an OpenCL compiler from crashes of a kernel, and gives advice on the construct to avoid.

Phases and words come from a worker, so a submission can forge both. Therefore points do not depend on them. They
only select sentences, and the submissions that an instructor has to look at (checks/causes/compiler_failures.py).
"""

import re
from collections import Counter
from dataclasses import dataclass
from signal import SIGXCPU

from grader.common.phrases import ending
from grader.execution.outcome import Crashed, Failure, TimedOut
from grader.grading.source.outline import Function, Outline
from grader.grading.source.reading import outline

OWN_WORDS = re.compile(
    r"\bLLVM ERROR\b|\bAssertion `.*' failed|PLEASE submit a bug report|^Stack dump|\bUNREACHABLE executed at\b"
    r"|\blib(?:LLVM|clang|pocl)[\w.+-]*\.so|\bllvmopencl/|Could not find a dominating alternative variable"
)
"""Pattern of the output with which LLVM, clang and PoCL end a process: a fatal error, a failed assertion, or a stack
frame in their own libraries.
"""


@dataclass(frozen=True, kw_only=True)
class Known:
    """A known failure of a compiler: its output, and advice on how to avoid the construct that causes it."""

    says: re.Pattern[str]
    advice: str


KNOWN = (
    Known(
        says=re.compile(r"\bParallelRegion\.cc\b|Could not find a dominating alternative variable"),
        advice="It is known to fail on a loop that contains barriers and a `break`. End the loop by its condition "
        "instead. If the condition reads a word of local memory, copy the word into a private variable between two "
        "barriers, before the loop and at the end of its body, and test the variable.",
    ),
)

SIMPLER = "Simplify unusual parts of the kernel, such as loops with barriers, deeply nested branches and long macros."

LESS_TEXT = "The usual causes are unrolled loops, large macros and many barriers between branches. Use fewer of them."


INLINE = (
    "Some compilers fail on a function that contains barriers and is called from several places, such as {name}. Call "
    "it from one place, or declare it with `__attribute__((always_inline))`."
)
"""Advice on a failure of PoCL 3.1, which does not inline such a function, so that its results vary."""


SIZE_IN_CONDITION = (
    "Some compilers translate a loop with barriers wrongly if its condition calls get_local_size, as in line {line}. "
    "Store the size in a variable before the loop, and compare with the variable."
)
"""Advice on a wrong translation by PoCL 3.1, which was seen with `if (lid % (2 * s) == 0)` in such a loop."""


def is_of_compiler(failure: Failure) -> bool:
    """True if, according to the worker's report, the compiler used the time or ended the process."""
    match failure:
        case TimedOut():
            return failure.was_compiling
        case Crashed(words=words):
            return failure.was_compiling or OWN_WORDS.search(words) is not None
        case _:
            return False


def observed(failure: Crashed | TimedOut) -> str:
    """A sentence about a failure of the compiler."""
    if isinstance(failure, TimedOut):
        return f"compiling took longer than {round(failure.seconds, 1):g} s."
    if failure.signal == SIGXCPU:
        return "compiling reached the limit on processor time."
    when = "while it compiled the kernel" if failure.was_compiling else "after it printed an error message"
    return f"the OpenCL compiler ended {ending(failure.signal, failure.exit_code)} {when}."


def advice(failure: Crashed | TimedOut) -> str:
    """Advice on how to avoid the failure."""
    if isinstance(failure, TimedOut) or failure.signal == SIGXCPU:
        return LESS_TEXT
    return next((known.advice for known in KNOWN if known.says.search(failure.words)), SIMPLER)


def advice_on(source: str) -> str:
    """Advice on how to prevent a compiler from translating this text wrongly."""
    seen = outline(source, ())
    if seen is None:
        return SIMPLER
    called = Counter(token.text for token in seen.code if token.kind == "name")
    for function in seen.functions:
        body = {token.text for token in seen.code[slice(*function.body)]}
        if "barrier" in body and called[function.name] > AS_DEFINED + 1:
            return INLINE.format(name=function.name)
        line = _size_in_condition(seen, function) if "barrier" in body else None
        if line is not None:
            return SIZE_IN_CONDITION.format(line=line)
    return SIMPLER


def _size_in_condition(seen: Outline, function: Function) -> int | None:
    """Return the line of the first loop of a function whose condition calls get_local_size; None if no loop does."""
    for place in range(*function.body):
        if seen.code[place].text in {"for", "while"} and seen.code[place + 1].text == "(":
            head = [token.text for token in seen.code[place + 2 : seen.pairs[place + 1]]]
            condition = " ".join(head).split(";")[1 if ";" in head else 0]
            if "get_local_size" in condition:
                return seen.code[place].line
    return None


AS_DEFINED = 1
"""Number of times that a function's name occurs in its own definition."""
