"""What a group found, as Markdown: first what is asked for and whether it is met, then every contender."""

from __future__ import annotations

from benchmarks.harness import Goal, Measured, Spread, Times, show


def _spread(spread: Spread) -> str:
    return f"{show(spread.low)} to {show(spread.high)}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _goal(goal: Goal) -> str:
    limit = f"{'below' if goal.below else 'at most'} {goal.limit:g}{goal.unit}"
    # Beside the mark stands the spread: a goal within it is met in some rounds and missed in others.
    mark = "met" if goal.met else "**missed**"
    # A ratio with one figure more than anywhere else: how far it is from its goal.
    median = goal.figure.median
    figure = f"{show(median)}{goal.unit}" if goal.unit or median >= 10 else f"{median:.3f}"
    return _row([goal.case, goal.contender, goal.against, goal.times, figure, _spread(goal.figure), limit, mark])


def _contender(times: Times, who: str, limit: str, relation: str) -> str:
    if who in times.faults:
        return "left out"
    if who not in times.samples:
        return ""
    text = show(times.median(who))
    if who == limit or limit not in times.samples or not relation:
        return text
    spread = times.ratio(who, limit) if relation == "ratio" else times.difference(who, limit)
    return f"{text}: {show(spread.median)} ({_spread(spread)})"


def _table(rows: list[Times], unit: str, limit: str, relation: str) -> list[str]:
    contenders = list(dict.fromkeys(who for times in rows for who in (*times.samples, *times.faults)))
    lines = [_row(["case", *contenders]), "|---|" + "---:|" * len(contenders)]
    for times in rows:
        lines.append(_row([times.case, *(_contender(times, who, limit, relation) for who in contenders)]))
    against = f": {relation} to '{limit}' (its 10 to 90 %)" if relation and limit in contenders else ""
    return [*lines, "", f"Each cell: median{f' in {unit}' if unit else ''}{against}.", ""]


def tables(title: str, measured: Measured, goals: list[Goal], limit: str, relation: str) -> str:
    """*limit* is the contender whom all are compared with, by "ratio" or "difference"; relation "": not at all. Each
    unit has a table of its own."""
    lines = [f"## {title}", ""]
    if goals:
        head = ["case", "contender", "against", "times", "median", "10 to 90 %", "goal", ""]
        lines += [_row(head), "|---|---|---|---:|---:|---:|---:|---|", *map(_goal, goals), ""]
    for unit in dict.fromkeys(times.unit for times in measured.times):
        lines += _table([times for times in measured.times if times.unit == unit], unit, limit, relation)
    lines += [f"- {remark}" for remark in measured.remarks]
    lines += [f"- {times.case}, {who}: {why}" for times in measured.times for who, why in times.faults.items()]
    return "\n".join(lines).rstrip() + "\n"
