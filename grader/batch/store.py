"""Stores results on disk, one file per content key, each written as a whole. A lookup shows which gradings are left.

RESULTS/batch.json           the seed of the batch, and the conditions and the standings of the last run
RESULTS/batch.lock           locked by the grader that works in this folder
RESULTS/results/KEY.json     a result
"""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from grader.batch.station import Facilities
from grader.common.errors import InputError
from grader.common.files import make_folder, write_whole
from grader.common.record import Record, replace
from grader.course.submissions.handin import HandIn
from grader.course.submissions.submission import fresh_seed
from grader.protocol.messages import DeviceFacts
from grader.reports import REPORTS
from grader.results.result import Result

KEY_DIGITS = 32
"""Number of hexadecimal digits in a key: 128 bits of a hash, short enough for a file name and without collisions in
practice.
"""


MEMO = "batch.json"


class Stand(Record):
    """Standing of a student in an assignment after a run, in words such as "80 of 100 points"."""

    label: str
    assignment: str
    words: str


class Conditions(Record):
    """Conditions of gradings besides the submission: the facilities of the stations, the settings, and the
    measurements of each assignment.
    """

    grader: str
    device: DeviceFacts
    simulated: bool
    settings_sha256: str
    settings: dict[str, Any] = Field(default={})
    """The settings, for the description of a change. Empty if an earlier version of grader made the last run."""
    measured: dict[str, str]


class Memo(Record):
    """Data that a batch keeps from one run to the next. `stands` and `conditions` come from the last run. They are
    None until the first run has ended.
    """

    schema_version: Literal["grader-batch/1"] = "grader-batch/1"
    seed: int
    stands: tuple[Stand, ...] | None = None
    conditions: Conditions | None = None


def content_key(handin: HandIn, measured_sha256: str, facilities: Facilities, settings_json: str) -> str:
    """Return a key that is equal for gradings that must have the same outcome. These have the same bytes, the same
    assignment apart from its thresholds (`measured_sha256`), the same version of grader with the same settings, and the
    same kind of device, with or without the simulator.
    """
    device = facilities.device.model_dump_json()
    parts = (handin.sha256, measured_sha256, facilities.grader, device, facilities.simulated, settings_json)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:KEY_DIGITS]


def seed_of(seed: int, key: str) -> int:
    """Return the seed of one grading in a batch. The inputs of one grading reveal nothing about the inputs of
    another.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {key}".encode()).digest()[:8]) >> 1


class Store:
    """Results of a batch, stored in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "results"
        make_folder(self._folder)

    def holds(self, key: str) -> bool:
        """True if the grading with this key has a readable result."""
        return self.load(key) is not None

    def load(self, key: str) -> Result | None:
        """Return the result with this key, or None if it does not exist or is damaged, for example after a disk fault.
        Raises InputError if the system cannot read the file.
        """
        try:
            return Result.model_validate_json(self._path(key).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise InputError(f"cannot read {self._path(key)}: {error.strerror}.") from error

    def keep(self, key: str, result: Result) -> None:
        """Store a result under its key."""
        write_whole(self._path(key), REPORTS["json"](result))

    def drop(self, key: str) -> None:
        """Delete a result, so that the submission is graded again."""
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


@contextmanager
def at_work(folder: Path) -> Iterator[None]:
    """Keep other graders out of a results folder during the block. Raises InputError if another grader is already
    working there.
    """
    make_folder(folder)
    with ExitStack() as held:
        try:
            lock = held.enter_context((folder / "batch.lock").open("ab"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"another grader is working in {folder}; wait until it has finished, or choose another folder."
            ) from None
        except OSError as error:
            raise InputError(f"cannot write to {folder}: {error.strerror}.") from error
        yield


def batch_seed(folder: Path, wanted: int | None) -> int:
    """Return the seed of the batch in this folder. A new batch gets the wanted seed, or else a secret one. Raises
    InputError if the batch has a different seed.
    """
    memo = _memo(folder)
    if memo is None:
        memo = Memo(seed=fresh_seed() if wanted is None else wanted)
        _keep(memo, folder)
    if wanted not in {None, memo.seed}:
        raise InputError(f"the batch in {folder} has another seed; leave --seed out, or choose another folder.")
    return memo.seed


def conditions_before(folder: Path) -> Conditions | None:
    """Return the conditions of the last run, or None if no run has ended yet."""
    memo = _memo(folder)
    return None if memo is None else memo.conditions


def swap_stands(folder: Path, now: tuple[Stand, ...], conditions: Conditions) -> tuple[Stand, ...] | None:
    """Store the present standings and conditions. Return the standings after the last run, or None if no run has ended
    yet. Raises InputError if the file of the batch is missing.
    """
    memo = _memo(folder)
    if memo is None:
        raise InputError(
            f"{folder / MEMO} is missing, and results cannot be compared without it; run the same command again."
        )
    if (memo.stands, memo.conditions) != (now, conditions):
        _keep(replace(memo, stands=now, conditions=conditions), folder)
    return memo.stands


def _memo(folder: Path) -> Memo | None:
    path = folder / MEMO
    try:
        return Memo.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise InputError(f"{path} cannot be used: {' '.join(str(error).split())}; choose another folder.") from error


def _keep(memo: Memo, folder: Path) -> None:
    write_whole(folder / MEMO, memo.model_dump_json(indent=2) + "\n")
