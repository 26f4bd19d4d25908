"""Writes the files of a batch that people read. A run writes the latest version of each file, removes files that only
earlier runs have made, and never overwrites an edited file.

RESULTS/files.jsonl   a line for each file that runs have written: its name, its hash, and the hash of its source

A line is written before its file, so the next run knows every file that earlier runs have written, even if a run was
killed. A file whose hash is not in the list is the work of a person, and is kept under another name.
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
"""Name of the list of written files."""

PIECE = 1024 * 1024
"""Number of bytes of a file that are read at a time."""


class WrittenFile(Record):
    """A file that a run has written. `source` is the hash of the data from which the file was made. It is empty for a
    file that every run makes again.
    """

    name: str
    sha256: str
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Changes that a run has made to files. `written` lists new and changed files, `same` unchanged files, and
    `removed` removed files. `kept` maps the name of each file that a person has edited to its new name.
    """

    written: tuple[str, ...]
    same: tuple[str, ...]
    removed: tuple[str, ...]
    kept: dict[str, str]


class Outputs:
    """Files of one run. Names are relative to the folder and use "/" as separator."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, list[WrittenFile]] = {}
        for line in _read(folder / LIST):
            self._known.setdefault(line.name, []).append(line)
        self._now: dict[str, WrittenFile] = {}
        self._written: list[str] = []
        self._kept: dict[str, str] = {}

    def path(self, name: str) -> Path:
        """Return the path of a file."""
        return self._folder / name

    def write(self, name: str, content: str | bytes, source: str = "") -> None:
        """Write a file, unless it already has this content."""
        data = content if isinstance(content, bytes) else content.encode()
        with self._changing(WrittenFile(name=name, sha256=hashlib.sha256(data).hexdigest(), source=source)) as path:
            if path is not None:
                write_whole(path, data)

    def renew(self, name: str, source: str, render: Callable[[], str]) -> None:
        """Write a file, unless it was made from the same `source` and has not been edited since."""
        if not self.keep(name, source):
            self.write(name, render(), source)

    def keep(self, name: str, source: str) -> bool:
        """Keep a file that was made from this source and has not changed. Returns True if there is such a file."""
        made = self._made(name, source)
        if made is not None:
            self._now[name] = made
        return made is not None

    def has(self, name: str, source: str) -> bool:
        """True if the file was made from this source and has not changed, so that `renew` would not write it again."""
        return self._made(name, source) is not None

    def _made(self, name: str, source: str) -> WrittenFile | None:
        """Return the line of a file that was made from this source and has not changed, or None."""
        sha256 = _hash(self.path(name))
        lines = self._known.get(name, [])
        return next((line for line in lines if (line.sha256, line.source) == (sha256, source)), None)

    @contextmanager
    def making(self, name: str) -> Iterator[Path]:
        """Yield a temporary path for writing a large file. The file gets its final name at the end of the block."""
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
        """Remove the files that only earlier runs have written, and return the changes that this run has made."""
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
        """Yield the path of the file that a line describes, or None if the file already has that content. The line is
        added to the list first. A file with unknown content is renamed.
        """
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
        self._now[line.name] = line  # a file that could not be written does not belong to this run
        if found != line.sha256:
            self._written.append(line.name)

    def _note(self, line: WrittenFile) -> None:
        """Append a line to the list. It begins with a line break, since the last run may have been stopped in the
        middle of a line.
        """
        self._known.setdefault(line.name, []).append(line)
        try:
            with self.path(LIST).open("a", encoding="utf-8") as file:
                file.write("\n" + _line(line))
        except OSError as error:
            raise InputError(f"cannot write {self.path(LIST)}: {error.strerror}.") from error

    def _removed(self, name: str) -> bool:
        """Remove a file, and its folder if that is empty then. Returns True if the file was removed. An edited file is
        renamed instead.
        """
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
        """Rename a file if no run has written its content. Returns True if it was renamed."""
        if found in {line.sha256 for line in self._known.get(name, [])}:
            return False
        path = self.path(name)
        names = (f"{path.stem}.edited{f'-{n}' if n > 1 else ''}{path.suffix}" for n in count(1))
        aside = next(path.with_name(each) for each in names if not path.with_name(each).exists())
        path.rename(aside)
        self._kept[name] = aside.relative_to(self._folder).as_posix()
        return True


def _read(path: Path) -> Iterator[WrittenFile]:
    """Yield the readable lines of the list. If the last line was cut off, its file was not written."""
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
    """Return the SHA-256 hash of a file's content, or None for a missing file."""
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
