"""Pools of workers with timeouts or sizes that a test chooses."""

import dataclasses

from grader.common.record import replace
from grader.execution.pool import WorkerPool


def pool_like(workers, **options):
    """Return another pool with the same sandbox. It starts workers only if the options expect submissions."""
    return WorkerPool(workers.sandbox, options.pop("device", workers.device), workers.timeouts, **options)


def with_timeouts(environment, **seconds):
    """Return the environment with some timeouts changed."""
    workers = environment.workers
    pool = WorkerPool(workers.sandbox, workers.device, replace(workers.timeouts, **seconds))
    return dataclasses.replace(environment, workers=pool)
