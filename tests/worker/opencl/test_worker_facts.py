"""facts.py: facts about kernels, as students wrote them."""

from types import SimpleNamespace

import pyopencl as cl
import pytest

from grader.worker.opencl.facts import SPACES, _arg

INFO = cl.kernel_arg_info


@pytest.mark.parametrize(("reported", "written"), [("_cl_step", "step"), ("step", "step"), ("my_cl_x", "my_cl_x")])
def test_a_parameter_has_the_name_in_the_source(reported, written):
    """PoCL renames library functions by macros, and so a parameter with such a name. The student's name is reported."""
    answers = {INFO.ADDRESS_QUALIFIER: next(iter(SPACES)), INFO.TYPE_NAME: "float", INFO.NAME: reported}
    kernel = SimpleNamespace(get_arg_info=lambda _, what: answers.get(what))
    assert _arg(kernel, 0).name == written
