"""text.py: text from students and workers is made safe to show."""

from grader.protocol.text import showable


def test_ordinary_text_is_left_alone():
    """Letters of all languages, emoji, tabs and line ends are not changed."""
    text = "øæå 漢字 🙂\tfloat *a;\nnext"
    assert showable(text) == text


def test_what_moves_cursors_breaks_xml_or_deceives_readers_is_replaced():
    """Escape sequences, null characters, lone surrogates and right-to-left overrides are replaced."""
    assert showable("\x1b[2J\x00\x9b\ud83d\u202e\ufffe\r") == "\ufffd[2J" + "\ufffd" * 6
