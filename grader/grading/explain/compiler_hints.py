"""Recognises common mistakes in OpenCL C, with one sentence of help for each.

A compiler reports the text that it cannot parse, and a hint adds what to write instead. A mistake is listed only if it
can be recognised for certain from the compiler's message and the line. The messages are those of clang, on which the
drivers of PoCL, NVIDIA, AMD and Intel are based.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from grader.common.phrases import kibibytes, listed

FUNCTIONS = (  # noqa: SIM905 - a line for each would fill pages
    "get_global_id get_local_id get_group_id get_global_size get_local_size get_num_groups get_work_dim "
    "get_global_offset barrier mem_fence read_mem_fence write_mem_fence "
    "mad mad24 mul24 fma min max clamp abs fabs fmin fmax fmod floor ceil round sqrt rsqrt native_sqrt exp exp2 log "
    "log2 log10 pow pown powr sin cos tan atan2 hypot sign mix step dot cross length distance normalize select "
    "vload2 vload4 vload8 vload16 vstore2 vstore4 vstore8 vstore16 convert_int convert_uint convert_float "
    "as_int as_uint as_float atomic_add atomic_sub atomic_inc atomic_dec atomic_min atomic_max atomic_xchg "
    "atomic_cmpxchg printf prefetch async_work_group_copy wait_group_events"
).split()
"""Functions that kernels of a course usually call (OpenCL C 1.2, section 6.12). The most similar one is suggested for a
misspelt name.
"""

ALIKE = 0.8
"""Minimum similarity of a suggested name, from 0 to 1 as difflib measures it. It accepts `get_globl_id` and rejects
`average`.
"""

CUDA = {
    "__syncthreads": "barrier(CLK_LOCAL_MEM_FENCE)",
    "threadIdx": "get_local_id(0) for threadIdx.x",
    "blockIdx": "get_group_id(0) for blockIdx.x",
    "blockDim": "get_local_size(0) for blockDim.x",
    "gridDim": "get_num_groups(0) for gridDim.x",
    "__shared__": "__local",
    "__global__": "__kernel, and __global for pointers to buffers",
    "__constant__": "__constant",
    "__device__": "no keyword for such functions",
    "__restrict__": "restrict",
    "make_float2": "(float2)(x, y)",
    "make_float4": "(float4)(x, y, z, w)",
    "atomicAdd": "atomic_add, for integers",
    "atomicSub": "atomic_sub, for integers",
    "atomicMin": "atomic_min, for integers",
    "atomicMax": "atomic_max, for integers",
    "atomicExch": "atomic_xchg",
    "atomicCAS": "atomic_cmpxchg, for integers",
}

UNKNOWN = re.compile(
    r"(?:undeclared identifier|unknown type name|implicit declaration of function|Unresolved extern function)"
    r" '(?P<name>\w+)'(?P<nearest>.*did you mean)?"
)

FIXED_WIDTH = re.compile(r"unknown type name '(?P<unsigned>u?)int(?P<bits>8|16|32|64)_t'")
INTEGERS = {"8": "char", "16": "short", "32": "int", "64": "long"}

TOO_MUCH_LOCAL = re.compile(
    r"too much shared data \((?P<wanted>0x[0-9a-f]{1,8}) bytes, (?P<limit>0x[0-9a-f]{1,8}) max"
    r"|local memory \((?P<taken>\d{1,12})\) exceeds limit \((?P<most>\d{1,12})\)"
)
"""Pattern of messages of NVIDIA's and AMD's compilers."""

STRAY = re.compile(r"[^\x00-\x7f\w\s]")
"""Pattern of quotation marks, dashes and blanks from a word processor, for code without comments and strings."""

SCALAR = r"(?:bool|u?char|u?short|u?int|u?long|size_t|float|double|half|unsigned|signed|unsigned int)"

TYPE_WORDS = (
    r"half|bool|double|quad|complex|imaginary|image[123]d(?:_array|_buffer)?_t|sampler_t|event_t|queue_t"
    r"|(?:half|bool|u?char|u?short|u?int|u?long|float|double|quad)(?:2|3|4|8|16)"
)
"""Pattern of words that OpenCL C defines or reserves as types, and that people choose as names of variables."""

TYPE = rf"{SCALAR}(?:2|3|4|8|16)?"

VECTOR = re.compile(r"(?P<element>[A-Za-z_]+)(?P<width>2|3|4|8|16)")
"""Pattern of the name of a vector type, such as `real3`."""

PLAIN = r"'(?:(?!__(?:global|local|constant))[^'])*'"
SPACED = r"'[^']*__(?P<space>global|local|constant)\b[^']*'"
"""Patterns of types as clang writes them, without and with a relevant address space."""


@dataclass(frozen=True, kw_only=True)
class ErrorHint:
    """A hint for errors that match `says` on lines that match `line`. Named groups of both patterns fill the hint."""

    says: str
    line: str = ""
    hint: str


SLIPS = (
    # --- address spaces ---
    ErrorHint(
        says=r"pointer arguments.*must (?:reside|point)|kernel parameter cannot be declared as a pointer to a pointer",
        line=r"\*\s*(?:const\s*)?\*",
        hint="A kernel cannot take pointers to pointers: take one buffer and compute the index into it.",
    ),
    ErrorHint(
        says=r"pointer arguments.*must (?:reside|point)|kernel parameter cannot be declared as a pointer to the",
        hint="A pointer parameter of a kernel needs an address space: write __global float *A for a buffer.",
    ),
    ErrorHint(
        says=rf"passing {SPACED}.* to parameter of type {PLAIN}.* changes address space",
        hint="Declare that parameter of the function as a __{space} pointer too.",
    ),
    ErrorHint(
        says=rf"initializing {PLAIN}.* with an expression of type {SPACED}.* changes address space",
        hint="Declare the new pointer with __{space} too.",
    ),
    ErrorHint(
        says=rf"assigning {SPACED}.* to {PLAIN}.* changes address space",
        hint="Declare the pointer on the left with __{space} too.",
    ),
    ErrorHint(
        says=rf"casting {SPACED}.* to type {PLAIN}.* changes address space",
        hint="The type in the cast needs __{space} too.",
    ),
    ErrorHint(
        says=r"changes address space of",
        hint="A pointer cannot leave the address space of what it points to; copy the elements instead.",
    ),
    # --- local memory and other declarations ---
    ErrorHint(
        says=r"non-kernel function variable cannot be declared in local address space",
        hint="Declare it in the kernel, and pass the function a __local pointer to it.",
    ),
    ErrorHint(
        says=r"variables in the local address space can only be declared in the outermost scope",
        hint="Move the declaration to the beginning of the kernel, out of every loop and if.",
    ),
    ErrorHint(
        says=r"'__local' variable cannot have an initializer",
        hint="Declare it without a value; let a work-item assign one, then wait at a barrier.",
    ),
    ErrorHint(
        says=r"too much shared data|local memory \(\d+\) exceeds limit",
        hint="Its __local arrays are larger than the local memory of this device: make them smaller.",
    ),
    ErrorHint(
        says=r"program scope variable must reside in",
        line=r"\b(?:__)?local\b",
        hint="Declare __local arrays inside the kernel.",
    ),
    ErrorHint(
        says=r"program scope variable must reside in",
        line=rf"^\s*(?:const\s+)?{SCALAR}\d*\s+\w+",
        hint="Only __constant variables may stand outside functions; declare this one in the kernel.",
    ),
    ErrorHint(
        says=r"program scope variable must reside in|array initializer must be an initializer list",
        line=r"^\s*\w+\s*(?:\[[^\]]*\]\s*)*[-+*/]?=",
        hint="This line is outside every function: a brace above it ends the kernel too early.",
    ),
    ErrorHint(
        says=r"initializer element is not a compile-time constant",
        line=rf"^\s*(?:const\s+)?{SCALAR}\d*\s+\w+",
        hint="Outside functions a value must be constant; declare this one in the kernel.",
    ),
    ErrorHint(
        says=r"variable length arrays?\b",
        hint="The size of an array must be a number or a macro; a `const` variable does not count.",
    ),
    ErrorHint(
        says=r"cannot combine with previous|expected (?:identifier|expression|';' in 'for')",
        line=rf"(?:\w(?<!\bconst)\s+|[*,]\s*)(?P<name>{TYPE_WORDS})\s*(?:=(?!=)|[][;,)])",
        hint="`{name}` is a type in OpenCL; use another name.",
    ),
    # --- arguments and results ---
    ErrorHint(
        says=r"cannot be used as the type of a kernel parameter|cannot have argument whose type is",
        line=r"\b(?P<type>bool|size_t|ptrdiff_t|u?intptr_t)\b",
        hint="A kernel cannot take a {type}; use int or uint.",
    ),
    ErrorHint(
        says=r"kernel must have void return type|return type of a __kernel function must be void",
        hint="A kernel returns nothing: make it void, and write the results to a buffer.",
    ),
    ErrorHint(
        says=r"too few arguments to function call|no matching function for call to 'barrier'",
        line=r"\bbarrier\s*\(\s*\)",
        hint="Tell the barrier which memory must be up to date: barrier(CLK_LOCAL_MEM_FENCE).",
    ),
    ErrorHint(
        says=r"too few arguments to function call|no matching function for call to 'get_",
        line=r"\b(?P<name>get_(?:global|local)_(?:id|size)|get_group_id|get_num_groups)\s*\(\s*\)",
        hint="Say which dimension you mean: {name}(0) for the first.",
    ),
    ErrorHint(
        says=r"taking address of function is not allowed",
        hint="A function is called with its arguments in parentheses, as in get_global_id(0).",
    ),
    ErrorHint(
        says=r"(?:call to|no matching function for call to) 'atom\w*'",
        hint="Atomic functions work on int and uint; for float there is only atomic_xchg.",
    ),
    ErrorHint(
        says=r"call to '\w+' is ambiguous",
        hint="Give it arguments of one type, with a suffix or a cast, as in min(n, 16u) or sqrt((float)n).",
    ),
    # --- expressions ---
    ErrorHint(
        says=r"use of type 'double' requires|double precision constant|'double' is not supported",
        hint="Use float, and write constants with an f, as in 0.5f.",
    ),
    ErrorHint(
        says=r"subscripted value is not an array",
        line=r"\]\s*\[",
        hint="A pointer such as __global float *A has one dimension: write A[row*width + column].",
    ),
    ErrorHint(
        says=r"array subscript is not an integer",
        hint="An index must have an integer type, such as int or uint.",
    ),
    ErrorHint(
        says=r"invalid operands to binary expression \(.*(?:float|double)",
        line=r"%",
        hint="% is for integers; for floats use fmod(x, y).",
    ),
    ErrorHint(
        says=rf"assigning to '[^']*\*[^']*' from incompatible type '(?:const )?(?:__\w+ )?{SCALAR}'",
        hint="The left side is a pointer; assign to an element, as in B[i].",
    ),
    ErrorHint(
        says=r"illegal vector component name|vector component access exceeds",
        hint="Components are called x, y, z, w or s0, s1, ..., up to the width of the vector.",
    ),
    ErrorHint(
        says=rf"member reference base type '(?:const )?(?:__\w+ )?(?:const )?{SCALAR}' is not a structure",
        hint="A scalar has no components; only vectors such as float4 do.",
    ),
    # --- C++ ---
    ErrorHint(
        says=r"expected|undeclared",
        line=r"\bstd\s*::",
        hint="OpenCL C has no std::; write min, not std::min.",
    ),
    ErrorHint(
        says=r"expected",
        line=rf"\b{SCALAR}\d*\s*&\s*\w+\s*[,)]",
        hint="OpenCL C has no references; use a pointer.",
    ),
    ErrorHint(
        says=r"unknown type name '(?P<word>template|class|namespace|using)'|'(?P<other>auto)' storage class",
        hint="That is C++, and kernels are written in C.",
    ),
    ErrorHint(
        says=r"(?:undeclared identifier|of function) '(?:new|delete|malloc|calloc|realloc|free)'",
        hint="A kernel has no heap: declare an array, whose size must be a number or a macro.",
    ),
    ErrorHint(
        says=r"conflicting types for '\w+'",
        hint="Each function of a file needs its own name: OpenCL C does not tell them apart by their parameters.",
    ),
    # --- punctuation ---
    ErrorHint(
        says=r"expected ';' (?:after|at end)",
        line=r"[\w\])]\s*$",
        hint="A ; is missing at the end of the line.",
    ),
    ErrorHint(says=r"expected ';' in 'for'", hint="The three parts of a for loop are separated by ;."),
    ErrorHint(says=r"expected '}'", hint="A {{ above has no matching }}."),
    ErrorHint(says=r"extraneous closing brace", hint="There are more }} than {{."),
)


def hint(error: str, code: str, constants: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """Advice on an error; None if no hint certainly applies. `code` is the line of the error without comments and
    strings; it is empty if the line is unknown. `constants` are the macros of the assignment.
    """
    return next(_hints(error, code, constants), None)


def _hints(error: str, code: str, constants: Mapping[str, str]) -> Iterator[str]:
    stray = STRAY.search(code)
    if stray and ("expected" in error or "character" in error):
        yield f"The line holds the character {stray[0]} (U+{ord(stray[0]):04X}) of a word processor; retype it."
    fixed = FIXED_WIDTH.search(error)
    if fixed:
        yield f"OpenCL C calls that type {fixed['unsigned']}{INTEGERS[fixed['bits']]}."
    local = TOO_MUCH_LOCAL.search(error)
    if local:
        wanted, limit = (kibibytes(int(number, 0)) for number in local.groups() if number)
        yield f"Its __local arrays take {wanted}, and a work-group has {limit} on this device: make them smaller."
    for slip in SLIPS:
        said, seen = re.search(slip.says, error), re.search(slip.line, code)
        if said and seen:
            yield slip.hint.format(**said.groupdict(), **seen.groupdict())
    unknown = UNKNOWN.search(error)
    if unknown:
        yield from _of_unknown_vector(unknown["name"], constants)
        yield from _of_unknown(unknown, code)


def _of_unknown_vector(name: str, constants: Mapping[str, str]) -> Iterator[str]:
    """Yield a hint for a vector of a type that the assignment defines, if it does not define this vector."""
    vector = VECTOR.fullmatch(name)
    scalar = constants.get(vector["element"], "") if vector else ""
    if vector and re.fullmatch(SCALAR, scalar):
        kin = (each for each in constants if each.startswith(vector["element"]) and re.fullmatch(TYPE, constants[each]))
        defined = listed([f"{each} ({constants[each]})" for each in kin], "and")
        yield f"The exercise defines {defined}, but not {name}: write {scalar}{vector['width']}."


def _of_unknown(unknown: re.Match[str], code: str) -> Iterator[str]:
    """Yield hints for a name that is not declared."""
    name = unknown["name"]
    if name in CUDA:
        yield f"{name} is CUDA; OpenCL C has {CUDA[name]}."
    if name.startswith("CLK_") and re.search(r"\b(?:barrier|mem_fence)\s*\(", code):
        yield "The flags of a barrier are CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE."
    if unknown["nearest"]:
        return
    if "function" in unknown[0] or re.search(rf"\b{name}\s*\(", code):
        plain = {known.replace("_", "").lower(): known for known in FUNCTIONS}
        nearest = get_close_matches(name.replace("_", "").lower(), plain, n=1, cutoff=ALIKE)
        if nearest:
            yield f"OpenCL C has {plain[nearest[0]]}()."
        yield "There is no function of that name: define it above, or check the spelling."
