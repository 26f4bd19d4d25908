"""options.py: a group of options is a record for the command, and a flat list of parameters for typer."""

import inspect
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.testing import CliRunner

from grader.cli.app import COMMANDS, EXPORTS
from grader.cli.options import EnvironmentOptions, GradingOptions, OptionTable, flat


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Two sizes, as options."""

    width: Annotated[int, typer.Option(min=1, help="Columns.")]
    height: Annotated[int | None, typer.Option(help="Rows.")] = None


def test_a_command_is_given_its_options_as_a_record():
    """A command gets its options as a record. The parameters keep its fields' order, help, limits and defaults."""
    seen = []

    def draw(name: str, sizes: Sizes, *, bold: Annotated[bool, typer.Option("--bold")] = False) -> None:
        """Draw it."""
        seen.append((name, sizes, bold))

    app = typer.Typer()
    app.command()(flat(draw))
    assert list(inspect.signature(flat(draw)).parameters) == ["name", "width", "height", "bold"]
    assert CliRunner().invoke(app, ["box", "--width", "3", "--bold"]).exit_code == 0
    assert seen == [("box", Sizes(width=3, height=None), True)]
    assert CliRunner().invoke(app, ["box", "--width", "0"]).exit_code == 2
    assert CliRunner().invoke(app, ["box"]).exit_code == 2


def test_a_field_may_stand_for_the_options_of_a_registry():
    """A field for a registry gives the command the options that were used, by name and converted by typer."""
    table = OptionTable(
        options={
            "red_pen": Annotated[int | None, typer.Option(help="Strokes in red.")],
            "blue_pen": Annotated[str | None, typer.Option(help="A colour.")],
        }
    )

    @dataclass(frozen=True, kw_only=True)
    class Drawing:
        """The options of a registry, and one more."""

        pens: Annotated[dict[str, Any], table]
        paper: str = "white"

    seen = []

    def draw(drawing: Drawing) -> None:
        """Draw it."""
        seen.append(drawing)

    app = typer.Typer()
    app.command()(flat(draw))
    assert list(inspect.signature(flat(draw)).parameters) == ["red_pen", "blue_pen", "paper"]
    assert CliRunner().invoke(app, ["--red-pen", "3", "--paper", "grey"]).exit_code == 0
    assert CliRunner().invoke(app, []).exit_code == 0
    assert seen == [Drawing(pens={"red_pen": 3}, paper="grey"), Drawing(pens={})]
    assert CliRunner().invoke(app, ["--red-pen", "many"]).exit_code == 2


def test_no_command_has_an_option_twice_and_few_parameters():
    """No command has more than 7 parameters, which keeps its signature readable, or has the same option twice."""
    for command in (*COMMANDS.values(), *EXPORTS.values()):
        assert len(inspect.signature(command).parameters) <= 7
        assert len(inspect.signature(flat(command)).parameters) >= len(inspect.signature(command).parameters)


def test_what_is_not_given_sets_nothing():
    """Options that are not used do not set anything, so that the settings file and environment variables apply."""
    assert set(EnvironmentOptions().settings().values()) == {None}
    assert EnvironmentOptions(gpu="amd").settings()["docker"] == {"gpu": "amd"}
    assert set(GradingOptions().settings().values()) == {None}
    assert GradingOptions(require_sanitizer=True).settings()["watching"] == {"required": True}
    assert GradingOptions(search=60).settings()["search"] == {"seconds": 60}
