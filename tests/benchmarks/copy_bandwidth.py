"""Compare the copy bandwidth that `grader calibrate` measures with the bandwidth that PyTorch or CuPy reaches.

    python tests/benchmarks/copy_bandwidth.py [--device N] [--other PYTHON] [--rounds N]

The other library copies the same number of bytes on the same GPU, timed by CUDA events. It runs in a process of PYTHON
(by default python3 from PATH), which does not need to be grader's Python. The two measure alternately. The goal is a
difference of at most 2 %.
"""

import argparse
import json
import shutil
import subprocess
import sys
from statistics import median
from typing import Any

from grader.grading.device_lock import exclusive
from grader.grading.settings import load_settings
from grader.grading.timing.calibration import COPY_BYTES, SECONDS, WARM_UP_SECONDS, calibrate

GOAL = 0.02

OTHER = f"""
import json, sys, time

SIZE, WARM_UP, SECONDS = {COPY_BYTES["gpu"]}, {WARM_UP_SECONDS}, {SECONDS}
bus = sys.argv[1]


def chosen(count, place):
    return 0 if count == 1 else [place(number) for number in range(count)].index(bus)


def with_torch():
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch finds no GPU")

    def place(number):
        found = torch.cuda.get_device_properties(number)
        return f"{{found.pci_domain_id:04x}}:{{found.pci_bus_id:02x}}:{{found.pci_device_id:02x}}"

    torch.cuda.set_device(chosen(torch.cuda.device_count(), place))
    source = torch.randint(-(2**31), 2**31 - 1, (SIZE // 4,), dtype=torch.int32, device="cuda")
    target = torch.empty_like(source)

    def once():
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e-3

    return f"torch {{torch.__version__}}", once


def with_cupy():
    import cupy

    cuda = cupy.cuda

    def place(number):
        return cuda.Device(number).pci_bus_id.lower().partition(".")[0]

    cuda.Device(chosen(cuda.runtime.getDeviceCount(), place)).use()
    source = cupy.random.randint(0, 2**31 - 1, SIZE // 4, dtype=cupy.int32)
    target = cupy.empty_like(source)

    def once():
        start, end = cuda.Event(), cuda.Event()
        start.record()
        target.data.copy_from_device_async(source.data, SIZE, cuda.get_current_stream())
        end.record()
        end.synchronize()
        return cuda.get_elapsed_time(start, end) * 1e-3

    return f"cupy {{cupy.__version__}}", once


missing = []
for make in (with_torch, with_cupy):
    try:
        name, once = make()
        break
    except ImportError as error:
        missing.append(str(error))
else:
    sys.exit("; ".join(missing))
end, seconds = time.perf_counter() + WARM_UP, []
while time.perf_counter() < end:
    once()
end = time.perf_counter() + SECONDS
while time.perf_counter() < end:
    seconds.append(once())
print(json.dumps({{"name": name, "seconds": sorted(seconds)[len(seconds) // 2]}}))
"""


def main() -> None:
    """Measure alternately with grader and the other library, and print one row per round."""
    args = _arguments()
    settings = load_settings({"device": args.device})
    rows = []
    with settings.open_environment(settings.sandbox_for_ours()) as environment, environment.worker() as worker:
        device = worker.ready()
        if device.bus is None:
            sys.exit(f"{device.name} is no GPU of NVIDIA's, so no independent library can measure its bandwidth.")
        with exclusive(device, environment.locks):
            for number in range(args.rounds):
                other = _measure_with(args.other, device.bus)
                ours = calibrate(worker, environment.sandbox_name, lambda _: None).copy_bandwidth.median
                if number == 0:
                    print(f"{device.name}, driver {device.driver}: copies of {COPY_BYTES['gpu'] / 2**30:g} GiB")
                    print(f"{'calibrate, GB/s':>16}{other['name'] + ', GB/s':>24}{'difference':>14}")
                theirs = 2 * COPY_BYTES["gpu"] / other["seconds"] * 1e-9
                rows.append(ours / theirs - 1)
                print(f"{ours:16.1f}{theirs:24.1f}{100 * rows[-1]:+12.2f} %", flush=True)
    found = median(rows)
    print(f"median difference {100 * found:+.2f} %; the goal is {100 * GOAL:g} %")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--other", default="python3", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def _measure_with(python: str, bus: str) -> dict[str, Any]:
    """Return the measurement of the other library. Exit if the library is missing or fails."""
    found = shutil.which(python)
    if found is None:
        sys.exit(f"there is no {python}. Use --other to select a Python that has PyTorch or CuPy.")
    done = subprocess.run([found, "-c", OTHER, bus], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = done.stderr.strip().rpartition("\n")[2]
        sys.exit(f"{found} cannot measure a copy: {why}. Use --other to select a Python that has PyTorch or CuPy.")
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


if __name__ == "__main__":
    main()
