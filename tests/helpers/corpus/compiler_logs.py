"""Typical mistakes of students with the messages of several compilers, read from build_logs/ and its expected.yaml."""

from dataclasses import dataclass
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent / "build_logs"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A kernel with a mistake, the logs of each compiler by its name, and the line and hint that the student should
    get.
    """

    name: str
    source: str
    logs: dict[str, str]
    line: int
    hint: str | None


def _recorded(name, line, hint):
    logs = {path.name.split(".")[1]: path.read_text() for path in FOLDER.glob(f"{name}.*.log")}
    return Recorded(name=name, source=(FOLDER / f"{name}.cl").read_text(), logs=logs, line=line, hint=hint)


RECORDED = tuple(
    _recorded(name, **rest) for name, rest in yaml.safe_load((FOLDER / "expected.yaml").read_text()).items()
)
