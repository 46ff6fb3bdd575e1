"""The command line as Markdown, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from jitffi.cli.commands import jitffi


def commands(command: click.Command = jitffi, path: str = "jitffi") -> Iterator[tuple[str, click.Command]]:
    """Each command with the words that call it; groups come before what is in them."""
    yield path, command
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from commands(each, f"{path} {name}")


def markdown() -> str:
    return "\n\n".join(_write(path, command) for path, command in commands())


def _write(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path, help_option_names=["-h", "--help"])
    usage = command.get_usage(context).removeprefix("Usage: ")
    lines = [f"## `{path}`", "", f"```text\n{usage}\n```", "", *_paragraphs(command.help or ""), ""]
    lines += [f"```{{program}} {path}\n```", ""]
    for option in command.get_params(context):
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            names, said = record
            lines += [f"```{{option}} {names}", "", said, "```", ""]
    if isinstance(command, click.Group):
        lines += [f"- {_link(path, name)}: {each.get_short_help_str(120)}" for name, each in command.commands.items()]
    return "\n".join(lines)


def _link(path: str, name: str) -> str:
    return f"[`{path} {name}`](#{path.replace(' ', '-')}-{name})"


def _paragraphs(text: str) -> list[str]:
    return [click.formatting.wrap_text(text, width=110, preserve_paragraphs=True)]
