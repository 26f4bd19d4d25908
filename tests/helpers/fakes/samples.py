"""Handmade results, for tests of reports and of the command line."""

from project import ROOT

from grader.course.rubric import Kind
from grader.grading.checks.simulation.counts import Counted
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.timing.device_profile import DeviceProfile
from grader.protocol.messages import DeviceFacts
from grader.protocol.observation import SeenKernel
from grader.results.check import Check
from grader.results.findings import ErrorMap, Finding, Place
from grader.results.metrics import Access, Branch, Interval, Performance, Profile, Program, Roofs, Samples, Usage
from grader.results.result import Provenance, Result, Ungraded
from grader.results.verdicts import Reason, Verdict

DEVICE = DeviceFacts(
    index=0,
    name="Test Device",
    platform="Test",
    version="OpenCL 3.0",
    driver="1",
    type="cpu",
    compute_units=2,
    global_memory=1,
    local_memory=1,
    max_work_group=1,
    bus=None,
)

ONE = Interval(median=1.0, low=0.99, high=1.02)


def performance(**changes):
    return Performance(
        **{
            "device_class": "cpu",
            "sizes": {"height": 2048, "width": 2048},
            "pairs": 30,
            "seconds": ONE,
            "unit": "GB/s",
            "rate": Interval(median=7.21, low=7.1, high=7.3),
            "fraction_of_reference": ONE,
            "speed_up_over_baseline": Interval(median=1.8, low=1.7, high=1.9),
            "noise": ONE,
            "copy_bandwidth": 35.4,
            "bytes": 16777216.0,
            "flop": None,
            "peak": None,
            "fraction_of_copy": 0.204,
            "program": None,
            "samples": Samples(
                submission=(1.0,), reference=(1.0,), control=(1.0,), baseline=(1.0,), device_copy=(1.0,)
            ),
            **changes,
        }
    )


def check(name, kind=Kind.CORRECTNESS, verdict=Verdict.PASSED, points=5.0, max_points=5.0, **more):
    return Check(name=name, kind=kind, verdict=verdict, points=points, max_points=max_points, seconds=0.1, **more)


def failed(name, reason=Reason.WRONG_OUTPUT, message="it is wrong.", **more):
    return check(name, verdict=Verdict.FAILED, points=0.0, reason=reason, message=message, **more)


SPILLING = Usage(kernel="rgblkMMM", registers=255, in_memory=96, spilled=132, local=8448)
SPILLED = "rgblkMMM keeps 96 bytes of each work-item's private variables in the device's memory"

ABSENT = "the simulator is not installed: install it."
BUILD = check("build", kind=Kind.BUILD, points=0, max_points=0)
SPEED = check("performance: cpu (height 1)", kind=Kind.PERFORMANCE, points=40, max_points=40, performance=performance())
SLOW = check(
    "performance: cpu (height 1)",
    kind=Kind.PERFORMANCE,
    verdict=Verdict.PARTIAL,
    points=20,
    max_points=40,
    reason=Reason.TOO_SLOW,
    message="it runs at 63 % of the model solution's speed; full points need 70 %.",
    performance=performance(program=Program(seconds=0.0035, speed_up=0.13, fraction_of_copy=0.11)),
)


def unchecked(name="sanitizer (height 1)", kind=Kind.SANITIZER, points=12, reason=Reason.NO_SIMULATOR, message=ABSENT):
    """Return a check that could not be made on this machine."""
    return check(name, kind=kind, verdict=Verdict.SKIPPED, points=0, max_points=points, reason=reason, message=message)


def result(*checks, **changes):
    fields = {
        "assignment": "coalsTransp",
        "title": "Coalesced transposition",
        "submission": "kernels.cl",
        "source": "__kernel void coalsTransp() {\n}\n",
        "checks": checks,
        "profiles": {},
        "points": sum(each.points for each in checks),
        "max_points": sum(each.max_points for each in checks),
        "seconds": 3.25,
        "provenance": Provenance(
            grader="0",
            python="3.11",
            packages={},
            assignment_sha256="a",
            submission_sha256="b",
            sandbox="process",
            limits={"memory_bytes": 1024, "root": "read-only"},
            seed=7,
            started="2026-01-01T00:00:00+00:00",
            device=DEVICE,
        ),
    }
    return Result(**{**fields, **changes})


TILED = (ROOT / "tests" / "submissions" / "blockMMM" / "missing-column-guard" / "kernels.cl").read_text()
SOURCE = TILED.replace("        barrier(CLK_LOCAL_MEM_FENCE);\n    }", "    }")

RACE = Finding(
    reason=Reason.DATA_RACE,
    message="line 13 writes As[0][7] while line 17 may still be reading it: there is no barrier between them.",
    help="Usually a barrier(CLK_LOCAL_MEM_FENCE) is missing at the end of the loop over the tiles.",
    places=(
        Place(
            line=17,
            text="            sum += As[ly][k] * Bs[k][lx];",
            words="work-item (3, 0) of group (1, 0) reads As[0][7]",
        ),
        Place(
            line=13,
            text="        As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t + lx] : 0.0f;",
            words="work-item (7, 0) of group (1, 0) writes As[0][7], one iteration of the loop later",
        ),
    ),
    times=4096,
)

ERROR_MAP = ErrorMap(
    buffer="C",
    shape=(70, 90),
    block=(16, 16),
    cells=(".....+", "...#.+", "...#.+", ".....+", "oooooo"),
)

PROFILE = Profile(
    sizes={"heightA": 64, "widthB": 64, "widthA": 64},
    warp=32,
    sector=32,
    banks=32,
    bank=4,
    accesses=(
        Access(
            line=13,
            column=59,
            array="A",
            space="global",
            does="reads",
            requests=512,
            bytes=65536,
            unused=458752,
            sectors=16384,
            fewest=2048,
            worst=8.0,
            stride=256,
        ),
        Access(
            line=13,
            column=9,
            array="As",
            space="local",
            does="writes",
            requests=512,
            bytes=65536,
            sectors=512,
            fewest=512,
            worst=1.0,
            stride=4,
        ),
        Access(
            line=17,
            column=20,
            array="As",
            space="local",
            does="reads",
            requests=8192,
            bytes=1048576,
            sectors=16384,
            fewest=8192,
            conflicts=1,
            worst=2.0,
            stride=None,
        ),
    ),
    branches=(Branch(line=13, reached=1024, diverged=0), Branch(line=21, reached=128, diverged=12)),
    flop=524288,
    read=131072,
    written=16384,
    moved=655360,
    compulsory=49152,
)


def spread(seconds, number, every=7):
    """Return `number` times near `seconds`, in which every few times one is slow. The times are always equal."""
    return tuple(seconds * (1 + 0.004 * (37 * i % 11) + (0.3 if i % every == every - 1 else 0)) for i in range(number))


SAMPLES = Samples(
    submission=spread(0.00352, 40),
    reference=spread(0.00221, 40),
    control=spread(0.0022, 40),
    baseline=spread(0.0184, 12),
    device_copy=spread(0.00041, 12),
)

BARS = performance(
    samples=SAMPLES,
    seconds=Interval(median=0.0036, low=0.0035, high=0.0037),
    rate=Interval(median=4.66, low=4.53, high=4.79),
)

ROOFS = Roofs(
    profile="test-device-process.json",
    measured="2026-01-01T00:00:00+00:00",
    copy_bandwidth=Interval(median=40.0, low=39.0, high=41.0),
    fp32_rate=Interval(median=5000.0, low=4900.0, high=5100.0),
    local_bandwidth=Interval(median=900.0, low=890.0, high=910.0),
)


def profile_of(device, **changes):
    """Return a profile that `grader calibrate` could have measured on the device."""
    fields = ROOFS.model_dump(include={"measured", "copy_bandwidth", "fp32_rate", "local_bandwidth"})
    return DeviceProfile(
        **{
            **fields,
            "device": device,
            "sandbox": "process",
            "grader": "0",
            "launch": Interval(median=1e-4, low=0.9e-4, high=1.2e-4),
            "launch_on_device": Interval(median=2e-6, low=1.9e-6, high=2.2e-6),
            "clocks": None,
            **changes,
        }
    )


ROOFLINE = performance(
    unit="GFLOPS",
    seconds=Interval(median=0.0036, low=0.0035, high=0.0037),
    rate=Interval(median=1190.0, low=1160.0, high=1230.0),
    flop=4.29e9,
    bytes=2.5e7,
    peak=4100.0,
    samples=SAMPLES,
)


UNGRADED = Ungraded(assignment="coalsTransp", submission="kernels.cl", fault="there is no OpenCL device.")


def counted_as(profile, problem=None, steps=1):
    """These counts of a kernel whose results have this problem, after this number of steps."""
    seen = SeenKernel(
        kernel="x",
        flop=0,
        steps=steps,
        busiest=0,
        private=0,
        arrays=(),
        messages=(),
        unset=(),
        accesses=(),
        branches=(),
    )
    run = Simulated(sizes=profile.sizes, kernels=(seen,), scenes=(), problem=problem, constants=({},))
    return Counted(profile=profile, run=run)


SEEN = {
    "kernel": "k",
    "flop": 0,
    "steps": 0,
    "busiest": 0,
    "private": 0,
    "arrays": [],
    "messages": [],
    "unset": [],
    "accesses": [],
    "branches": [],
}
"""Fields of a launch in which the simulator has observed nothing, as its plugin sends them."""
