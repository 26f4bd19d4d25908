"""Gradings with images: formats, samplers, declarations, cases and the simulator."""

from types import SimpleNamespace

import pytest
from courses import course_of
from gradings import grade
from simulator import runs_of, subject_of
from untimed import UNTIMED

from grader.common.errors import DeviceError, InputError
from grader.execution.plan import Binding
from grader.grading.checks.compilation.device_needs import extensions, missing_images
from grader.grading.checks.compilation.signature import bind
from grader.grading.checks.memory import check_memory, usable
from grader.grading.checks.sanitizer import check_sanitizer
from grader.grading.checks.simulation.counts import count_memory, memory_run
from grader.protocol.kernel import ArgFacts, KernelFacts
from grader.protocol.messages import Refused, Simulation
from grader.results.verdicts import Reason, Verdict

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
    assert {check.verdict for check in result.checks} == {Verdict.PASSED}, [check.message for check in result.checks]
    wrong = graded(tmp_path, environment, assignment, right.replace("x + dx, y", "x + 2 * dx, y"))
    assert reasons(wrong)[2] is Reason.WRONG_OUTPUT
    unwritten = graded(
        tmp_path, environment, assignment, right.replace("dx <= 1", "dx <= 1 && y < 0").replace("x >=", "x + 1 >=")
    )
    assert reasons(unwritten)[1] is Reason.NOT_WRITTEN


def reasons(result):
    """Return the reasons of the checks, and None for those that passed."""
    return [check.reason for check in result.checks]


OUTSIDE = {
    "x >= get_image_width(target) || y >= get_image_height(target)": (
        "x > get_image_width(target) || y >= get_image_height(target)",
        "line 9 writes `target` at (11, 0), outside its 11 x 6 pixels",
        "lies beyond the edge, but the condition in line 4 lets it pass. Check the sizes.",
    ),
    "read_imagef(source, edge, (int2)(x + dx, y))": (
        "read_imagef(source, (int2)(x + dx, y))",
        "line 8 reads `source` at (-1, 0), outside its 11 x 6 pixels",
        "Use a sampler with CLK_ADDRESS_CLAMP_TO_EDGE",
    ),
    "read_imagef(source": (
        "convert_float4(read_imageui(source",
        "line 8 uses `source` with read_imageui, which is for pixels of other numbers",
        "Call read_imagef: the pixels are real numbers, or whole numbers that are read as 0 to 1",
    ),
}


@pytest.mark.parametrize("right", OUTSIDE)
def test_the_simulator_explains_wrong_accesses(right, tmp_path, simulator):
    """A pixel outside and a function for other numbers are named with line, image and remedy."""
    wrong, what, cause = OUTSIDE[right]
    source = kernel_of(QUICK).replace(right, wrong)
    source = source.replace("(int2)(x + dx, y));", "(int2)(x + dx, y)));") if "convert" in wrong else source
    asked = blur_of(tmp_path, QUICK)
    check = check_sanitizer(runs_of(subject_of(simulator, asked, source)).sanitizer, asked.sanitizer).checks[0]
    assert what in check.message
    assert cause in check.help


def test_reads_and_writes_of_images_are_measured(tmp_path, simulator):
    """The blur of 16 x 8 pixels reads each pixel three times and writes it once."""
    memory = {
        "sizes": {"width": 16, "height": 8},
        "checks": [
            {"name": "reads", "measure": "image reads", "at_most": "2*width*height", "points": 1},
            {"name": "writes", "measure": "image writes", "at_most": "width*height", "points": 1},
        ],
    }
    asked = blur_of(tmp_path, QUICK, memory=memory)
    subject = subject_of(simulator, asked, kernel_of(QUICK))
    counted = count_memory(memory_run(subject, asked.memory), Simulation())
    reads, writes = check_memory(asked, asked.memory, usable(counted), subject.task.submission.source)
    assert reads.message.startswith("work-items read 384 pixels of `source` in line 8; the limit is 256.")
    assert reads.reason is Reason.EXTRA_TRAFFIC
    assert writes.verdict is Verdict.PASSED
    assert counted.profile.read == counted.profile.written == 0


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("__write_only image2d_t target", "__read_only image2d_t target", "Write write_only image2d_t target"),
        ("__read_only image2d_t source", "__global const uchar4 *source", "Write read_only image2d_t source"),
        ("sampler_t edge", "uint edge", "Write sampler_t edge"),
        ("__read_only image2d_t source, __write_only image2d_t target", "", "Add read_only image2d_t source and"),
    ],
)
def test_declarations_of_images_and_samplers(tmp_path, right, wrong, words):
    """A parameter with another access or another type is named with the declaration to write."""
    asked = blur_of(tmp_path, QUICK)
    facts = {
        "source": ArgFacts(address_space="global", type="image2d_t", name="source", access="read_only"),
        "target": ArgFacts(address_space="global", type="image2d_t", name="target", access="write_only"),
        "edge": ArgFacts(address_space="private", type="sampler_t", name="edge"),
    }
    changed = {
        "__read_only image2d_t target": {**facts, "target": facts["source"].model_copy(update={"name": "target"})},
        "__global const uchar4 *source": {
            **facts,
            "source": ArgFacts(address_space="global", type="uchar4*", name="source"),
        },
        "uint edge": {**facts, "edge": ArgFacts(address_space="private", type="uint", name="edge")},
        "": {"edge": facts["edge"]},
    }
    assert right in kernel_of(QUICK)
    (launch,) = asked.launches

    def bound(args):
        return bind(asked, launch, [KernelFacts(program="p", name="blur", args=tuple(args.values()))], ())

    assert isinstance(bound(facts), Binding)
    problem = bound(changed[wrong])
    assert problem.reason is Reason.WRONG_ARGUMENTS
    assert words in problem.message


def test_an_image_that_is_too_large_for_a_device(tmp_path, environment):
    """An image that is wider than the device allows is named, and the submission stays ungraded."""
    sizes = {"width": 2**20, "height": 1}
    cases = {"points": 10, "tolerance": {"rule": "exact"}, "cases": [{"name": "wide", "sizes": sizes}]}
    asked = blur_of(tmp_path, QUICK, correctness=cases)
    with pytest.raises(DeviceError, match='no images of 1,048,576 x 1 pixels, which source has in the case "wide"'):
        graded(tmp_path, environment, asked, kernel_of(QUICK))


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        (["IMAGE_FORMAT_NOT_SUPPORTED"] * 2, "no images of the format rgba8unorm, which source has in assignment.yaml"),
        (["INVALID_OPERATION"] * 2, "has no images, and assignment.yaml has the image source (INVALID_OPERATION)"),
    ],
)
def test_a_device_without_images_or_without_a_format(tmp_path, errors, words):
    """A device that also refuses one pixel has no images, or not of this format."""
    device, replies = SimpleNamespace(name="this GPU"), [Refused(call="opening", error=each) for each in errors]
    worker = SimpleNamespace(open=lambda _: replies.pop(0), ready=lambda: device)
    worker.load = lambda _: worker
    assert words in missing_images(blur_of(tmp_path, QUICK), worker)


BUFFERS = {
    "source": {"image": QUICK, "shape": ["height", "width"], "data": "numbers"},
    "target": {"image": QUICK, "shape": ["height", "width"]},
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"buffers": {**BUFFERS, "source": {**BUFFERS["source"], "image": "rgb8unorm"}}},
            "buffers.source.image: there is no image format rgb8unorm; write one of r8unorm, r8uint,",
        ),
        (
            {"buffers": {**BUFFERS, "source": {**BUFFERS["source"], "type": "float4"}}},
            "the format of an image determines its type; leave out `type`",
        ),
        (
            {"buffers": {**BUFFERS, "target": {**BUFFERS["target"], "shape": ["width"]}}},
            "the buffer target is an image, so its shape must be [height, width], or [depth, height, width]",
        ),
        (
            {"buffers": {**BUFFERS, "target": {**BUFFERS["source"], "role": "updated"}}},
            "the buffer target is an image, which a kernel cannot read and write; use two images",
        ),
        ({"samplers": {"edge": {"address": "repeat"}}}, "the address mode repeat needs `normalized: true`"),
        ({"samplers": {"source": {"address": "none"}}}, "source is the name of two things"),
        (
            {"performance": {"bytes": "8*width*height", "classes": {}}},
            "source is an image: write `verifier: oracle` under performance",
        ),
    ],
)
def test_impossible_images_are_refused(tmp_path, changes, words):
    """A format, a shape, a role or a sampler that does not exist is refused with its name when the file is read."""
    with pytest.raises(InputError, match=r"assignment\.yaml") as error:
        blur_of(tmp_path, QUICK, **changes)
    assert words in str(error.value)


DEEP = """#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
__kernel void blur(__read_only image3d_t source, __write_only image3d_t target, sampler_t edge)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= get_image_width(target) || y >= get_image_height(target) || z >= get_image_depth(target))
        return;
    float4 sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        sum += read_imagef(source, edge, (int4)(x, y, z + dz, 0));
    write_imagef(target, (int4)(x, y, z, 0), sum / 3);
}
"""
DEEP_ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(source, **_):
    deep = np.pad(source.astype(np.float64), [(1, 1)] + [(0, 0)] * (source.ndim - 1), mode="edge")
    return {"target": Truth(value=(deep[:-2] + deep[1:-1] + deep[2:]) / 3)}
"""


def deep_blur_of(folder, form):
    """Return an assignment that averages each pixel of a 3D image with its neighbours in the slices around it."""
    extent = ["width", "height", "depth"]
    items = [f"ceil_to({size}, 4)" for size in extent]
    launch = {"kernel": "blur", "args": ["source", "target", "edge"], "global": items, "local": [4, 4, 4]}
    launch["extent"] = extent
    sizes = {"depth": 5, "height": 6, "width": 11}
    fields = {
        **UNTIMED,
        "kernel": "blur",
        "sizes": list(sizes),
        "buffers": {
            "source": {"image": form, "shape": list(sizes), "data": "numbers"},
            "target": {"image": form, "shape": list(sizes)},
        },
        "samplers": {"edge": {"address": "clamp_to_edge"}},
        "launches": [launch],
        "baseline": [launch],
        "correctness": {
            "points": 10,
            "tolerance": {"rule": "absolute", "at_most": 1e-6},
            "cases": [{"name": "one", "sizes": dict.fromkeys(sizes, 1)}, {"name": "ragged", "sizes": sizes}],
        },
        "sanitizer": {"sizes": sizes, "points": 3},
    }
    fields.pop("memory")
    return course_of(folder, fields, DEEP, DEEP_ORACLE).load("small")


@pytest.mark.parametrize("form", ["rgba32float", pytest.param("r32float", marks=pytest.mark.whole)])
def test_right_and_wrong_kernels_of_3d_images(form, tmp_path, environment):
    """The model solution passes every check. A wrong result fails, and so does a parameter that is a 2D image."""
    assignment = deep_blur_of(tmp_path, form)
    result = graded(tmp_path, environment, assignment, DEEP)
    assert {check.verdict for check in result.checks} == {Verdict.PASSED}, [check.message for check in result.checks]
    wrong = graded(tmp_path, environment, assignment, DEEP.replace("z + dz", "z + 2 * dz"))
    assert reasons(wrong)[2] is Reason.WRONG_OUTPUT
    flat = DEEP.replace("image3d_t source", "image2d_t source").replace("(x, y, z + dz, 0)", "(x, y)")
    flat = flat.replace("(int4)(x, y))", "(int2)(x, y))")
    (build, *_) = graded(tmp_path, environment, assignment, flat).checks
    assert "read_only image3d_t source" in build.message + build.help + build.detail


def test_the_simulator_compares_all_coordinates_of_a_3d_image(tmp_path, simulator):
    """A write past the last slice is reported with all three coordinates, even if only the third is outside."""
    asked = deep_blur_of(tmp_path, "r32float")
    source = DEEP.replace("z >= get", "z > get")
    check = check_sanitizer(runs_of(subject_of(simulator, asked, source)).sanitizer, asked.sanitizer).checks[0]
    assert "line 10 writes `target` at (0, 0, 5), outside its 11 x 6 x 5 pixels" in check.message


def test_a_device_that_cannot_write_3d_images_is_named(tmp_path):
    """An assignment whose kernels write a 3D image needs an OpenCL extension."""
    assert extensions(deep_blur_of(tmp_path, "r32float")) == {"write_only image3d_t": "cl_khr_3d_image_writes"}
