"""Stations that are workers of a Dask cluster.

Dask provides the queue and the network, and gives the jobs of a dead worker to another. This module adds only the
abstract resource `device`. A worker declares how many devices it has (`dask worker --resources "device=1"`), and each
grading takes one. Thus no device grades two submissions at a time, even if its worker has several threads, and a worker
without a device gets no gradings. The locks of grading/device_lock.py reserve the device for timed sections, and on a
CPU the whole machine, even if several workers share a host.

The files of the assignment travel with every job. A worker stores them under their hash and checks it (lms/bundle.py).
The settings of the worker's machine decide where a submission runs, in which image and on which device, except for
settings that the batch makes.

A worker that fails at every job, for example because its container engine has stopped, is always the first to be free
again. It is therefore retired after several failures in a row while other workers succeed.
"""

import logging
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from importlib.metadata import version
from typing import Any

from distributed import Client, KilledWorker, Security, WorkerPlugin, get_worker
from distributed.versions import VersionMismatchWarning

from grader.batch.station import NAME, Facilities, GradingJob, grade, leave, look_around
from grader.batch.workforce import SchedulerLostError
from grader.batch.workforce.answers import read_answer
from grader.common.errors import GraderError, WorkerError
from grader.common.interrupts import pause
from grader.common.phrases import count
from grader.results.result import Result, Ungraded

RESOURCE = "device"
NEEDS = {RESOURCE: 1}

FIRST_WORKER_SECONDS = 300.0
"""Seconds that a batch waits for its first worker, which may have to wait in the queue of the cluster."""

CONNECTING = 20.0
"""Seconds within which a scheduler must answer, at the start and after a lost connection."""

LOOK = 1.0
"""Seconds between two updates of the list of workers."""

STRIKES = 3
"""Number of failures in a row after which a worker gets no more jobs while other workers succeed."""

Say = Callable[[str], None]

Answer = tuple[str, str]
"""A worker's address and its answer as JSON, which is checked like any untrusted text."""


class StationPlugin(WorkerPlugin):  # type: ignore[misc]  # Dask is untyped
    """Makes a worker close its station before it ends."""

    name = "grader station"
    idempotent = True
    """Makes Dask ignore a second registration. Another batch on the same cluster must not close this batch's station by
    registering its own plugin.
    """

    def teardown(self, worker: object) -> None:  # noqa: ARG002 - Dask passes it
        """Close the station. Dask calls this when the worker must end."""
        leave()


class Cluster:
    """The current and future workers of a scheduler. `say` is called when a worker joins, leaves or is retired."""

    def __init__(self, address: str, settings_json: str, say: Say) -> None:
        _keep_quiet()
        self._address, self._settings_json, self._say = address, settings_json, say
        self._client = _connect(address)
        self._executor = self._client.get_executor(pure=False, resources=NEEDS)
        self._crew = ClusterWorkers()
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._follow, name="watch", daemon=True)

    @property
    def capacity(self) -> int:
        """Number of jobs to keep running or queued: two for each worker, so that no worker waits for the network."""
        return max(1, 2 * len(self._crew.present))

    @property
    def workers(self) -> int:
        """Number of workers that are connected now. Each of them grades one submission at a time."""
        return len(self._crew.present) if self.is_connected else 0

    @property
    def is_connected(self) -> bool:
        """True while the connection to the scheduler works."""
        return bool(self._client.status == "running")

    def facilities(self) -> Facilities:
        """Return the facilities of the workers, after waiting for the first one. Raises WorkerError if two workers
        differ or no worker joins, and SchedulerLostError if the connection to the scheduler is lost.
        """
        found: dict[str, Facilities] = {}
        while not found:
            self.await_worker(FIRST_WORKER_SECONDS)
            found = self._ask()
        first = min(found)
        for worker, facilities in found.items():
            if facilities != found[first]:
                raise WorkerError(
                    f"two workers differ: {first} has {found[first]}, {worker} has {facilities}. "
                    "Stop one of them: their results could not be compared."
                )
        self._client.register_plugin(StationPlugin())
        self._crew.present = set(self._workers())
        self._watch.start()
        return found[first]

    def submit(self, job: GradingJob) -> "Future[Result | Ungraded]":
        """Make a worker with a free device grade a job. If the future is cancelled before the job begins, the job is
        dropped. Raises SchedulerLostError if the scheduler is lost for good.
        """
        end = time.monotonic() + CONNECTING + 1
        while self._client.status == "connecting" and time.monotonic() < end:
            pause(0.1)
        if not self.is_connected:
            raise SchedulerLostError(
                f"the connection to the scheduler at {self._address} was lost. Finished gradings are kept; "
                "once it runs again with its workers, the same command continues from there."
            )
        outcome: Future[Result | Ungraded] = Future()
        asked = self._executor.submit(grade_here, job)
        asked.add_done_callback(lambda done: self._pass_on(done, job, outcome))
        outcome.add_done_callback(lambda done: done.cancelled() and asked.cancel())
        return outcome

    def dismiss(self) -> None:
        """Stop watching the workers, which may leave now."""
        self._closed.set()

    def close(self) -> None:
        """Cancel the jobs that have not begun, and disconnect. The workers stay and finish their gradings, but the
        results are dropped.
        """
        self.dismiss()
        if self.is_connected:
            self._executor.shutdown(wait=False)
        self._client.close(timeout=CONNECTING)
        if self._watch.ident is not None:
            self._watch.join()

    def _pass_on(self, asked: "Future[Answer]", job: GradingJob, outcome: "Future[Result | Ungraded]") -> None:
        """Set the outcome of a finished job. Called in a thread of Dask."""
        if not outcome.set_running_or_notify_cancel():
            return
        if asked.cancelled():
            outcome.set_exception(SchedulerLostError("the connection to the scheduler was lost."))
            return
        error = asked.exception()
        if isinstance(error, KilledWorker):
            told = f"{error.allowed_failures + 1} workers died while grading it, "
            told += f"the last one at {error.last_worker.address}."
            outcome.set_exception(WorkerError(told))
        elif error is not None:
            outcome.set_exception(WorkerError(_on_a_worker(error)))
        else:
            outcome.set_result(self._believed(asked.result(), job))

    def _believed(self, answer: object, job: GradingJob) -> Result | Ungraded:
        """Check a worker's answer against its job. An answer that cannot be true counts as a failure of the worker.
        Workers that always fail are retired.
        """
        worker, text = answer if isinstance(answer, tuple) and len(answer) == 2 else ("a worker", answer)
        try:
            graded = read_answer(text, job)
        except WorkerError as error:
            graded = Ungraded(assignment=job.bundle.name, submission=str(NAME), fault=f"{worker}: {error}")
        self._crew.note(str(worker), graded)
        return graded

    def _ask(self) -> dict[str, Facilities]:
        """Return the facilities of each worker, except workers that leave meanwhile."""
        asked = {
            worker: self._executor.submit(look_around, self._settings_json, workers=[worker])
            for worker in self._workers()
        }
        found = {}
        while asked:
            for worker, future in [*asked.items()]:
                if future.done():
                    del asked[worker]
                    found[worker] = _facilities(worker, future)
            here = self._workers()
            for worker in [worker for worker in asked if worker not in here]:
                asked.pop(worker).cancel()
            time.sleep(0.1)
        return found

    def _workers(self) -> list[str]:
        """Return the addresses of the workers with a device."""
        known = self._client.scheduler_info(n_workers=-1).get("workers", {})
        return sorted(address for address, facts in known.items() if facts.get("resources", {}).get(RESOURCE, 0) >= 1)

    def await_worker(self, seconds: float) -> None:
        """Wait for the first worker, and print how to start one. Raises WorkerError if none joins within this time, and
        SchedulerLostError if the connection to the scheduler is lost.
        """
        end = time.monotonic() + seconds
        if not self._workers():
            self._say(f"waiting for a worker at {self._address}: {self._how_to_start()}")
        while not self._workers():
            if not self.is_connected:
                raise SchedulerLostError(f"the connection to the scheduler at {self._address} was lost.")
            if time.monotonic() > end:
                raise WorkerError(
                    f"no worker with the resource `{RESOURCE}` has joined {self._address} within {seconds:.0f} s; "
                    f"start one: {self._how_to_start()}"
                )
            pause(0.5)

    def _how_to_start(self) -> str:
        return f'dask worker {self._address} --nthreads 1 --resources "{RESOURCE}=1"'

    def _follow(self) -> None:
        """Report the workers that join and leave, and retire those that always fail. Runs in a separate thread."""
        while not self._closed.wait(LOOK):
            if not self.is_connected:
                continue
            for line in self._crew.look(set(self._workers())):
                self._say(line)
            if not self._crew.present and self._crew.has_changed:
                self._say(f"no worker is left; waiting for one: {self._how_to_start()}")
            for worker, fault in self._crew.hopeless():
                self._say(
                    f"{worker} has failed {STRIKES} times in a row and gets no more jobs. The last failure: {fault}"
                )
                self._client.retire_workers([worker])


def _connect(address: str) -> Client:
    if address.startswith("tls://") and Security().get_connection_args("client").get("ssl_context") is None:
        raise WorkerError(
            f"{address} requires certificates, and none are configured; "
            "docs/clusters.md explains how to configure them for Dask."
        )
    try:
        return Client(address, timeout=CONNECTING, set_as_default=False, name="grader")
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise SchedulerLostError(
            f"no Dask scheduler answers at {address} ({' '.join(str(error).split())}); is it running, is the address "
            "right, and does it ask for certificates (tls://)?"
        ) from error


def grade_here(job: GradingJob) -> Answer:
    """Grade a job on a worker. Return the worker's address and the outcome as JSON."""
    return get_worker().address, grade(job).model_dump_json()


class ClusterWorkers:
    """The workers of a cluster that are present, and their failures."""

    def __init__(self) -> None:
        self.present: set[str] = set()
        self.has_changed = False
        self._faults: dict[str, list[str]] = {}

    def note(self, worker: str, outcome: Result | Ungraded) -> None:
        """Record the outcome of a worker's job. A success clears the worker's failures."""
        self._faults[worker] = [*self._faults.get(worker, []), outcome.fault] if isinstance(outcome, Ungraded) else []

    def look(self, present: set[str]) -> tuple[str, ...]:
        """Record which workers are present now. Return a line for each one that has joined or left."""
        before, self.present = self.present, present
        self.has_changed = before != present
        total = f"{count(len(present), 'worker')} now."
        left = tuple(f"{worker} has left; other workers take over its jobs. {total}" for worker in before - present)
        return (*left, *(f"{worker} has joined. {total}" for worker in present - before))

    def hopeless(self) -> tuple[tuple[str, str], ...]:
        """Return the workers that always fail while others succeed. Each is returned once, with its last fault."""
        if not any(self._faults.get(worker) == [] for worker in self.present):
            return ()
        found = [worker for worker in self.present if len(self._faults.get(worker, [])) >= STRIKES]
        return tuple((worker, self._faults.pop(worker)[-1]) for worker in found)


def _facilities(worker: str, looked: "Future[Facilities]") -> Facilities:
    try:
        return looked.result()
    except GraderError as error:
        raise WorkerError(f"the worker {worker} cannot grade: {error}") from error
    except Exception as error:
        raise WorkerError(f"the worker {worker}: {_on_a_worker(error)}") from error


def _on_a_worker(error: BaseException) -> str:
    """Describe an error that was not raised by grader. Most of these workers lack grader or have another
    version of it.
    """
    return (
        f"a worker could not run the job ({type(error).__name__}: {' '.join(str(error).split())}); "
        f"grader {version('grader')} must be installed where it runs, as on this machine."
    )


def _keep_quiet() -> None:
    """Silence Dask's messages on the terminal, because grader reports the same events."""
    names: list[Any] = [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore", VersionMismatchWarning)
