"""Messages of the simulator as Oclgrind writes them, the record of a kernel that has them, and its only finding."""

from grader.grading.checks.simulation.sanitizer_run import findings
from grader.grading.explain.simulator.locations import Scene
from grader.protocol.observation import SeenArray, SeenKernel, SeenMessage, SeenUnset

SOURCE = "\n".join(f"line {n};" for n in range(1, 31))
DECLARED = "\n__kernel void k(__global const float *restrict A, __global float *C, __local float *Ash)"
SOURCE += DECLARED
LINE = Scene(source=SOURCE, dimensions=1, extent=None)
PLANE = Scene(source=SOURCE, dimensions=2, extent=(50, 35))

ARRAYS = (
    SeenArray(space=1, buffer=1, name="A", size=400),
    SeenArray(space=1, buffer=2, name="C", size=4096),
    SeenArray(space=3, buffer=1, name="Ash", size=1024),
)

A, C, ASH = (buffer << 48 for buffer in (1, 2, 1))
"""Addresses of the first elements of A, C and Ash."""


def kernel(*messages, unset=()):
    return SeenKernel(
        kernel="k",
        flop=0,
        steps=0,
        busiest=0,
        private=0,
        arrays=ARRAYS,
        messages=messages,
        unset=tuple(unset),
        accesses=(),
        branches=(),
    )


def message(text, array="", times=1, endings=(), writes=()):
    return SeenMessage(text=text, array=array, times=times, endings=endings, writes=writes)


READ = "%3 = load float, float addrspace(1)* %arrayidx4, align 4, !dbg !34"
WRITE = "store float %2, float addrspace(3)* %arrayidx2, align 4, !dbg !31"
ATOMIC = (
    "%call2 = call spir_func i32 @_Z10atomic_addPU3AS3Vii(i32 addrspace(3)* noundef @k.n, i32 noundef 1) #5, !dbg !31"
)


def entity(line, code, item=(0, 0, 0), group=(0, 0, 0), column=5):
    ids = [",".join(map(str, each)) for each in (item, item, group)]
    return (
        f"Global({ids[0]}) Local({ids[1]}) Group({ids[2]})\n\t  {code}\n"
        f"\tAt line {line} (column {column}) of input.cl:\n\t  line {line};\n\t"
    )


def race(kind, where, first, second, **more):
    """Return the message about a race as Oclgrind writes it. Oclgrind calls the two sides entities."""
    text = f"{kind} data race at {where}\n\tKernel: k\n\t\n\tFirst entity:  {first}\n\tSecond entity: {second}"
    items = [side for side in (first, second) if side.startswith("Global")]
    return message(text, writes=tuple(READ not in side for side in items), **more)


def invalid(kind, where, culprit, **more):
    return message(f"Invalid {kind} of size 4 at {where}\n\tKernel: k\n\tEntity: {culprit}", **more)


def at(space, address):
    return f"{space} memory address {address:#x}"


def unset(line=9, name="sum", space=0, used_line=12, how="stored", **more):
    return SeenUnset(
        **{
            "line": line,
            "column": 5,
            "name": name,
            "space": space,
            "used_line": used_line,
            "how": how,
            "array": "C" if how == "stored" else "",
            "global_id": (33, 0, 0),
            "local_id": (1, 0, 0),
            "group": (1, 0, 0),
            "times": 3,
            **more,
        }
    )


def only(seen, scene=LINE):
    """Return the only finding."""
    (found,) = findings(seen, scene)
    return found
