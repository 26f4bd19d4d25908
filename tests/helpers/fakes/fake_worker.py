"""A fake worker for the cases of coalsTransp. The test chooses its results."""

from collections import Counter

import numpy as np
from samples import DEVICE

from grader.execution.outcome import Fetched, TimedOut
from grader.execution.plan import Binding
from grader.protocol.messages import Opened

BINDINGS = {"coalsTransp": Binding(name="coalsTransp", takes_local=False)}


class FakeWorker:
    """A worker whose first launch of a case returns `make` of the inputs, and whose repetitions return `again` of them.
    It counts the launches of each case.
    """

    def __init__(self, make, again=None, kind="cpu"):
        self.make = make
        self.kind = kind
        self.again = again or make
        self.launches = Counter()

    @property
    def session(self):
        return self

    def ready(self):
        return DEVICE.model_copy(update={"type": self.kind})

    def open(self, plan):
        self.plan = plan
        return Opened(kernels=())

    def close(self):
        pass

    def run(self, name, arrays):
        self.launches[name] += 1
        act = self.make if self.launches[name] == 1 else self.again
        return act if isinstance(act, TimedOut) else fetched(self.plan, name, arrays, act)

    @property
    def repeated(self):
        return [launches - 1 for launches in self.launches.values() if launches > 1]


def fetched(plan, case, arrays, make):
    """Return buffers with intact guard bands, in which the output is `make` of the inputs."""
    inputs = {name.removesuffix(f" of {case}"): array for name, array in arrays.items()}
    contents = {f"A of {case}": inputs["A"], f"B of {case}": make(inputs)}
    buffers = {}
    for spec in plan.buffers:
        if spec.name in contents:
            band = np.full(spec.guard // 4, spec.poison, dtype=np.uint32)
            payload = np.ascontiguousarray(contents[spec.name], dtype=np.float32).reshape(-1).view(np.uint32)
            buffers[spec.name] = Fetched(before=band, payload=payload, after=band, poison=spec.poison)
    return buffers
