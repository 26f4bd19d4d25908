"""options.py: the build options of programs, which depend on the device and on the launches in the session."""

from math import ceil, prod
from types import SimpleNamespace

import pytest

from grader.protocol.messages import Open
from grader.protocol.steps import CopyStep, KernelStep, ProgramSource
from grader.worker.opencl.options import REGISTERS, UNOPTIMISED, VERBOSE, build_options, fewer_registers

NVIDIA = SimpleNamespace(extensions="cl_khr_fp64 cl_nv_compiler_options cl_nv_device_attribute_query")
POCL = SimpleNamespace(extensions="cl_khr_fp64 cl_khr_il_program")
ALIKE = SimpleNamespace(extensions="cl_khr_fp64 cl_nv_compiler_options_of_another_kind")

THEIRS, OURS = "submission", "supply"
PLAIN = ["-DTILE=32", "-cl-kernel-arg-info"]


def launch(program, *group, kernel="k"):
    return KernelStep(program=program, kernel=kernel, args=(), global_size=group, local_size=group)


def session(*steps, **sequences):
    """Return a session with two programs and these launches."""
    programs = {THEIRS: ProgramSource(source="", options=("-DTILE=32",)), OURS: ProgramSource(source="")}
    return Open(programs=programs, sequences={"run": steps, **sequences})


def options(request, program=THEIRS, device=NVIDIA, *, simulated=False):
    return build_options(request, program, device, simulated=simulated)


def log(**registers):
    """Return the messages of NVIDIA's compiler about the registers of these kernels."""
    return "".join(
        f"\nptxas info    : Compiling entry function '{kernel}' for 'sm_90'\n"
        f"ptxas info    : Function properties for {kernel}\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        f"ptxas info    : Used {number} registers, 8192 bytes smem, 380 bytes cmem[0]\n"
        for kernel, number in registers.items()
    )


@pytest.mark.parametrize("device", [POCL, ALIKE])
def test_only_nvidias_compiler_is_given_its_options(device):
    """NVIDIA's options are used only if the driver reports the extension for them. Other drivers would refuse the
    build.
    """
    assert options(session(launch(THEIRS, 32, 32)), device=device) == PLAIN


def test_nvidias_compiler_tells_of_registers():
    """NVIDIA's compiler is asked to report registers. For usual work-groups, the build may come from the compiler's
    cache.
    """
    assert options(session(launch(THEIRS, 16, 16))) == [*PLAIN, VERBOSE]


def test_for_a_large_group_it_must_tell_each_time():
    """A build from the compiler's cache has no log, so each build for a large work-group defines a different macro.
    Other programs in the session may still come from the cache.
    """
    request = session(launch(THEIRS, 32, 32), launch(OURS, 64))
    first, second = options(request), options(request)
    assert first[:-1] == second[:-1] == [*PLAIN, VERBOSE]
    assert first[-1].startswith("-D__")
    assert first[-1] != second[-1]
    assert options(request, OURS) == ["-cl-kernel-arg-info", VERBOSE]


@pytest.mark.parametrize(
    ("group", "registers"),
    [((32, 32), 64), ((1024,), 64), ((512, 1), 128), ((8, 8, 8), 128), ((1000,), 64), ((257,), 224)],
)
def test_a_large_group_leaves_each_work_item_fewer_registers(group, registers):
    """The limit is the number of registers of a multiprocessor divided among all warps of the group, in multiples of
    eight. A kernel with more registers could not be launched.
    """
    warps = ceil(prod(group) / 32)
    assert registers % 8 == 0
    assert 32 * warps * registers <= REGISTERS
    request = session(launch(THEIRS, *group))
    assert fewer_registers(request, THEIRS, log(k=registers)) == []
    assert fewer_registers(request, THEIRS, log(k=registers + 1)) == [f"-cl-nv-maxrregcount={registers}"]
    assert fewer_registers(request, THEIRS, log(k=255)) == [f"-cl-nv-maxrregcount={registers}"]


def test_a_usual_group_has_enough_for_any_kernel():
    """With a usual work-group, 255 registers are available per work-item, which is the most that a kernel can use."""
    assert fewer_registers(session(launch(THEIRS, 16, 16)), THEIRS, log(k=255)) == []


def test_each_kernel_is_held_against_its_own_groups():
    """Each kernel is compared only with the work-groups of its own launches, because a kernel with many registers may
    have small work-groups. Kernels that are not launched do not count.
    """
    request = session(launch(THEIRS, 1024, kernel="lean"), launch(THEIRS, 64, kernel="greedy"))
    assert fewer_registers(request, THEIRS, log(lean=40, greedy=168, other=255)) == []
    assert fewer_registers(request, THEIRS, log(lean=80, greedy=168)) == ["-cl-nv-maxrregcount=64"]
    assert fewer_registers(request, OURS, log(lean=80)) == []


def test_the_largest_group_of_all_sequences_counts():
    """The largest work-group in all sequences counts, because a program is built once for all its launches. Copy steps,
    which have no work-group, do not count.
    """
    request = session(launch(THEIRS, 64), CopyStep(source="a", target="b"), more=(launch(THEIRS, 1024),))
    assert fewer_registers(request, THEIRS, log(k=100)) == ["-cl-nv-maxrregcount=64"]
    request = session(launch(THEIRS, 512), more=(launch(THEIRS, 1024),))
    assert fewer_registers(request, THEIRS, log(k=200)) == ["-cl-nv-maxrregcount=64"]


@pytest.mark.parametrize(
    "words", ["", "warning: unused variable", "ptxas info : Used 300 registers", log(k="9" * 5000)]
)
def test_a_log_that_tells_nothing_changes_nothing(words):
    """A log without register counts does not change the options. It may come from another driver or contain text of a
    submission.
    """
    assert fewer_registers(session(launch(THEIRS, 1024)), THEIRS, words) == []


def test_a_program_that_is_never_launched_is_only_built():
    """A program that is never launched, as in the check of a submission's build, gets the usual options."""
    assert options(session()) == [*PLAIN, VERBOSE]
    assert fewer_registers(session(), THEIRS, log(k=255)) == []


@pytest.mark.parametrize(("device", "more"), [(POCL, []), (NVIDIA, [VERBOSE])])
def test_the_simulator_optimises_nothing(device, more):
    """The simulator's builds are not optimised, so that its counts match the source."""
    found = options(session(launch(THEIRS, 16, 16)), device=device, simulated=True)
    assert found == [*PLAIN, UNOPTIMISED, *more]
    assert UNOPTIMISED == "-cl-opt-disable"
