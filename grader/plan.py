"""What a worker is asked to do for given sizes: its buffers and its launches."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from grader.assignment import ELEMENT_BYTES, Assignment, Launch, Sizes
from grader.checking import GUARD_BYTES, POISON
from grader.expressions import evaluate_int
from grader.protocol import Arg, BufferArg, BufferSpec, CopyStep, KernelStep, LocalArg, Open, ScalarArg

SUBMISSION, REFERENCE, BASELINE, COPY = "submission", "reference", "baseline", "copy"
"""Names of sequences; the first three are also names of programs."""


@dataclass(frozen=True, kw_only=True)
class Binding:
    """How the student's file spells a kernel of the assignment: its name there, and whether it
    declares the optional trailing `__local` parameter."""

    name: str
    takes_local: bool


Bindings = Mapping[str, Binding]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One session: the request that opens it, which buffers are uploaded, and which are results."""

    request: Open
    uploads: tuple[str, ...]
    outputs: tuple[str, ...]

    def size(self, buffer: str) -> int:
        """Payload bytes of a buffer."""
        return next(spec.size for spec in self.request.buffers if spec.name == buffer)


def submission_plan(assignment: Assignment, sizes: Sizes, bindings: Bindings) -> Plan:
    """The student's launches alone. What a step of ours would have made for them is uploaded."""
    launches = assignment.student_launches
    steps = tuple(_step(assignment, launch, sizes, SUBMISSION, bindings.get(launch.kernel)) for launch in launches)
    return _plan(assignment, sizes, launches, {SUBMISSION: steps})


def reference_plan(assignment: Assignment, sizes: Sizes) -> Plan:
    """The whole program by our own kernels."""
    return _plan(assignment, sizes, assignment.launches, {REFERENCE: _reference_steps(assignment, sizes)})


def control_plan(assignment: Assignment, sizes: Sizes) -> Plan:
    """The whole program again, in another worker, with the baseline and a plain copy to measure by."""
    sequences = {
        REFERENCE: _reference_steps(assignment, sizes),
        BASELINE: (_step(assignment, assignment.baseline, sizes, BASELINE, None),),
        COPY: (CopyStep(source="copy_source", target="copy_target"),),
    }
    plan = _plan(assignment, sizes, (*assignment.launches, assignment.baseline), sequences)
    moved = evaluate_int(assignment.performance.bytes, assignment.names(sizes))
    half = moved // (2 * ELEMENT_BYTES) * ELEMENT_BYTES  # a copy of n bytes moves 2n
    extra = tuple(
        BufferSpec(name=name, size=half, guard=0, poison=POISON, uploaded=False) for name in ("copy_source", "copy_target")
    )
    request = plan.request.model_copy(update={"buffers": (*plan.request.buffers, *extra)})
    return Plan(request=request, uploads=plan.uploads, outputs=plan.outputs)


def reference_program(launch: Launch) -> str:
    """Name of the program that holds a launch of the reference sequence: the assignment whose model solution it is."""
    return launch.solution_of or REFERENCE


def _reference_steps(assignment: Assignment, sizes: Sizes) -> tuple[KernelStep, ...]:
    return tuple(_step(assignment, launch, sizes, reference_program(launch), None) for launch in assignment.launches)


def _step(assignment: Assignment, launch: Launch, sizes: Sizes, program: str, binding: Binding | None) -> KernelStep:
    names = assignment.names(sizes)
    args: list[Arg] = [
        BufferArg(buffer=arg) if arg in assignment.buffers else ScalarArg(type="uint32", value=sizes[arg])
        for arg in launch.args
    ]
    if binding is not None and binding.takes_local and launch.optional_local is not None:
        args.append(LocalArg(size=ELEMENT_BYTES * evaluate_int(launch.optional_local, names)))
    return KernelStep(
        program=program,
        kernel=binding.name if binding is not None else launch.kernel,
        args=tuple(args),
        global_size=tuple(evaluate_int(size, names) for size in launch.global_size),
        local_size=tuple(evaluate_int(size, names) for size in launch.local_size),
    )


def _plan(
    assignment: Assignment, sizes: Sizes, launches: tuple[Launch, ...], sequences: dict[str, tuple[KernelStep | CopyStep, ...]]
) -> Plan:
    used = {arg for launch in launches for arg in launch.args}
    made = _made_by(assignment, launches)
    buffers = tuple(
        BufferSpec(
            name=name,
            size=ELEMENT_BYTES * prod(assignment.shape(buffer, sizes)),
            guard=GUARD_BYTES,
            poison=POISON,
            uploaded=name not in made,
        )
        for name, buffer in assignment.buffers.items()
        if name in used
    )
    return Plan(
        request=Open(buffers=buffers, sequences=sequences),
        uploads=tuple(spec.name for spec in buffers if spec.uploaded),
        outputs=tuple(spec.name for spec in buffers if not spec.uploaded),
    )


def _made_by(assignment: Assignment, launches: tuple[Launch, ...]) -> set[str]:
    """The buffers that these launches produce: a buffer without data is made by the first launch that names it."""
    maker: dict[str, Launch] = {}
    for launch in (*assignment.launches, assignment.baseline):
        for arg in launch.args:
            if arg in assignment.buffers and assignment.buffers[arg].data is None:
                maker.setdefault(arg, launch)
    return {name for name, launch in maker.items() if launch in launches}
