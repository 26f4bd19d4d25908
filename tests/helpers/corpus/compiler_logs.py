"""Mistakes of students with the messages of compilers: the files of build_logs/, which expected.yaml explains."""

from dataclasses import dataclass
from pathlib import Path

import yaml

FOLDER = Path(__file__).parent / "build_logs"


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A kernel with a mistake, its logs by the compiler's name, and the line and the hint for a student."""

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
