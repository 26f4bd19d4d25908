"""Device profiles: results of `grader calibrate`, with one file for each device in each sandbox.

PROFILES/nvidia-h200-docker.json

A container has its own driver and compiler, so measurements in one sandbox are hardly valid for another.
"""

import re
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from grader.common.errors import DeviceError
from grader.common.files import make_folder, write_whole
from grader.common.record import Record
from grader.grading.timing.clocks import Clocks
from grader.protocol.messages import DeviceFacts
from grader.results.metrics import Interval, Roofs

LONGEST_NAME = 100
"""Maximum number of characters of the device's name in the file name."""

AGAIN = "run `grader calibrate` again in this sandbox, or remove the file"


class DeviceProfile(Record):
    """Measured speeds of a device in a sandbox, the time of the measurement (`measured`), and the version of grader.
    Bandwidths are in GB/s, and the bandwidth of the copy counts bytes read and written. `fp32_rate` is in GFLOPS. An
    empty kernel takes `launch` seconds by the judge's clock, from the request to the answer, and `launch_on_device` by
    the device's clock. `clocks` are the device's clock rates while it computes.
    """

    schema_version: Literal["grader-device/1"] = "grader-device/1"
    device: DeviceFacts
    sandbox: str
    grader: str
    measured: str
    copy_bandwidth: Interval
    fp32_rate: Interval
    local_bandwidth: Interval
    launch: Interval
    launch_on_device: Interval
    clocks: Clocks | None

    @property
    def roofs(self) -> Roofs:
        """Upper bounds on the speed of a kernel according to this profile."""
        return Roofs(
            profile=file_name(self.device, self.sandbox),
            measured=self.measured,
            copy_bandwidth=self.copy_bandwidth,
            fp32_rate=self.fp32_rate,
            local_bandwidth=self.local_bandwidth,
        )


def file_name(device: DeviceFacts, sandbox: str) -> str:
    """File name of the profile of the device in this sandbox."""
    name = re.sub(r"\W+", "-", device.name)[:LONGEST_NAME].strip("-").lower()
    return f"{name}-{sandbox}.json"


def save_profile(profile: DeviceProfile, folder: Path) -> Path:
    """Write the profile, which replaces an older one of the device, and return its path."""
    make_folder(folder)
    path = folder / file_name(profile.device, profile.sandbox)
    write_whole(path, profile.model_dump_json(indent=2) + "\n")
    return path


def load_profile(folder: Path, device: DeviceFacts, sandbox: str) -> DeviceProfile | None:
    """Load the profile of the device in this sandbox; None if it does not exist. Raises DeviceError if the profile is
    out of date or cannot be read, because wrong values would do more harm than missing ones.
    """
    path = folder / file_name(device, sandbox)
    try:
        profile = DeviceProfile.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        words = error.strerror if isinstance(error, OSError) else "it is not a profile of this version of grader"
        raise DeviceError(f"the device profile {path} cannot be read: {words}; {AGAIN}.") from error
    then = profile.device
    if (then.name, then.platform, then.compute_units) != (device.name, device.platform, device.compute_units):
        raise DeviceError(f"the device profile {path} belongs to {_words(then)}, not to {_words(device)}; {AGAIN}.")
    if then.driver != device.driver:
        raise DeviceError(
            f"the device profile {path} was measured with driver {then.driver}, but {device.name} now has driver "
            f"{device.driver}; {AGAIN}."
        )
    return profile


def _words(device: DeviceFacts) -> str:
    return f"{device.name} ({device.platform}, driver {device.driver}, {device.compute_units} compute units)"
