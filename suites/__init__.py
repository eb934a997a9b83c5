"""The contract: a folder a family of clauses, the harness that runs them, the search, and the tests of all this."""

from pathlib import Path

#: The folder that Python finds this package from: the checkout, or site-packages, where it is `parity.suites`.
HOME = Path(__file__).resolve().parents[len(__name__.split("."))]
