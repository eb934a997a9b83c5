"""``make_fx(functionalize(...))`` that removes mutations and views: every operator of the graph is functional."""

from __future__ import annotations

import functools

import torch.func

from suites.harness.backends.entry_points.make_fx import entry_point

BACKEND = entry_point(functools.partial(torch.func.functionalize, remove="mutations_and_views"))
