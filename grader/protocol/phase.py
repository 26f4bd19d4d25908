"""What goes on in a session while the judge waits for its reply: the driver compiles, or a kernel runs.

A session tells it on its stream, so that the judge knows what went on when a process dies or does not answer. A
submission can tell it, too, so no point may rest on it.
"""

from typing import Literal

Phase = Literal["compiling", "running"]

LINES: dict[Phase, bytes] = {"compiling": b"phase compiling\n", "running": b"phase running\n"}
"""How a session tells each."""

PHASES: dict[bytes, Phase] = {line: phase for phase, line in LINES.items()}

MOST = 16 * 1024
"""Lines before one reply: two for each step of a sequence are far fewer."""
