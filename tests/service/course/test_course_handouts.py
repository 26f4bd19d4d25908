"""handouts.py: a handout becomes markup without active content."""

import re

import pytest
from project import ROOT

from grader.service.course.handouts import render_handout


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("[x](https://khronos.org)", 'href="https://khronos.org"'),
        ("[x](../../docs/reading-your-report.md#a)", 'href="/guide"'),
        ("[x](../other/README.md)", "<a>x</a>"),
        ("[x](#below)", 'href="#below"'),
        ("![words](http://x.example/p.png)", "words"),
        ("| a |\n|---|\n| 1 |\n", "<td>1</td>"),
    ],
)
def test_a_handout_is_markup_in_which_nothing_runs(text, markup):
    """A handout becomes HTML without active content. Links lead to other sites or to the guide, and images are replaced
    by their text.
    """
    assert markup in render_handout(text)
    assert "p.png" not in render_handout(text)


def test_comments_of_a_handout_are_for_whoever_writes_it():
    """Students do not see comments in a handout, such as those that `grader new` writes."""
    assert render_handout("# Title\n\n<!-- Keep the\n\nsections -->\nText <!-- x -->end\n") == render_handout(
        "# Title\n\nText end\n"
    )


def test_the_handout_that_grader_new_writes_keeps_its_headings():
    """When a comment above a heading is removed, the blank line stays, so that the heading is still rendered as one."""
    template = (ROOT / "grader" / "authoring" / "template" / "saxpy" / "assignments" / "README.md").read_text()
    headings = re.findall("^#+ ", template, re.MULTILINE)
    assert len(re.findall("<h[1-6]>", render_handout(template))) == len(headings) > 1
    assert "--&gt;" not in render_handout(template)
