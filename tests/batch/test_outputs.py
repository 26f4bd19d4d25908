"""outputs.py: each file is either written by the latest run or removed, and edited files are kept."""

import pytest

from grader.batch.outputs import LIST, Outputs


def write(folder, **files):
    """Write these files in one run and return its changes."""
    outputs = Outputs(folder)
    for name, text in files.items():
        outputs.write(f"{name}.txt", text)
    return outputs.finish()


def texts(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.txt")}


def test_what_a_run_does_not_write_is_removed(tmp_path):
    """Files that the latest run does not write are removed. Files with unchanged content are not written again."""
    assert write(tmp_path, a="1", b="2").written == ("a.txt", "b.txt")
    changes = write(tmp_path, a="1", c="3")
    assert (changes.written, changes.same, changes.removed) == (("c.txt",), ("a.txt",), ("b.txt",))
    assert texts(tmp_path) == {"a.txt": "1", "c.txt": "3"}
    assert write(tmp_path, a="1", c="3").written == ()


def test_an_edited_file_is_kept_under_another_name(tmp_path):
    """An edited file is renamed before it is replaced or removed, and its new name never overwrites another file."""
    write(tmp_path, a="1", b="2")
    for number, name in ((1, "a.edited.txt"), (2, "a.edited-2.txt")):
        (tmp_path / "a.txt").write_text(f"mine {number}")
        assert write(tmp_path, a="1", b="2").kept == {"a.txt": name}
    (tmp_path / "b.txt").write_text("mine, too")
    changes = write(tmp_path, a="1")
    assert (changes.removed, changes.kept) == ((), {"b.txt": "b.edited.txt"})
    expected = {"a.txt": "1", "a.edited.txt": "mine 1", "a.edited-2.txt": "mine 2", "b.edited.txt": "mine, too"}
    assert texts(tmp_path) == expected


def test_a_strangers_file_is_somebodys_work(tmp_path):
    """A file that existed before the first run is kept under another name."""
    (tmp_path / "a.txt").write_text("a thesis")
    assert write(tmp_path, a="1").kept == {"a.txt": "a.edited.txt"}


@pytest.mark.parametrize("torn", ["", '{"name": "b.t'])
def test_a_run_that_was_cut_short_leaves_no_file_that_looks_edited(tmp_path, torn):
    """Files are listed before they are written, so the files of an aborted run do not look edited.

    The last line of the list may be incomplete.
    """
    write(tmp_path, a="1")
    outputs = Outputs(tmp_path)
    outputs.write("a.txt", "2")
    outputs.write("b.txt", "new")
    with (tmp_path / LIST).open("a") as file:
        file.write(torn)
    changes = write(tmp_path, a="3")
    assert (changes.kept, changes.removed) == ({}, ("b.txt",))
    assert texts(tmp_path) == {"a.txt": "3"}


def test_a_report_is_made_only_if_what_it_is_made_from_has_changed(tmp_path):
    """A report is made only if its source has changed, or if the report is missing or was edited."""
    made = []

    def run(source):
        outputs = Outputs(tmp_path)
        outputs.renew("students/anna/page.txt", source, lambda: made.append(source) or f"page of {source}")
        return outputs.finish()

    page = tmp_path / "students" / "anna" / "page.txt"
    for source in ("one", "one", "two"):
        run(source)
    assert made == ["one", "two"]
    page.write_text("mine")
    assert run("two").kept == {"students/anna/page.txt": "students/anna/page.edited.txt"}
    page.unlink()
    run("two")
    assert made == ["one", "two", "two", "two"]
    assert page.read_text() == "page of two"


def test_a_large_file_is_there_when_it_is_complete(tmp_path):
    """A large file appears only when it is complete. If writing it fails, no partial file is left."""
    outputs = Outputs(tmp_path)
    with outputs.making("a.txt") as path:
        path.write_text("large")
    with pytest.raises(FileNotFoundError), outputs.making("b.txt"):
        (tmp_path / "nothing").read_text()
    assert outputs.finish().written == ("a.txt",)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", LIST]
