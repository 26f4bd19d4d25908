"""Strict schema of GitLab's report, according to its documentation ("Code Quality report format")."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

Words = Annotated[str, Field(min_length=1)]


class Strict(BaseModel):
    """Base model that rejects unknown fields, and text in place of numbers."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Lines(Strict):
    """The line on which an issue begins. GitLab does not read where it ends."""

    begin: Annotated[int, Field(ge=1)]


class Location(Strict):
    """A line in a file. The path is relative to the root of the repository, without a leading "./"."""

    path: Annotated[str, Field(pattern=r"^[^./\\][^\\]*$")]
    lines: Lines


class Issue(Strict):
    """An issue in the list."""

    description: Words
    check_name: Words
    fingerprint: Words
    severity: Literal["info", "minor", "major", "critical", "blocker"]
    location: Location


class Report(RootModel[list[Issue]]):
    """The complete file. GitLab would merge issues with equal fingerprints."""

    @model_validator(mode="after")
    def _has_each_fingerprint_once(self) -> "Report":
        prints = [each.fingerprint for each in self.root]
        if len(set(prints)) != len(prints):
            raise ValueError("a fingerprint occurs twice")
        return self
