"""Gradings with images: formats, samplers, declarations, cases and the simulator."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.results.check import Reason, Verdict

BLUR = """__kernel void blur(__read_only image2d_t source, __write_only image2d_t target, sampler_t edge)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= get_image_width(target) || y >= get_image_height(target))
        return;
    {vector} sum = 0;
    for (int dx = -1; dx <= 1; dx++)
        sum += read_image{letter}(source, edge, (int2)(x + dx, y));
    write_image{letter}(target, (int2)(x, y), sum / 3);
}}
"""

ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(source, **_):
    wide = np.pad(source.astype(np.float64), [(0, 0), (1, 1)] + [(0, 0)] * (source.ndim - 2), mode="edge")
    mean = (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) / 3
    return {"target": Truth(value=mean if source.dtype.kind == "f" else np.floor(mean))}
"""

LETTERS = {"unorm": "f", "float": "f", "uint": "ui", "sint": "i"}
VECTORS = {"f": "float4", "ui": "uint4", "i": "int4"}


def kernel_of(form):
    """Return the model solution for images of this format."""
    letter = next(letter for kind, letter in LETTERS.items() if form.endswith(kind))
    return BLUR.format(letter=letter, vector=VECTORS[letter])


def blur_of(folder, form, **changes):
    """Return an assignment that averages each pixel with its left and right neighbour."""
    launch = {
        "kernel": "blur",
        "args": ["source", "target", "edge"],
        "global": ["ceil_to(width, 8)", "ceil_to(height, 4)"],
        "local": [8, 4],
        "extent": ["width", "height"],
    }
    fields = {
        **UNTIMED,
        "kernel": "blur",
        "sizes": ["width", "height"],
        "buffers": {
            "source": {"image": form, "shape": ["height", "width"], "data": "numbers"},
            "target": {"image": form, "shape": ["height", "width"]},
        },
        "samplers": {"edge": {"address": "clamp_to_edge"}},
        "launches": [launch],
        "baseline": [launch],
        "correctness": {
            "points": 10,
            "tolerance": {"rule": "absolute", "at_most": 1e-6 if form.endswith("float") else 1},
            "cases": [
                {"name": "one", "sizes": {"width": 1, "height": 1}},
                {"name": "ragged", "sizes": {"width": 37, "height": 11}},
            ],
        },
        "sanitizer": {"sizes": {"width": 11, "height": 6}, "points": 3},
    }
    fields.pop("memory")
    return course_of(folder, {**fields, **changes}, kernel_of(form), ORACLE).load("small")


def graded(tmp_path, environment, assignment, source):
    """Return the result of this source text."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    return grade(assignment, path, environment, seed=3)


QUICK = "rgba8unorm"
OTHERS = ("r8unorm", "r8uint", "rgba8uint", "r32float", "rgba32float", "r32sint", "rgba32uint")


@pytest.mark.parametrize("form", [QUICK, *(pytest.param(each, marks=pytest.mark.whole) for each in OTHERS)])
def test_right_and_wrong_kernels_of_each_format(form, tmp_path, environment):
    """The model solution earns everything. A wrong result and an image without a store fail."""
    assignment, right = blur_of(tmp_path, form), kernel_of(form)
    result = graded(tmp_path, environment, assignment, right)
    assert {check.verdict for check in result.checks} == {Verdict.PASSED}, result
    wrong = graded(tmp_path, environment, assignment, right.replace("x + dx, y", "x + 2 * dx, y"))
    assert reasons(wrong)[1] is Reason.WRONG_OUTPUT
    unwritten = graded(
        tmp_path, environment, assignment, right.replace("dx <= 1", "dx <= 1 && y < 0").replace("x >=", "x + 1 >=")
    )
    assert reasons(unwritten)[1] is Reason.NOT_WRITTEN


def reasons(result):
    """Return the reasons of the checks, and None for those that passed."""
    return [check.reason for check in result.checks]
