"""A macro that is a call, as a function in Python: a typed head, the definition, the call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jitffi.bind.read.macro_calls import Call, MacroCall, Named
from jitffi.bind.read.names import parameter_names
from jitffi.bind.write.function_text import WIDTH, docstring
from jitffi.bind.write.pytypes import given, results


def macro_text(macro: MacroCall, names: Mapping[str, str]) -> str:
    """Return the function. *names* are Python's, by those of C."""
    begin = "" if _result(macro, names) == "None" else "return "
    body = _body(begin, _call(macro.call, _params(macro, names), names))
    return f"{macro_head(macro, names)}\n{docstring(macro.prototype, '')}\n{body}"


def macro_head(macro: MacroCall, names: Mapping[str, str]) -> str:
    """Return the line, or lines, from `def` to the colon."""
    shown = [
        f"{own}: {given(type_, names, names.get(alias))}"
        for own, (type_, alias) in zip(_params(macro, names), macro.call.types(len(macro.params)), strict=True)
    ]
    result = f"-> {_result(macro, names)}:"
    head = f"def {names[macro.name]}({', '.join(shown)}) {result}"
    if len(head) > WIDTH:
        head = f"def {names[macro.name]}(\n" + "".join([f"    {each},\n" for each in shown]) + f") {result}"
    return head


def _result(macro: MacroCall, names: Mapping[str, str]) -> str:
    function = macro.call.function
    return results(function.sig, names, names.get(function.enum, ""))


def _params(macro: MacroCall, names: Mapping[str, str]) -> list[str]:
    """Python's names of the parameters, none of which hides what the call names."""
    used = set(_used(macro.call, names))
    return [f"{each}_" if each in used else each for each in parameter_names(macro.params)]


def _used(call: Call, names: Mapping[str, str]) -> Iterator[str]:
    yield names[call.function.name]
    for argument in call.arguments:
        if isinstance(argument, Call):
            yield from _used(argument, names)
        elif isinstance(argument, Named):
            yield names.get(argument.name, "")


def _call(call: Call, params: list[str], names: Mapping[str, str]) -> str:
    parts = []
    for argument in call.arguments:
        if isinstance(argument, Call):
            parts.append(_call(argument, params, names))
        elif isinstance(argument, Named):
            parts.append(names.get(argument.name, argument.literal))
        else:
            parts.append(params[argument] if isinstance(argument, int) else argument)
    return f"{names[call.function.name]}({', '.join(parts)})"


def _body(begin: str, call: str) -> str:
    line = f"    {begin}{call}"
    if len(line) <= WIDTH:
        return line
    head, _, arguments = call.partition("(")
    return f"    {begin}{head}(\n        {arguments[:-1]}\n    )"
