"""Reading and writing of files. Output is written completely or not at all, even if the power fails."""

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.common.errors import InputError


def data_folder() -> Path:
    """Return the folder for this user's grader data, as defined by the XDG base directory specification. Raises
    InputError if the user has no home folder.
    """
    folder = _xdg("XDG_DATA_HOME", ".local/share")
    if folder is None:
        raise InputError("this user has no home folder: set XDG_DATA_HOME to a folder for grader's data.")
    return folder


def config_folder() -> Path | None:
    """Return the folder for this user's settings, as defined by the XDG base directory specification, or None if the
    user has no home folder.
    """
    return _xdg("XDG_CONFIG_HOME", ".config")


def state_folder() -> Path | None:
    """Return the folder where grader records its actions for this user, or None if the user has no home folder."""
    return _xdg("XDG_STATE_HOME", ".local/state")


def _xdg(variable: str, usual: str) -> Path | None:
    named = Path(os.environ.get(variable, ""))
    try:
        return (named if named.is_absolute() else Path.home() / usual) / "grader"
    except RuntimeError:
        return None


def make_folder(path: Path) -> None:
    """Create a folder for reports if it does not exist. Raises InputError if it cannot be created."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"cannot make the folder {path}: a file is in its place; name another.") from error
    except OSError as error:
        raise InputError(f"cannot make the folder {path}: {error.strerror}; name another.") from error


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises InputError with the file and the reason if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def check_outputs(paths: Sequence[Path], submission: Path) -> None:
    """Raise InputError if a report cannot be written, or would overwrite the submission or another report. This check
    comes before the grading, because a failure afterwards would lose the result or destroy a file.
    """
    taken = {submission.resolve()}
    for path in paths:
        check_writable(path)
        if path.resolve() in taken:
            raise InputError(f"cannot write {path}: it is the submission, or another report; name another file.")
        taken.add(path.resolve())


def check_writable(path: Path) -> None:
    """Raise InputError if a report cannot be written to this path."""
    try:
        exists, is_folder, is_file = path.exists(), path.is_dir(), path.is_file()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from error
    if is_folder:
        raise InputError(f"cannot write {path}: it is a folder; name a file.")
    if exists and not is_file:
        raise InputError(f"cannot write {path}: it is not a regular file; name another.")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {path}: the folder {path.parent} is not yours to write to.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary file in the same folder. An existing file is replaced only when the new one is
    complete.

    Text is written as UTF-8. When this function returns, the content is on the disk. Raises InputError if the file
    cannot be written.
    """
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException as error:  # no incomplete file may remain, even after Ctrl-C
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        if isinstance(error, OSError):
            raise InputError(f"cannot write {path}: {error.strerror}.") from error
        raise


def write_new(files: Mapping[str, str | bytes], folder: Path, executable: frozenset[str] = frozenset()) -> list[Path]:
    """Write files into a folder, such as a fresh clone, and return their paths. Raises InputError if one of them exists
    already.
    """
    present = [name for name in files if os.path.lexists(folder / name)]
    if present:
        raise InputError(f"{folder} already contains {', '.join(present)}; choose an empty folder.")
    for name, content in files.items():
        path = folder / name
        make_folder(path.parent)
        write_whole(path, content)
        if name in executable:
            path.chmod(path.stat().st_mode | 0o111)
    return [folder / name for name in files]


def _umask() -> int:
    """Return the umask of this process. A umask can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
