"""Shows the results of `grader calibrate` as a table on a terminal."""

from collections.abc import Callable

from rich.table import Table

from grader.common.phrases import three_digits
from grader.grading.timing.device_profile import DeviceProfile
from grader.reports.words import seconds_in_words
from grader.results.metrics import Interval


def profile_table(profile: DeviceProfile) -> Table:
    """Return a table with a row for each measurement: its median and its confidence interval."""
    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "left"):
        table.add_column(justify=justify, overflow="fold")

    def row(what: str, measured: Interval, in_words: Callable[[float], str]) -> None:
        table.add_row(what, in_words(measured.median), f"{in_words(measured.low)} to {in_words(measured.high)}")

    row("copy, read and written", profile.copy_bandwidth, lambda rate: f"{three_digits(rate)} GB/s")
    row("fp32, multiply and add", profile.fp32_rate, lambda rate: f"{three_digits(rate)} GFLOPS")
    row("local memory, read", profile.local_bandwidth, lambda rate: f"{three_digits(rate)} GB/s")
    row("an empty kernel, round trip", profile.launch, seconds_in_words)
    row("an empty kernel on the device", profile.launch_on_device, seconds_in_words)
    clock = profile.device.clock
    table.add_row("maximum clock, as stated by the driver", f"{clock} MHz" if clock else "unknown")
    if profile.clocks is not None:
        table.add_row(
            "clock while computing", f"{profile.clocks.processors} MHz", f"memory {profile.clocks.memory} MHz"
        )
    return table
