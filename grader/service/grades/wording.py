"""Explanations of points, lateness and decisions in words for students and instructors."""

from grader.common.phrases import count, two_decimals
from grader.course.policies.deadlines import Lateness
from grader.course.policies.rules import LateRule
from grader.protocol.text import showable
from grader.service.course.limits import HandInRules
from grader.service.db.tables.decisions import Decision, DecisionRow


def number(value: float | None) -> str:
    """Format points with at most two decimals; empty for None."""
    return "" if value is None else two_decimals(value)


def score_in_words(points: float | None, most: float | None, hidden: float) -> str:
    """Describe a score. Examples are "68 of 100 points" and "44 points so far; 8 more are decided after release"."""
    if not hidden:
        return f"{number(points)} of {number(most)} points"
    verb = "is" if hidden == 1 else "are"
    return f"{number(points)} points so far; {number(hidden)} more {verb} decided after release"


def change_in_words(old: float, new: float) -> str:
    """Describe a change of points. Examples are "68, was 61: +7" and "68, as before"."""
    if old == new:
        return f"{number(new)}, as before"
    return f"{number(new)}, was {number(old)}: {'+' if new > old else '-'}{number(abs(new - old))}"


def deduction_in_words(earned: float, cost: Lateness) -> str:
    """Describe the deduction for lateness, as in "80 less 10 % for 2 days late (1 late day used, 0 left)"; empty if the
    attempt was on time.
    """
    if not cost.days:
        return ""
    late = f"{count(cost.days, 'day')} late"
    if not cost.accepted:
        return f"{number(earned)} points, but {late}: not accepted any more"
    used = f" ({count(cost.covered, 'late day')} used, {cost.left} left)" if cost.covered else ""
    if not cost.percent:
        return f"{late}{used}, nothing taken off" if used else ""
    return f"{number(earned)} less {cost.percent:g} % for {late}{used}"


def worth_in_words(earned: float, cost: Lateness) -> str:
    """Describe the deduction and its result, as in "72 = 80 less 10 % for 1 day late"; empty if there is no deduction
    to explain.
    """
    words = deduction_in_words(earned, cost)
    return f"{number(cost.leaves(earned))} = {words}" if words and cost.percent and cost.accepted else words


def deduction_in_sentences(earned: float, cost: Lateness) -> str:
    """The deduction in the sentences that the page of an attempt shows above the report. The report itself does not
    contain the deduction because dates may change after grading.
    """
    words = worth_in_words(earned, cost)
    if not words:
        return ""
    return f"{words}. The report shows the points before this deduction." if cost.percent else f"{words}."


def lateness_in_words(cost: Lateness) -> str:
    """The cost of handing in now, such as "on time" or "2 days late: 20 % off"."""
    return f"{count(cost.days, 'day')} late: {cost.in_words}" if cost.days else "on time"


def late_in_words(rules: HandInRules) -> str:
    """The cost of late work for a person who may hand in; empty if there is no due date or no rule for late work."""
    late = rules.policies.late
    if rules.due is None or not isinstance(late, LateRule):
        return ""
    days = f"{count(max(0, late.days - rules.spent), 'late day')} of {late.days} left" if late.days else ""
    if late.percent is None:
        return f"{days}; nothing is accepted after them"
    floor = f", down to {late.floor:g} % of the points" if late.floor else ""
    cost = f"{late.percent:g} % less for each day that has begun{floor}"
    return f"{days}; after that {cost}" if days else cost


def decision_in_words(row: DecisionRow) -> str:
    """Describe a decision by hand, as in "by hand +5: a kernel of 2025 was allowed"."""
    comment = showable(row.comment)
    match Decision(row.kind):
        case Decision.EXCUSE:
            return f"excused: {comment}"
        case Decision.SET:
            return f"by hand {number(row.points)}: {comment}"
        case Decision.ADD:
            sign = "+" if row.points >= 0 else "-"
            return f"by hand {sign}{number(abs(row.points))}: {comment}"
