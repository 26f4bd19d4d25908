"""Strict schema of Gradescope's results.json, according to its documentation ("Autograder Specifications", "Output
format").
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Visibility = Literal["hidden", "after_due_date", "after_published", "visible"]
Format = Literal["text", "html", "simple_format", "md", "ansi"]
Points = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Strict(BaseModel):
    """Base model that rejects undocumented fields, and text in place of numbers."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Test(Strict):
    """A test in `tests`. All fields are optional."""

    score: Points | None = None
    max_score: Points | None = None
    status: Literal["passed", "failed"] | None = None
    name: str | None = None
    number: str | None = None
    output: str | None = None
    output_format: Format | None = None
    tags: list[str] | None = None
    visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None


class Entry(Strict):
    """An entry of the leaderboard."""

    name: str
    value: float | str
    order: Literal["asc", "desc"] | None = None


class Results(Strict):
    """The complete file. If neither the file nor every test has a score, Gradescope treats the autograder as failed."""

    score: Points | None = None
    execution_time: Points | None = None
    output: str | None = None
    output_format: Format | None = None
    visibility: Visibility | None = None
    stdout_visibility: Visibility | None = None
    extra_data: dict[str, Any] | None = None
    tests: list[Test] | None = None
    leaderboard: list[Entry] | None = None

    @model_validator(mode="after")
    def _is_scored(self) -> "Results":
        if self.score is None and (not self.tests or any(test.score is None for test in self.tests)):
            raise ValueError("no score")
        return self
