"""Golden submissions for tests."""

import pytest

from grader.authoring.golden import read_golden


@pytest.fixture
def golden(tmp_path):
    """Return a function that makes a golden submission from the text of an expected.yaml."""

    def make(text, name="some"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "kernels.cl").write_text("")
        (folder / "expected.yaml").write_text(f"about: It is made up.\n{text}\n")
        return read_golden(folder)

    return make
