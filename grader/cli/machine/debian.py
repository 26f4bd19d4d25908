"""Installs packages of Debian and Ubuntu. Root installs them; other users download and unpack them.

For other users, apt keeps its lists in a folder of the user:

    work/lists/   cache/   apt's lists and cache
    work/debs/             downloaded packages, which are not downloaded again
    work/root/             the files of these packages
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.common.errors import SetupError
from grader.common.phrases import listed

Tell = Callable[[str], None]
"""Called with a line of text about the current step."""

INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends")

TOO_MUCH = {"devel", "libdevel"}
"""Sections with packages for compiling. PoCL's library does not need them at run time."""

NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")

LACKING = re.compile(rf"^Inst ({NAME.pattern})", re.MULTILINE)
"""Matches the name of a package that apt-get would install."""

ARCHIVE = re.compile(r"^'(\S+?)/dists/", re.MULTILINE)
"""Matches the address of an archive from which apt-get would fetch."""

NO_SOURCE = "none of its configured archives has it. Add your distribution's main archive (on Ubuntu, also universe)."

NO_ROOM = "No space left"
"""Part of the message of the operating system. tar prints it only after the errors that follow from it, and dpkg does
not repeat it.
"""

RETRY = "Fix that and run this command again. It continues from there."


@dataclass(frozen=True, kw_only=True)
class Package:
    """A package that can be downloaded. `size` is in bytes. `needs` lists its dependencies, including alternatives."""

    name: str
    section: str
    size: int
    needs: tuple[str, ...]


def is_debian() -> bool:
    """True if this machine has apt and dpkg."""
    return all(map(shutil.which, ("apt-get", "apt-cache", "dpkg")))


def sources() -> tuple[str, ...]:
    """Return the addresses of the archives from which apt fetches."""
    return tuple(dict.fromkeys(ARCHIVE.findall(_run(("apt-get", "update", "--print-uris")))))


def install(packages: Iterable[str], tell: Tell) -> None:
    """Install packages as root. Raises SetupError if apt fails."""
    names = tuple(packages)
    _fetch_lists(names, (), tell)
    tell(f"installing {listed(names, 'and')}, with dependencies")
    _run((*INSTALL, "-q", *names), {"DEBIAN_FRONTEND": "noninteractive"})


def unpack(package: str, work: Path, tell: Tell) -> Path:
    """Unpack a package into `work`, with the dependencies that are not yet installed and not only for compiling.

    Returns the folder of the unpacked files. Raises SetupError if apt fails, and OSError if the files cannot be
    written.
    """
    for name in ("lists/partial", "cache/archives/partial", "debs"):
        (work / name).mkdir(parents=True, exist_ok=True)
    own = ("-o", f"Dir::State::Lists={work / 'lists'}", "-o", f"Dir::Cache={work / 'cache'}")
    _fetch_lists((package,), own, tell)
    lacking = LACKING.findall(_run(("apt-get", *own, "-s", "install", "--no-install-recommends", package)))
    described = _run(("apt-cache", *own, "show", "--no-all-versions", *lacking))
    wanted = runtime(package, {each.name: each for each in packages_of(described)})
    for number, each in enumerate(wanted, 1):
        tell(f"package {number} of {len(wanted)}: {each.name}, {each.size / 1e6:.1f} MB")
        if _file(each, work / "debs") is None:
            _run(("apt-get", *own, "-q", "download", each.name), folder=work / "debs")
    root = work / "root"
    shutil.rmtree(root, ignore_errors=True)
    tell("unpacking them")
    for each in wanted:
        _run(("dpkg", "-x", str(_file(each, work / "debs")), str(root)))
    return root


def packages_of(described: str) -> Iterator[Package]:
    """Read the packages from the output of `apt-cache show`."""
    for paragraph in described.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        depends = f"{fields.get('Pre-Depends', '')}, {fields.get('Depends', '')}"
        yield Package(
            name=fields["Package"],
            section=fields["Section"].rpartition("/")[2],
            size=int(fields["Size"]),
            needs=tuple(
                found.group() for each in re.split("[,|]", depends) if (found := NAME.match(each.strip())) is not None
            ),
        )


def runtime(package: str, lacking: Mapping[str, Package]) -> tuple[Package, ...]:
    """Return the package and all missing packages that it needs at run time, directly or indirectly."""
    found: dict[str, Package] = {}
    ahead = [package]
    while ahead:
        name = ahead.pop()
        each = lacking.get(name)
        if each is not None and name not in found and each.section not in TOO_MUCH:
            found[name] = each
            ahead += each.needs
    return tuple(found.values())


def _fetch_lists(packages: Iterable[str], options: tuple[str, ...], tell: Tell) -> None:
    """Make apt fetch its lists. Raises SetupError if one of the packages is still unknown.

    If an archive does not answer, apt only prints a warning, because another archive may have the package.
    """
    tell("fetching the lists of packages")
    updated = _done(("apt-get", *options, "-q", "update"))
    for package in packages:
        if _call(("apt-cache", *options, "show", package)).returncode:
            warning = next((line for line in updated.stderr.splitlines() if line.startswith("W: ")), NO_SOURCE)
            raise SetupError(f"apt does not know the package {package}: {_sentence(warning)} {RETRY}")


def _file(package: Package, folder: Path) -> Path | None:
    """Return the downloaded file of a package if it is complete, otherwise None."""
    whole = (path for path in folder.glob(f"{package.name}_*.deb") if path.stat().st_size == package.size)
    return next(whole, None)


def _run(command: tuple[str, ...], environment: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    """Run a command and return its standard output. If the command fails, raises SetupError with the first error that
    it prints.
    """
    return _done(command, environment, folder).stdout


def _done(
    command: tuple[str, ...], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command and return everything that it prints. If the command fails, raises SetupError with the
    first error.
    """
    done = _call(command, environment, folder)
    if done.returncode:
        lines = done.stderr.splitlines() or [f"exit code {done.returncode}"]
        words = " ".join(word for word in command if word.isalpha() or word in {"apt-get", "-x"})
        errors = [line for line in lines if line.startswith(("E: ", "dpkg", "tar: "))] or lines
        reason = next((line for line in errors if NO_ROOM in line), errors[0])
        raise SetupError(f"`{words}` failed: {_sentence(reason)} {RETRY}")
    return done


def _sentence(line: str) -> str:
    """Turn a line of apt's output into a sentence: remove the prefix "E: " or "W: ", and end it with a full stop."""
    return f"{' '.join(line.removeprefix('E: ').removeprefix('W: ').split()).rstrip('.')}."


def _call(
    command: tuple[str, ...], environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - programs of the distribution, with arguments from this module
        command,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
