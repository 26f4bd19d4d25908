"""deep_linking.py and its page: an instructor chooses assignments, and the platform receives them once."""

from joserfc import jwt
from joserfc.jwk import KeySet
from lti_platforms import (
    CLAIM,
    SELECTION,
    TEACHER,
    registered,
)
from services import parts, visible


def test_an_instructor_chooses_assignments(service, platform):
    """An instructor chooses an assignment, and the platform receives it with its points, signed with a published key.
    The choice works once.
    """
    registered(service, platform)
    client = service.browser()
    settings = {"deep_link_return_url": f"{platform.address}/return", "accept_multiple": False, "data": "opaque"}
    wish = {f"{CLAIM}message_type": "LtiDeepLinkingRequest", f"{CLAIM}resource_link": None, SELECTION: settings}
    assert "Only an instructor" in visible(platform.launch(service, client, **wish))
    shown = platform.launch(service, client, sub="sub-dora", role=TEACHER, **wish)
    assert (shown.status_code, f"frame-ancestors {platform.address}" in shown.headers["content-security-policy"]) == (
        200,
        True,
    )
    token = shown.text.split('name="token" value="')[1].split('"')[0]
    missing = client.post("/lti/deep-linking", files=parts(token=token))
    assert (missing.status_code, 'id="assignment-error">No assignment is chosen' in missing.text) == (422, True)
    said = client.post("/lti/deep-linking", files=parts(token=token, assignment="small"))
    assert f'action="{platform.address}/return"' in said.text
    text = said.text.split('name="JWT" value="')[1].split('"')[0]
    claims = read_by_platform(client, text)
    (item,) = claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"]
    assert (claims["aud"], claims["https://purl.imsglobal.org/spec/lti-dl/claim/data"]) == (platform.address, "opaque")
    assert item["custom"] == {"assignment": "small"}
    assert item["lineItem"]["resourceId"] == "small"
    assert item["lineItem"]["scoreMaximum"] > 0
    assert client.post("/lti/deep-linking", files=parts(token=token, assignment="small")).status_code == 409


def read_by_platform(client, text):
    """Return the claims of a message of the service, verified with its published keys."""
    return jwt.decode(text, KeySet.import_key_set(client.get("/lti/keys").json()), ["RS256"]).claims
