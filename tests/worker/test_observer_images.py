"""observer/images.h: accesses of images are counted apart, and coordinates are compared with the extent."""

import numpy as np
import pytest
from simulator import Given, Picture, watch

from grader.protocol.steps import SamplerArg

KERNEL = """__constant sampler_t LOOSE = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
__kernel void k(read_only image2d_t source, write_only image2d_t target, sampler_t s, __global float *out)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    {body}
}}
"""
WIDTH, HEIGHT = 6, 4
CLAMPED = SamplerArg(normalized=False, address="clamp_to_edge", filter="nearest")


def see(worker, body, sampler=CLAMPED, source="r", channel="FLOAT"):
    """Return the observations of a kernel with this body in line 5, and the results."""
    numbers = np.arange(WIDTH * HEIGHT * len(source), dtype=np.float32 if channel == "FLOAT" else np.uint8)
    pixels = numbers.reshape((HEIGHT, WIDTH) if source == "r" else (HEIGHT, WIDTH, 4))
    args = {
        "source": Picture(pixels=pixels, channel=channel),
        "target": Picture(pixels=np.zeros_like(pixels), channel=channel),
        "s": sampler,
        "out": np.zeros(WIDTH * HEIGHT, dtype=np.float32),
    }
    given = Given(args=args, items=(WIDTH, HEIGHT), group=(2, 2), outputs=("target", "out"))
    (seen,), results = watch(worker, KERNEL.format(body=body), given)
    return seen, results, pixels


def uses(seen):
    """Return line, image, kind and number of the accesses to images."""
    return [(each.line, each.image, "writes" if each.writes else "reads", each.times) for each in seen.images]


COPY = "write_imagef(target, (int2)(x, y), read_imagef(source, s, (int2)(x, y)));"


@pytest.mark.parametrize("source", ["r", "rgba"])
@pytest.mark.parametrize("channel", ["FLOAT", "UNORM_INT8"])
def test_pixels_are_counted_apart_from_arrays(simulator, source, channel):
    """Each call counts once, for one channel and for four. No array is accessed, and the copy is right."""
    seen, results, pixels = see(simulator, COPY, source=source, channel=channel)
    assert uses(seen) == [(5, "target", "writes", WIDTH * HEIGHT), (5, "source", "reads", WIDTH * HEIGHT)]
    assert seen.accesses == ()
    assert seen.messages == ()
    assert seen.unset == ()
    assert np.array_equal(results["target"].view(pixels.dtype), pixels.reshape(-1))


def test_counts_of_a_stencil(simulator):
    """Three reads of each pixel count as three, also outside of the image. An array is counted as always."""
    seen, _, _ = see(
        simulator,
        "float t = 0; for (int d = -1; d <= 1; d++) t += read_imagef(source, s, (int2)(x + d, y)).x; "
        f"out[y * {WIDTH} + x] = t;",
    )
    assert uses(seen) == [(5, "source", "reads", 3 * WIDTH * HEIGHT)]
    assert [(each.array, each.bytes) for each in seen.accesses] == [("out", 4 * WIDTH * HEIGHT)]
    assert seen.messages == ()


OUTSIDE = "Image coordinates outside ({},{}) of width 6 and height 4"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        pytest.param("write_imagef(target, (int2)(x + 1, y), (float4)(1));", (6, 0), id="write past a row"),
        pytest.param("write_imagef(target, (int2)(x, y - 1), (float4)(1));", (0, -1), id="write above"),
        pytest.param("out[0] = 0; read_imagef(source, (int2)(x + 1, y));", (6, 0), id="read without a sampler"),
        pytest.param("read_imagef(source, LOOSE, (int2)(x, y + 1));", (0, 4), id="read without a mode"),
        pytest.param("read_imagef(source, LOOSE, (float2)(x - 0.5f, y));", (-1, 0), id="read at real coordinates"),
    ],
)
def test_a_pixel_outside_is_seen(simulator, body, place):
    """Writes outside are seen, and reads outside without an addressing mode, each with its line and its image."""
    seen, _, _ = see(simulator, body)
    (message,) = (each for each in seen.messages if each.text.startswith("Image coordinates"))
    assert message.text.startswith(OUTSIDE.format(*place))
    assert "At line 5 " in message.text
    assert message.array == ("target" if "write" in body else "source")


@pytest.mark.parametrize("address", ["clamp", "clamp_to_edge"])
def test_a_read_outside_with_a_mode_is_right(simulator, address):
    """A sampler with an addressing mode says what is read outside."""
    sampler = SamplerArg(normalized=False, address=address, filter="nearest")
    seen, results, pixels = see(
        simulator, f"out[y * {WIDTH} + x] = read_imagef(source, s, (int2)(x + 1, y)).x;", sampler
    )
    assert seen.messages == ()
    last = pixels[:, -1:] if address == "clamp_to_edge" else np.zeros((HEIGHT, 1))
    assert np.array_equal(results["out"].view(np.float32), np.hstack([pixels[:, 1:], last]).reshape(-1))


def test_pixels_that_were_never_written_are_unset(simulator):
    """A colour with numbers that were never set is reported if the image has this channel."""
    body = "float4 c; c.x = 1; write_imagef(target, (int2)(x, y), c);"
    assert see(simulator, body)[0].unset == ()
    (unset,) = see(simulator, body, source="rgba")[0].unset
    assert (unset.name, unset.how, unset.array) == ("c", "stored", "target")


def test_two_writes_of_a_pixel_are_a_race(simulator):
    """Two work-items that write different values to one pixel race, and the image is named."""
    seen, _, _ = see(simulator, "write_imagef(target, (int2)(0, 0), (float4)(x));")
    assert "data race" in seen.messages[0].text
    assert seen.messages[0].array == "target"


@pytest.mark.parametrize(
    ("body", "idle", "active"),
    [
        pytest.param("for (int i = 0; i < 3; i++) READ;", 0, 0, id="all work-items of a warp"),
        pytest.param("if (get_local_id(0) < 4) READ;", 0, 0, id="half of a warp"),
        pytest.param("if (get_local_id(0) < 3) READ;", 2, 24, id="fewer than half of a warp"),
        pytest.param("if (y == 0 && x == 0) for (int i = 0; i < 5; i++) READ;", 5, 5, id="one work-item"),
    ],
)
def test_pixels_read_by_mostly_idle_warps(simulator, body, idle, active):
    """Calls of a warp's work-items are counted together, like accesses to arrays. A warp has four rows of eight."""
    image = Picture(pixels=np.zeros((8, 8), dtype=np.float32), channel="FLOAT")
    source = KERNEL.format(body=body.replace("READ", "read_imagef(source, s, (int2)(x, y))"))
    args = {"source": image, "target": image, "s": CLAMPED, "out": np.zeros(64, dtype=np.float32)}
    (seen,), _ = watch(simulator, source, Given(args=args, items=(8, 8), group=(8, 8), outputs=("out",)))
    assert [(each.mostly_idle, each.active) for each in seen.images] == [(idle, active)]
