"""Compares the handout and the skeleton with assignment.yaml, so that students read up-to-date facts.

Only facts in a common form are compared: declarations of kernels, macros after "Defined:", stated choices, sums such as
"38 of 100 points", and rows of tables about checks (handout_table.py). Other prose is not compared, because its numbers
can mean anything.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from grader.authoring.handout_table import Fact, HandoutPage, facts_of_tables
from grader.common.phrases import listed
from grader.course.elements import ELEMENTS
from grader.course.folders import read_text
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.grading.checks.compilation.signature import AnyParameter, OpaqueParameter, expected_parameters

HANDOUT = "README.md"

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
ATTRIBUTES = r"(?:__attribute__\s*\(\(.*?\)\)\s*)*"
DECLARED = re.compile(rf"\b(?:__)?kernel\s+{ATTRIBUTES}void\s+(\w+)\s*\(([^()]*)\)", re.DOTALL)
SPACES, QUALIFIERS = {"global", "local", "constant", "private"}, {"const", "restrict", "volatile"}
ACCESSES = {"read_only", "write_only"}

DEFINED = re.compile(r"\bdefined:", re.IGNORECASE)
NEXT = re.compile(r"$|[-*#|]|\w+:|grader:")
"""Matches the beginning of a line, without comment marks, that ends the list of macros."""
CHAIN, BRACKETS = re.compile(r"((?:\w+ = )+)(\w+)"), re.compile(r"(\w+) \((\w+)")
CHOICE = re.compile(r"//\s*grader:\s*(\w+)\s*=\s*(\d+)(?!\w)")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\w+)[ \t]*$", re.MULTILINE)
SUM = re.compile(r"\b\d[\d.,]*\s+of\s+(\d+(?:\.\d+)?)\s+points")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Parameters of a kernel in one launch. `takes_local` is true if an array in local memory may follow as the last
    one.
    """

    parameters: tuple[AnyParameter, ...]
    takes_local: bool


def facts(coursework: Coursework) -> tuple[Fact, ...]:
    """Return every comparable fact in the handout and the skeleton. A missing file contributes none."""
    return tuple(dict.fromkeys(_facts(coursework)))


def _facts(coursework: Coursework) -> Iterator[Fact]:
    for name in (HANDOUT, FILE_NAME):
        if (coursework.folder / name).is_file():
            page = HandoutPage(file=name, text=read_text(coursework.folder / name))
            yield from _declarations(page, coursework)
            yield from _macros(page, coursework)
            yield from _choices(page, coursework)
            yield from _sums(page, coursework)
            yield from facts_of_tables(page, coursework)


# --- declarations -----------------------------------------------------------------------------


def _declarations(page: HandoutPage, coursework: Coursework) -> Iterator[Fact]:
    """Yield a fact for each declared kernel. An unknown kernel counts as a mistake only if a kernel of the assignment
    is missing, because the handout may contain an example.
    """
    asked, other_names = _signatures(coursework), _other_names(coursework)
    code = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), page.text)
    naive = {launch.kernel for part in coursework.parts for launch in part.baseline}
    found = [(page.line_of(each.start()), each[1], each[2]) for each in DECLARED.finditer(code)]
    missing = sorted(asked.keys() - {other_names.get(name, name) for _, name, _ in found})
    for line, name, parameters in found:
        kernel = other_names.get(name, name)
        if kernel in asked:
            yield from _signature(page, line, name, parameters, asked[kernel])
        elif name not in naive:
            meant = missing if len(missing) == len(asked) else get_close_matches(name, missing, n=1)
            wanted = f"asks for {listed(meant, 'and')}" if meant else "asks for other kernels, which are also declared"
            yield page.fact(line, says=f"declares {name}", asked=wanted, agrees=not meant)
    for kernel in asked:
        agrees = re.search(rf"\b{kernel}\b", page.text) is not None
        yield page.fact(1, says=f"does not name {kernel}", asked="asks for it", agrees=agrees)


def _signatures(coursework: Coursework) -> dict[str, list[Signature]]:
    """Return the signatures of each kernel, one per launch."""
    found: dict[str, list[Signature]] = {}
    for part in coursework.parts:
        for launch in part.student_launches:
            parameters = expected_parameters(part, launch)
            signature = Signature(parameters=parameters, takes_local=launch.optional_local is not None)
            found.setdefault(launch.kernel, []).append(signature)
    return found


def _other_names(coursework: Coursework) -> dict[str, str]:
    """Return the name of the kernel for each alternative name."""
    return {alias: part.kernel for part in coursework.parts for alias in part.aliases}


def _signature(page: HandoutPage, line: int, name: str, text: str, asked: Sequence[Signature]) -> Iterator[Fact]:
    """Yield a fact about the parameters, unless they cannot be read, for example because a macro is used."""
    found = [_read(each) for each in text.split(",")] if text.strip() not in {"", "void"} else []
    declared = [each for each in found if each is not None]
    if len(declared) < len(found):
        return
    differences = [_difference(declared, signature) for signature in asked]
    says, wanted = differences[0] or ("the right parameters", "passes them")
    yield page.fact(line, says=f"gives {name} {says}", asked=wanted, agrees=None in differences)


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The declaration of a parameter in a file."""

    name: str
    space: str
    type: str
    text: str

    def fits(self, asked: AnyParameter) -> bool:
        """True if the names are equal, the address space is permitted, and the types too if both are known. An array of
        numbers may be declared with vectors.
        """
        if isinstance(asked, OpaqueParameter):
            return (self.type, self.name) == (asked.type, asked.name)
        named = {name: kind for kind, each in ELEMENTS.items() for name in (*each.names, each.spelling)}
        named |= {name: struct.name for struct in asked.structs for name in struct.names}
        kind = named.get(self.type, asked.type)
        number = kind.rstrip("0123456789") if kind in ELEMENTS else kind
        return asked.type in {kind, number} and self.name == asked.name and self.space in asked.spaces


def _read(text: str) -> Declared | None:
    """Read a parameter. Returns None if it is not a type followed by a name."""
    found = re.findall(r"struct +\w+|\w+|\*", text)
    words = [word for word in found if word not in QUALIFIERS and word.strip("_") not in ACCESSES]
    spaces = [word.strip("_") for word in words if word.strip("_") in SPACES]
    rest = [word for word in words if word.strip("_") not in SPACES]
    if len(rest) < 2 or rest[-1] == "*" or re.search(r"[^\w\s*]", text):
        return None
    *kind, name = rest
    of_elements = " ".join(word for word in kind if word != "*")
    return Declared(name=name, space=(spaces or ["private"])[0], type=of_elements, text=" ".join(text.split()))


def _difference(declared: Sequence[Declared], asked: Signature) -> tuple[str, str] | None:
    """Describe the first difference, once for the file and once for the assignment. None if there is no difference."""
    wanted = asked.parameters
    has_local = asked.takes_local and len(declared) == len(wanted) + 1 and declared[-1].space == "local"
    own = declared[:-1] if has_local else declared
    if len(own) != len(wanted):
        names = ", ".join(each.name for each in own) or "none"
        return f"the parameters {names}", f"passes {', '.join(each.name for each in wanted)}"
    for number, (here, each) in enumerate(zip(own, wanted, strict=True), start=1):
        if not here.fits(each):
            return f"`{here.text}` as parameter {number}", f"passes `{each.declaration}`"
    return None


# --- macros and choices -----------------------------------------------------------------------


def _macros(page: HandoutPage, coursework: Coursework) -> Iterator[Fact]:
    """Yield a fact for each macro with a value, in a list after "Defined:" or in a `#define` line. A list may give a
    second value, for timed runs, after the usual one.
    """
    seen: set[str] = set()
    for line, name, value in (*_listed(page), *_in_define(page, coursework)):
        values = _values(coursework, name)
        values += _timed_values(coursework, name) if name in seen else []
        seen.add(name)
        if values:
            yield page.fact(
                line, says=f"says {name} = {value}", asked=f"has {listed(values, 'or')}", agrees=value in values
            )
        elif value.isdigit() and name.isupper():
            yield page.fact(line, says=f"says {name} = {value}", asked=f"defines no {name}", agrees=False)


def _listed(page: HandoutPage) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value of each macro in a list after "Defined:"."""
    lines = [line.replace("`", "").strip().removeprefix("//").strip() for line in page.text.splitlines()]
    is_list = False
    for number, line in enumerate(lines, start=1):
        begins = DEFINED.search(line)
        is_list = begins is not None or (is_list and NEXT.match(line) is None)
        words = line[begins.end() :] if begins else line
        for names, value in CHAIN.findall(words) if is_list else ():
            yield from ((number, name, value) for name in names.split(" = ")[:-1])
        yield from ((number, name, value) for name, value in BRACKETS.findall(words) if is_list)


def _in_define(page: HandoutPage, coursework: Coursework) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value of each macro of the assignment that the file itself defines."""
    for each in MACRO.finditer(page.text):
        if any(each[1] in part.constants for part in coursework.parts):
            yield page.line_of(each.start()), each[1], each[2]


def _values(coursework: Coursework, name: str) -> list[str]:
    """Return the values that a macro can have in students' builds. Empty if the assignment does not define the
    macro.
    """
    parts = [part for part in coursework.parts if name in part.constants]
    values = [value for part in parts for value in (part.constants[name], *part.choices.constants.get(name, ()))]
    return list(dict.fromkeys(map(str, values)))


def _timed_values(coursework: Coursework, name: str) -> list[str]:
    """Return the values that a macro has only in timed runs."""
    goals = [goal for part in coursework.parts for goal in part.goals.values()]
    return [str(goal.constants[name]) for goal in goals if name in goal.constants]


def _choices(page: HandoutPage, coursework: Coursework) -> Iterator[Fact]:
    """Yield a fact for each constant that a comment sets, such as `// grader: TILE = 16`."""
    offered: dict[str, list[int]] = {}
    for part in coursework.parts:
        for name, values in part.choices.constants.items():
            offered.setdefault(name, []).extend(values)
    for each in CHOICE.finditer(page.text):
        name, value = each[1], int(each[2])
        if name not in {"global", "local"}:
            choice = offered.get(name, [])
            asked = f"offers {listed(dict.fromkeys(choice), 'or')}" if choice else "offers no such choice"
            line = page.line_of(each.start())
            yield page.fact(line, says=f"says {name} = {value}", asked=asked, agrees=value in choice)


# --- sums -------------------------------------------------------------------------------------


def _sums(page: HandoutPage, coursework: Coursework) -> Iterator[Fact]:
    """Yield a fact for each sum such as "38 of 100 points". The second number must be the points of all kernels
    together or of one kernel.
    """
    totals = sorted({coursework.points, *(part.points for part in coursework.parts)})
    for each in SUM.finditer(page.text):
        asked = f"gives {listed([f'{total:g}' for total in totals], 'or')}"
        agrees = float(each[1]) in totals
        yield page.fact(
            page.line_of(each.start()), says=f"says {' '.join(each[0].split())}", asked=asked, agrees=agrees
        )
