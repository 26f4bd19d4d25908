"""journal.py: a line for the operator goes to the journal, and never among the answers of the process."""

from grader.service.station.storage.journal import say


def test_a_line_goes_to_standard_error_at_once(capfd):
    """The line is complete on standard error when `say` returns, and standard output stays empty."""
    say("grading on 2 workers")
    assert capfd.readouterr() == ("", "grading on 2 workers\n")
