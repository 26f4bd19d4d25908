"""Pools of workers whose timeouts or sizes a test chooses."""

from grader.common.record import replace
from grader.execution.pool import WorkerPool


def pool_like(workers, **options):
    """Return another pool in the same sandbox. It has started nothing, unless the options expect submissions."""
    return WorkerPool(workers.sandbox, options.pop("device", workers.device), workers.timeouts, **options)


def with_timeouts(environment, **seconds):
    """Return the environment with other timeouts."""
    workers = environment.workers
    pool = WorkerPool(workers.sandbox, workers.device, replace(workers.timeouts, **seconds))
    return replace(environment, workers=pool)
