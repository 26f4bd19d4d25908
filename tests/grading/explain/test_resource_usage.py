"""resource_usage.py: reads the resources that kernels use from the reports of drivers."""

import pytest
from samples import DEVICE

from grader.grading.explain.resource_usage import Assembled, excess, read_log, usage_of
from grader.protocol.kernel import Demand, KernelFacts, Resources
from grader.protocol.messages import BuildLog, Opened
from grader.results.metrics import Usage

GPU = DEVICE.model_copy(update={"type": "gpu"})

HOPPER = """\

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'rgblkMMM' for 'sm_90'
ptxas info    : Function properties for rgblkMMM
    96 bytes stack frame, 128 bytes spill stores, 132 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 96 bytes cumulative stack size, 8448 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 3.000 ms
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Function properties for other
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 380 bytes cmem[0]
"""

FERMI = """\
<kernel>:3:9: warning: unused variable 'n'
    int n = 1;
        ^
ptxas : info : 0 bytes gmem
ptxas : info : Compiling entry function 'k' for 'sm_21'
ptxas : info : Function properties for helper
    40 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas : info : Function properties for k
ptxas :     24 bytes stack frame
ptxas : info : Used 63 registers, 24+0 bytes lmem, 48 bytes cmem[0]
"""


def test_each_kernel_has_its_own_figures():
    """Each kernel has its own figures, even if the line with its spills lacks the assembler's name, or if the log also
    has figures of helper functions.
    """
    assert read_log(HOPPER) == {
        "rgblkMMM": Assembled(registers=255, frame=96, spilled=132),
        "other": Assembled(registers=12, frame=0, spilled=0),
    }
    assert read_log(FERMI) == {"k": Assembled(registers=63, frame=24, spilled=0)}


@pytest.mark.parametrize(
    "log",
    [
        "",
        "\n \n",
        "ptxas info    : Overriding maximum register limit 256 for 'k' with 32 of maxrregcount option",
        "Compiling entry function '",
        "Compiling entry function 'k'\nUsed many registers\nno bytes stack frame",
        f"Compiling entry function 'k'\nUsed {'9' * 5000} registers\n{'9' * 13} bytes stack frame",
        "Compilation started\nCompilation finished\nLinking started\nDevice build started\nDone.",
    ],
    ids=["empty", "blank", "other remarks", "cut", "no figures", "endless figures", "another driver's"],
)
def test_a_log_without_figures_says_nothing(log):
    """A log without figures yields nothing. The log is empty if the driver has the program in its cache, and it may
    contain forged numbers of any length.
    """
    assert read_log(log) == {}


def opened(log="", **resources):
    kernels = (KernelFacts(program="submission", name="rgblkMMM", args=(), resources=Resources(**resources)),)
    return Opened(kernels=kernels, logs=(BuildLog(program="submission", log=log),))


def test_a_gpus_figures_come_from_the_log_and_from_the_driver():
    """On a GPU, the figures from the log and from the driver are combined, because each can lack some of them. For
    example, the log can be empty.
    """
    resources = {"private_memory": 104, "local_memory": 8448, "work_group": 256}
    (usage,) = usage_of(["rgblkMMM"], opened(HOPPER, **resources), GPU)
    assert usage == Usage(kernel="rgblkMMM", registers=255, in_memory=104, spilled=132, local=8448)
    (usage,) = usage_of(["rgblkMMM"], opened(**resources), GPU)
    assert usage == Usage(kernel="rgblkMMM", in_memory=104, local=8448)
    assert usage_of(["rgblkMMM"], opened(), GPU) == (Usage(kernel="rgblkMMM"),)


def test_on_a_cpu_nothing_is_said_of_registers():
    """On a CPU, registers are not reported, because private variables are on the stack. A log with registers must be
    forged.
    """
    (usage,) = usage_of(["rgblkMMM"], opened(HOPPER, private_memory=104, local_memory=8448), DEVICE)
    assert usage == Usage(kernel="rgblkMMM", local=8448)


def demand(local=0, most=256, group=256):
    resources = Resources(local_memory=local, work_group=most)
    return Demand(kernel="k", resources=resources, work_group=group, local_memory=48 * 1024)


def test_what_is_too_much_is_told_with_what_there_is():
    """A demand that exceeds the device is reported together with the device's limit. Local memory is reported before
    the group size, because the limit of the group size may depend on it.
    """
    assert excess(demand(local=64 * 1024, most=0)).startswith(
        "k asks for 64 KiB of local memory per work-group, but this device has 48 KiB: make its __local"
    )
    too_many = excess(demand(most=128))
    assert too_many.startswith(
        "k is launched with 256 work-items per work-group, but this device can run it with at most 128: keep "
    )
    assert too_many.endswith("or, if `local` is yours to choose, state a smaller one.")


@pytest.mark.parametrize("asked", [demand(), demand(local=48 * 1024), demand(local=None, most=None)])
def test_what_fits_or_is_not_known_explains_nothing(asked):
    """A demand that fits, or that is unknown, is not reported, because the driver must have refused the kernel for
    another reason.
    """
    assert excess(asked) is None
