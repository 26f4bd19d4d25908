"""message.py: a message is refused with the reason if one of its claims is wrong."""

import pytest
from lti_platforms import (
    AGS,
    CLAIM,
    CLIENT,
    registered,
)
from services import visible

NOT_FOR_US = (
    ({"iss": "https://evil.example"}, "another issuer"),
    ({"aud": "another"}, "audience"),
    ({"aud": [CLIENT, "another"]}, "authorized party"),
    ({"azp": "another"}, "authorized party"),
    ({"nonce": "another"}, "another sign-in"),
    ({f"{CLAIM}deployment_id": "8"}, "deployment that this service does not know: 8"),
    ({f"{CLAIM}version": "1.1"}, "needs LTI 1.3"),
    ({f"{CLAIM}message_type": "LtiStartProctoring"}, "does not support"),
    ({f"{CLAIM}resource_link": None}, "incomplete"),
    ({f"{CLAIM}context": None}, "which course you come from"),
    ({f"{CLAIM}roles": ["http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"]}, "enrol you"),
    ({"sub": ""}, "who you are"),
    ({"iat": None}, "when it was made"),
    ({"exp": float("nan")}, "when it was made"),
    ({"email": ["ada"]}, "no valid email"),
)
"""Claims of a message that must be refused, with words of the reason."""


def test_a_message_that_is_not_for_us_signs_nobody_in(service, platform):
    """A message is refused with the reason if one of its claims is wrong."""
    registered(service, platform)
    client = service.browser()
    for platform.claims, words in NOT_FOR_US:
        said = platform.launch(service, client)
        assert (platform.claims, said.status_code, words in visible(said)) == (platform.claims, 409, True)
        assert client.get("/").status_code == 303


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"azp": ["x"]}, "authorized party"),
        ({"exp": float("nan")}, "does not state when"),
        ({"exp": 10**400}, "does not state when"),
        ({"iat": 10**400}, "does not state when"),
        ({f"{CLAIM}deployment_id": "\x00"}, "no valid deployment"),
        ({AGS: {"lineitems": "\x00"}}, "claim/endpoint.lineitems"),
    ],
)
def test_claims_that_no_platform_sends_are_refused(service, platform, claims, words):
    """Values of another type, of another size or with a character that no database stores are refused in words."""
    said = platform.launch(service, service.browser(), **claims)
    assert said.status_code == 409
    assert words in said.text
