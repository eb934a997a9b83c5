"""``make_fx(functionalize(...))`` that removes mutations and views: every operator of the graph is functional."""

from __future__ import annotations

import functools

import torch.func

from .make_fx import route

BACKEND = route(functools.partial(torch.func.functionalize, remove="mutations_and_views"))
