"""Messages of learning platforms, which are claims of LTI and of OpenID Connect."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from grader.protocol.text import showable
from grader.service.errors import RefusedError
from grader.service.lti.accounts import StatedPerson, role_of
from grader.service.lti.registrations import StatedContext

RESOURCE_LINK, DEEP_LINKING = "LtiResourceLinkRequest", "LtiDeepLinkingRequest"
"""Types of messages: a person opens an activity, or chooses activities."""

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"


class LaunchError(RefusedError):
    """A message of a platform that was refused."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("it has an invisible character, which a database may refuse")
    return text


Identifier = Annotated[str, AfterValidator(_printable)]
"""A text that is stored and compared unchanged, such as an address."""


class _Stated(BaseModel):
    """A part of a message. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class _Link(_Stated):
    id: str = Field(min_length=1, max_length=255)
    title: str | None = None


class _Context(_Stated):
    id: Identifier = Field(min_length=1, max_length=255)
    title: str | None = None
    label: str | None = None


class _LineItems(_Stated):
    scope: tuple[Identifier, ...] = ()
    lineitems: Identifier = ""
    lineitem: Identifier = ""


class _Memberships(_Stated):
    context_memberships_url: Identifier = ""


class _Groups(_Stated):
    context_groups_url: Identifier = ""
    context_group_sets_url: Identifier = ""


class _Records(_Stated):
    person_sourcedid: str | None = None


class SelectionSettings(_Stated):
    """The platform's settings for a choice of assignments."""

    deep_link_return_url: str = Field(max_length=2000)
    accept_types: tuple[str, ...] = ()
    accept_multiple: bool = True
    accept_lineitem: bool = True
    data: str | None = None


ALIASES = {
    "message_type": f"{CLAIM}message_type",
    "version": f"{CLAIM}version",
    "deployment": f"{CLAIM}deployment_id",
    "target": f"{CLAIM}target_link_uri",
    "link": f"{CLAIM}resource_link",
    "context": f"{CLAIM}context",
    "roles": f"{CLAIM}roles",
    "custom": f"{CLAIM}custom",
    "records": f"{CLAIM}lis",
    "line_items": "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint",
    "memberships": "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice",
    "groups": "https://purl.imsglobal.org/spec/lti-gs/claim/groupsservice",
    "selection": "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings",
}
"""The claim of each field of a message. All other fields are claims of OpenID Connect."""


class LaunchMessage(_Stated):
    """A platform's message, after its checks."""

    model_config = ConfigDict(alias_generator=lambda name: ALIASES.get(name, name))

    sub: str
    name: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None
    preferred_username: str | None = None
    message_type: str
    version: str
    deployment: Identifier = Field(min_length=1, max_length=255)
    target: str = ""
    link: _Link | None = None
    context: _Context | None = None
    roles: tuple[str, ...] = ()
    custom: dict[str, Any] = {}
    records: _Records = _Records()
    line_items: _LineItems = _LineItems()
    memberships: _Memberships = _Memberships()
    groups: _Groups = _Groups()
    selection: SelectionSettings | None = None

    @property
    def stated_context(self) -> StatedContext:
        """The course of the platform. Raises LaunchError if the message does not contain a course."""
        if self.context is None:
            raise LaunchError("Your platform did not say which course you come from. Open the activity in a course.")
        return StatedContext(
            deployment=self.deployment,
            context=self.context.id,
            title=showable(self.context.title or self.context.label or self.context.id)[:200],
            memberships_url=self.memberships.context_memberships_url,
            line_items_url=self.line_items.lineitems,
            scopes=self.line_items.scope,
            groups_url=self.groups.context_groups_url,
            group_sets_url=self.groups.context_group_sets_url,
        )

    @property
    def person(self) -> StatedPerson:
        """The person who arrives. Raises LaunchError if their role may not enter."""
        role = role_of(self.roles)
        if role is None:
            raise LaunchError(
                "Your platform did not say that you are a student, an assistant or an instructor of this course. Ask "
                "the instructor to enrol you there."
            )
        parts = filter(None, (self.given_name, self.family_name))
        keys = {"email": self.email, "username": self.preferred_username, "sourcedid": self.records.person_sourcedid}
        return StatedPerson(
            sub=self.sub,
            role=role,
            name=self.name or " ".join(parts),
            keys={name: value or "" for name, value in keys.items()},
        )

    @property
    def assignment(self) -> str:
        """Name of the assignment that the activity opens, or empty if it does not open one."""
        named = self.custom.get("assignment")
        if isinstance(named, str) and named:
            return named
        try:
            _, found, name = urlsplit(self.target).path.partition("/assignments/")
        except ValueError:
            return ""
        return name.partition("/")[0] if found else ""

    @property
    def wants_selection(self) -> bool:
        """True if an instructor wants to choose assignments."""
        return self.message_type == DEEP_LINKING
