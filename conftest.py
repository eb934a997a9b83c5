"""Loads the plugin that turns clauses into cells; everything else lives in ``suites/harness``."""

pytest_plugins = ["suites.harness.plugin"]
