"""Grade a batch while its processes are killed at random, and compare its results with an undisturbed batch's.

    python tests/benchmarks/killing.py [--submissions 60] [--kills 30] [--sandbox process] [--dice 1]

Each kill (SIGKILL) hits the batch, one of its stations, a Dask worker, or a Dask worker with its nanny. A batch that
has ended is started again, with local processes or on the cluster, chosen at random. At the end, all results must be
equal except for times, and no process, container or folder may be left over. The exit code is 1 if a condition is not
met.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import docker
from docker.errors import DockerException

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import batches  # noqa: E402

from grader.execution.sandbox.docker.sweeping import LABEL  # noqa: E402

UNGRADED = 3
WORKERS = 2
PATIENCE = 60.0
"""Seconds without a new result after which the next kill comes anyway."""


class Disturbed:
    """A batch that is started repeatedly, and the cluster that it may use."""

    def __init__(self, folder: Path, address: str, sandbox: str, dice: random.Random) -> None:
        self.folder, self.out, self.address, self.dice = folder, folder / "disturbed", address, dice
        self._sandbox = batches.TRUSTED if sandbox == "process" else ("--sandbox", sandbox)
        self.workers = [self._worker(number) for number in range(WORKERS)]
        self.batch = self.start()

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        return batches.start_worker(self.address, self.folder, f"worker{number}")

    def start(self) -> subprocess.Popen[bytes]:
        """Start the batch with local processes or on the cluster."""
        self.where = self.dice.choice([("--jobs", "2"), ("--scheduler", self.address)])
        command = batches.batch(self.folder, self.out, *self.where, sandbox=self._sandbox)
        return batches.start(command, self.folder / "disturbed.log")

    def go_on(self) -> bool:
        """Start the batch again if it was killed or left a submission ungraded. Return False if it is done."""
        code = self.batch.poll()
        if code is None:
            return True
        if code >= 0 and code != UNGRADED:
            return False
        self.batch = self.start()
        return True

    def kill(self) -> str:
        """Kill a random process, and say which one."""
        return self.dice.choice([self._kill_batch, self._kill_station, self._kill_worker, self._kill_nanny])()

    def _kill_batch(self) -> str:
        self.batch.kill()
        self.batch.wait()
        return "the batch"

    def _kill_station(self) -> str:
        stations = batches.stations(self.batch)
        if not stations:
            return self._kill_worker()
        _kill(self.dice.choice(stations))
        return "a station"

    def _kill_worker(self) -> str:
        nannies = {worker.pid for worker in self.workers}
        found = [number for number, parent, words in batches.processes() if parent in nannies and "spawn_main" in words]
        if not found:
            return self._kill_nanny()
        _kill(self.dice.choice(found))
        return "a worker"

    def _kill_nanny(self) -> str:
        number = self.dice.randrange(WORKERS)
        batches.kill_all(self.workers[number])
        self.workers[number] = self._worker(number)
        return "a worker and its nanny"


def _kill(number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def main() -> int:
    """Grade the batch twice, compare the results, and search for processes and files that are left over."""
    options = argparse.ArgumentParser()
    options.add_argument("--submissions", type=int, default=60)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--sandbox", default="process")
    options.add_argument("--dice", type=int, default=1)
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="killing-"))
    arrays = folder / "arrays"
    arrays.mkdir()
    os.environ["GRADER_DOCKER__FOLDER"] = str(arrays)
    batches.small_batch(folder, given.submissions)
    sandbox = batches.TRUSTED if given.sandbox == "process" else ("--sandbox", given.sandbox)
    begin = time.monotonic()
    batches.run(batches.batch(folder, folder / "calm", "--jobs", "2", sandbox=sandbox), folder / "calm.log")
    print(f"left alone: {batches.done(folder / 'calm')} results in {time.monotonic() - begin:.0f} s", flush=True)
    begin = time.monotonic()
    with batches.scheduler(folder) as address:
        disturbed = Disturbed(folder, address, given.sandbox, random.Random(given.dice))
        disturb(disturbed, given.kills, given.submissions)
        while disturbed.go_on():
            time.sleep(0.1)
        for worker in disturbed.workers:
            batches.end(worker)
    print(f"disturbed: {batches.done(disturbed.out)} results in {time.monotonic() - begin:.0f} s")
    batches.run(batches.batch(folder, disturbed.out, "--jobs", "1", sandbox=sandbox), folder / "last.log")
    return report(folder, arrays)


def disturb(disturbed: Disturbed, kills: int, submissions: int) -> None:
    """Spread the kills over the progress of the batch, each after a random delay."""
    print(f"{'kill':>4}  {'done':>5}  {'killed':<24}the batch ran")
    for number in range(1, kills + 1):
        end = time.monotonic() + PATIENCE
        goal = (number - 1) * submissions / kills
        while batches.done(disturbed.out) < goal and time.monotonic() < end and disturbed.go_on():
            time.sleep(0.05)
        time.sleep(disturbed.dice.uniform(0, 3))
        disturbed.go_on()
        where = "on the cluster" if "--scheduler" in disturbed.where else "with --jobs 2"
        print(f"{number:4}  {batches.done(disturbed.out):5}  {disturbed.kill():<24}{where}", flush=True)


def report(folder: Path, arrays: Path) -> int:
    """Print the table. Return 1 if a condition is not met."""
    calm, disturbed = batches.essences(folder / "calm"), batches.essences(folder / "disturbed")
    different = [name for name in calm.keys() | disturbed.keys() if calm.get(name) != disturbed.get(name)]
    left = [*batches.left_in(folder), *map(str, arrays.iterdir()), *containers(arrays)]
    print(f"{'results':<24}{len(calm)}\n{'different but for times':<24}{len(different)}\n{'left over':<24}{len(left)}")
    print("\n".join([*different, *left]))
    if different or left:
        print(f"the files are in {folder}")
        return 1
    batches.remove(folder)
    return 0


def containers(arrays: Path) -> list[str]:
    """Return the ids of containers whose workers use this folder. Without an engine, there are no containers."""
    try:
        found = docker.from_env().api.containers(all=True, filters={"label": LABEL})
    except (DockerException, OSError):
        return []
    return [each["Id"] for each in found if each["Labels"][LABEL].startswith(str(arrays))]


if __name__ == "__main__":
    sys.exit(main())
