"""Does the student's file hold the kernel that the assignment asks for, with the parameters it asks for?"""

import difflib
import re
from collections.abc import Sequence

from grader.assignment import Assignment, Launch
from grader.diagnosis import Problem
from grader.kernel import ArgFacts, KernelFacts
from grader.plan import Binding
from grader.result import Reason

OTHER_TYPES = frozenset(
    {"char", "uchar", "short", "ushort", "long", "ulong", "unsigned long", "size_t", "half", "float", "double", "bool"}
)
"""Types that a size parameter certainly must not have; a name of the student's own gets the benefit of the doubt."""

WRONG_ELEMENTS = frozenset({"char", "uchar", "short", "ushort", "long", "ulong", "half", "double", "bool"})
"""Element types that do not have the 32 bits of a `real`."""


def bind(assignment: Assignment, launch: Launch, kernels: Sequence[KernelFacts]) -> Binding | Problem:
    """How the file spells the launch's kernel, or what is wrong with it."""
    spellings = (launch.kernel, *(assignment.aliases if launch.kernel == assignment.kernel else ()))
    kernel = next((kernel for name in spellings for kernel in kernels if kernel.name == name), None)
    if kernel is None:
        return _missing(launch.kernel, [kernel.name for kernel in kernels])
    takes_local = _declares_optional_local(launch, kernel.args)
    args = kernel.args[:-1] if takes_local else kernel.args
    wanted = [arg in assignment.buffers for arg in launch.args]
    if len(args) == len(wanted) and all(_fits(arg, buffer) for arg, buffer in zip(args, wanted, strict=True)):
        return Binding(name=kernel.name, takes_local=takes_local)
    return Problem(
        reason=Reason.WRONG_ARGUMENTS,
        message=f"the kernel {kernel.name} does not have the parameters that the assignment asks for.",
        detail=f"expected: {expected_signature(assignment, launch)}\nfound:    {found_signature(kernel)}",
    )


def expected_signature(assignment: Assignment, launch: Launch) -> str:
    """The declaration that the assignment asks for."""
    params = [f"__global real *{arg}" if arg in assignment.buffers else f"uint32_t {arg}" for arg in launch.args]
    return f"__kernel void {launch.kernel}({', '.join(params)})"


def found_signature(kernel: KernelFacts) -> str:
    """The declaration as the compiler understood it."""
    return f"__kernel void {kernel.name}({', '.join(_declare(arg) for arg in kernel.args)})"


def _declare(arg: ArgFacts) -> str:
    space = "" if arg.address_space == "private" else f"__{arg.address_space} "
    match = re.fullmatch(r"(.*?)\s*(\**)", arg.type)
    base, stars = match.groups() if match else (arg.type, "")
    return f"{space}{base} {stars}{arg.name}"


def _missing(name: str, found: list[str]) -> Problem:
    if not found:
        return Problem(reason=Reason.KERNEL_MISSING, message=f"the file has no kernel; it must define {name}.")
    near = difflib.get_close_matches(name, found, n=1, cutoff=0.0)[0]
    return Problem(
        reason=Reason.KERNEL_MISSING,
        message=f"the file has no kernel named {name}; the nearest is {near}.",
        detail=f"kernels in the file: {', '.join(found)}",
    )


def _declares_optional_local(launch: Launch, args: Sequence[ArgFacts]) -> bool:
    return launch.optional_local is not None and len(args) == len(launch.args) + 1 and args[-1].address_space == "local"


def _fits(arg: ArgFacts, buffer: bool) -> bool:
    """Whether a parameter can take a buffer of `real`, or else a 32-bit size."""
    if buffer:
        element = arg.type.removesuffix("*").strip().rstrip("0123456789")
        return arg.address_space == "global" and arg.type.endswith("*") and element not in WRONG_ELEMENTS
    return arg.address_space == "private" and not arg.type.endswith("*") and arg.type not in OTHER_TYPES
