"""OpenCL programs that measure a device or make data on it. The judge imports this package, which imports nothing."""

from pathlib import Path


def source(name: str) -> str:
    """The text of a program in this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
