"""Compares the kernels of the student's file with the kernel and the parameters that the assignment asks for."""

import difflib
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from grader.common.optional import OptionalWork
from grader.common.phrases import count, listed
from grader.course.assignment import Assignment
from grader.course.elements import BY_NAME, Element, ElementType
from grader.course.launches import Launch
from grader.course.structs import Struct
from grader.execution.plan import Binding
from grader.grading.explain.problem import EXPLANATION, Problem
from grader.protocol.kernel import ArgFacts, KernelFacts
from grader.protocol.wire import FEW
from grader.results.verdicts import Reason


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that an assignment asks for: an array in an address space, or a value (space "private")."""

    name: str
    space: str
    type: ElementType
    element: Element | Struct
    structs: tuple[Struct, ...] = ()
    """All structs of the assignment."""

    may_be_constant: bool = False
    """True for an array that the kernel may declare as `__constant` or as `__global`."""

    @property
    def declaration(self) -> str:
        """The declaration in the style of the course."""
        spelt = self.element.spelling
        return f"{spelt} {self.name}" if self.space == "private" else f"__{self.space} {spelt} *{self.name}"

    @property
    def spaces(self) -> frozenset[str]:
        """Address spaces that the kernel may declare."""
        return frozenset({"global", "constant"} if self.may_be_constant else {self.space})

    def fits(self, arg: ArgFacts) -> bool:
        """True if the parameter of a kernel can be this one.

        A type that the student has named gets the benefit of the doubt. An array may have elements of another type of
        the same size, such as uint for floats that are only moved, and vectors of them.
        """
        is_pointer, wanted = arg.type.endswith("*"), self.element
        if arg.address_space not in self.spaces or is_pointer is (self.space == "private"):
            return False
        name = _type_name(arg)
        struct = next((each for each in self.structs if name in each.names), None)
        found = BY_NAME.get(name) or (BY_NAME.get(name.rstrip("0123456789")) if is_pointer else None)
        if struct is None and found is None:
            return True
        if struct is not None or found is None or isinstance(wanted, Struct):
            return struct == wanted
        if is_pointer:
            return found.unit == wanted.unit
        return (found.bytes, found.lanes, found.is_floating) == (wanted.bytes, wanted.lanes, wanted.is_floating)

    def is_retyped(self, arg: ArgFacts) -> bool:
        """True if this is an array of floats and the kernel declares whole numbers, or the reverse."""
        found = BY_NAME.get(_type_name(arg).rstrip("0123456789"))
        if self.space == "private" or found is None or isinstance(self.element, Struct):
            return False
        return found.is_floating is not self.element.is_floating


def _type_name(arg: ArgFacts) -> str:
    """Name of the type of a parameter, or of the elements of an array."""
    return arg.type.removesuffix("*").strip()


ImageType = Literal["image2d_t", "image3d_t"]


@dataclass(frozen=True, kw_only=True)
class OpaqueParameter:
    """An image or a sampler that an assignment asks for. `accesses` contains the accesses to an image that a kernel may
    declare, the most likely first. It is empty for a sampler.
    """

    name: str
    type: ImageType | Literal["sampler_t"]
    accesses: tuple[str, ...] = ()

    @property
    def declaration(self) -> str:
        """The declaration in the style of the course."""
        return " ".join((*self.accesses[:1], self.type, self.name))

    def fits(self, arg: ArgFacts) -> bool:
        """True if a kernel's parameter can be this image or sampler. Drivers report images and samplers in different
        address spaces. If a driver does not report the access, any access is accepted.
        """
        is_allowed = not self.accesses or arg.access in {"none", *self.accesses}
        return arg.type.split()[-1:] == [self.type] and is_allowed


AnyParameter = Parameter | OpaqueParameter


def _parameter(assignment: Assignment, launch: Launch, name: str) -> AnyParameter:
    if name in assignment.samplers:
        return OpaqueParameter(name=name, type="sampler_t")
    if name in assignment.buffers and assignment.buffers[name].image is not None:
        image: ImageType = "image3d_t" if assignment.buffers[name].is_deep else "image2d_t"
        return OpaqueParameter(name=name, type=image, accesses=_accesses(assignment, launch, name))
    space: str
    if name in assignment.buffers:
        space, kind = assignment.buffers[name].space, assignment.buffers[name].type
    elif name in assignment.local:
        space, kind = "local", assignment.local[name].type
    else:
        space, kind = "private", assignment.scalars[name].type if name in assignment.scalars else "uint"
    return Parameter(
        name=name,
        space=space,
        type=kind,
        element=assignment.element(kind),
        structs=assignment.laid_out_structs,
        may_be_constant=name in assignment.buffers and assignment.may_be_constant(name),
    )


def _accesses(assignment: Assignment, launch: Launch, name: str) -> tuple[str, ...]:
    """The accesses to an image that the kernel of a launch may declare. If an image has no data, its first launch must
    write it.
    """
    buffer = assignment.buffers[name]
    if buffer.part == "input":
        return ("read_only",)
    first = next(each for each in assignment.launches if name in each.args)
    return ("write_only",) if buffer.data is None and launch == first else ("read_only", "write_only")


def bind(
    assignment: Assignment, launch: Launch, kernels: Sequence[KernelFacts], code: Sequence[str]
) -> Binding | Problem:
    """Find the kernel of a launch in the file, or return the problem of a missing kernel or of wrong parameters. `code`
    contains the lines of the file without comments and with macros expanded.
    """
    spellings = (launch.kernel, *(assignment.aliases if launch.kernel == assignment.kernel else ()))
    kernel = next((kernel for name in spellings for kernel in kernels if kernel.name == name), None)
    if kernel is None:
        others = {each.kernel for each in assignment.student_launches}
        return _missing(spellings, [kernel.name for kernel in kernels], others, code)
    takes_local = _declares_optional_local(launch, kernel.args)
    args = kernel.args[:-1] if takes_local else kernel.args
    wanted = expected_parameters(assignment, launch)
    if len(args) == len(wanted) and all(each.fits(arg) for each, arg in zip(wanted, args, strict=True)):
        constants = {
            arg.name: name for name, arg in zip(launch.args, args, strict=True) if _is_constant(name, arg, assignment)
        }
        binding = Binding(name=kernel.name, takes_local=takes_local, constants=constants)
        with OptionalWork(EXPLANATION) as work:
            binding = replace(binding, misordered=_misordered(kernel, args, wanted, code))
            return replace(binding, retyped=_retyped(assignment, kernel, args, wanted, code))
        return replace(binding, fault=work.fault)
    problem = Problem(
        reason=Reason.WRONG_ARGUMENTS,
        message=f"the parameters of {kernel.name} do not match the arguments that the assignment passes.",
        detail=f"expected: {expected_signature(assignment, launch)}\nfound:    {found_signature(kernel)}",
    )
    with OptionalWork(EXPLANATION) as work:
        return replace(problem, message=_misfit(kernel, args, wanted, code))
    return replace(problem, faults=(work.fault,))


def _is_constant(name: str, arg: ArgFacts, assignment: Assignment) -> bool:
    """True if an argument is in constant memory, by the assignment and by the kernel."""
    buffer = assignment.buffers.get(name)
    return buffer is not None and buffer.space == arg.address_space == "constant"


# --- what is wrong with it --------------------------------------------------------------------


def _misfit(kernel: KernelFacts, args: Sequence[ArgFacts], wanted: Sequence[AnyParameter], code: Sequence[str]) -> str:
    """Sentence about the first parameter that must be changed, or about parameters that must be added or removed."""
    if len(args) != len(wanted):
        number = f"{count(len(args), 'parameter')}, and the assignment passes {len(wanted)}"
        here, asked = {arg.name for arg in args}, {each.name for each in wanted}
        missing = [each.declaration for each in wanted if each.name not in here]
        surplus = [arg.name for arg in args if arg.name not in asked]
        advice = [f"Add {listed(missing, 'and')}."] if len(args) + len(missing) == len(wanted) else []
        advice += [f"Remove {listed(surplus, 'and')}."] if len(args) - len(surplus) == len(wanted) else []
        return " ".join([f"{_place(code, kernel.name)}{kernel.name} has {number}.", *advice])
    if order := _misordered(kernel, args, wanted, code):
        return order
    pairs = [(each, arg) for each, arg in zip(wanted, args, strict=True) if not each.fits(arg)]
    match pairs:
        case [(one, first), (other, second)] if one.fits(second) and other.fits(first):
            return _exchanged(kernel, first, second, (one, other), code)
    return _wrong_type(kernel, *pairs[0], code)


def _wrong_type(kernel: KernelFacts, wanted: AnyParameter, arg: ArgFacts, code: Sequence[str]) -> str:
    place = _place(code, kernel.name, arg.name)
    return f"{place}the parameter {arg.name} has the wrong type, {_declare(arg)}. Write {wanted.declaration}."


REINTERPRETED = re.compile(r"\bas_\w+\s*\(|\*\s*\)")
"""Matches a call such as `as_float(x)`, and the end of a cast to a pointer."""

COMPUTED = frozenset({"rounding", "ulp", "relative", "absolute"})
"""Rules for results of computations with floats. By other rules, a kernel may only move elements, as any type."""


def _retyped(
    assignment: Assignment,
    kernel: KernelFacts,
    args: Sequence[ArgFacts],
    wanted: Sequence[AnyParameter],
    code: Sequence[str],
) -> str:
    """Sentence about the first array of floats that is declared as an array of whole numbers, or the reverse; "" for
    other kernels. Intermediate arrays and files that reinterpret values do not count, because students choose their
    types.
    """
    if any(map(REINTERPRETED.search, code)):
        return ""
    for each, arg in zip(wanted, args, strict=True):
        buffer = assignment.buffers.get(each.name)
        if buffer is None or buffer.part == "scratch" or assignment.tolerance_of(each.name).rule not in COMPUTED:
            continue
        if isinstance(each, Parameter) and each.is_retyped(arg):
            return _wrong_type(kernel, each, arg, code)
    return ""


def _misordered(
    kernel: KernelFacts, args: Sequence[ArgFacts], wanted: Sequence[AnyParameter], code: Sequence[str]
) -> str:
    """Sentence about parameters that have the assignment's names but a different order; "" for any other kernel."""
    if sorted(arg.name for arg in args) != sorted(each.name for each in wanted):
        return ""
    match [(each, arg) for each, arg in zip(wanted, args, strict=True) if each.name != arg.name]:
        case [(one, first), (other, second)]:
            return _exchanged(kernel, first, second, (one, other), code)
        case [(_, first), *_]:
            order = ", ".join(each.declaration for each in wanted)
            place = _place(code, kernel.name, first.name)
            return f"{place}the parameters are in a different order than the assignment passes them. Write {order}."
    return ""


def _exchanged(
    kernel: KernelFacts,
    first: ArgFacts,
    second: ArgFacts,
    wanted: tuple[AnyParameter, AnyParameter],
    code: Sequence[str],
) -> str:
    one, other = wanted
    return (
        f"{_place(code, kernel.name, first.name)}the parameters {first.name} and {second.name} are exchanged. "
        f"Write {one.declaration} before {other.declaration}."
    )


def _place(code: Sequence[str], kernel: str, parameter: str = "") -> str:
    """Place of the declaration of the kernel or of one parameter, such as "line 3: "; "" if it cannot be found."""
    text = "\n".join(code)
    declared = re.search(rf"\b{re.escape(kernel)}\s*\(", text)
    if declared is None:
        return ""
    named = re.compile(rf"\b{re.escape(parameter)}\b").search(text, declared.end()) if parameter else None
    return f"line {1 + text.count(chr(10), 0, (named or declared).start())}: "


def expected_parameters(assignment: Assignment, launch: Launch) -> tuple[AnyParameter, ...]:
    """The parameters of the kernel that the assignment asks for."""
    return tuple(_parameter(assignment, launch, arg) for arg in launch.args)


def expected_signature(assignment: Assignment, launch: Launch) -> str:
    """The declaration of the kernel that the assignment asks for."""
    params = ", ".join(each.declaration for each in expected_parameters(assignment, launch))
    return f"__kernel void {launch.kernel}({params})"


def found_signature(kernel: KernelFacts) -> str:
    """The declaration of the submitted kernel, as the compiler reports it."""
    return f"__kernel void {kernel.name}({', '.join(_declare(arg) for arg in kernel.args)})"


def _declare(arg: ArgFacts) -> str:
    image = arg.type.split()[-1:]
    if image and image[0] in get_args(ImageType):
        return f"{arg.access} {image[0]} {arg.name}".removeprefix("none ")
    space = "" if arg.address_space == "private" or arg.type == "sampler_t" else f"__{arg.address_space} "
    base = arg.type.rstrip("*")
    stars = arg.type[len(base) :]
    return f"{space}{base.rstrip()} {stars}{arg.name}"


def _missing(spellings: Sequence[str], found: list[str], others: Container[str], code: Sequence[str]) -> Problem:
    """The problem of a missing kernel. A kernel in `others`, which the assignment also asks for, does not count as a
    misspelling of the missing one.
    """
    name = spellings[0]
    if len(found) >= FEW:
        message = f"the grader reads only the first {FEW} kernels of a file, and {name} is not one of them."
        return Problem(reason=Reason.KERNEL_MISSING, message=message, help="Remove the kernels that are not launched.")
    for each in spellings:
        function = re.search(rf"\bvoid\s+{re.escape(each)}\s*\(", "\n".join(code))
        if function:
            message = f"{_place(code, each)}{each} is not a kernel yet. Write __kernel void {each}(...)."
            return Problem(reason=Reason.KERNEL_MISSING, message=message)
    if not found:
        return Problem(reason=Reason.KERNEL_MISSING, message=f"the file has no kernel; it must define {name}.")
    near = difflib.get_close_matches(name, [each for each in found if each not in others], n=1, cutoff=0.0)
    misspelt = f"the file has no kernel named {name}; the nearest is {near[0]}." if near else ""
    return Problem(
        reason=Reason.KERNEL_MISSING,
        message=misspelt or f"the kernel {name} is missing.",
        detail=f"kernels in the file: {', '.join(found)}",
    )


def _declares_optional_local(launch: Launch, args: Sequence[ArgFacts]) -> bool:
    return launch.optional_local is not None and len(args) == len(launch.args) + 1 and args[-1].address_space == "local"
