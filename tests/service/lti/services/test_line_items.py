"""line_items.py: each assignment has a column at the platform, and scores go to its address."""

import pytest
from lti_platforms import AGS

from grader.service.db.tables.lti import LtiLineItemRow
from grader.service.lti.keys import signing_key
from grader.service.lti.platform_client import RejectedError
from grader.service.lti.registrations import endpoints_of, platforms
from grader.service.lti.services.line_items import LINE_ITEM_SCOPE, Column, column_address, under


def test_a_student_cannot_add_a_column_by_an_address(service, platform):
    """In some platforms, a student chooses the address that is launched. Without a column, it adds none."""
    client = service.browser()
    assert platform.launch(service, client).status_code == 303
    with service.database.reading() as session:
        assert session.query(LtiLineItemRow).all() == []
    platform.launch(service, client, **{AGS: {**platform.endpoint, "lineitem": f"{platform.address}/columns/1"}})
    with service.database.reading() as session:
        assert session.query(LtiLineItemRow).one().assignment == "small"


@pytest.mark.parametrize(
    ("address", "scores"),
    [
        ("https://lms.example/columns/1", "https://lms.example/columns/1/scores"),
        ("https://lms.example/columns/1/", "https://lms.example/columns/1/scores"),
        ("https://lms.example/columns/1?type_id=3&b=", "https://lms.example/columns/1/scores?type_id=3&b="),
    ],
)
def test_the_address_of_scores_keeps_the_query_of_its_column(address, scores):
    """Moodle's columns have a query string, which stays at the end of the address of their scores."""
    assert under(address, "scores") == scores
    assert under(address, "results", user_id="a b").endswith("user_id=a+b")


@pytest.fixture
def column(service, platform):
    """Return a function that finds the address of a column with these permissions."""

    def found(scopes, most=15.0):
        with service.database.reading() as session:
            (row,) = platforms(session)
            key = signing_key(session, service.now)
        place = {"url": "", "all_url": f"{platform.address}/columns"}
        wanted = Column(number=1, assignment="small", scopes=frozenset(scopes), most=most, **place)
        return column_address(service.app_state.lti, endpoints_of(row), key, wanted)

    return found


def test_a_column_is_created_once(platform, column):
    """A column that the platform lacks is created with whole points as a whole number, and is found afterwards."""
    made = column({LINE_ITEM_SCOPE})
    assert column({LINE_ITEM_SCOPE}) == made
    ((address, stated),) = platform.columns.items()
    assert (address, stated["resourceId"], str(stated["scoreMaximum"])) == (made, "small", "15")


def test_without_the_permission_a_column_is_found_and_not_created(platform, column):
    """With the permission to read, an existing column is found. A missing one is not created, and the reason says what
    to do at the platform.
    """
    reading = {f"{LINE_ITEM_SCOPE}.readonly"}
    for scopes in (set(), reading):
        with pytest.raises(RejectedError, match="has no column for this assignment"):
            column(scopes)
    made = column({LINE_ITEM_SCOPE}, most=2.5)
    assert column(reading) == made
    assert platform.columns[made]["scoreMaximum"] == 2.5


def test_an_address_behind_the_firewall_is_no_column(platform, column):
    """A platform cannot name an address outside its own services."""
    platform.answers = {"/columns": lambda *_: (200, {}, [{"resourceId": "small", "id": "file:///etc/passwd"}])}
    with pytest.raises(RejectedError, match="did not say where the column is"):
        column({LINE_ITEM_SCOPE})
