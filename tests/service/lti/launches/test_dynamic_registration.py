"""dynamic_registration.py and its page: a platform registers itself with a link from the operator."""

from services import parts, visible

from grader.service.db.tables.lti import LtiPlatformRow
from grader.service.lti.registrations import registration_link

TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"


def test_a_platform_registers_itself_with_a_link_of_the_operator(service, platform):
    """A platform registers itself by a link, which works once. It cannot name an issuer on another server, and cannot
    change a registration that exists.
    """
    made = {"client_id": "client-9", TOOL: {"deployment_id": 5}}
    config = {"issuer": platform.address, "registration_endpoint": f"{platform.address}/reg"}
    config |= {"authorization_endpoint": f"{platform.address}/a", "token_endpoint": f"{platform.address}/t"}
    config["jwks_uri"] = f"{platform.address}/keys"
    platform.answers |= {"/config": lambda *_: (200, {}, config), "/reg": lambda *_: (200, {}, made)}

    def registers():
        with service.database.writing() as session:
            token = registration_link(session, service.now)
        fields = {"openid_configuration": f"{platform.address}/config", "registration_token": "r"}
        client = service.browser()
        assert client.get(f"/lti/register/{token}", params=fields).status_code == 200
        return client, {**fields, "token": token}, client.post("/lti/register", files=parts(**fields, token=token))

    client, fields, said = registers()
    assert said.status_code == 200, visible(said)
    assert client.post("/lti/register", files=parts(**fields)).status_code == 409
    with service.database.reading() as session:
        row = session.query(LtiPlatformRow).filter_by(client_id="client-9").one()
        assert (row.issuer, row.token_url) == (platform.address, f"{platform.address}/t")
    assert "exists already" in visible(registers()[2])
    config["issuer"] = "https://canvas.instructure.com"
    assert "issuer on another server" in visible(registers()[2])
    assert client.get("/lti/register/forged").status_code == 403
