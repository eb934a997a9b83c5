"""The places where a program finds a value, each as the text of a module that puts it there and of what reads it."""

from __future__ import annotations

import dataclasses
import textwrap
from typing import Any


@dataclasses.dataclass(frozen=True)
class Place:
    """A place: ``{n}`` in its texts is the number of a row, whose own it is.

    ``setup`` is executed once; ``put`` puts ``value`` there before each call; ``handed`` is what the program is handed
    then, as ``taken``; ``read`` is what it finds the value by. ``apart``: some release gets most values wrong there,
    and only kinds that say so lie there.
    """

    name: str
    read: str
    put: str = "pass"
    setup: str = ""
    handed: str = ""
    taken: str = ""
    apart: bool = False

    def source(self, number: int, body: str) -> str:
        """``put_N(value)``, which returns the arguments, and ``row_N(a, ...)``, whose ``body`` names ``x``."""
        text = _MODULE.format(
            setup=self.setup,
            put=textwrap.indent(self.put, " " * 4),
            handed=f"({self.handed},)" if self.handed else "()",
            taken=f", {self.taken}" if self.taken else "",
            read=self.read,
        )
        return text.replace("{n}", str(number)).replace("{body}", textwrap.indent(body, " " * 8))


_MODULE = """
{setup}
def put_{{n}}(value):
{put}
    return {handed}

def row_{{n}}(a{taken}):
    try:
        x = {read}
{{body}}
    except Exception as error:
        return a * 2, type(error)
"""
_CELL = """\
def make_{n}():
    cell = None
    def put(value):
        nonlocal cell
        cell = value
    def get():
        return cell
    return put, get
put_into_{n}, get_{n} = make_{n}()"""
_CLASSES = """\
class Base_{n}:
    x = None
class Box_{n}(Base_{n}):
    pass
box_{n} = Box_{n}()"""
_PROPERTY = """\
class Box_{n}:
    @property
    def x(self):
        return self._x
box_{n} = Box_{n}()"""
_METHOD = """\
class Box_{n}:
    def get(self):
        return self.x
box_{n} = Box_{n}()"""
_DATACLASS = """\
@dataclasses.dataclass
class Box_{n}:
    x: object = None
box_{n} = Box_{n}()"""
_SLOTS = """\
class Box_{n}:
    __slots__ = ("x",)
box_{n} = Box_{n}()"""
_MODULE_OF_NN = """\
class Box_{n}(torch.nn.Module):
    pass
box_{n} = Box_{n}()"""
_DEFAULT = """\
def find_{n}(x=None):
    return x
find_{n}.__defaults__ = (None,)"""
_KEYWORD_DEFAULT = """\
def find_{n}(*, x=None):
    return x"""

_BOX: dict[str, Any] = {"handed": "box_{n}", "taken": "box"}

PLACES = (
    Place("an argument", "given", handed="value", taken="given"),
    Place("an element of a tuple", "given[1]", handed="(0, value)", taken="given"),
    Place("an element of a list", "box[0]", "box_{n}[0] = value", "box_{n} = [None]", **_BOX),
    Place("an element of a list of lists", "box[1][0]", "box_{n}[1][0] = value", "box_{n} = [0, [None]]", **_BOX),
    Place("a value of a dict", "box['x']", "box_{n}['x'] = value", "box_{n} = {'w': 0}", **_BOX),
    Place("a value asked for by get", "box.get('x')", "box_{n}['x'] = value", "box_{n} = {}", **_BOX),
    Place("the last value of a dict", "list(box.values())[-1]", "box_{n}['x'] = value", "box_{n} = {'w': 0}", **_BOX),
    Place(
        "a value of an ordered dict", "box['x']", "box_{n}['x'] = value", "box_{n} = collections.OrderedDict()", **_BOX
    ),
    Place("an element of a queue", "box[-1]", "box_{n}.append(value)", "box_{n} = collections.deque([0], 2)", **_BOX),
    Place("an attribute", "box.x", "box_{n}.x = value", "box_{n} = types.SimpleNamespace()", **_BOX),
    Place("an attribute by its name", "getattr(box, 'x', 7)", "box_{n}.x = value", _CLASSES, **_BOX),
    Place("an attribute of a class", "box.x", "Box_{n}.x = value", _CLASSES, **_BOX),
    Place("an attribute of a base class", "box.x", "Base_{n}.x = value", _CLASSES, **_BOX),
    Place("a property", "box.x", "box_{n}._x = value", _PROPERTY, **_BOX),
    Place("what a method returns", "box.get()", "box_{n}.x = value", _METHOD, **_BOX),
    Place("a slot", "box.x", "box_{n}.x = value", _SLOTS, **_BOX),
    Place("a field of a dataclass", "box.x", "box_{n}.x = value", _DATACLASS, **_BOX),
    Place("an attribute of a module", "box.x", "box_{n}.x = value", _MODULE_OF_NN, **_BOX),
    Place("an attribute of a tensor", "box.x", "box_{n}.x = value", "box_{n} = torch.ones(2)", **_BOX),
    Place("a global", "x_{n}", "global x_{n}\nx_{n} = value"),
    Place("a value of a global dict", "box_{n}['x']", "box_{n}['x'] = value", "box_{n} = {}"),
    Place("an attribute of a global", "box_{n}.x", "box_{n}.x = value", _METHOD),
    Place("an attribute of a function", "box_{n}.x", "box_{n}.x = value", "def box_{n}(): pass"),
    Place("a cell", "get_{n}()", "put_into_{n}(value)", _CELL),
    Place("a default", "find_{n}()", "find_{n}.__defaults__ = (value,)", _DEFAULT, apart=True),
    Place("a default of a keyword", "find_{n}()", "find_{n}.__kwdefaults__ = {'x': value}", _KEYWORD_DEFAULT),
    Place("what a partial function was given", "box()", handed="functools.partial(lambda y: y, value)", taken="box"),
)
