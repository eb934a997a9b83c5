"""``make_fx(functionalize(...))`` that removes mutations alone: views are applied again, as views."""

from __future__ import annotations

import functools

import torch.func

from .make_fx import route

BACKEND = route(functools.partial(torch.func.functionalize, remove="mutations"))
