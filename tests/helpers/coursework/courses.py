"""Courses for tests: the two folders of an assignment, written from given texts and fields."""

import pytest
import yaml

from grader.common.errors import InputError
from grader.course.catalogue import Course

ADDITION = {
    "title": "Adding",
    "kernel": "add",
    "constants": {"real": "float", "GROUP": 64},
    "sizes": ["n"],
    "buffers": {
        "x": {"shape": ["n"], "data": "numbers"},
        "y": {"shape": ["n"], "data": "numbers"},
        "z": {"shape": ["n"]},
    },
    "launches": [{"kernel": "add", "args": ["x", "y", "z", "n"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}],
    "baseline": [{"kernel": "add", "args": ["x", "y", "z", "n"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}],
    "correctness": {
        "points": 10,
        "tolerance": {"rule": "rounding"},
        "cases": [{"name": "one", "sizes": {"n": 1}}, {"name": "ragged", "sizes": {"n": 1000}}],
    },
    "performance": {
        "bytes": "12*n",
        "classes": {"cpu": {"sizes": {"n": 100000}, "baseline": "passes", "bands": [{"fraction": 0.5, "points": 5}]}},
    },
}
"""Fields of a small assignment. Tests may replace some of them."""

KERNEL = """__kernel void add(__global const real *x, __global const real *y, __global real *z, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] + y[i];
}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(x, y, **_):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return {"z": Truth(value=x + y, magnitude=np.abs(x) + np.abs(y))}
"""


def any_speed(points):
    """Return the fields of a device class for which every right kernel is fast enough."""
    return {"bands": [{"fraction": 0.001, "points": points}], "baseline": "passes", "minimum": {}}


def course_of(folder, fields=ADDITION, kernel=KERNEL, oracle=ORACLE, name="small"):
    """Write a course with one assignment. Its model solution and its baseline are the same kernel."""
    public, secret = folder / "assignments" / name, folder / "reference" / name
    for place in (public, secret):
        place.mkdir(parents=True)
    (public / "assignment.yaml").write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    for path in (public / "kernels.cl", secret / "kernels.cl", secret / "baseline.cl"):
        path.write_text(kernel, encoding="utf-8")
    (secret / "oracle.py").write_text(oracle, encoding="utf-8")
    (public / "README.md").write_text("Write the kernel `add`.\n", encoding="utf-8")
    return Course(assignments=folder / "assignments", reference=folder / "reference")


def refusal(folder, changes):
    """Return the message that refuses the small assignment with these fields."""
    with pytest.raises(InputError, match=r"assignment\.yaml") as error:
        course_of(folder, {**ADDITION, **changes}).load("small")
    return str(error.value)
