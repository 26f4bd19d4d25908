"""Fields and source of a suite with two kernels, as they would appear in its files."""

from courses import ADDITION, KERNEL

LAUNCH = ADDITION["launches"][0]


PARTS = {
    **{name: value for name, value in ADDITION.items() if name not in {"kernel", "launches"}},
    "parts": [
        {"kernel": "add", "launches": [LAUNCH]},
        {"kernel": "plus", "launches": [{**LAUNCH, "kernel": "plus"}], "correctness": {"points": 3}},
    ],
}


BOTH = KERNEL + KERNEL.replace("add", "plus")
