"""gpu.py: the options of a container for each kind of GPU, and the advice if a GPU is missing."""

import os

import pytest
from docker.types import DeviceRequest

from grader.common.errors import DeviceError, InputError
from grader.execution.sandbox.docker import gpu
from grader.execution.sandbox.docker.gpu import GPUS, Gpu, find_gpu
from grader.execution.sandbox.limits import ContainerRules


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """An empty /dev."""
    monkeypatch.setattr(gpu, "DEV", tmp_path)
    (tmp_path / "dri").mkdir()
    return tmp_path


def nodes(dev, *names):
    for name in names:
        (dev / name).touch()


def group_of(path):
    return path.stat().st_gid


def refusal(kind, wanted):
    with pytest.raises(kind) as caught:
        find_gpu(wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_no_gpu_is_nothing_at_all(dev):
    """By default, containers do not get a GPU, even on a machine with many GPUs."""
    nodes(dev, "nvidia0", "kfd", "dri/renderD128")
    assert find_gpu(ContainerRules().gpu) == Gpu() == Gpu(requests=(), nodes=(), groups=(), icd=None)


@pytest.mark.parametrize(
    ("wanted", "index"), [("nvidia", "0"), ("nvidia:0", "0"), ("nvidia:1", "1"), ("nvidia:10", "10")]
)
def test_nvidias_toolkit_is_asked_for_one_gpu(dev, wanted, index):
    """The toolkit is asked for one GPU by its number and for the capabilities that computing needs. It adds the device
    nodes itself.
    """
    nodes(dev, "nvidia0", "nvidia1", "nvidia10", "nvidiactl")
    found = find_gpu(wanted)
    assert [dict(DeviceRequest(**request)) for request in found.requests] == [
        {
            "Driver": "nvidia",
            "Count": 0,
            "DeviceIDs": [index],
            "Capabilities": [["gpu", "compute", "utility"]],
            "Options": {},
        }
    ]
    assert (found.nodes, found.groups, found.icd) == ((), (), "/etc/OpenCL/vendors/nvidia.icd")


NVIDIAS = ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")


@pytest.mark.parametrize(
    ("wanted", "node"), [("nvidia-nodes", "nvidia0"), ("nvidia-nodes:0", "nvidia0"), ("nvidia-nodes:1", "nvidia1")]
)
def test_without_the_toolkit_nvidias_nodes_are_one_gpu_and_what_all_share(dev, wanted, node):
    """Without the toolkit, the container gets only the nodes of one GPU and those that all GPUs share. The nodes of
    other GPUs and of displays are left out.
    """
    nodes(dev, *NVIDIAS)
    names = (node, "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
    assert find_gpu(wanted) == Gpu(
        nodes=tuple(dev / name for name in names), groups=(group_of(dev / node),), icd="/etc/OpenCL/vendors/nvidia.icd"
    )


def test_nvidias_nodes_for_tools_may_be_missing(dev):
    """Missing nodes for tools are left out, because the engine would refuse the container. Kernels can run without
    them.
    """
    nodes(dev, "nvidia0", "nvidiactl", "nvidia-uvm")
    assert [node.name for node in find_gpu("nvidia-nodes").nodes] == ["nvidia0", "nvidiactl", "nvidia-uvm"]


@pytest.mark.parametrize(("mode", "groups"), [(0o666, 0), (0o660, 1), (0o664, 1)])
def test_a_node_that_everybody_may_open_needs_no_group(dev, mode, groups):
    """A node that all users may open does not add a group. NVIDIA's nodes often belong to root's group, which a
    submission should not get without need.
    """
    nodes(dev, "nvidia0", "nvidiactl", "nvidia-uvm")
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm"):
        (dev / name).chmod(mode)
    assert len(find_gpu("nvidia-nodes").groups) == groups


@pytest.mark.parametrize(("wanted", "node"), [("amd", "renderD128"), ("amd:0", "renderD128"), ("amd:1", "renderD129")])
def test_amds_nodes_are_the_compute_driver_and_one_gpu(dev, wanted, node):
    """For AMD, the container gets the compute driver's node, the node of one GPU, and the groups that may open them."""
    nodes(dev, "kfd", "dri/renderD129", "dri/renderD128", "dri/card0")
    assert find_gpu(wanted) == Gpu(
        nodes=(dev / "kfd", dev / "dri" / node), groups=(group_of(dev / "kfd"),), icd="/etc/OpenCL/vendors/amdocl64.icd"
    )


@pytest.mark.parametrize(("wanted", "node"), [("intel", "renderD128"), ("intel:1", "renderD130")])
def test_intels_node_is_that_of_the_gpu(dev, wanted, node):
    """An index counts the nodes that exist, regardless of gaps in their numbers."""
    nodes(dev, "dri/renderD130", "dri/renderD128")
    node = dev / "dri" / node
    assert find_gpu(wanted) == Gpu(nodes=(node,), groups=(group_of(node),), icd="/etc/OpenCL/vendors/intel.icd")


def test_render_nodes_are_ordered_by_number(dev):
    """Nodes are sorted by number. If they were sorted as text, renderD1000 would come first."""
    nodes(dev, "dri/renderD1000", "dri/renderD128", "dri/renderD99")
    found = [find_gpu(f"intel:{index}").nodes[0].name for index in range(3)]
    assert found == ["renderD99", "renderD128", "renderD1000"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other groups")
def test_every_group_is_named_once_and_by_number(dev):
    """Each group is listed once, by its number. On most systems both nodes belong to `render`, but on some to two
    groups.
    """
    nodes(dev, "kfd", "dri/renderD128")
    for path, group in ((dev / "kfd", 109), (dev / "dri" / "renderD128", 44)):
        os.chown(path, -1, group)
    assert find_gpu("amd").groups == (44, 109)
    os.chown(dev / "kfd", -1, 44)
    assert find_gpu("amd").groups == (44,)


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "cuda",
        "NVIDIA",
        " nvidia",
        "nvidia:x",
        "nvidia:-1",
        "nvidia:+1",
        "nvidia:1:2",
        "nvidia-nodes:x",
        "nvidia-node",
        "nvidia:1 ",
        "nvidia:\u00b2",
        "none:0",
    ],
)
def test_a_word_that_means_no_gpu_is_the_callers_mistake(dev, wanted):
    """An unknown name for a GPU is rejected with a list of all names and an example of an index."""
    nodes(dev, "nvidia0", "nvidia1")
    said = refusal(InputError, wanted)
    assert repr(wanted) in said
    assert all(kind in said for kind in GPUS)
    assert "nvidia:1" in said


@pytest.mark.parametrize(
    ("wanted", "there", "missing", "remedy"),
    [
        ("nvidia", (), "nvidia0", "install NVIDIA's driver"),
        ("nvidia:1", ("nvidia0",), "nvidia1", "install NVIDIA's driver"),
        ("nvidia-nodes", ("nvidiactl", "nvidia-uvm"), "nvidia0", "install NVIDIA's driver"),
        ("nvidia-nodes:2", NVIDIAS, "nvidia2", "install NVIDIA's driver"),
        ("nvidia-nodes", ("nvidia0", "nvidia-uvm"), "nvidiactl", "nvidia-modprobe"),
        ("nvidia-nodes", ("nvidia0", "nvidiactl"), "nvidia-uvm", "nvidia-modprobe"),
        ("amd", ("dri/renderD128",), "kfd", "load the amdgpu driver"),
        ("amd", ("kfd",), "dri has 0, counted from 0", "load the driver"),
        ("amd:1", ("kfd", "dri/renderD128"), "dri has 1, counted from 0", "load the driver"),
        ("intel", ("dri/card0",), "dri has 0, counted from 0", "load the driver"),
        ("intel:2", ("dri/renderD128", "dri/renderD129"), "dri has 2, counted from 0", "load the driver"),
    ],
)
def test_a_gpu_that_is_not_there_is_told_with_what_to_do(dev, wanted, there, missing, remedy):
    """The message tells the user where grader looked, which driver to install, and that --gpu selects another GPU."""
    nodes(dev, *there)
    said = refusal(DeviceError, wanted)
    assert missing in said
    assert str(dev) in said
    assert remedy in said
    assert "--gpu" in said


def test_a_machine_without_graphics_has_no_folder_for_them(dev):
    """If the folder for graphics devices is missing, it counts as empty."""
    (dev / "dri").rmdir()
    assert "there is no GPU 0" in refusal(DeviceError, "intel")


def test_the_folder_is_the_real_one():
    """The folder of devices is /dev, unless a test changes it."""
    assert str(gpu.DEV) == "/dev"
