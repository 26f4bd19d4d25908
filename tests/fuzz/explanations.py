"""Fuzz explanations, with mutants of real kernels, invented messages of compilers and simulators, and invented results.

Nothing runs on a device. Each mutant is read, outlined and edited as in a search for lines. Messages that a compiler, a
driver or the simulator could give for its lines are explained, and every report shows the result. An explanation may
find nothing, but it may not raise an exception, because the student would then get no explanation at all.

    .venv/bin/python tests/fuzz explanations --mutants 10000 --results 2000 --seed 1
"""

import logging
import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from project import ASSIGNMENTS, ROOT
from samples import PROFILE, counted_as, result
from submission_texts import source_of, submitted

from grader.common import optional
from grader.common.record import replace
from grader.course.assignment import Assignment, Chosen
from grader.course.criteria import Case
from grader.course.elements import element_of
from grader.course.rubric import AskedCheck, Kind
from grader.course.submissions.submission import SIZE_LIMIT, ChosenTask, Submission, Task
from grader.course.truth.fields import cast
from grader.course.truth.oracle import load_oracle
from grader.execution.assignment_plans import submission_plan
from grader.execution.outcome import Fetched
from grader.execution.plan import STUDENT, Binding
from grader.grading.checks.causes.conclusions import conclude
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.compilation.choices import chosen
from grader.grading.checks.compilation.program import submitted_definitions
from grader.grading.checks.correctness import Tried, trial_of, unrun_cases
from grader.grading.checks.simulation.sanitizer_run import findings
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.checks.trials.array_evidence import evidence
from grader.grading.checks.trials.inspection import examine, inspect
from grader.grading.checks.trials.trial import Trial
from grader.grading.explain.build_log import explain as explain_log
from grader.grading.explain.build_log import of_build_log
from grader.grading.explain.problem import MIXED_UP, WrongParameters, blamed
from grader.grading.explain.resource_usage import read_log
from grader.grading.explain.simulator.locations import Scene
from grader.grading.search.edits import edits
from grader.grading.search.hint import Fix, hint
from grader.grading.search.mutants.mutant_schema import edited, mutant_schemas
from grader.grading.source.origins import deciding_lines
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.protocol.observation import SeenAccess, SeenArray, SeenBranch, SeenKernel, SeenMessage, SeenUnset
from grader.protocol.steps import ProgramSource
from grader.protocol.text import showable
from grader.protocol.tokens import tokens
from grader.reports import REPORTS, annotated, explanation, terminal
from grader.results.check import Check, full_marks
from grader.results.explanation import Explained
from grader.results.verdicts import Verdict
from grader.worker.opencl.preprocess import PreprocessingError, preprocess

EDITS, SWITCHED = 1_000, 120
"""Limit for the edits that are made to a mutant, and about how many of them are combined into programs."""

SHOWN, DRAWN = 8, 40
"""One in this many mutants is shown in the reports, and one in this many also as a page with figures, which is the
slowest step.
"""

EXPANDED = 6
"""One in this many mutants has its macros expanded as for a driver. The others keep their macros, which makes them
harder to read.
"""

LARGEST = 2**10
"""Largest product of the sizes of a case for which results are invented."""


@dataclass(kw_only=True)
class Tally:
    """Number of inputs tried, and how often each kind of exception occurred, with the traceback of its first
    occurrence.
    """

    tried: int = 0
    now: tuple[str, str] = ("", "")
    found: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def hearing(self) -> Iterator["Tally"]:
        """Also record logged failures of optional work within the block."""
        ear = _Ear(self)
        optional.LOG.addHandler(ear)
        try:
            yield self
        finally:
            optional.LOG.removeHandler(ear)

    def note(self, name: str, where: str, error: BaseException) -> None:
        """Count an exception by the place that raised it."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{name}: {type(error).__name__} in {Path(frame.filename).name} {frame.name}"
        self.found[what] += 1
        self.first.setdefault(what, f"{where}\n{''.join(traceback.format_exception(error, limit=-5))}")

    def step(self, name: str, where: str, work: Callable[[], Any]) -> Any:
        """Return the result of a step, or None if it raises. The exception is recorded."""
        self.now = name, where
        try:
            made = work()
        except Exception as error:  # noqa: BLE001 - any exception of a step is a finding
            self.note(name, where, error)
            return None
        self.done[name] += 1
        return made


class _Ear(logging.Handler):
    """Log handler that reports failed optional work to a tally."""

    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self._tally = tally

    def emit(self, record: logging.LogRecord) -> None:
        """Record the logged exception."""
        if record.exc_info and record.exc_info[1]:
            self._tally.note(*self._tally.now, record.exc_info[1])


def fuzz(mutants: int, results: int, seed: int) -> Tally:
    """Try mutants and invented results. One seed always gives the same inputs."""
    with Tally().hearing() as tally:
        _fuzz(tally, mutants, results, seed)
    return tally


def _fuzz(tally: Tally, mutants: int, results: int, seed: int) -> None:
    for number in range(mutants):
        chance = random.Random(f"mutant {seed} {number}")
        name, source = chance.choice(originals())
        _explain_text(Mutant(assignment=name, source=mutated(source, chance), chance=chance), number, tally)
        tally.tried += 1
    for number in range(results):
        chance = random.Random(f"result {seed} {number}")
        name = chance.choice(list(courses()))
        _explain_results(courses()[name], chance, f"result {number} of {name}", tally)
        tally.tried += 1


# --- texts --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A text that a student might hand in for an assignment."""

    assignment: str
    source: str
    chance: random.Random


@cache
def courses() -> dict[str, Assignment]:
    """Return the parts of each assignment by name."""
    from grader.course.catalogue import Course  # noqa: PLC0415

    course = Course(assignments=ROOT / "assignments", reference=ROOT / "reference")
    return {f"{name} {part.part}".strip(): part for name in ASSIGNMENTS for part in course.load(name).parts}


@cache
def originals() -> list[tuple[str, str]]:
    """Return all kernels of the corpus, all skeletons and all model solutions, each with the name of an assignment."""
    known = list(courses())
    paths = [*ROOT.glob("tests/submissions/*/*/kernels.cl"), *ROOT.glob("reference/*/kernels.cl")]
    found = []
    for path in sorted([*paths, *ROOT.glob("assignments/*/kernels.cl")]):
        names = [name for name in known if name.split()[0] in path.parts] or known[:1]
        with suppress(UnicodeDecodeError):
            text = path.read_text("utf-8")
            if len(text) < SIZE_LIMIT // 64:
                found += [(name, text) for name in names]
    return found


DECLARATIONS = (
    *("signed int i = 1;", "const i = 1;", "signed j = i + 1;", "unsigned u = 3, v;", "const n = 2, m = n * 3;"),
    *("int unsigned long q = 0;", "long long l = 1;", "register int r = 0;", "volatile w;", "static const s = 4;"),
    *("event_t e;", "float4 f4 = (float4)(0.0f);", "float (*pa)[4] = 0;", "int *p = &i, **pp;", "int a[] = {1, 2};"),
    *("int a[2][3] = {{1}};", "struct P { int x; float y[2]; } p;", "union { int i; float f; } u;", "enum { A1, B1 };"),
    *("typedef struct { float4 v; } V; V w;", "typedef int T; T t = 1;", "typedef;", "int;", "const;", "signed;"),
    *("float x, y = x + 1;", "bool b = !b;", "half h;", "size_t s = sizeof(int);", "int i = i + i;", "char c = 'a';"),
    *("__local float t[4];", "__private int z = 0;", "__attribute__((aligned(16))) float g[4];", "auto k = 1;"),
    *("int (f) = 1;", "int x[N], *y = x;", "image2d_t img;", "sampler_t sm = 0;", "foo bar = baz + 1;", "a * b;"),
)

STATEMENTS = (
    *("i = i + 1;", "x.y + 1;", "A[i].x = B[j].w;", "i++ + ++i;", "a ? b : c;", "a = b = c;", ";;", "goto end;"),
    *("end: ;", "switch (i) { case 1: i = 2; break; default: }", "do i--; while (i > 0);", "for (;;) break;"),
    *("for (int k = 0, l = 1; k < l; k++, l--) ;", "while (1) { if (i) continue; }", "if (a) if (b) ; else ;"),
    *(
        "return;",
        "return (i);",
        "(void)i;",
        "*p++ = *q--;",
        "p->x = 1;",
        "f(a)(b)[c];",
        "(int)x + (float4)(1, 2, 3, 4).x;",
    ),
    *("atomic_add(&A[0], 1);", "atomic_cmpxchg(p, old, new);", "barrier(1);", "async_work_group_copy(a, b, 1, 0);"),
    *(
        "A[i][j][k] = A[[i]];",
        "i %= 0;",
        "i = -(-i);",
        "i = !!i;",
        "i = ~i;",
        "x = 1e10f / .5;",
        "x = 0x1p3;",
        "i = 'ab';",
    ),
    *("if ((i = j) && !(k || l)) {}", "i <<= 2 >> 1;", "-i;", "+ i;", "* i = 1;", "& i;", "i + ;", "* ;", "x = . y;"),
)

PIECES = (
    *("(", ")", "[", "]", "{", "}", ";", ",", "+", "-", "*", "/", "%", "&", "&&", "||", "?", ":", "=", "==", "<", ">="),
    *("++", "--", "<<=", "->", ".", "...", "#", "##", "!", "~", "^", "0", "1", "0u", "1.0f", ".5", "1e", "09", "0x"),
    *("x", "i", "const", "signed", "unsigned", "int", "float4", "struct", "for", "if", "else", "do", "while", "return"),
    *("case", "default", "break", "__local", "__global", "get_global_id", "sizeof", '"s"', "'c'", "\\", "\n", "\t"),
    *(
        "é",
        "\u200b",
        "\u2028",
        "\xa0",
        "\U0001d54f",
        "\uff29",
        "\x0c",
        "<:",
        "%:",
        "??/",
        "/*",
        "*/",
        "//",
        "$",
        "@",
        "`",
    ),
)

MACROS = (
    *("#define i (i)", "#define BEGIN {", "#define END }", "#define IDX(a, b) ((a) * width + (b))", "#define EMPTY"),
    *("#define LOOP for (int z = 0; z < 4; z++)", "#define CAT(a, b) a##b", "#define STR(a) #a", "#undef TILE"),
    *(
        "#if 0",
        "#if 1",
        "#else",
        "#endif",
        "#pragma unroll",
        "#pragma OPENCL EXTENSION all : enable",
        "#",
        "#error",
    ),
    *(
        "#define float double",
        "#define width height",
        "#define TILE 7",
        "#define V(...) __VA_ARGS__",
        "#define A(x) A(x)",
    ),
)

COMMENTS = ("// x\n", "/* a\n b */", "// \\\n", "/**/", "// grader: TILE = 8\n", "/*", "// é\u2028 for (;;)\n", "//\n")


def mutated(source: str, chance: random.Random) -> str:
    """Return the text after one to four random changes."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        source = chance.choice(CHANGES)(source, chance)
    return source


def _split(source: str) -> list[str]:
    return [token.text for token in tokens(source)]


def _place(pieces: Sequence[str], chance: random.Random) -> int:
    return chance.randrange(len(pieces)) if pieces else 0


def _without_token(source: str, chance: random.Random) -> str:
    pieces = _split(source)
    at = _place(pieces, chance)
    return "".join(pieces[:at] + pieces[at + chance.choice((1, 1, 1, 2, 5)) :])


def _swapped(source: str, chance: random.Random) -> str:
    pieces = _split(source)
    if pieces:
        one, other = _place(pieces, chance), _place(pieces, chance)
        other = chance.choice((other, min(one + 2, len(pieces) - 1)))
        pieces[one], pieces[other] = pieces[other], pieces[one]
    return "".join(pieces)


def _with_piece(source: str, chance: random.Random) -> str:
    pieces = _split(source)
    at = _place(pieces, chance)
    words = [chance.choice(PIECES), chance.choice(pieces or ["x"]), f" {chance.choice(PIECES)} "]
    return "".join([*pieces[:at], chance.choice(words), *pieces[at + chance.choice((0, 1)) :]])


def _with_line(lines: Sequence[str]) -> Callable[[str, random.Random], str]:
    def change(source: str, chance: random.Random) -> str:
        old = source.split("\n")
        inside = [number for number, line in enumerate(old) if line.rstrip().endswith(("{", ";"))] or [0]
        at = chance.choice(inside) + 1
        return "\n".join([*old[:at], chance.choice(lines), *old[at:]])

    return change


def _lines_moved(source: str, chance: random.Random) -> str:
    lines = source.split("\n")
    one, other = _place(lines, chance), _place(lines, chance)
    match chance.randrange(4):
        case 0:
            del lines[one]
        case 1:
            lines.insert(one, lines[one])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case _:
            lines = lines[:one]
    return "\n".join(lines)


def _with_macro(source: str, chance: random.Random) -> str:
    """Add a macro for a word of the text, or one of the usual macros."""
    if chance.random() < 0.5:
        return _with_line(MACROS)(source, chance)
    words = [text for text in _split(source) if text[:1].isalnum()] or ["x"]
    return f"#define {chance.choice(words)} {chance.choice([*words, *PIECES])}\n{source}"


def _commented(source: str, chance: random.Random) -> str:
    at = chance.randrange(len(source) + 1)
    return source[:at] + chance.choice(COMMENTS) + source[at:]


def _of_other_space(source: str, chance: random.Random) -> str:
    """Replace all copies of one token by another token."""
    pieces = _split(source)
    names = [piece for piece in pieces if piece.strip()] or ["x"]
    old, new = chance.choice(names), chance.choice([*names, *PIECES])
    return "".join(new if piece == old else piece for piece in pieces)


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    *(_without_token, _without_token, _swapped, _swapped, _with_piece, _with_piece, _lines_moved, _commented),
    *(_with_line(DECLARATIONS), _with_line(DECLARATIONS), _with_line(STATEMENTS), _with_macro, _of_other_space),
)


def _explain_text(mutant: Mutant, number: int, tally: Tally) -> None:
    """Run all explanations for one text."""
    chance, where = mutant.chance, f"mutant {number} of {mutant.assignment}:\n{mutant.source}"
    assignment = courses()[mutant.assignment]
    submission = tally.step("reading", where, lambda: submitted(mutant.source))
    if submission is None:
        return
    expanded = mutant.source
    if number % EXPANDED == 0:
        expanded = tally.step("expanding", where, lambda: _expanded(assignment, submission)) or expanded
    kernels = [launch.kernel for launch in assignment.student_launches]
    log = _log(submission.source, chance)
    source = source_of(submission.source, expanded)
    tally.step("build log", where, lambda: explain_log(log, source))
    tally.step("register use", where, lambda: read_log(log))
    seen = tally.step("outline", where, lambda: outline(expanded, kernels))
    if seen is not None:
        tally.step("edits", where, lambda: _edit(seen, submission.source, tally))
    lines = submission.source.count("\n") + 3
    tally.step(
        "deciding lines",
        where,
        lambda: [deciding_lines(expanded, kernel, line) for kernel in kernels for line in range(lines)],
    )
    watched = [seen_kernel(assignment, kernel, submission.source, chance) for kernel in kernels]
    scenes = [_scene(submission, expanded, chance) for _ in kernels]
    found = []
    for place, (each, scene) in enumerate(zip(watched, scenes, strict=True)):
        found += tally.step("simulator", where, lambda e=each, s=scene, p=place: findings(e, s, watched[:p])) or ()
    checks = (
        of_build_log(log, source).fail(full_marks(AskedCheck(kind=Kind.BUILD, points=0.0))),
        _sanitized(tuple(found)),
    )
    if number % SHOWN == 0:
        tally.step("reports", where, lambda: _report(assignment, submission, checks, drawn=number % DRAWN == 0))


def _expanded(assignment: Assignment, submission: Submission) -> str:
    """Return the text with expanded macros, or unchanged if they cannot be expanded."""
    try:
        return preprocess(submission.source, submitted_definitions(_task(assignment, submission)))
    except PreprocessingError as error:
        explain_log(str(error), source_of(submission.source))
        return submission.source


def _task(assignment: Assignment, submission: Submission) -> ChosenTask:
    choice = chosen(assignment, submission)
    return ChosenTask(
        assignment=choice if not hasattr(choice, "reason") else Chosen(assignment), submission=submission, seed=1
    )


def _edit(seen: Outline, source: str, tally: Tally) -> None:
    """Make edits, the programs that combine them, and the hints for each edit."""
    made = edits(seen, most=EDITS)
    for schema in mutant_schemas(seen, [*made[:SWITCHED:2], *made[-SWITCHED::2]]):
        schema.without([1, 3, *list(schema.lines)[:2]])
    for edit in made:
        edited(seen, edit)
        fix = Fix(outline=seen, edits=(edit, *made[:1]), cases=frozenset({"a case"}), is_all=len(made) % 2 == 0)
        for hints in ("line", "part", "change"):
            hint(fix, source, hints)
    tally.done["edits made"] += len(made)


# --- messages of compilers and of the simulator -----------------------------------------------------


@cache
def _logs() -> list[str]:
    return [path.read_text("utf-8") for path in sorted((ROOT / "tests/helpers/corpus/build_logs").glob("*.log"))]


REMARKS = (
    "error: /tmp/x/tempfile_a.cl:{line}:{column}: use of undeclared identifier '{word}'",
    "<kernel>:{line}:{column}: error: expected ';' after '{word}'",
    "1:{line}:{column}: error: no matching function for call to '{word}'",
    "<kernel>:{line}:{column}: warning: implicit conversion '{word}'",
    "ptxas error   : Entry function '{word}' uses too much shared data (0x{line}0 bytes, 0xc000 max)",
    "ptxas info    : Used {line} registers, used 1 barriers",
    "    {column} bytes stack frame, 1 bytes spill stores, 2 bytes spill loads",
    "error: undefined reference to function '{word}'",
    "error: {word}",
    "{line} errors generated.",
    "",
)


def _log(source: str, chance: random.Random) -> str:
    """Return the log of a real compiler, or messages about places inside and outside this text."""
    if chance.random() < 0.3:
        return chance.choice(_logs())
    words, lines = [*_split(source)[:400], "x"], source.count("\n") + 4
    remarks = (
        chance.choice(REMARKS).format(
            line=chance.choice((0, 1, 2, chance.randrange(lines), 9999999)),
            column=chance.choice((0, 1, chance.randrange(200), 99999)),
            word=chance.choice(words),
        )
        for _ in range(chance.randrange(6))
    )
    return "\n".join(remarks)


CODES = (
    "%3 = load float, float addrspace(1)* %arrayidx4, align 4, !dbg !34",
    "store float %2, float addrspace(3)* %arrayidx2, align 4, !dbg !31",
    "%call2 = call spir_func i32 @_Z10atomic_addPU3AS3Vii(i32 addrspace(3)* noundef @k.n, i32 noundef 1) #5",
    "%7 = cmpxchg i32 addrspace(1)* %p, i32 0, i32 1 seq_cst seq_cst",
    "%v = call <4 x float> @_Z6vload4jPU3AS1Kf(i32 0, ptr addrspace(1) %A)",
    "(work-group copy)",
    "",
)

DIVERGED = """\
Work-group divergence detected (barrier)
\tWork-group: ({ids})
Only {few} out of 16 work-items executed barrier
\tAt line {line} (column 3) of input.cl:
\t"""

BEGINNINGS = (
    DIVERGED,
    "Work-group divergence detected (barrier)\n\tKernel: k\n{entity}{entity}",
    "Read-write data race at {address}\n\tKernel: k\n\t\n\tFirst entity:  {entity}\n\tSecond entity: {entity}",
    "Write-write data race at {address}\n\tKernel: k\n\t\n\tFirst entity:  {entity}\n\tSecond entity: {entity}",
    "Write-write data race at {address}\n\tKernel: k\n\t\n\tFirst entity:  Group({ids})\n\tSecond entity: {entity}",
    "Invalid read of size 4 at {address}\n\tKernel: k\n\tEntity: {entity}",
    "Invalid write of size 4 at {address}\n\tKernel: k\n\tEntity: {entity}",
    "Invalid write to read-only buffer at {address}\n\tKernel: k\n\tEntity: {entity}",
    "Invalid memory load - source pointer is not aligned to the pointed type\n\tKernel: k\n\tEntity: {entity}",
    "Unaligned address on atomic_inc\n\tKernel: k\n\tEntity: {entity}",
    "Work-item finished without waiting for events\n\tKernel: k\n\tEntity: {entity}",
    "Invalid wait event\n\tKernel: k\n\tEntity: {entity}",
    "Index ({index}) exceeds static array size ({few})\n\tKernel: k\n\tEntity: {entity}",
    "Image coordinates outside ({index},{few}) of width 8 and height {few}\n\tWork-item: {entity}",
    "Image coordinates outside ({index},{few},{few}) of width 8 and height {few} and depth 3\n\tWork-item: {entity}",
    "OCLGRIND FATAL ERROR (image.cpp:7)\n  Unsupported image channel data type: 10DA\n\tKernel: k\n\tEntity: {entity}",
    "OCLGRIND FATAL ERROR: a loop that does not end\n\tKernel: k\n\tEntity: {entity}",
    "OCLGRIND FATAL ERROR: Unsupported instruction\n\tKernel: k\n\tEntity: {entity}",
    "Something else {entity}",
    "{entity}",
    "",
)


def seen_kernel(assignment: Assignment, kernel: str, source: str, chance: random.Random) -> SeenKernel:
    """Return observations that the simulator could make when it launches this text."""
    names = [*assignment.buffers, "tile", "Ash", "", *_split(source)[:60:7]]
    last = source.count("\n") + 3

    def line() -> int:
        return chance.choice((0, 1, chance.randrange(last), chance.randrange(last), 2**40))

    def ids() -> str:
        return ",".join(str(chance.choice((0, 0, 1, 7, 2**31))) for _ in range(3))

    def entity() -> str:
        return (
            f"Global({ids()}) Local({ids()}) Group({ids()})\n\t  {chance.choice(CODES)}\n"
            f"\tAt line {line()} (column {chance.randrange(80)}) of input.cl:\n\t  x;\n\t"
        )

    def message() -> SeenMessage:
        space, offset = chance.choice(("global", "local", "private")), chance.choice((0, 4, 401, 2**47, 2**48 - 4))
        text = chance.choice(BEGINNINGS)
        while "{entity}" in text:
            text = text.replace("{entity}", chance.choice((entity(), entity(), "nobody")), 1)
        text = text.format_map(
            {
                "ids": ids(),
                "line": line(),
                "few": chance.choice((0, 1, 15, 16)),
                "index": chance.choice((-1, 0, 64, 2**32 - 1)),
                "address": f"{space} memory address {chance.randrange(4) << 48 | offset:#x}",
            }
        )
        endings = tuple((line(), chance.randrange(20)) for _ in range(chance.randrange(3)))
        return SeenMessage(
            text=text,
            array=chance.choice(names)[:60],
            times=chance.randrange(3),
            endings=endings,
            writes=(True, False)[: chance.randrange(3)],
        )

    def triple() -> tuple[int, int, int]:
        return (chance.randrange(4), chance.randrange(4), 0)

    return SeenKernel(
        kernel=kernel,
        flop=chance.randrange(100),
        steps=chance.randrange(100),
        busiest=0,
        private=0,
        arrays=tuple(
            SeenArray(space=chance.choice((1, 3)), buffer=number, name=chance.choice(names)[:60] or "A", size=size)
            for number, size in enumerate((0, 400, 4096))
        ),
        messages=tuple(message() for _ in range(chance.randrange(6))),
        unset=tuple(
            SeenUnset(
                line=line(),
                column=1,
                name=chance.choice(names)[:60],
                space=chance.choice((0, 1, 2, 3)),
                used_line=line(),
                how=chance.choice(("stored", "condition", "address")),
                array=chance.choice(names)[:60],
                global_id=triple(),
                local_id=triple(),
                group=triple(),
                times=1,
            )
            for _ in range(chance.randrange(3))
        ),
        accesses=tuple(
            SeenAccess(
                line=line(),
                column=1,
                array=chance.choice(names)[:60],
                space=chance.choice((1, 2, 3)),
                writes=chance.random() < 0.5,
                requests=1,
                mostly_idle=0,
                active=0,
                bytes=4,
                sectors=1,
                fewest=1,
                worst=1.0,
                unused=chance.randrange(99),
                conflicts=chance.randrange(9),
                stride=chance.choice((None, 0, 4, -4)),
            )
            for _ in range(chance.randrange(8))
        ),
        branches=tuple(
            SeenBranch(line=line(), reached=chance.randrange(9), diverged=0, constant=chance.random() < 0.5)
            for _ in range(chance.randrange(4))
        ),
    )


def _scene(submission: Submission, expanded: str, chance: random.Random) -> Scene:
    return Scene(
        source=submission.source,
        dimensions=chance.choice((1, 2, 3)),
        extent=chance.choice((None, (0,), (50, 35), (1, 1, 1))),
        expanded=expanded,
    )


def _sanitized(found: tuple[Any, ...]) -> Check:
    check = full_marks(AskedCheck(kind=Kind.SANITIZER, points=8.0, sizes={"n": 7}))
    if not found:
        return check
    return replace(
        check, verdict=Verdict.FAILED, points=0.0, reason=found[0].reason, message=found[0].message, findings=found
    )


def _report(assignment: Assignment, submission: Submission, checks: Sequence[Check], *, drawn: bool) -> None:
    """Show the checks in every report."""
    made = result(*checks, source=showable(submission.source), profiles={"": PROFILE})
    for name, report in REPORTS.items():
        if drawn or name != "html":
            report(made)
    terminal.render(made, width=80, color=False)
    explanation.render(Explained(title="x", checks=tuple(checks)), width=80, color=False)
    task = Task(assignment=assignment, submission=submission, seed=1)
    annotated.render(task, counted_as(PROFILE), width=80, color=False)


# --- results ------------------------------------------------------------------------------------


def _explain_results(assignment: Assignment, chance: random.Random, where: str, tally: Tally) -> None:
    """Explain wrong results of some cases. Other cases may be right."""
    submission = submitted("__kernel void x() {\n}\n" * 9)
    bindings = {launch.kernel: Binding(name=launch.kernel, takes_local=False) for launch in assignment.student_launches}
    built = Built(
        task=ChosenTask(assignment=Chosen(assignment), submission=submission, seed=chance.randrange(2**20)),
        program=ProgramSource(source=submission.source),
        bindings=bindings,
        usage=(),
    )
    oracle = load_oracle(assignment)
    small = [case for case in assignment.correctness.cases if np.prod([*case.sizes.values()]) <= LARGEST]
    cases = chance.sample(small, min(len(small), chance.randrange(1, 5)))
    spoil = chance.choice(SPOILERS)
    tried = []
    for case in cases:
        trial = trial_of(case, built, oracle)
        change = spoil if chance.random() < 0.8 else chance.choice(SPOILERS)
        each = tally.step("case", where, lambda c=case, t=trial, s=change: _tried(c, t, built, s, chance))
        tried += [each] if each is not None else []
    kernel = assignment.student_launches[0].kernel
    seen = Simulated(
        sizes=cases[0].sizes if cases else {},
        kernels=(seen_kernel(assignment, kernel, submission.source, chance),),
        scenes=(_scene(submission, submission.source, chance),),
        problem=None,
        constants=({},),
    )
    oracle_of = built, oracle
    checks = tally.step(f"conclusions of {spoil.__name__}", where, lambda: conclude(tried, *oracle_of, seen)) or ()
    misordered = "line 3: the parameters are in a different order than the assignment passes them. Write x."
    wrong = chance.choice((None, WrongParameters(message=misordered, explains=MIXED_UP)))
    told = [blamed(check, wrong) for check in checks]
    tally.step(
        "reports of results", where, lambda: _report(assignment, submission, told, drawn=chance.random() < 1 / DRAWN)
    )


def _tried(case: Case, trial: Trial, built: Built, spoil: "Spoiler", chance: random.Random) -> Tried:
    """Return a case with results that a kernel could have produced."""
    assignment = built.task.assignment
    script = submission_plan(Chosen(trial.assignment), case.sizes, built.bindings).scripts[STUDENT]
    launches = [_fetched(trial, script, spoil, random.Random(chance.random())) for _ in range(chance.choice((1, 1, 5)))]
    (check,) = (each for each in unrun_cases(assignment, assignment.correctness.cases) if each.label == case.name)
    problem = examine(trial, script, launches[0])
    inspect(trial, script, launches[0])
    if problem is None:
        return Tried(case=case, check=check)
    if problem.error_map is None:
        return Tried(case=case, check=problem.fail(check), use=problem.use)
    found = evidence(trial, script, problem.error_map.buffer, launches)
    return Tried(case=case, check=problem.fail(check), evidence=found, use=problem.use)


Spoiler = Callable[[np.ndarray, random.Random], np.ndarray]

NO_BAND = np.empty(0, dtype=np.uint32)


def _fetched(trial: Trial, script: Any, spoil: Spoiler, chance: random.Random) -> dict[str, Fetched]:
    made = {}
    for name in script.buffers:
        array = np.array(trial.arrays[name]) if name in trial.arrays else None
        if array is None:
            continue
        element = trial.assignment.element(trial.assignment.buffers[name].type)
        right = cast(array, element)
        got = _spoiled(right, spoil, chance) if name in script.outputs else right
        payload = np.ascontiguousarray(got, dtype=right.dtype).reshape(-1).view(f"u{element.unit}")
        made[name] = Fetched(before=NO_BAND, payload=payload, after=NO_BAND, poison=None)
    return made


def _spoiled(right: np.ndarray, spoil: Spoiler, chance: random.Random) -> np.ndarray:
    """Spoil an array, or one field of an array of structs."""
    made = np.array(right)
    if right.dtype.names is None:
        return spoil(made, chance)
    name = chance.choice(right.dtype.names)
    made[name] = spoil(np.array(right[name]), chance)
    return made


def right(array: np.ndarray, _: random.Random) -> np.ndarray:
    """Return the right array."""
    return array


def of_one_value(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Set all elements to one number, NaN or infinity."""
    values = (0, 1, -1, 3.5, np.nan, np.inf, -np.inf, 1e38, 1e-42) if array.dtype.kind == "f" else (0, 1, 100)
    with np.errstate(over="ignore"):  # a half float cannot hold all of them
        array[...] = chance.choice(values)
    return array


def of_noise(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Return random bits."""
    generator = np.random.default_rng(chance.randrange(2**30))
    noise = np.frombuffer(generator.bytes(array.nbytes), dtype=np.uint8)
    return noise.view(array.dtype).reshape(array.shape)


def unwritten(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Mark all or some elements as never written, or as read past the end of an input."""
    flat = np.ascontiguousarray(array).reshape(-1)
    element = element_of(flat.dtype.name)
    bits = flat.view(f"u{element.unit}")
    bits[chance.randrange(flat.size) :: chance.choice((1, 1, 2, 16))] = chance.choice(
        (element.poison, element.input_poison)
    )
    return flat.reshape(array.shape)


def moved(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Return the array rolled, transposed, reversed, or filled with its first element."""
    match chance.randrange(4):
        case 0:
            return np.roll(array, chance.randrange(-3, 4), axis=chance.randrange(array.ndim))
        case 1:
            return np.ascontiguousarray(array.T).reshape(array.shape)
        case 2:
            return np.flip(array)
        case _:
            return np.broadcast_to(array.reshape(-1)[:1], array.shape)


def off(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Return the array scaled, shifted, negated, rounded, or nearly right."""
    with np.errstate(all="ignore"):
        return chance.choice(
            (
                lambda: array * 2,
                lambda: array + 1,
                lambda: -array,
                lambda: np.trunc(array),
                lambda: array.astype(np.float16).astype(array.dtype),
                lambda: array * (1 + 2.0**-12),
                lambda: array / 0,
            )
        )()


def in_places(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Change the last row, some rows or columns, a block or one element to wrong values."""
    table = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    rows, columns = table.shape
    place = chance.choice(
        (
            (rows - 1, slice(None)),
            (slice(None), slice(columns // 2, None)),
            (slice(None, None, 16), slice(None)),
            (slice(rows // 16 * 16, None), slice(columns // 16 * 16, None)),
            (chance.randrange(rows), chance.randrange(columns)),
        )
    )
    table = np.array(table)
    table[place] = chance.choice((0, 7))
    return table.reshape(array.shape)


def unsteady(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Return the right array or a wrong one, at random."""
    return array if chance.random() < 0.5 else in_places(array, chance)


SPOILERS: tuple[Spoiler, ...] = (right, of_one_value, of_noise, unwritten, moved, off, in_places, unsteady)
