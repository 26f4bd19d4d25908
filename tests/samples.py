"""Hand-made results for the tests of reports and the command line."""

from grader.protocol import DeviceFacts
from grader.result import (
    Check,
    Interval,
    Kind,
    Performance,
    Program,
    Provenance,
    Reason,
    Result,
    Samples,
    Ungraded,
    Verdict,
)

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


def result(*checks):
    return Result(
        assignment="coalsTransp",
        title="Coalesced transposition",
        submission="kernels.cl",
        source="__kernel void coalsTransp() {\n}\n",
        checks=checks,
        profile=None,
        points=sum(each.points for each in checks),
        max_points=sum(each.max_points for each in checks),
        seconds=3.25,
        provenance=Provenance(
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
    )


UNGRADED = Ungraded(assignment="coalsTransp", submission="kernels.cl", fault="there is no OpenCL device.")
