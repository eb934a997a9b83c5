"""``make_fx(functionalize(...))`` that removes mutations alone: views are applied again, as views."""

from __future__ import annotations

import functools

import torch.func

from suites.harness.backends.entry_points.make_fx import entry_point

BACKEND = entry_point(functools.partial(torch.func.functionalize, remove="mutations"))
