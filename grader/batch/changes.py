"""Says what a run has changed."""

from collections.abc import Sequence

from grader.batch.outputs import Changes
from grader.common.phrases import count
from grader.protocol.text import showable

NAMES = 20
"""Names in a list; after these a number."""


def files_in_words(changes: Changes) -> str:
    """Which files are new or say something else, which are gone, and which somebody had edited."""
    lines = [f"{count(len(changes.written), 'file')} written{_named(changes.written)}; {len(changes.same)} as before."]
    if changes.removed:
        lines.append(f"{count(len(changes.removed), 'file')} of earlier runs removed{_named(changes.removed)}.")
    lines += [
        f"{showable(name)} had been edited since the last run; the edited file is now {showable(aside)}."
        for name, aside in changes.kept.items()
    ]
    return "\n".join(lines)


def _named(names: Sequence[str]) -> str:
    """The files by name, students' reports by student."""
    found = list(dict.fromkeys(map(_one, names)))
    more = [f"{len(found) - NAMES} more"] if len(found) > NAMES else []
    return f" ({', '.join([*found[:NAMES], *more])})" if found else ""


def _one(name: str) -> str:
    folder, slash, _ = name.rpartition("/")
    return showable(f"{folder}/*" if slash else name)
