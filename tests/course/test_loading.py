"""loading.py: a YAML file becomes a record, and each error in it is reported in one line."""

from typing import Annotated

import pytest
from pydantic import Discriminator, Field, Tag

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.loading import checked, read_fields


class Inner(Record):
    """A mapping within a record."""

    sizes: tuple[str, ...] = ()


class Other(Record):
    """An alternative to `Inner`, with a field of a similar name."""

    size: int = 0


Step = Annotated[
    Annotated[Inner, Tag("inner step")] | Annotated[Other, Tag("other step")],
    Discriminator(lambda fields: "other step" if "size" in fields else "inner step"),
]


class Small(Record):
    """A record for tests."""

    name: str
    number: int = 0
    share: float = 0.0
    steps: tuple[Step, ...] = ()
    by_name: dict[str, Inner] = Field(default={})
    either: tuple[str | int, ...] = ()


def read(path, text):
    """Write this text to the file, and return the record that is read from it."""
    path.write_text(text)
    return checked(str(path), Small, read_fields(path, "`name:`"))


def test_a_file_becomes_a_record(tmp_path):
    """A file is read into a record, with defaults for missing fields."""
    assert read(tmp_path / "a.yaml", "name: one") == Small(name="one")


def test_what_looks_like_a_date_is_text(tmp_path):
    """A date is read as a string, because a title may look like a date, even like an invalid one."""
    assert read(tmp_path / "a.yaml", "name: 2001-01-01") == Small(name="2001-01-01")
    assert read(tmp_path / "b.yaml", "name: !!timestamp x") == Small(name="x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: [", "is not YAML: line 1, column 8: "),
        ("name: !!bool x", "is not YAML: "),
        ("name: !!int ''", "is not YAML: "),
        ("a: 1\nname: " + "[" * 60 + "]" * 60, "line 2: nest at most 50 lists and mappings in each other."),
        ("a: &a {x: 1}\nb: {<<: [*a, *a]}", "line 2: replace `<<` by the fields that it refers to."),
        ("- name", "must contain fields such as `name:`, but contains list."),
        ("", "is empty; write fields such as `name:`."),
        ("number: 1", "name: Field required; add it."),
        ("name: one\nnumber: many", "number: `many` is not a whole number."),
        ("name: one\nnumber: 1.5", "number: `1.5` is not a whole number."),
        ("name: one\nshare: half", "share: `half` is not a number."),
        (
            "name: one\neither: [one, 4.5]",
            "either.1: must be text; write it in quotation marks. Or: `4.5` is not a whole number.",
        ),
        ("nme: one", "nme: unknown key; did you mean name?"),
    ],
)
def test_what_is_wrong_is_one_line_that_begins_with_the_path(tmp_path, text, said):
    """Each error is one line that starts with the path.

    An unknown field is reported first, because it is often a misspelt one.
    """
    path = tmp_path / "a.yaml"
    with pytest.raises(InputError) as caught:
        read(path, text)
    assert str(caught.value).startswith(f"{path}: {said}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: one\nnumber: many", ", line 2: number: `many` is not a whole number."),
        ("name: one\n\neither:\n  - one\n  - 4.5", ", line 5: either.1: must be text"),
        ("name: one\nnme: two", ", line 2: nme: unknown key; did you mean name?"),
        ("number: 1", ": name: Field required; add it."),
    ],
)
def test_the_line_of_a_wrong_field_is_named(tmp_path, text, said):
    """If the file is given, the error contains the line of the wrong field. For a missing field, it contains
    no line.
    """
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        checked(str(path), Small, read_fields(path, "`name:`"), path)
    assert str(caught.value).startswith(f"{path}{said}")


NAME, MORE = "unknown key; did you mean name?", ". Other wrong values: number."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: one\nby_name: {sizes: {sise: 1}}", ", line 2: by_name.sizes.sise: unknown key; did you mean sizes?"),
        ("name: one\nsteps: [{sise: 1}]", ", line 2: steps.0.sise: unknown key; did you mean sizes?"),
        ("name: one\nsteps: [{size: 1, sizes: []}]", ", line 2: steps.0.sizes: unknown key; did you mean size?"),
        ("name: one\nxyz: 1", ", line 2: xyz: unknown key; remove it, or correct its spelling."),
        (
            "nme: one\nnumber: many\nshar: 1\nsteps:\n- {x: 1}",
            f", line 1: nme: {NAME} Other unknown keys: shar (line 3; did you mean share?), steps.0.x (line 5){MORE}",
        ),
    ],
)
def test_all_unknown_keys_are_listed_with_similar_ones(tmp_path, text, said):
    """Unknown keys in records, lists, mappings and alternatives are listed with their lines and the most similar key of
    the place, so that an author corrects all of them at once.
    """
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        checked(str(path), Small, read_fields(path, "`name:`"), path)
    assert str(caught.value) == f"{path}{said}"


def test_a_file_that_is_not_there_is_named(tmp_path):
    """The error for a missing file contains its path and the reason."""
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read: "):
        read_fields(tmp_path / "none.yaml", "`name:`")
