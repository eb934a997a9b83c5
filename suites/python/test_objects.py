"""Classes and their instances: attributes, how they are looked up, data classes, named tuples and enumerations."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: D102, PIE796
# mypy: disable-error-code="union-attr"

import collections
import dataclasses
import enum
import functools
import weakref
from typing import Any, NamedTuple

import torch

from suites.harness import Check, built, clause, tensor


class Plain:
    """An object with a scale of its class and values of its own."""

    scale = 2
    names: tuple[str, ...] = ()

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


@clause("python.objects")
def test_deleted_attribute_uncovers_the_class(check: Check) -> None:
    """Augmented assignment makes an attribute of the instance's own; deleting it lets the class's show again."""

    def program(a: torch.Tensor, box: Any) -> Any:
        box.scale += 3
        own = box.scale
        del box.scale
        del box.gone
        box.names += ("x",)
        return a * box.scale, own, hasattr(box, "gone"), getattr(box, "gone", "none"), Plain.names, list(vars(box))

    result = check(program, tensor(3), built(lambda: Plain(gone=1, kept=2)))
    result.holds("out[1]", 5).holds("out[2]", False).holds("out[4]", ()).holds("out[5]", ["kept", "names"])
    result.holds("arg[1].names", ("x",))


class Thermometer:
    """Descriptors of every kind, and a log of what went through them."""

    def __init__(self) -> None:
        self._celsius = 10.0
        self.log: list[str] = []

    @property
    def fahrenheit(self) -> float:
        self.log.append("get")
        return self._celsius * 1.8 + 32

    @fahrenheit.setter
    def fahrenheit(self, value: float) -> None:
        self.log.append(f"set {value}")
        self._celsius = (value - 32) / 1.8

    @fahrenheit.deleter
    def fahrenheit(self) -> None:
        self.log.append("delete")
        self._celsius = 0.0

    @staticmethod
    def twice(value: int) -> int:
        return value * 2

    @classmethod
    def name(cls) -> str:
        return cls.__name__


@clause("python.objects", fullgraph=False)
def test_property_is_read_and_written_through_its_functions(check: Check) -> None:
    """Getting, setting and augmenting a property run its functions, in order; static and class methods bind as told."""

    def program(a: torch.Tensor, box: Thermometer) -> Any:
        b = a * box.fahrenheit
        box.fahrenheit += 18
        return b, box.twice(4), box.name(), Thermometer.twice(5)

    result = check(program, tensor(3), built(Thermometer)).holds("arg[1].log", ["get", "get", "set 68.0"])
    result.holds("arg[1]._celsius", 20.0).holds("out[2]", "Thermometer").holds("out[1]", 8)


class Fallback:
    """Answers for attributes that it has not got, and writes down what is set on it."""

    present = 5

    def __init__(self) -> None:
        object.__setattr__(self, "log", [])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("no_"):
            raise AttributeError(name)
        return len(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.log.append((name, value))
        object.__setattr__(self, name, value * 2)


@clause("python.objects")
def test_getattr_answers_for_missing_names_only(check: Check) -> None:
    """``__getattr__`` is asked for what is nowhere else; ``__setattr__`` for everything that is set, present or not."""

    def program(a: torch.Tensor, box: Any) -> Any:
        missing = box.seven77
        box.present = 10
        box.seven77 = 1
        return a * missing, missing, box.present, box.seven77, hasattr(box, "no_thing"), hasattr(box, "thing")

    result = check(program, tensor(3), built(Fallback)).holds("out[1]", 7).holds("out[2]", 20).holds("out[3]", 2)
    result.holds("out[4]", False).holds("out[5]", True).holds("arg[1].log", [("present", 10), ("seven77", 1)])


class Positive:
    """A data descriptor: keeps a number no smaller than zero under another name."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.place = f"_{name}"

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else getattr(instance, self.place, -1)

    def __set__(self, instance: Any, value: float) -> None:
        setattr(instance, self.place, max(value, 0))


class Lazy:
    """A descriptor that is no data descriptor: what the instance holds covers it."""

    def __get__(self, instance: Any, owner: type) -> str:
        return "from the class"


class Described:
    """An object whose attributes are descriptors."""

    size = Positive()
    lazy = Lazy()


@clause("python.objects")
def test_data_descriptor_goes_before_the_instance(check: Check) -> None:
    """A descriptor with ``__set__`` wins over the instance's attribute; one without loses to it."""

    def program(a: torch.Tensor, box: Any) -> Any:
        before = box.size, box.lazy
        box.size = -4
        clipped = box.size
        box.size = 6
        box.lazy = "from the instance"
        return a * box.size, before, clipped, box.lazy

    result = check(program, tensor(3), built(Described)).holds("out[1]", (-1, "from the class"))
    result.holds("out[2]", 0).holds("out[3]", "from the instance").holds("arg[1]._size", 6)


class Slotted:
    """An object without a dict."""

    __slots__ = ("count", "value")

    def __init__(self, value: Any) -> None:
        self.value = value


@clause("python.objects", fullgraph=False)
def test_slots_hold_what_is_set(check: Check) -> None:
    """Attributes in slots are set on the caller's object; an empty slot has no value yet."""

    def program(a: torch.Tensor, box: Any) -> Any:
        empty = hasattr(box, "count")
        box.value = box.value + a
        box.count = 3
        return box.value * 2, empty

    result = check(program, tensor(3), built(Slotted, tensor(3))).holds("arg[1].count", 3).holds("out[1]", False)
    result.distinct("arg[1].value", 0)


class Base:
    """The root of a diamond."""

    def trail(self) -> list[str]:
        return ["base"]

    def scaled(self, value: Any) -> Any:
        return value * 2


class Left(Base):
    """One side of a diamond."""

    def trail(self) -> list[str]:
        return ["left", *super().trail()]

    def scaled(self, value: Any) -> Any:
        return super().scaled(value) - 1


class Right(Base):
    """The other side of a diamond."""

    def trail(self) -> list[str]:
        return ["right", *super().trail()]

    def scaled(self, value: Any) -> Any:
        return super().scaled(value + 10)


class Bottom(Left, Right):
    """The bottom of a diamond."""

    def trail(self) -> list[str]:
        return ["bottom", *super().trail()]


@clause("python.objects")
def test_super_goes_along_the_diamond(check: Check) -> None:
    """``super()`` calls the next class of the object's own order, so that the sides of a diamond call each other."""

    def program(a: torch.Tensor, box: Any) -> Any:
        facts = [isinstance(box, Right), issubclass(Left, Right), type(box) is Left, super(Left, box).trail()]
        return box.scaled(a), box.trail(), facts, Left().trail()

    result = check(program, tensor(3), built(Bottom)).holds("out[1]", ["bottom", "left", "right", "base"])
    result.holds("out[2]", [True, False, False, ["right", "base"]]).holds("out[3]", ["left", "base"])


class Registered(type):
    """A metaclass that counts what its classes make and answers for their length."""

    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.stamp = f"{cls.__name__} {len(args)}"
        return made

    def __len__(cls) -> int:
        return 42


class Stamped(metaclass=Registered):
    """An object that its metaclass stamps."""

    stamp = ""

    def __init__(self, value: Any) -> None:
        self.value = value


@clause("python.objects", fullgraph=False)
def test_metaclass_takes_part_in_making_objects(check: Check) -> None:
    """Calling a class runs its metaclass's ``__call__``, and the metaclass's methods answer for the class."""

    def program(a: torch.Tensor) -> Any:
        b = a * 2
        made = Stamped(b)
        return made.value + len(Stamped), made.stamp, len(Stamped)

    check(program, tensor(3)).holds("out[1]", "Stamped 1").holds("out[2]", 42)


@dataclasses.dataclass
class Batch:
    """A data class with a default made anew and a field computed after the others."""

    data: Any
    scale: int = 3
    tags: list[str] = dataclasses.field(default_factory=list)
    total: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        self.total = self.scale * 10


@dataclasses.dataclass(frozen=True, order=True)
class Version:
    """A frozen data class that is ordered and hashed by its fields."""

    major: int
    minor: int = 0


@clause("python.objects")
def test_dataclass_goes_in_and_comes_out(check: Check) -> None:
    """A data class handed in is the caller's object, one made inside has its defaults, its own list and its type."""

    def program(batch: Batch) -> Any:
        made = Batch(batch.data * batch.scale)
        made.tags.append("made")
        batch.tags.append("seen")
        return made, Batch(made.data + 1, 5), batch

    result = check(program, built(Batch, tensor(3), 2)).same_object("out[2]", "arg[0]")
    result.holds("out[0].tags", ["made"]).holds("out[1].total", 50).holds("out[1].tags", []).holds(
        "arg[0].tags", ["seen"]
    )


@clause("python.objects", fullgraph=False)
def test_frozen_dataclass_refuses_and_is_replaced(check: Check) -> None:
    """Setting a field of a frozen data class raises; `replace` makes another, and both order and hash by field."""

    def refused(version: Version) -> str:
        try:
            version.minor = 9  # type: ignore[misc]
        except dataclasses.FrozenInstanceError as error:
            return str(error)
        return "set"

    def program(a: torch.Tensor, version: Version) -> Any:
        b = a * version.major
        newer = dataclasses.replace(version, minor=4)
        facts = [newer > version, newer == Version(2, 4), {version: "x"}.get(Version(2)), dataclasses.astuple(newer)]
        return b, newer, facts, refused(version)

    result = check(program, tensor(3), Version(2)).holds("out[2]", [True, True, "x", (2, 4)])
    result.holds("out[1].minor", 4).holds("out[3]", "cannot assign to field 'minor'")


class Pair(NamedTuple):
    """A named tuple with a default and a method."""

    left: Any
    right: Any = 7

    def swapped(self) -> "Pair":
        return Pair(self.right, self.left)


@clause("python.objects", fullgraph=False)
def test_named_tuple_keeps_its_type_and_names(check: Check) -> None:
    """Named tuples, of `typing` and of `collections`, come out with their type, fields and order."""
    Point = collections.namedtuple("Point", ["x", "y"], defaults=[5])

    def program(pair: Pair) -> Any:
        first, _ = pair
        doubled = first * 2
        point = Point(doubled)
        facts = [pair.right, pair == (first, 7), pair._fields, isinstance(pair, tuple), Point(1)._asdict(), len(point)]
        return point, pair.swapped(), pair._replace(right="r"), facts

    result = check(program, Pair(tensor(3)))
    result.holds("out[0].y", 5).holds("out[1].left", 7).holds("out[2].right", "r").same_object(
        "out[1].right", "arg[0].left"
    )
    result.holds("out[3]", [7, True, ("left", "right"), True, {"x": 1, "y": 5}, 2])


class Mode(enum.Enum):
    """A plain enumeration with an alias."""

    FAST = "f"
    SLOW = "s"
    QUICK = "f"


class Level(enum.IntEnum):
    """Numbers with names."""

    LOW = 1
    HIGH = 10


class Flags(enum.Flag):
    """Bits with names."""

    READ = 1
    WRITE = 2


@clause("python.objects")
def test_enumerations_choose_and_are_looked_up(check: Check) -> None:
    """A member chooses the branch of its call, is found by value and name, and is one object with its alias."""

    def program(a: torch.Tensor, mode: Mode, level: Level) -> Any:
        b = a * 2 if mode is Mode.FAST else a * 5
        facts = [Mode("s").name, Mode["QUICK"].name, [m.value for m in Mode], level + 1, level > 5, level == 10]
        return b * level, mode, facts, Level(10)

    result = check(program, calls=[(tensor(3), Mode.QUICK, Level.HIGH), (tensor(3), Mode.SLOW, Level.LOW)])
    result.holds("out[1]", Mode.FAST).holds("out[2]", ["SLOW", "FAST", ["f", "s"], 11, True, True])
    result.holds("out[3]", Level.HIGH)


class Colour(str, enum.Enum):
    """Texts with names."""

    RED = "red"


def doubled(a: torch.Tensor) -> torch.Tensor:
    """What is compiled where the program around it is not, as on some releases of Python."""
    return a * 2


@clause("python.objects", fullgraph=False)
def test_members_that_are_texts_are_joined(check: Check) -> None:
    """A member of a `str` that is an enumeration is added to a text, on either side, and is a key like its value."""

    def program(a: torch.Tensor, colour: Colour) -> Any:
        return doubled(a), [colour + "dish", "infra" + colour, {"red": 1}[colour], colour.upper(), len(colour)]

    check(program, tensor(3), Colour.RED).holds("out[1]", ["reddish", "infrared", 1, "RED", 3])


@clause("python.objects", fullgraph=False)
def test_members_that_are_numbers_are_indices(check: Check) -> None:
    """A member of an `enum.IntEnum` is an index of lists, tuples, texts and tensors, and a bound of a slice."""

    def program(a: torch.Tensor, level: Level) -> Any:
        numbers = [5, 6, 7]
        numbers[level] = 9
        taken = [numbers[level], (1, 2)[level], "ab"[level], numbers[:level], numbers]
        return doubled(a)[level], taken, numbers.pop(level)

    result = check(program, tensor(3), Level.LOW).shape("out[0]")
    result.holds("out[1]", [9, 2, "b", [5], [5, 7]]).holds("out[2]", 9)


class Place:
    """An object that is a place in a sequence."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __index__(self) -> int:
        return self.place


@clause("python.protocols", fullgraph=False)
def test_object_that_has_an_index_is_one(check: Check) -> None:
    """``__index__`` makes an object an index of sequences, a bound of slices and ranges, and how often to repeat."""

    def program(a: torch.Tensor, place: Place) -> Any:
        numbers = [5, 6, 7]
        taken = [numbers[place], (1, 2)[place], "ab"[place], numbers[place:], list(range(place)), [0] * place]
        numbers.insert(place, 9)
        return doubled(a), taken, numbers

    result = check(program, tensor(3), built(Place, 1)).holds("out[1]", [6, 2, "b", [6, 7], [0], [0]])
    result.holds("out[2]", [5, 9, 6, 7])


@clause("python.objects", fullgraph=False, torch=">=2.13")
def test_flags_combine(check: Check) -> None:
    """Members of a flag combine with ``|`` and are tested with ``in`` and ``&``."""

    def program(a: torch.Tensor, flags: Flags) -> Any:
        b = a * 2
        both = flags | Flags.WRITE
        return b * both.value, both.value, Flags.READ in both, Flags.WRITE in flags, bool(flags & Flags.WRITE)

    result = check(program, tensor(3), Flags.READ).holds("out[1]", 3).holds("out[2]", True)
    result.holds("out[3]", False).holds("out[4]", False)


class Cached:
    """Counts how often its value is computed."""

    def __init__(self, value: Any) -> None:
        self.given, self.computed = value, 0

    @functools.cached_property
    def doubled(self) -> Any:
        self.computed += 1
        return self.given * 2


@clause("python.objects", fullgraph=False)
def test_cached_property_is_computed_once(check: Check) -> None:
    """A cached property is computed at the first reading and is an attribute of the caller's object from then on."""

    def read(box: Cached) -> Any:
        return box.doubled + box.doubled * 3

    def program(box: Cached) -> torch.Tensor:
        b = box.given - 1
        tripled = read(box)
        return b * tripled

    result = check(program, built(Cached, tensor(3))).holds("arg[0].computed", 1)
    result.shape("arg[0].doubled", 3)


@clause("python.objects", fullgraph=False, torch=">=2.13")
def test_weak_reference_leads_to_its_object(check: Check) -> None:
    """A weak reference gives its object while that lives, and is equal to another one to the same object."""

    def program(a: torch.Tensor, box: Any) -> Any:
        b = a * 2
        reference = weakref.ref(box)
        target = reference()
        return b * target.value, target is box, reference == weakref.ref(box)

    check(program, tensor(3), built(lambda: Plain(value=4))).holds("out[1]", True).holds("out[2]", True)


class Counting:
    """An object that its class counts for."""

    calls = 0

    @property
    def doubled(self) -> int:
        return self.calls * 2


@clause("python.objects", torch=">=2.13")
def test_what_a_class_is_given_its_instances_read(check: Check) -> None:
    """A number that is written to a class is read at once through its instances, and through properties of theirs."""

    def program(a: torch.Tensor, counting: Any) -> Any:
        type(counting).calls += 1
        return a * counting.calls, counting.doubled

    # Each run has a class of its own, as it writes to it.
    instance = built(lambda: type("Counted", (Counting,), {"calls": 3})())
    result = check(program, tensor(3), instance).holds("out[1]", 8)
    result.computed()


@clause("python.objects", torch=">=2.13")
def test_what_a_class_is_given_other_classes_read(check: Check) -> None:
    """A number that is written to a class is read at once through a class that is derived from it."""

    def program(a: torch.Tensor, kinds: Any) -> torch.Tensor:
        base, derived = kinds
        base.calls += 2
        return a * derived.calls

    def kinds() -> Any:
        base = type("Base", (Counting,), {"calls": 3})
        return base, type("Derived", (base,), {})

    check(program, tensor(3), built(kinds)).computed()
