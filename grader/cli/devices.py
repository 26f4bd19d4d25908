"""Devices of a batch: one for all its stations, or several among which the stations of this machine are distributed."""

from typing import Any

from grader.cli.options import docker_settings
from grader.common.errors import InputError

Place = dict[str, Any]
"""Settings for the stations of one device. None means that a setting is not given."""


def places(device: str | None, gpu: str | None, jobs: int, scheduler: str | None) -> tuple[Place, ...]:
    """Return a place for each device in --device or --gpu. There is at least one place, which may be without settings.
    Raises InputError for devices that cannot be used together.
    """
    numbers, gpus = _numbers(device), _gpus(gpu)
    found = [{"device": number, "docker": docker_settings(name)} for number in numbers for name in gpus]
    if len(numbers) > 1 and len(gpus) > 1:
        raise InputError("to use several GPUs, give only --gpu: each of them is device 0 in its container.")
    if any(found.count(place) > 1 for place in found):
        raise InputError("a device is listed twice; list it once, and use --jobs to run several stations on it.")
    if len(found) > 1 and scheduler is not None:
        raise InputError(
            "only stations on this machine can use several devices; in a cluster, start a worker for each device."
        )
    if len(found) > jobs:
        raise InputError(f"{len(found)} devices need --jobs {len(found)} or more, one grading for each device.")
    return tuple(found)


def _numbers(device: str | None) -> list[int | None]:
    if device is None:
        return [None]
    parts = device.split(",")
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise InputError(f"--device {device}: use the numbers that `grader devices` lists, such as 0 or 0,1.")
    return [int(part) for part in parts]


def _gpus(gpu: str | None) -> list[str | None]:
    """Split the option: `nvidia:0,1` means nvidia:0 and nvidia:1."""
    if gpu is None:
        return [None]
    kind, colon, indexes = gpu.partition(":")
    return [f"{kind}{colon}{index}" for index in indexes.split(",")]
