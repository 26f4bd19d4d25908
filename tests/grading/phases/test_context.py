"""context.py: if a kernel may have reset a GPU, the grader's own workers are restarted."""

from contextlib import closing
from dataclasses import replace

import pytest
from pools import pool_like
from samples import DEVICE, failed

from grader.execution.pool import PLENTY
from grader.grading.phases import context
from grader.results.verdicts import Reason


@pytest.mark.parametrize(
    ("reason", "on_gpu", "closed"),
    [
        (Reason.CRASH, True, True),
        (Reason.TIME_LIMIT, True, True),
        (Reason.WRONG_OUTPUT, True, False),
        (Reason.CRASH, False, False),
    ],
)
def test_our_data_on_a_gpu_is_made_again_when_the_driver_may_have_reset_it(
    environment, reason, on_gpu, closed, monkeypatch
):
    """If a GPU driver may have reset the device, the grader's own workers are closed before the device is tested. They
    stay alive between gradings, and after a reset every call in them would fail.
    """
    probed = []
    with closing(pool_like(environment.workers, idle_processors=PLENTY)) as workers:
        monkeypatch.setattr(context, "share_a_process", lambda _: not on_gpu)
        monkeypatch.setattr(context, "probe", lambda *_: probed.append(bool(workers._kept)))
        workers.start_own(["reference"])
        context.probe_after([failed("correctness: one", reason)], replace(environment, workers=workers), DEVICE)
        assert (not workers._kept) is closed
    assert probed == ([] if reason is Reason.WRONG_OUTPUT else [not closed])
