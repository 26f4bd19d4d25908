"""A worker in a container.

Engines answer slowly, so separate threads start and remove each container.
"""

import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from docker.errors import APIError, NotFound
from docker.utils.socket import STDOUT, frames_iter

from grader.common.errors import DeviceError, WorkerError
from grader.common.interrupts import uninterrupted
from grader.execution.array_files import ArrayFiles
from grader.execution.sandbox.docker.engine import NoEngineError, engine_trouble, remove
from grader.execution.sandbox.folder import WorkerFolder

UNREAD_FRAMES = 512
"""Maximum number of frames of output (at most 32 KiB each) that are kept for the judge. The longest reply takes a
quarter of them. Further output is read and dropped, because an engine whose stream is full can block and fail to kill
the container.
"""

LAST_WORDS = 2000

RESTART_SECONDS = 20.0
"""Seconds that a restart of the engine may take. This is less than the deadline for the start of a worker, because the
error of that deadline is less helpful.
"""

LAST_MOMENT = 1.0
"""Seconds within which an engine notices that a container has ended."""

CONFLICT = 409
"""HTTP status of the engine's answer if the state of a container does not allow the request."""

LATE, MOMENT = ("is already paused", "is not paused"), 0.005
"""Parts of an engine's error message if the engine does not know the last change of a container yet, and seconds until
the next try.

Docker learns of a change from an event that arrives after Docker's answer. If two changes follow each other quickly,
the event of the first change overwrites the recorded state of the second, until the second event arrives. This happened
in 9 of 1,300 rounds with Docker 20.10; each time, the state was correct a moment later. Such an error never counts as
success, because the container may be running.
"""

UNSTOPPABLE, FREEZES = "unable to freeze", 3
"""Part of runc's message if processes did not stop within a second (cgroups of version 1), and the number of tries."""


class ContainerWorker:
    """A worker in a container. It is started, written to, read from and removed by threads."""

    def __init__(self, engine: Any, folder: WorkerFolder, options: dict[str, Any], reapers: ThreadPoolExecutor) -> None:
        self._engine = engine
        self._folder = folder
        self._reapers = reapers
        self._output: queue.Queue[bytes] = queue.Queue(UNREAD_FRAMES)
        self._errors = b""
        self.is_stopped = False
        self._is_frozen = False
        self._ended = threading.Event()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writer")
        self._started = self._writer.submit(self._start, options)

    @property
    def files(self) -> ArrayFiles:
        """The array files in the worker's folder."""
        return self._folder.files

    def send(self, data: bytes) -> None:
        """Queue data for the worker's input. A thread writes it as soon as the worker has started."""
        if not self.is_stopped:
            self._writer.submit(self._write, data)

    def receive(self, timeout: float) -> bytes:
        """Return some bytes of the worker's output, or b"" after the output has ended. Raises TimeoutError after
        `timeout` seconds.
        """
        end = time.monotonic() + timeout
        self._started.result(timeout)
        try:
            return self._output.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None

    def freeze(self) -> None:
        """Stop all processes in the container until `thaw` is called, with the freezer of the OS kernel.

        Some processes can resist the freezer. The container is killed in that case.
        """
        if self._is_frozen:
            return
        for _ in range(FREEZES):
            try:
                self._ask(self._engine.pause)
            except WorkerError as error:
                if UNSTOPPABLE not in str(error):
                    raise
            else:
                self._is_frozen = True
                return
        self._ask(self._engine.kill)

    def thaw(self) -> None:
        """Let the frozen container continue."""
        if self._is_frozen:
            self._is_frozen = False
            self._ask(self._engine.unpause)

    def _ask(self, change: Callable[[str], None]) -> None:
        """Make the engine change the container. Does nothing if the container has ended, because `receive` reports
        that.
        """
        end = time.monotonic() + LAST_MOMENT
        with suppress(NotFound), engine_trouble():
            while not self._has_changed(change, end):
                time.sleep(MOMENT)

    def _has_changed(self, change: Callable[[str], None], end: float) -> bool:
        """True if the engine has made the change, or if the container has ended. False if the engine must be asked
        again before `end`.
        """
        try:
            change(self._started.result())
        except APIError as error:
            is_late = any(words in str(error.explanation) for words in LATE)
            if is_late and not self._ended.is_set() and time.monotonic() < end:
                return False
            if (is_late or error.status_code != CONFLICT) and not self._ended.wait(LAST_MOMENT):
                raise
        return True

    def let_go(self) -> None:
        """No-op, because `stop` does not wait anyway."""

    def stop(self) -> None:
        """Make a thread remove the container and the folder. Does not wait for it."""
        if not self.is_stopped:
            with uninterrupted():
                self.is_stopped = True
                self._reapers.submit(self._remove)

    def last_words(self) -> str:
        """Return the end of the worker's error stream."""
        return self._errors.decode("utf-8", errors="replace").strip()

    def has_ended(self) -> bool:
        """True if the worker's output has ended, or if the container could not start."""
        return self._ended.is_set() or (self._started.done() and self._started.exception() is not None)

    def ran_out_of_memory(self) -> bool:
        """True if the OS kernel killed the container because of a lack of memory. Raises WorkerError if the engine does
        not answer or if the container was removed.
        """
        end = time.monotonic() + LAST_MOMENT
        while True:
            try:
                with engine_trouble():
                    state: dict[str, Any] = self._engine.inspect_container(self._started.result())["State"]
            except NotFound:
                raise WorkerError("another program removed the worker's container.") from None
            if not state["Running"] or time.monotonic() > end:  # the stream can end before the engine knows the reason
                return bool(state["OOMKilled"])
            time.sleep(0.02)

    def _start(self, options: dict[str, Any]) -> str:
        """Create and start the container, and return its ID. If the engine is restarting, wait for it."""
        end = time.monotonic() + RESTART_SECONDS
        while True:
            try:
                return self._create(options)
            except NotFound as error:
                raise WorkerError(f"the engine has lost the image, or the container: {error.explanation}") from error
            except NoEngineError:
                if self.is_stopped or time.monotonic() > end:
                    raise
            time.sleep(0.5)

    def _create(self, options: dict[str, Any]) -> str:
        with engine_trouble():
            container: str = self._engine.create_container(**options)["Id"]
            try:
                self._stream = self._engine.attach_socket(
                    container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
                )
                os.set_blocking(self._stream.fileno(), True)
                threading.Thread(target=self._read, name="reader", daemon=True).start()
                self._engine.start(container)
            except BaseException:
                remove(self._engine, container)
                raise
        return container

    def _write(self, data: bytes) -> None:
        if self._started.exception() is None:
            with suppress(OSError):  # the container has ended; `receive` reports that
                while data:
                    data = data[os.write(self._stream.fileno(), data) :]

    def _read(self) -> None:
        with suppress(OSError):
            for kind, data in frames_iter(self._stream, tty=False):
                if kind == STDOUT:
                    with suppress(queue.Full):
                        self._output.put_nowait(data)
                else:
                    self._errors = (self._errors + data)[-LAST_WORDS:]
        self._ended.set()
        with suppress(queue.Full):
            self._output.put_nowait(b"")

    def _remove(self) -> None:
        """Remove the container and the folder. If the container cannot be removed, a later sweep finds it by its label,
        because its folder no longer exists.
        """
        with suppress(WorkerError, DeviceError, NotFound), engine_trouble():
            remove(self._engine, self._started.result())
        self._writer.shutdown(wait=False)
        self._folder.remove()
