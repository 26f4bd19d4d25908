"""worker/options.py: what programs are built with, by the device and by the launches of their session."""

from math import ceil, prod
from types import SimpleNamespace

import pytest

from grader.protocol import Open
from grader.steps import CopyStep, KernelStep, Program
from grader.supply import GROUP
from grader.worker.options import REGISTERS, UNOPTIMISED, VERBOSE, build_options

NVIDIA = SimpleNamespace(extensions="cl_khr_fp64 cl_nv_compiler_options cl_nv_device_attribute_query")
POCL = SimpleNamespace(extensions="cl_khr_fp64 cl_khr_il_program")
ALIKE = SimpleNamespace(extensions="cl_khr_fp64 cl_nv_compiler_options_of_another_kind")

THEIRS, OURS = "submission", "supply"


def launch(program, *group):
    return KernelStep(program=program, kernel="k", args=(), global_size=group, local_size=group)


def session(*steps, **sequences):
    """Two programs, and what is launched of them."""
    programs = {THEIRS: Program(source="", options=("-DTILE=32",)), OURS: Program(source="")}
    return Open(programs=programs, sequences={"run": steps, **sequences})


def options(request, program=THEIRS, device=NVIDIA, *, simulated=False):
    return build_options(request, program, device, simulated=simulated)


@pytest.mark.parametrize("device", [POCL, ALIKE])
def test_only_nvidias_compiler_is_given_its_options(device):
    """A driver says by an extension that it knows them; another would refuse the build."""
    assert options(session(launch(THEIRS, 32, 32)), device=device) == ["-DTILE=32", "-cl-kernel-arg-info"]


def test_nvidias_compiler_tells_of_registers():
    """For kernels of usual groups it is left to choose how many."""
    assert options(session(launch(THEIRS, 16, 16))) == ["-DTILE=32", "-cl-kernel-arg-info", VERBOSE]


@pytest.mark.parametrize(
    ("group", "registers"),
    [((32, 32), 64), ((1024,), 64), ((512, 1), 128), ((8, 8, 8), 128), ((1000,), 64), ((257,), 224)],
)
def test_a_large_group_leaves_each_work_item_fewer_registers(group, registers):
    """As many as a multiprocessor has for all of its warps, in eights: with more it could not be launched."""
    found = options(session(launch(THEIRS, *group)))
    assert found[-1] == f"-cl-nv-maxrregcount={registers}"
    warps = ceil(prod(group) / 32)
    assert registers % 8 == 0
    assert 32 * warps * registers <= REGISTERS


def test_other_programs_of_the_session_are_not_slowed_by_it():
    """Ours have small groups, and keep all the registers that they want."""
    request = session(launch(THEIRS, 32, 32), launch(OURS, 64))
    assert options(request)[-1] == "-cl-nv-maxrregcount=64"
    assert options(request, OURS) == ["-cl-kernel-arg-info", VERBOSE]


def test_the_largest_group_of_all_sequences_counts():
    """A program is built once for all its launches; copies have no group."""
    request = session(launch(THEIRS, 64), CopyStep(source="a", target="b"), more=(launch(THEIRS, 1024),))
    assert options(request)[-1] == "-cl-nv-maxrregcount=64"


def test_a_program_that_is_never_launched_is_only_built():
    """As when a submission's build is checked."""
    assert options(session()) == ["-DTILE=32", "-cl-kernel-arg-info", VERBOSE]


def test_our_kernels_have_usual_groups():
    """So that they are built alike beside every submission."""
    assert options(session(launch(OURS, GROUP)), OURS)[-1] == VERBOSE


@pytest.mark.parametrize(("device", "more"), [(POCL, []), (NVIDIA, [VERBOSE])])
def test_the_simulator_optimises_nothing(device, more):
    """Its counts are those of the source."""
    found = options(session(launch(THEIRS, 16, 16)), device=device, simulated=True)
    assert found == ["-DTILE=32", "-cl-kernel-arg-info", UNOPTIMISED, *more]
    assert UNOPTIMISED == "-cl-opt-disable"
