"""golden.py: the syntax of expected.yaml."""

import pytest

from grader.authoring.golden import corpus
from grader.common.errors import InputError
from grader.course.suite import Suite


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "fails: Field required; add it"),
        ("fails: {tall: SLOW}", "fails.tall: 'SLOW' is not a possible value; write "),
        (
            "fails: {memory: {coalesced accesses: SLOW}}",
            "fails.memory.coalesced accesses: 'SLOW' is not a possible value; write ",
        ),
        ("fails: {}\nfindings: none", "findings: unknown key; did you mean finding?"),
        ("fails: {}\ncause: {line: 3}", "cause.reason: Field required"),
    ],
)
def test_a_malformed_file_is_one_line_with_path_and_field(golden, tmp_path, text, said):
    """The error about an invalid expected.yaml is one line with the path of the file and the name of the field."""
    with pytest.raises(InputError) as caught:
        golden(text)
    assert str(caught.value).startswith(f"{tmp_path / 'some' / 'expected.yaml'}: {said}")
    assert "\n" not in str(caught.value)


def test_a_corpus_is_every_folder_with_a_submission_or_an_expectation(golden, tmp_path):
    """A corpus consists of the subfolders, sorted by name. A subfolder without expected.yaml is an error, and a folder
    that does not exist is an empty corpus.
    """
    for name in ("b", "a"):
        golden("fails: {}", name)
    assert [each.name for each in corpus(tmp_path)] == ["a", "b"]
    assert corpus(tmp_path / "nowhere") == ()
    (tmp_path / "b" / "expected.yaml").unlink()
    with pytest.raises(InputError, match=r"b/expected\.yaml: cannot be read"):
        corpus(tmp_path)


def test_a_submission_for_a_suite_names_the_part_that_it_is_about(golden, transposition):
    """A golden submission for a suite names one part and is graded only for that part. For other assignments, naming a
    part is an error.
    """
    parts = tuple(transposition.model_copy(update={"part": name}) for name in ("first", "second"))
    suite = Suite.model_construct(name="both", parts=parts)
    about_second = golden("fails: {}\npart: second")
    assert about_second.subject(suite) is parts[1]
    with pytest.raises(InputError, match=r"expected\.yaml: part: is for suites: leave it out"):
        about_second.subject(transposition)
    for name, text in {"none": "fails: {}", "other": "fails: {}\npart: third"}.items():
        with pytest.raises(InputError, match="part: must be first or second"):
            golden(text, name).subject(suite)
    assert golden("fails: {}", "plain").subject(transposition) is transposition
