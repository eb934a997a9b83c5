"""The command line, ``parity``: one verb a module, imported when the verb is asked for."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

import tools
from tools import exits, launch, streams

#: Verb, a module of `tools.verbs` -> the line that `parity --help` shows without importing it.
VERBS = {
    "gate": "Run the suites on a backend, judge, and write the report. The main job.",
    "check": "Compare a program, eager against compiled: a file, a function, a module.",
    "list": "Every clause with its sentence and what it covers.",
    "regen": "List, review and apply pending edits of goldens.",
    "report": "Write HTML, JUnit XML, Markdown or SARIF from a ledger.",
    "diff": "What changed between two ledgers, by cause.",
    "fuzz": "Run random programs and report every new divergence, reduced.",
    "reduce": "Make a program that diverges small, and a script of plain PyTorch of it.",
    "doctor": "What is here, what is missing, and what to type.",
    "waivers": "Lint, update or convert files of known bugs.",
}


class Verbs(click.Group):
    """A group whose commands are imported when they are used, so that help is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order in which help shows them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's own command object, or ``None`` for an unknown verb."""
        if cmd_name not in VERBS:
            return None
        with launch.importing():
            command: click.Command = importlib.import_module(f"{tools.__name__}.verbs.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with a suggestion for a misspelt verb."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], list(VERBS), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"verbs are {', '.join(VERBS)}"
            raise exits.Fault(f"no verb {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs with their lines, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="parity-suite", prog_name="parity", message="%(prog)s %(version)s")
def parity() -> None:
    """Does the compiled program mean what the eager program means?

    Exit codes: 0 conformant, 1 not conformant, 2 wrong usage or a fault of Parity's own, 3 the environment cannot run
    what was asked for.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script: run a verb and leave with its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    launch.put_current_directory_on_path()
    streams.make_patient()
    code = run(arguments)
    if lost := streams.lost():
        click.echo(f"parity: {lost}", err=True)
        code = exits.FAULT
    launch.look_for_no_cycles()
    sys.exit(code)


def run(arguments: Sequence[str], *, watcher: object = None) -> int:
    """Run a verb; its exit code. A failure is one line on standard error, and an object where ``--json`` is given.

    ``watcher`` is handed to a verb that takes one: `tools.verbs.gate`.
    """
    try:
        result: Any = parity.main(list(arguments), prog_name="parity", standalone_mode=False, obj=watcher)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return exits.FAULT
    except click.Abort:
        return _failed(arguments, "interrupted", exits.FAULT)
    except click.UsageError as error:
        where = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        return _failed(arguments, error.format_message().rstrip(".") + where, exits.FAULT)
    except click.ClickException as error:
        code = error.exit_code if isinstance(error, exits.Fault) else exits.FAULT
        return _failed(arguments, error.format_message(), code)
    except Exception as error:
        if os.environ.get("PARITY_TRACEBACK"):
            traceback.print_exc()
        message = " ".join(str(error).split()) or "no message"
        line = f"{type(error).__name__}: {message[:400]} (a fault of Parity's own; PARITY_TRACEBACK=1 shows the stack)"
        return _failed(arguments, line, exits.FAULT)
    return result if isinstance(result, int) else exits.CONFORMANT


def _failed(arguments: Sequence[str], message: str, code: int) -> int:
    click.echo(f"parity: {message}", err=True)
    if "--json" in arguments:
        click.echo(json.dumps({"error": message, "exit": code}))
    return code


if __name__ == "__main__":
    main()
