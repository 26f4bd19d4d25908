"""The files that a batch writes for people: each as the latest run has it, or gone, and none overwritten unseen.

RESULTS/files.jsonl   a line for each file that runs have written: its name, its hash, and what it was made from

A line is written before its file is. So whatever ends a run, the next one knows every file that a run has written, and
takes a file whose hash is in no line for somebody's work: that is kept under another name.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from grader.common.errors import InputError
from grader.common.files import make_folder, write_whole
from grader.common.record import Record

LIST = "files.jsonl"
"""The list of what has been written."""

PIECE = 1024 * 1024
"""Bytes of a file that are read at a time."""


class WrittenFile(Record):
    """A file that a run has written. `source` is the hash of what it was made from, where it is made only if that has
    changed.
    """

    name: str
    sha256: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What a run has done to files: names of those that are new or say something else now, of those that are gone, and
    the new names of those that somebody had edited. `same` are as they were.
    """

    written: tuple[str, ...]
    same: tuple[str, ...]
    removed: tuple[str, ...]
    kept: dict[str, str]


class Outputs:
    """The files of one run. Names are relative to the folder, with "/" between their parts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, list[WrittenFile]] = {}
        for line in _read(folder / LIST):
            self._known.setdefault(line.name, []).append(line)
        self._now: dict[str, WrittenFile] = {}
        self._written: list[str] = []
        self._kept: dict[str, str] = {}

    def path(self, name: str) -> Path:
        """Where a file is."""
        return self._folder / name

    def write(self, name: str, content: str | bytes, source: str = "") -> None:
        """Write a file, unless it says just that already."""
        data = content if isinstance(content, bytes) else content.encode()
        with self._changing(WrittenFile(name=name, sha256=hashlib.sha256(data).hexdigest(), source=source)) as path:
            if path is not None:
                write_whole(path, data)

    def renew(self, name: str, source: str, render: Callable[[], str]) -> None:
        """Write a file, unless it was made from the same `source` and nobody has touched it since."""
        if not self.keep(name, source):
            self.write(name, render(), source)

    def keep(self, name: str, source: str) -> bool:
        """Keep a file that was made from this source and has not changed. True if there is one."""
        made = self._made(name, source)
        if made is not None:
            self._now[name] = made
        return made is not None

    def has(self, name: str, source: str) -> bool:
        """Whether a file was made from this and is as it was: `renew` would leave it."""
        return self._made(name, source) is not None

    def _made(self, name: str, source: str) -> WrittenFile | None:
        """The line of a file that is as it was made from this."""
        sha256 = _hash(self.path(name))
        lines = self._known.get(name, [])
        return next((line for line in lines if (line.sha256, line.source) == (sha256, source)), None)

    @contextmanager
    def making(self, name: str) -> Iterator[Path]:
        """A path to write a large file to; it gets its name at the end of the block."""
        part = self.path(f".{name}.part")
        try:
            yield part
            with self._changing(WrittenFile(name=name, sha256=_hash(part) or "")) as path:
                if path is not None:
                    part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink()

    def finish(self) -> Changes:
        """Remove what earlier runs have written and this one has not, and say what has changed."""
        gone = [name for name in self._known if name not in self._now]
        removed = [name for name in gone if self._removed(name)]
        write_whole(self.path(LIST), "".join(map(_line, sorted(self._now.values(), key=lambda line: line.name))))
        return Changes(
            written=tuple(self._written),
            same=tuple(sorted(self._now.keys() - set(self._written))),
            removed=tuple(sorted(removed)),
            kept=self._kept,
        )

    @contextmanager
    def _changing(self, line: WrittenFile) -> Iterator[Path | None]:
        """The path of a file that is to be as the line says, noted first; None if it is so already."""
        path = self.path(line.name)
        found = _hash(path)
        if found == line.sha256 and line in self._known.get(line.name, []):
            self._now[line.name] = line
            yield None
            return
        if found not in {None, line.sha256}:
            self._put_aside(line.name, found)
        make_folder(path.parent)
        self._note(line)
        yield None if found == line.sha256 else path
        self._now[line.name] = line  # not before: a file that could not be written does not belong to this run
        if found != line.sha256:
            self._written.append(line.name)

    def _note(self, line: WrittenFile) -> None:
        """Add a line; the one before may have been cut short by what ended the last run."""
        self._known.setdefault(line.name, []).append(line)
        try:
            with self.path(LIST).open("a", encoding="utf-8") as file:
                file.write("\n" + _line(line))
        except OSError as error:
            raise InputError(f"cannot write {self.path(LIST)}: {error.strerror}.") from error

    def _removed(self, name: str) -> bool:
        """Whether it was there and is gone, with its folder if that is empty; what was edited is put aside instead."""
        path = self.path(name)
        found = _hash(path)
        if found is None or self._put_aside(name, found):
            return False
        path.unlink(missing_ok=True)
        if path.parent != self._folder:
            with suppress(OSError):
                path.parent.rmdir()
        return True

    def _put_aside(self, name: str, found: str | None) -> bool:
        """Give a file another name if no run has written what is in it; whether that was so."""
        if found in {line.sha256 for line in self._known.get(name, [])}:
            return False
        path = self.path(name)
        names = (f"{path.stem}.edited{f'-{n}' if n > 1 else ''}{path.suffix}" for n in count(1))
        aside = next(path.with_name(each) for each in names if not path.with_name(each).exists())
        path.rename(aside)
        self._kept[name] = aside.relative_to(self._folder).as_posix()
        return True


def _read(path: Path) -> Iterator[WrittenFile]:
    """The lines that can be read; the last may be cut, and then its file was not written."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    for line in text.split("\n"):
        with suppress(ValidationError):
            yield WrittenFile.model_validate_json(line)


def _line(line: WrittenFile) -> str:
    return line.model_dump_json() + "\n"


def _hash(path: Path) -> str | None:
    """The hash of a file's content; None if there is no file."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    return digest.hexdigest()
