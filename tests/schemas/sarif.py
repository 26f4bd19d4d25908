"""Strict schema of the part of SARIF 2.1.0 that grader writes.

Fields are required if the standard or GitHub's documentation ("SARIF support for code scanning") requires them. Fields
that grader does not write are rejected.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Words = Annotated[str, Field(min_length=1)]
Description = Annotated[str, Field(min_length=1, max_length=1024)]
Number = Annotated[int, Field(ge=1)]


def _relative(uri: str) -> str:
    if uri.startswith(("/", ".")) or ":" in uri or "\\" in uri:
        raise ValueError("a URI must be relative to the root of the repository")
    return uri


class Strict(BaseModel):
    """Base model that rejects unknown fields, and text in place of numbers."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Message(Strict):
    """Plain text. A literal brace must be doubled, because a single brace begins a placeholder."""

    text: Words

    @model_validator(mode="after")
    def _has_no_placeholder(self) -> "Message":
        if set("{}") & set(self.text.replace("{{", "").replace("}}", "")):
            raise ValueError("a placeholder without an argument")
        return self


class Text(Strict):
    """Description of a rule, optionally with a second version in Markdown."""

    text: Description
    markdown: Description | None = None


class Rule(Strict):
    """A rule, which explains the meaning of a reason."""

    id: Words
    shortDescription: Text  # noqa: N815 - as in the file
    fullDescription: Text  # noqa: N815
    help: Text


class Driver(Strict):
    """The program that wrote the file. GitHub shows its name."""

    name: Words
    version: Words | None = None
    rules: list[Rule]


class Tool(Strict):
    """The tool, which has no extensions."""

    driver: Driver


class Region(Strict):
    """A region of one or more lines. The end column is the column after the last character."""

    startLine: Number  # noqa: N815
    startColumn: Number  # noqa: N815
    endLine: Number  # noqa: N815
    endColumn: Number  # noqa: N815

    @model_validator(mode="after")
    def _ends_after_its_start(self) -> "Region":
        if (self.endLine, self.endColumn) < (self.startLine, self.startColumn):
            raise ValueError("the region ends before its start")
        return self


class Artifact(Strict):
    """A file, given by its path in the repository."""

    uri: Annotated[Words, AfterValidator(_relative)]


class Physical(Strict):
    """A region of a file."""

    artifactLocation: Artifact  # noqa: N815
    region: Region


class Location(Strict):
    """The place of a result."""

    physicalLocation: Physical  # noqa: N815


class Related(Location):
    """Another place, to which a message can link by its number."""

    id: Number
    message: Message


class Entry(Strict):
    """A result. GitHub uses only the first location and only one fingerprint."""

    ruleId: Words  # noqa: N815
    ruleIndex: Annotated[int, Field(ge=0)]  # noqa: N815
    level: Literal["note", "warning", "error"]
    message: Message
    locations: Annotated[list[Location], Field(min_length=1, max_length=1)]
    relatedLocations: list[Related]  # noqa: N815
    partialFingerprints: dict[Literal["primaryLocationLineHash"], Words]  # noqa: N815

    @model_validator(mode="after")
    def _has_a_fingerprint_and_places_for_its_links(self) -> "Entry":
        numbers = [place.id for place in self.relatedLocations]
        if not self.partialFingerprints or len(set(numbers)) != len(numbers):
            raise ValueError("no fingerprint, or a number of a place occurs twice")
        if any(f"]({number})" not in self.message.text for number in numbers):
            raise ValueError("GitHub shows only places to which the message links")
        return self


class Notification(Strict):
    """A message about the run of the tool itself."""

    level: Literal["note", "warning", "error"]
    message: Message


class Invocation(Strict):
    """Success or failure of the tool's run, and messages about it."""

    executionSuccessful: bool  # noqa: N815
    toolExecutionNotifications: list[Notification]  # noqa: N815


class Automation(Strict):
    """Category of the run. Its id ends with a slash."""

    id: Annotated[str, Field(pattern=r"^[^/]+/$")]


class Run(Strict):
    """A single run of the tool."""

    tool: Tool
    automationDetails: Automation  # noqa: N815
    columnKind: Literal["utf16CodeUnits"]  # noqa: N815
    invocations: Annotated[list[Invocation], Field(min_length=1, max_length=1)]
    results: list[Entry]

    @model_validator(mode="after")
    def _fits_its_rules(self) -> "Run":
        names = [rule.id for rule in self.tool.driver.rules]
        prints = [(each.ruleId, *each.partialFingerprints.values()) for each in self.results]
        if len(set(names)) != len(names) or len(set(prints)) != len(prints):
            raise ValueError("a rule or a fingerprint occurs twice")
        if any(names[each.ruleIndex] != each.ruleId for each in self.results):
            raise ValueError("an index of another rule")
        return self


class Log(Strict):
    """The complete file."""

    schema_: Annotated[Literal["https://json.schemastore.org/sarif-2.1.0.json"], Field(alias="$schema")]
    version: Literal["2.1.0"]
    runs: Annotated[list[Run], Field(min_length=1, max_length=1)]
