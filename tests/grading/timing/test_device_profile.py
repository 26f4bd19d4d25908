"""device_profile.py: device profiles are saved and loaded, and a profile that is out of date is refused."""

import pytest
from project import ROOT
from samples import DEVICE, ROOFS, profile_of

from grader.common.errors import DeviceError
from grader.grading.timing.device_profile import DeviceProfile, file_name, load_profile, save_profile

GPU = DEVICE.model_copy(update={"name": "NVIDIA H200", "type": "gpu", "driver": "580.159.03"})


def refusal(folder, device):
    with pytest.raises(DeviceError) as caught:
        load_profile(folder, device, "process")
    message = str(caught.value)
    assert "\n" not in message
    assert "run `grader calibrate` again in this sandbox" in message
    return message


def test_a_profile_comes_back_as_it_was_saved(tmp_path):
    """A profile is loaded exactly as it was saved. Its folder is created, and its file is named after the device and
    the sandbox.
    """
    profile = profile_of(GPU)
    path = save_profile(profile, tmp_path / "grader" / "devices")
    assert path == tmp_path / "grader" / "devices" / "nvidia-h200-process.json"
    assert load_profile(path.parent, GPU, "process") == profile
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_profile_belongs_to_a_device_in_a_sandbox(tmp_path):
    """A profile belongs to one device in one sandbox, because a container may have a different driver. If there is no
    profile, None is returned.
    """
    save_profile(profile_of(GPU), tmp_path)
    assert load_profile(tmp_path, GPU, "docker") is None
    assert load_profile(tmp_path, DEVICE, "process") is None
    assert load_profile(tmp_path / "none", GPU, "process") is None


def test_a_profile_of_another_driver_is_refused_by_both_names(tmp_path):
    """A profile of a different driver version is refused, because an update may change every figure. The message gives
    both versions.
    """
    save_profile(profile_of(GPU), tmp_path)
    message = refusal(tmp_path, GPU.model_copy(update={"driver": "590.1"}))
    assert "was measured with driver 580.159.03, but NVIDIA H200 now has driver 590.1" in message
    assert str(tmp_path / "nvidia-h200-process.json") in message


@pytest.mark.parametrize("changes", [{"name": "nvidia H200"}, {"platform": "Other"}, {"compute_units": 66}])
def test_a_profile_of_another_device_under_the_same_name_is_refused(tmp_path, changes):
    """A profile of another device with the same file name is refused. For example, a part of a GPU has the name of the
    whole GPU. The message also gives both driver versions.
    """
    save_profile(profile_of(GPU), tmp_path)
    message = refusal(tmp_path, GPU.model_copy(update={**changes, "driver": "590.1"}))
    assert "belongs to NVIDIA H200 (Test, driver 580.159.03, 2 compute units), not to" in message
    assert "driver 590.1" in message


def test_what_differs_without_a_change_of_speed_is_no_other_device(tmp_path):
    """The index and the bus address of a device, and the current clock rate of a CPU, may differ from the profile."""
    save_profile(profile_of(GPU), tmp_path)
    same = GPU.model_copy(update={"index": 3, "bus": "0000:2a:00", "clock": 1234})
    assert load_profile(tmp_path, same, "process") is not None


@pytest.mark.parametrize("content", ["", "{}", "[1", profile_of(GPU).model_dump_json().replace("device/1", "device/0")])
def test_a_file_that_is_no_profile_is_refused(tmp_path, content):
    """A file that is not a complete profile is refused, because a grading must not depend on unknown figures."""
    (tmp_path / "nvidia-h200-process.json").write_text(content)
    assert "cannot be read: it is not a profile of this version of grader" in refusal(tmp_path, GPU)


def test_a_file_that_cannot_be_opened_is_refused(tmp_path):
    """A file that cannot be opened is refused. Here, it is a folder."""
    (tmp_path / "nvidia-h200-process.json").mkdir()
    assert "Is a directory" in refusal(tmp_path, GPU)


def test_a_files_name_is_short_and_plain_whatever_the_device_is_called():
    """The file name is short and contains only plain characters, although drivers put brackets, slashes and clock rates
    into the names of devices.
    """
    device = DEVICE.model_copy(update={"name": "../pthread-Intel(R) Xeon(R) @ 2.10GHz/" + 300 * "x"})
    name = file_name(device, "process")
    assert name.startswith("pthread-intel-r-xeon-r-2-10ghz-x")
    assert len(name) < 120


def test_the_roofs_are_those_of_the_profile_with_its_name_and_date():
    """The roofs are the figures of the profile, together with its file name and its date. They contain no path, because
    results are sent to other machines.
    """
    assert profile_of(DEVICE).roofs == ROOFS
    assert isinstance(profile_of(DEVICE), DeviceProfile)
    assert str(ROOT) not in profile_of(DEVICE).model_dump_json()
