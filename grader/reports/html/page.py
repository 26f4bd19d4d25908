"""The HTML report, which is one page that needs no other files. It uses no scripts, fonts or pictures from elsewhere,
and can be printed without changes.

workspace.py makes the report itself. The only markup besides the templates comes from figures/, which draws grader's
own words.
"""

from collections.abc import Callable, Iterator

from markupsafe import Markup

from grader.common.optional import OptionalWork
from grader.reports import figures
from grader.reports.figures import ladder
from grader.reports.figures.roofline import roofline
from grader.reports.html.workspace import STYLE, Figures, template_environment, workspace
from grader.reports.side_by_side import standings_of
from grader.results.metrics import Performance, Profile
from grader.results.result import Result, Ungraded


def render(outcome: Result | Ungraded) -> str:
    """Return the page."""
    match outcome:
        case Result():
            report = workspace(outcome, figures_in(outcome))
            return ENVIRONMENT.get_template("report.html.jinja").render(result=outcome, report=report, style=STYLE)
        case Ungraded():
            return ENVIRONMENT.get_template("ungraded.html.jinja").render(ungraded=outcome)


def figures_in(result: Result) -> Figures:
    """Return the figures of a result after drawing them."""
    standings = standings_of(result)
    return Figures(
        of_check={
            check.name: tuple(figures_of(check.performance, result.profiles.get(check.part), check.part))
            for check in result.checks
            if check.performance is not None
        },
        of_suite=figure_of(lambda: ladder({each.part: each.performance for each in standings if each.performance})),
    )


def figures_of(performance: Performance, profile: Profile | None, part: str) -> Iterator[Markup]:
    """Yield the figures that can be drawn: the roofline if possible, or else bars, and then the timings."""
    yield from figure_of(lambda: roofline(performance, profile, part) or figures.rates(performance, part))
    yield from figure_of(lambda: figures.timings(performance, part))


def figure_of(draw: Callable[[], str | None]) -> tuple[Markup, ...]:
    """Return a figure if there is one, or a sentence in its place if it could not be drawn."""
    with OptionalWork("a figure") as work:
        figure = draw()
        return () if figure is None else (Markup(figure),)  # noqa: S704 - drawn by grader, from its own words and numbers
    return (Markup('<p class="quiet">{}</p>').format(work.fault.sentence),)


ENVIRONMENT = template_environment()
