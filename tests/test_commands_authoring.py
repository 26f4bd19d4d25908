"""commands/authoring.py: the command line for those who write assignments."""

import json

import pytest
from commandline import output_of


@pytest.mark.parametrize("which", ["result", "assignment"])
def test_schema_is_json_that_describes_the_file(tmp_path, which):
    """The fields of the record, each with its type."""
    schema = json.loads(output_of(tmp_path, "schema", which))
    assert schema["type"] == "object"
    assert "title" in schema["properties"]
