"""Fuzz a worker's replies: the judge accepts only replies in a valid form, and every report can show them.

Valid replies with one changed value and one growing value are sent in pieces of any length and in any order.
"""

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from samples import BUILD, DEVICE, failed, result
from submission_texts import source_of
from worker_rules import LIMITS, TIMEOUTS

from grader.course.poison import INPUT_POISON, POISON
from grader.course.rubric import Kind
from grader.execution.client import Worker
from grader.execution.outcome import Garbled, OutOfMemory, TimedOut
from grader.execution.plan import Plan, Script
from grader.execution.replies import Replies
from grader.grading.checks.compilation.signature import bind
from grader.grading.checks.simulation.counts import _profile
from grader.grading.checks.simulation.sanitizer_run import findings
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.explain.build_log import of_build_log
from grader.grading.explain.failures import of_failure
from grader.grading.explain.resource_usage import usage_of
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.source_lines import lines_used
from grader.protocol.messages import BuildFailed, Observed, Opened, Reply, Simulation
from grader.protocol.observation import SeenKernel
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, ProgramSource
from grader.reports import REPORTS, terminal
from grader.results.verdicts import Reason
from grader.worker.fingerprint import fingerprint

from .search import Target
from .source import BLANKS, KIBIBYTE, MARKS, _assignment, pieces, repeating, times_over

SIZES = tuple(KIBIBYTE * 2**power for power in range(11))
"""Sizes up to 1 MiB, which is a quarter of the longest reply."""

RESOURCES = {"private_memory": 96, "local_memory": 8448, "work_group": None}
ARGS = [
    {"address_space": "global", "type": "float*", "name": "A"},
    {"address_space": "global", "type": "float*", "name": "B"},
    {"address_space": "private", "type": "uint", "name": "height"},
    {"address_space": "private", "type": "uint", "name": "width"},
]
KERNEL = {"program": "submission", "name": "coalsTransp", "args": ARGS, "resources": RESOURCES}
PTXAS = (
    "ptxas info    : Compiling entry function 'coalsTransp' for 'sm_90'\n"
    "    96 bytes stack frame, 128 bytes spill stores, 132 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 1 barriers, 8448 bytes smem, 380 bytes cmem[0]\n"
)
IDS = [3, 0, 0]
ENTITY = "Global(3,0,0) Local(3,0,0) Group(0,0,0)\n  %1 = load i32\nAt line 2 (column 5) of input.cl:\n  a = b;\n"
RACE, FAR = "Read-write data race at local memory address 0x1000000000040\n", f"line {10**19}"
MESSAGES = (
    f"{RACE}First entity: {ENTITY}Second entity: {ENTITY}",
    f"{RACE}First entity: {ENTITY.replace('load', 'store')}Second entity: {ENTITY.replace('line 2', FAR)}",
    f"Invalid read of size 4 at global memory address 0x1000000000040\n{ENTITY}",
    f"Index (17) exceeds static array size (16)\n{ENTITY}",
    (
        "Work-group divergence detected (barrier)\nOnly 3 out of 4 work-items executed barrier\n"
        "Work-group: (0,0,0)\nAt line 2 (column 5) of input.cl:\n"
    ),
    f"OCLGRIND FATAL ERROR (a loop that does not end)\n{ENTITY}",
)
UNSET = {
    "line": 2,
    "column": 5,
    "name": "sum",
    "space": 0,
    "used_line": 3,
    "how": "stored",
    "array": "B",
    "global_id": IDS,
    "local_id": IDS,
    "group": IDS,
    "times": 4,
}
ACCESS = {
    "line": 2,
    "column": 5,
    "array": "A",
    "space": 1,
    "writes": False,
    "requests": 8,
    "mostly_idle": 1,
    "active": 3,
    "bytes": 32,
    "unused": 96,
    "conflicts": 0,
    "sectors": 4,
    "fewest": 2,
    "worst": 1.5,
    "stride": 4,
}
SEEN = {
    "kernel": "coalsTransp",
    "flop": 100,
    "steps": 1000,
    "arrays": [
        {"space": 1, "buffer": 1, "name": "A", "size": 4096},
        {"space": 3, "buffer": 1, "name": "t", "size": 64},
    ],
    "messages": [{"text": text, "array": "A", "times": 3, "endings": [[2, 1]], "writes": [True]} for text in MESSAGES],
    "unset": [UNSET],
    "accesses": [ACCESS],
    "branches": [{"line": 2, "reached": 8, "diverged": 2, "constant": True}],
}
NUMBERED = "error: /tmp/x/tempfile_a.cl:{n}:10: use of undeclared identifier 'x{n}'\n"
LOG = "error: /tmp/x/tempfile_a.cl:5:10: use of undeclared identifier 'x'\n"

REPLIES: dict[str, dict[str, Any]] = {
    "devices": {
        "kind": "devices",
        "worker": fingerprint(),
        "devices": [DEVICE.model_dump()],
        "too_new": ["a CPU"],
    },
    "preprocessed": {"kind": "preprocessed", "text": "__kernel void f() {}\n"},
    "opened": {"kind": "opened", "kernels": [KERNEL], "logs": [{"program": "submission", "log": PTXAS}]},
    "build_failed": {"kind": "build_failed", "program": "submission", "log": LOG},
    "launched": {"kind": "launched", "times": [{"start_ns": 1, "end_ns": 2}], "turns": [1]},
    "turned": {
        "kind": "turned",
        "launches": [{"kind": "launched", "times": [{"start_ns": 1, "end_ns": 2}], "turns": [1]}],
        "waits_ns": [3, 4],
    },
    "observed": {"kind": "observed", "kernels": [SEEN]},
    "done": {"kind": "done"},
    "refused": {
        "kind": "refused",
        "call": "enqueue",
        "error": "OUT_OF_RESOURCES",
        "demand": {"kernel": "f", "resources": RESOURCES, "work_group": 256, "local_memory": 1024},
    },
    "stopped": {"kind": "stopped", "error": "OUT_OF_RESOURCES"},
    "no_device": {"kind": "no_device"},
    "died": {"kind": "died", "signal": 11, "exit_code": None, "out_of_memory": False},
}
"""A valid reply of each kind."""


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of each value in a reply."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in _places(each, (*path, key)))]


PLACES = {kind: [[kind, *place] for place in _places(reply) if place] for kind, reply in REPLIES.items()}

WORDS = (
    *(LOG, NUMBERED, PTXAS, ENTITY, *MESSAGES, "error: x\n", "<kernel>:1:1: error: y\n", "1:5:10: warning: "),
    *("note: a\n", "/a", "ptxas error   : ", "ptxas ", "; ", "error", ":", "1", "1:1: ", "tempfile_", ".cl"),
    *(" <Spelling=", "<", ">", "_cl_", "function 'f'", "'", "did you mean 'x'?"),
    *("undeclared identifier 'get_globl_id'", "*__private", "At line 1 (column ", "Global(", "0,0,0", "\n"),
    *("a", "error: undefined function 'f{n}'\n", "warning: function 'f{n}' is unused\n"),
)
TEXT = repeating(pieces(WORDS, WORDS, BLANKS, MARKS))["again"]

HUGE = 2**63 - 1
VALUES = st.one_of(
    st.sampled_from([0, -1, 1, 2, HUGE, HUGE + 1, 10**30, -HUGE, 0.5, 1e308, None, True, [], {}, "", "nan", "-inf"]),
    TEXT,
    st.integers(),
)

ANYWHERE = st.sampled_from(sorted(REPLIES)).flatmap(lambda kind: st.sampled_from(PLACES[kind]))

SESSION = ("devices", "opened", "done", "launched", "done", "observed")
"""Kinds of replies of a correct worker, in order."""

ORDERS = st.tuples(st.integers(0, len(SESSION)), st.lists(st.sampled_from([*REPLIES, "rubbish"]), max_size=3)).map(
    lambda change: [*SESSION[: change[0]], *change[1], *SESSION[change[0] :]]
)

RECIPES = st.fixed_dictionaries(
    {
        "grows": ANYWHERE,
        "again": TEXT,
        "changes": st.one_of(st.just([]), st.just([]), st.tuples(ANYWHERE, VALUES).map(lambda change: [list(change)])),
        "alone": st.booleans(),
        "pieces": st.sampled_from([1, 100, 65536]),
        "order": ORDERS,
    }
)


@dataclass(frozen=True, kw_only=True)
class Said:
    """The bytes that a worker sends in pieces, and the reply that they encode, which is None if it is invalid."""

    data: bytes
    pieces: int
    reply: Reply | None
    source: str
    order: tuple[bytes, ...]


def _changed(kind: str, changes: list[list[Any]], reply: dict[str, Any]) -> dict[str, Any]:
    reply = deepcopy(reply)
    for (of, *place), value in changes:
        if of == kind and (found := _parent(reply, place)) is not None:
            found[place[-1]] = value
    return reply


def _parent(value: Any, place: list[Any]) -> Any:
    for step in place[:-1]:
        if not isinstance(value, dict | list) or (isinstance(value, list) and (not value or not isinstance(step, int))):
            return None
        if isinstance(value, dict) and step not in value:
            return None
        value = value[step]
    fits = (isinstance(value, dict) and isinstance(place[-1], str)) or (
        isinstance(value, list) and value and place[-1] == 0
    )
    return value if fits else None


def _grown(reply: dict[str, Any], place: list[Any], recipe: dict[str, Any], size: int) -> dict[str, Any]:
    """Add about `size` bytes at a place of the reply, either to a text or as copies of a list's first member."""
    again, alone = recipe["again"], recipe["alone"]
    found = _parent(reply, place)
    if found is None:
        return reply
    last = place[-1]
    if isinstance(found, list):
        found += [deepcopy(found[0]) for _ in range(size // max(1, len(json.dumps(found[0]))))]
        for number, each in enumerate(found):
            _number(each, number)
    elif isinstance(found[last], str):
        found[last] = ("" if alone else found[last]) + times_over(again, size)
    return reply


def _number(each: Any, number: int) -> None:
    """Give each member of a list a different line, buffer, count and name."""
    if isinstance(each, dict):
        for name in ("line", "buffer", "times"):
            if isinstance(each.get(name), int):
                each[name] = number
        if isinstance(each.get("name"), str):
            each["name"] = f"{each['name'][:20]}{number}"


def make(recipe: dict[str, Any], size: int) -> Said:
    """Return the bytes that a recipe makes. The student's source grows with them, because a student controls both."""
    kind, *place = recipe["grows"]
    replies = {name: _changed(name, recipe["changes"], reply) for name, reply in REPLIES.items()}
    replies[kind] = _grown(replies[kind], place, recipe, size)
    lines = {name: _line(reply) for name, reply in replies.items()} | {"rubbish": recipe["again"].encode() + b"\n"}
    source = "    a[i] = b[i];\n" * (size // 17)
    order = tuple(lines[name] for name in recipe["order"])
    return Said(data=lines[kind], pieces=recipe["pieces"], reply=_read(lines[kind]), source=source, order=order)


def _line(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode() + b"\n"


def _read(line: bytes) -> Reply | None:
    try:
        reply = Replies(Process([line])).next("running", 5)
    except Exception:  # noqa: BLE001 - the step that reads it reports the error
        return None
    return None if isinstance(reply, Garbled | TimedOut | OutOfMemory) else reply


class Files:
    """Array files that contain zeros."""

    def __init__(self) -> None:
        self._size = 0

    def send(self, arrays: Any) -> None:
        """Accept arrays."""

    def reserve(self, size: int) -> None:
        """Record the reserved size."""
        self._size = size

    def receive(self, _size: int) -> bytes:
        """Return as many zeros as were reserved."""
        return bytes(self._size)


class Process:
    """A worker that answers all requests with prepared replies and is silent afterwards."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = list(reversed(lines))
        self.files = Files()

    def receive(self, _timeout: float) -> bytes:
        """Return the next piece, or raise TimeoutError after the last one."""
        if not self._lines:
            raise TimeoutError
        return self._lines.pop()

    def send(self, data: bytes) -> None:
        """Ignore a request."""

    def let_go(self) -> None:
        """Do nothing, because there is no process to end."""

    def stop(self) -> None:
        """Do nothing, because there is no process to end."""

    def last_words(self) -> str:
        """Return the last words of a crashed worker, with an escape sequence."""
        return "LLVM ERROR: \x1b[31m"

    def has_ended(self) -> bool:
        """Report that the worker is still running."""
        return False

    def ran_out_of_memory(self) -> bool:
        """Report that the worker had enough memory."""
        return False


@dataclass(frozen=True, kw_only=True)
class Sandbox:
    """A sandbox that starts workers with prepared replies."""

    lines: list[bytes]

    def start(self) -> Process:
        """Start a worker."""
        return Process(self.lines)

    def limits(self):
        """Return the usual limits."""
        return LIMITS


def _pieces(said: Said) -> object:
    data, step = said.data, said.pieces
    pieces = [data[at : at + step] for at in range(0, len(data), step)]
    return Replies(Process(pieces)).next("running", 60)


def _session(said: Said) -> object:
    """Run a session from start to end with the replies of the recipe, in its order."""
    worker = Worker(Sandbox(lines=list(said.order)), 0, TIMEOUTS)
    worker.load({"p": ProgramSource(source=said.source)})
    opened = worker.open(PLAN)
    if isinstance(opened, Opened):
        fetched = worker.session.run("run", ARRAYS)
        assert not isinstance(fetched, dict) or all(isinstance(each.payload, np.ndarray) for each in fetched.values())
        worker.session.observe() if isinstance(fetched, dict) else of_failure(fetched)
    else:
        of_failure(opened)
    return worker.stop()


STEP = KernelStep(
    program="p", kernel="f", args=(BufferArg(buffer="in"), BufferArg(buffer="out")), global_size=(64,), local_size=(64,)
)
PLAN = Plan(
    buffers=(
        BufferSpec(name="in", size=256, guard=4096, poison=INPUT_POISON),
        BufferSpec(name="out", size=256, guard=4096, poison=POISON),
    ),
    scripts={"run": Script(steps=(STEP,), uploads=("in",), outputs=("out",))},
)
ARRAYS = {"in": np.arange(64, dtype=np.float32)}


def _of(kind: type, step: Callable[[Any, Said], object]):
    """Return a step that runs only for replies of this kind."""
    return lambda said: step(said.reply, said) if isinstance(said.reply, kind) else None


def _told(problem: Any) -> None:
    """Show a problem in every report."""
    wrong = problem.fail(failed("build", kind=Kind.BUILD, reason=Reason.BUILD_ERROR))
    graded = result(BUILD.model_copy(update={"name": "other"}), wrong)
    for report in REPORTS.values():
        report(graded)
    terminal.render(graded, width=80, color=False)


def _build_log(reply: BuildFailed, said: Said) -> object:
    return of_build_log(reply.log, source_of(said.source))


def _binding(reply: Opened, _: Said) -> object:
    assignment = _assignment("coalsTransp")
    return [bind(assignment, launch, reply.kernels, ()) for launch in assignment.student_launches]


def _usage(reply: Opened, _: Said) -> object:
    names = [kernel.name for kernel in reply.kernels][:1]
    return [usage_of(names, reply, DEVICE.model_copy(update={"type": kind})) for kind in ("cpu", "gpu")]


def _scene(said: Said) -> Scene:
    return Scene(source=said.source, dimensions=2, extent=(4, 4))


def _findings(reply: Observed, said: Said) -> object:
    return [findings(kernel, _scene(said)) for kernel in reply.kernels]


def _places_used(reply: Observed, said: Said) -> object:
    return [lines_used(kernel, _scene(said)) for kernel in reply.kernels]


def _counts(reply: Observed, said: Said) -> object:
    assignment = _assignment("coalsTransp")
    sizes = assignment.memory.sizes
    kernels: tuple[SeenKernel, ...] = reply.kernels
    seen = Simulated(sizes=sizes, kernels=kernels, scenes=(), problem=None, constants=({},) * len(kernels))
    profile = _profile(assignment, seen, Simulation())
    graded = result(BUILD, source=said.source, profiles={"": profile})
    return [report(graded) for report in REPORTS.values()]


STEPS: Mapping[str, Callable[[Said], object]] = {
    "reading": _pieces,
    "session": _session,
    "build log": _of(BuildFailed, _build_log),
    "failure": lambda said: (
        said.reply.kind in {"build_failed", "refused", "stopped"} and _told(of_failure(said.reply))
        if said.reply
        else None
    ),
    "binding": _of(Opened, _binding),
    "usage": _of(Opened, _usage),
    "findings": _of(Observed, _findings),
    "lines_used": _of(Observed, _places_used),
    "profile": _of(Observed, _counts),
}

TARGET = Target(recipes=RECIPES, make=make, steps=STEPS, sizes=SIZES)
