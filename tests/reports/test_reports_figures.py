"""figures/: the figures about a speed check, as SVG."""

import re
from functools import cache
from xml.etree import ElementTree

import matplotlib
import pytest
from samples import BARS, PROFILE, ROOFLINE, ROOFS, SAMPLES

from grader.reports.figures import COLOURS, rates, timings
from grader.reports.figures.roofline import roofline

FIGURES = {
    "timings": lambda: timings(BARS),
    "bars": lambda: rates(BARS),
    "roofline": lambda: roofline(ROOFLINE, PROFILE),
    "roofline with a profile": lambda: roofline(ROOFLINE.model_copy(update={"roofs": ROOFS}), PROFILE),
}


@cache
def drawn(name):
    """Return a figure. It is drawn only once, because this takes half a second, and not while pytest collects tests."""
    return FIGURES[name]()


def words_of(figure):
    return [" ".join(element.itertext()).strip() for element in ElementTree.fromstring(figure).iter("text")]


@pytest.mark.sampled
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_inside_a_page(name):
    """A figure is an SVG element with a label, selectable text and the page's colours, but without a fixed size or an
    address.
    """
    figure = drawn(name)
    root = ElementTree.fromstring(figure)
    assert root.tag == "svg"
    assert set(root.attrib) == {"viewBox", "role", "aria-label"}
    assert words_of(figure)
    assert not any(colour in figure for colour in COLOURS)
    assert set(re.findall(r"#[0-9a-f]{6}\b", figure)) == set()
    assert "http" not in figure


def test_timings_show_a_row_for_each_with_its_median():
    """Each of the five kinds of launches has a row with its median and its own marker."""
    words = words_of(drawn("timings"))
    for name, median in (("your kernel", "3.6 ms"), ("naive kernel", "18.8 ms"), ("a copy", "419 µs")):
        assert words.index(median) == words.index(name) + 1
    assert "model, again 2.25 ms" in ElementTree.fromstring(drawn("timings")).get("aria-label")


def test_bars_have_the_copy_as_their_roof_where_moving_is_all():
    """Bars in GB/s show the copy bandwidth as a dashed line.

    Bars in GFLOPS do not, because a known peak leads to a roofline instead.
    """
    assert "the dashed line: a copy, 35.4 GB/s" in words_of(drawn("bars"))
    assert "4.66 GB/s" in words_of(drawn("bars"))
    computing = rates(ROOFLINE.model_copy(update={"peak": None}))
    assert "1,190 GFLOPS" in words_of(computing)
    assert "dashed" not in computing


def test_the_roofline_has_both_roofs_and_every_kernel():
    """The roofline shows both roofs and all kernels.

    The naive kernel and the model solution do the same work in different times.
    """
    label = ElementTree.fromstring(drawn("roofline")).get("aria-label")
    assert label == (
        "Roofline at 172 FLOP/byte, the roofs 35.4 GB/s and 4,100 GFLOPS. "
        "GFLOPS: naive kernel 228, your kernel 1,190, model solution 1,900."
    )
    assert "your kernel, by the bytes that it asks for" in words_of(drawn("roofline"))
    assert "your kernel, by the bytes that it asks for" not in words_of(roofline(ROOFLINE, None))


def test_a_device_profile_gives_the_roofline_its_roofs():
    """A device profile provides the roofs, including one for local memory. The kernel also has a point for its local
    bytes.
    """
    figure = drawn("roofline with a profile")
    label = ElementTree.fromstring(figure).get("aria-label")
    assert "the roofs 40 GB/s and 5,000 GFLOPS." in label
    assert "memory's roof: a copy, 40 GB/s" in words_of(figure)
    assert "local memory's roof: 900 GB/s" in words_of(figure)
    assert "your kernel, by the local bytes that it asks for" in words_of(figure)
    assert PROFILE.local_intensity == pytest.approx(PROFILE.flop / (65536 + 1048576))


def test_a_kernel_without_local_memory_has_no_roof_of_it():
    """Without local memory or without a simulation, the figure does not show the roof of local memory."""
    performance = ROOFLINE.model_copy(update={"roofs": ROOFS})
    unshared = PROFILE.model_copy(update={"accesses": PROFILE.accesses[:1]})
    for profile in (unshared, None):
        assert not any("local" in words for words in words_of(roofline(performance, profile)))


def test_a_device_profile_stands_in_for_the_peak_of_a_session():
    """If the session has not measured a peak, a device profile provides it for the roofline."""
    assert roofline(ROOFLINE.model_copy(update={"peak": None, "roofs": ROOFS}), PROFILE)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "changes", [{"peak": None}, {"flop": None}, {"copy_bandwidth": 0.0}, {"copy_bandwidth": float("inf")}]
)
def test_without_roofs_or_arithmetic_there_is_no_roofline(changes):
    """Without roofs or operations, there are bars instead of a roofline."""
    performance = ROOFLINE.model_copy(update=changes)
    assert roofline(performance, PROFILE) is None
    assert rates(performance)


def test_what_took_no_time_is_left_out():
    """Times of zero are left out, so that a clock that is too coarse for one kernel does not hide the others."""
    samples = SAMPLES.model_copy(update={"baseline": (0.0,), "submission": (0.0, 0.0035)})
    performance = BARS.model_copy(update={"samples": samples})
    assert "naive kernel" not in words_of(timings(performance)) + words_of(rates(performance))
    assert "3.5 ms" in words_of(timings(performance))
    unseen = BARS.model_copy(
        update={"samples": SAMPLES.model_copy(update=dict.fromkeys(type(SAMPLES).model_fields, ()))}
    )
    assert (timings(unseen), rates(unseen), roofline(unseen, None)) == (None, None, None)


def test_a_users_own_settings_change_nothing():
    """A user's own matplotlib settings do not change figures, so that equal results make equal pages."""
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "path"}):
        assert timings(BARS) == drawn("timings")
        assert matplotlib.rcParams["font.size"] == 30
