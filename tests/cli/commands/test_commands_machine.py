"""machine.py: the output of `devices`, `calibrate` and `doctor`, also on a machine that lacks something."""

import re
import shutil
import time

import pytest
from commandline import MODEL, complaint, grader, output_of
from project import ASSIGNMENTS
from samples import profile_of

from grader.cli.commands.machine import echo_wrapped
from grader.grading.settings import load_settings
from grader.grading.timing.device_profile import DeviceProfile, save_profile


def test_devices_are_listed_by_the_number_that_device_takes(tmp_path):
    """`grader devices` prints the number, the name and the kind of each device on a line."""
    lines = output_of(tmp_path, "devices").splitlines()
    for number, line in enumerate(lines):
        assert re.fullmatch(rf"{number}  \S.* \((cpu|gpu|accelerator|other), .+, OpenCL .+\)", line)
    assert lines


def test_devices_are_listed_also_when_the_chosen_one_is_not_there(tmp_path):
    """`grader devices` works even if the settings select a missing device, because it shows the valid numbers."""
    assert output_of(tmp_path, "devices", GRADER_DEVICE="99").startswith("0  ")


@pytest.mark.whole
@pytest.mark.timed
def test_calibrate_shows_what_it_measured_and_where_it_is_kept(tmp_path, locks):
    """`grader calibrate` prints rates with their intervals within the terminal's width, and then the path of the
    profile.

    The profile is the only file in its folder.
    """
    start = time.monotonic()
    lines = output_of(tmp_path, "calibrate", GRADER_LOCKS=str(locks)).splitlines()
    assert time.monotonic() - start < 60  # usually 20 s, if no other process uses the device
    assert max(map(len, lines[:-1])) <= 80
    for what, unit in {"copy": "GB/s", "fp32": "GFLOPS", "local memory": "GB/s", "an empty kernel": "s"}.items():
        (row, *_) = [line for line in lines if line.startswith(what)]
        assert re.search(rf" [\d.,]+ \S*{unit} +[\d.,]+ \S*{unit} to [\d.,]+ \S*{unit}", row), row
    (path,) = (tmp_path / "profiles").iterdir()
    assert lines[-1] == str(path)
    profile = DeviceProfile.model_validate_json(path.read_bytes())
    assert output_of(tmp_path, "devices").startswith(f"0  {profile.device.name}  ")
    words = " ".join(output_of(tmp_path, "doctor").split())
    assert f"ok device profile: {path.name}, {profile.measured} ok" in words


@pytest.mark.whole
def test_a_stale_profile_is_no_ground_to_grade_on(tmp_path):
    """A stale profile leads to exit code 3 and a line with both driver versions and the fix. `grader doctor` reports
    it, too.
    """
    with load_settings({}).open_environment("process") as environment, environment.worker() as worker:
        device = worker.ready()
    save_profile(profile_of(device.model_copy(update={"driver": "0.1"})), tmp_path / "profiles")
    shutil.copy(MODEL, tmp_path / "kernels.cl")
    line = complaint(grader(tmp_path, "grade", "kernels.cl", "--assignment", "coalsTransp"), code=3)
    assert f"was measured with driver 0.1, but {device.name} now has driver {device.driver}" in line
    assert "run `grader calibrate`" in line
    done = grader(tmp_path, "doctor")
    assert done.returncode == 3
    assert "needs  device profile: " in done.stdout


def test_doctor_finds_this_machine_in_order(tmp_path):
    """`grader doctor` returns exit code 0 on this machine, finds every assignment in order, and suggests no fix."""
    text = output_of(tmp_path, "doctor")
    assert "needs" not in text
    for name in ASSIGNMENTS:
        assert f"ok     {name}: " in text


@pytest.mark.whole
def test_doctor_says_what_to_do_without_opencl(tmp_path):
    """Without OpenCL, `grader doctor` returns exit code 3 and prints the fix below each finding that has one."""
    done = grader(tmp_path, "doctor", OCL_ICD_VENDORS=str(tmp_path / "none.icd"))
    assert (done.returncode, done.stderr) == (3, "")
    words = " ".join(done.stdout.split())
    assert "needs device: there is no OpenCL device 0: no OpenCL driver is installed" in words
    assert words.count("bin/grader setup") >= 1


def test_a_line_of_the_setup_fits_the_terminal(monkeypatch, capsys):
    """A long line of `grader setup` is wrapped, and its continuation is indented. A word is never broken."""
    monkeypatch.setenv("COLUMNS", "40")
    echo_wrapped("missing: the OpenCL driver PoCL, unpacked into /home/me/.local/share/grader/a-long-name")
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "missing: the OpenCL driver PoCL,"
    assert others == ["         unpacked into", "         /home/me/.local/share/grader/a-long-name"]
