"""What pytest loads wherever Parity is installed. It does nothing unless the run is one of clauses.

A run is one of clauses if it says ``-p parity``, on its command line or in ``addopts``, or gives an option of Parity's,
``--backend`` or ``--golden``, that no other plugin has: pytest would end such a run with a usage error. Then the plugin
of `suites.harness` is loaded, with all its options. Any other run has no option, no fixture and no default of Parity's,
does not import torch for it, skips a clause among its tests, and says so in one line: its mark, for that, is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import suites

PLUGIN = f"{suites.__name__}.harness.plugin"
_OPTIONS = ("--backend", "--golden")
_SCOPE = f"{suites.__name__}.harness.clauses.scope"
#: What has to be typed for a clause to run.
_HOW = "give --backend NAME, or -p parity (in addopts for good)"
_REASON = f"a clause of Parity's: {_HOW}"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Iterator[None]:
    """Load the plugin of the suites if the run asks for it, after conftest files have added what is theirs."""
    yield
    if not early_config.pluginmanager.has_plugin(PLUGIN) and _asked_for(early_config, parser, args):
        try:
            early_config.pluginmanager.import_plugin(PLUGIN)
        except ValueError as error:
            raise pytest.UsageError(f"parity: another plugin has an option of the same name: {error}") from None


def _asked_for(config: pytest.Config, parser: pytest.Parser, args: Sequence[str]) -> bool:
    if "parity" in config.known_args_namespace.plugins:
        return True
    if not any(each.partition("=")[0] in _OPTIONS for each in args):
        return False
    _, unknown = parser.parse_known_and_unknown_args(args)
    return any(each.partition("=")[0] in _OPTIONS for each in unknown)


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark of a clause known where nobody else does: with ``--strict-markers`` its file would not be read."""
    if not config.pluginmanager.has_plugin(PLUGIN):
        config.addinivalue_line("markers", "clause(scope): a clause of Parity's; --backend NAME runs it")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Skip a clause in a run that is none of clauses: nobody would hand it its `check`."""
    mark = item.get_closest_marker("clause")
    scope = type(mark.args[0]) if mark is not None and mark.args else None
    if scope is not None and scope.__module__ == _SCOPE and not item.config.pluginmanager.has_plugin(PLUGIN):
        item.add_marker(pytest.mark.skip(reason=_REASON))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many clauses were skipped for that: pytest itself tells no reason unless it is asked for them."""
    skipped = [each.longrepr for each in terminalreporter.getreports("skipped")]
    number = sum(isinstance(told, tuple) and told[2].endswith(_REASON) for told in skipped)
    if number:
        what = "1 clause of Parity's was" if number == 1 else f"{number} clauses of Parity's were"
        terminalreporter.write_line(f"{what} skipped: {_HOW}", yellow=True)
