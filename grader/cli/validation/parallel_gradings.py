"""Grades the kernels of a validation in child processes, each with a separate environment."""

import atexit
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic

from grader.authoring.extent import Extent, Grade, Kernel, Outcome
from grader.batch.workforce.local import station_processes
from grader.common.phrases import count
from grader.course.assignment import Assignment
from grader.grading.grading_environment import GradingEnvironment
from grader.grading.progress import Progress, quietly
from grader.grading.settings import load_settings


@dataclass(frozen=True, kw_only=True)
class GradingCall(Generic[Kernel, Outcome]):
    """A call that grades a kernel in another process."""

    settings_json: str
    grade: Grade[Kernel, Outcome]
    kernel: Kernel
    assignment: Assignment
    extent: Extent


class ParallelGradings:
    """Grades kernels in `jobs` processes, which start when they are first needed."""

    def __init__(self, settings_json: str, jobs: int) -> None:
        self._settings_json = settings_json
        self._processes = station_processes(jobs)

    def each(
        self,
        grade: Grade[Kernel, Outcome],
        kernels: Sequence[tuple[Kernel, Assignment]],
        extent: Extent,
        progress: Progress,
    ) -> Iterator[Outcome]:
        """Grade each of these kernels for its assignment, and yield the outcomes in the same order. Raises the
        GraderError of a grading.
        """
        calls = [
            GradingCall(
                settings_json=self._settings_json, grade=grade, kernel=kernel, assignment=assignment, extent=extent
            )
            for kernel, assignment in kernels
        ]
        futures: list[Future[Any]] = [self._processes.submit(_answer, call) for call in calls]
        try:
            for number, future in enumerate(futures):
                progress(f"grading: {number} of {count(len(futures), 'kernel')} done")
                yield future.result()
        finally:
            for future in futures:  # after an error, no further grading is needed
                future.cancel()

    def close(self) -> None:
        """Stop all processes."""
        self._processes.close()


def _answer(call: GradingCall[Kernel, Outcome]) -> Outcome:
    """Grade a kernel in this process."""
    return call.grade(call.kernel, call.assignment, _environment(call.settings_json), quietly, call.extent)


@cache
def _environment(settings_json: str) -> GradingEnvironment:
    """Return the environment of this process. It is closed when the process ends."""
    settings = load_settings(json.loads(settings_json))
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(settings.open_batch(settings.sandbox_for_ours()))
