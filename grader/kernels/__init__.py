"""OpenCL programs of our own, which measure a device or make data on it. Imported by the judge; imports nothing."""

from pathlib import Path


def source(name: str) -> str:
    """The text of a program of this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
