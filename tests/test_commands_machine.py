"""commands/machine.py: what the command line says of this machine, and of one that lacks something."""

import re

from commandline import grader, output_of
from conftest import ASSIGNMENTS


def test_devices_are_listed_by_the_number_that_device_takes(tmp_path):
    """Number, name and kind, one device a line."""
    lines = output_of(tmp_path, "devices").splitlines()
    for number, line in enumerate(lines):
        assert re.fullmatch(rf"{number}  \S.* \((cpu|gpu|accelerator|other), .+, OpenCL .+\)", line)
    assert lines


def test_devices_are_listed_also_when_the_chosen_one_is_not_there(tmp_path):
    """Whoever set a wrong number looks here for the right one."""
    assert output_of(tmp_path, "devices", GRADER_DEVICE="99").startswith("0  ")


def test_doctor_finds_this_machine_in_order(tmp_path):
    """Exit code 0, and nothing that needs anything."""
    text = output_of(tmp_path, "doctor")
    assert "needs" not in text
    for name in ASSIGNMENTS:
        assert f"ok     {name}: " in text


def test_doctor_says_what_to_do_without_opencl(tmp_path):
    """Exit code 3, with a remedy under each finding that has one."""
    done = grader(tmp_path, "doctor", OCL_ICD_VENDORS=str(tmp_path / "none.icd"))
    assert (done.returncode, done.stderr) == (3, "")
    words = " ".join(done.stdout.split())
    assert "needs device: there is no OpenCL device 0: none is installed" in words
    assert "install an OpenCL driver" in words
