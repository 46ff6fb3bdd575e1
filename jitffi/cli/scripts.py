"""`jitffi script FILE.py`: what becomes of each function of a file as a script."""

from __future__ import annotations

import click

from jitffi.cli import report


def show(path: str, as_json: bool) -> None:
    """Run the file as a module of its name, and print a line for each function that it defines."""
    from jitffi.emission.scripts import module_of
    from jitffi.scripts.api.modules import functions_of
    from jitffi.scripts.api.script import Script, script
    from jitffi.scripts.api.survey import survey

    module = module_of(path)
    found = [survey(each if isinstance(each, Script) else script(each)) for _, each in functions_of(module)]
    if as_json:
        report.show_json(
            [
                {
                    "name": each.name,
                    "line": each.line,
                    "state": each.state,
                    "why": [{"line": line, "text": text} for line, text in each.why],
                }
                for each in found
            ]
        )
        return
    if not found:
        click.echo(f"{path} defines no function")
        return
    words = {"native": "native", "in part": "native in part", "left": "left to the interpreter"}
    rows = []
    for each in found:
        first, *rest = each.why or ((0, ""),)
        rows.append((each.name, str(each.line), words[each.state], _reason(first)))
        rows += [("", "", "", _reason(more)) for more in rest]
    report.show_table(("function", "line", "", "why"), rows, ("line",))


def _reason(why: tuple[int, str]) -> str:
    line, text = why
    return f"line {line}: {text}" if text else ""
