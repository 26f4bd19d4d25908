"""clocks.py: reads the clock rates of a GPU with nvidia-smi, if it is installed."""

import pytest
from samples import DEVICE

from grader.grading.timing import clocks
from grader.grading.timing.clocks import Clocks, clocks_now, read_clocks

GPU = DEVICE.model_copy(update={"type": "gpu", "name": "NVIDIA H200", "bus": "0000:1b:00"})


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Return a function that installs a fake nvidia-smi, which prints the given text and records its arguments."""

    def make(text, code=0):
        path = tmp_path / "nvidia-smi"
        path.write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/asked\nprintf '%s\\n' '{text}'\nexit {code}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    return make


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1980, 3201\n", Clocks(processors=1980, memory=3201)),
        ("345, 3201\n", Clocks(processors=345, memory=3201)),
        ("[N/A], [N/A]\n", None),
        ("No devices were found\n", None),
        ("1980, 3201\n1980, 3201\n", None),
        ("", None),
    ],
)
def test_what_nvidia_smi_prints_is_two_numbers_or_nothing(text, found):
    """nvidia-smi prints two numbers, as recorded on a busy and an idle H200. Any other output gives None: a virtual GPU
    has no clock rates, and two lines mean two GPUs.
    """
    assert read_clocks(text) == found


def test_the_gpu_is_asked_for_by_its_place_on_the_bus(tool, tmp_path):
    """The GPU is identified by its bus address, because OpenCL and nvidia-smi may number devices differently."""
    tool("1980, 3201")
    assert clocks_now(GPU) == Clocks(processors=1980, memory=3201)
    assert (tmp_path / "asked").read_text().split()[0] == "--id=0000:1b:00.0"


def test_clocks_that_nobody_tells_are_none(tool, monkeypatch, tmp_path):
    """If the clock rates cannot be read, they are None and no error is raised, because no result depends on them. A CPU
    has no bus address, and nvidia-smi may fail, hang or be missing.
    """
    tool("Unable to determine the device handle for GPU: Unknown Error", code=15)
    assert clocks_now(GPU) is None
    assert clocks_now(DEVICE) is None
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(clocks, "SECONDS", 0.2)
    assert clocks_now(GPU) is None
    monkeypatch.setenv("PATH", "")
    assert clocks_now(GPU) is None
