"""Phase of a session while the judge waits for its reply: the driver compiles, or a kernel runs.

A session reports its phase on its stream, so that the judge knows the phase when a process dies or does not answer. A
submission can forge such a report, so no points may depend on it.
"""

from typing import Literal

Phase = Literal["compiling", "running"]

LINES: dict[Phase, bytes] = {"compiling": b"phase compiling\n", "running": b"phase running\n"}
"""The line with which a session reports each phase."""

PHASES: dict[bytes, Phase] = {line: phase for phase, line in LINES.items()}

MOST = 16 * 1024
"""Most lines before one reply. A sequence reports at most two for each step, which is far fewer."""
