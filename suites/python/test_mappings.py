"""Dicts and their kin: the order of keys, which key is kept, what reading inserts."""

# The programs do on purpose what linters and type checkers advise against.
# ruff: noqa: F601
# mypy: disable-error-code="call-arg"

import collections
import sys
from typing import Any

import torch

from suites.harness import Check, built, clause, tensor


@clause("python.mappings")
def test_dict_union_in_place_keeps_the_dict(check: Check) -> None:
    """``|=`` changes the dict that all names share, ``|`` makes another; the right side wins at the left's place."""

    def program(a: torch.Tensor, named: dict[str, Any]) -> Any:
        same = named
        both = named | {"b": 7, "d": 8}
        named |= {"c": 9, "a": 5}
        return a * named["a"], same, both

    result = check(program, tensor(3), {"a": 1, "b": 2}).same_object("out[1]", "arg[1]")
    result.holds(1, {"a": 5, "b": 2, "c": 9}).holds("out[2]", {"a": 1, "b": 7, "d": 8})


@clause("python.mappings")
def test_dict_keeps_the_order_of_first_insertion(check: Check) -> None:
    """A key that is set again keeps its place; one deleted and set again goes to the end, where `popitem` takes it."""

    def program(a: torch.Tensor, named: dict[str, int]) -> Any:
        named.update(a=10, z=26)
        removed = named.pop("b")
        named["b"] = removed + 1
        last = named.popitem()
        return a * last[1], last, list(named.items()), list(reversed(named)), named.pop("none", "default")

    result = check(program, tensor(3), {"a": 1, "b": 2, "c": 3}).holds(1, {"a": 10, "c": 3, "z": 26})
    result.holds("out[1]", ("b", 3)).holds("out[3]", ["z", "c", "a"]).holds("out[4]", "default")


@clause("python.mappings")
def test_setdefault_hands_out_the_object_that_is_stored(check: Check) -> None:
    """What `setdefault` returns is what the dict holds, so that appending to it groups values under their keys."""

    def program(a: torch.Tensor, words: list[str]) -> Any:
        groups: dict[str, list[Any]] = {}
        for word in words:
            groups.setdefault(word[0], []).append(word)
        groups.setdefault("b", []).append(a * 2)
        return groups, groups.setdefault("c")

    result = check(program, tensor(3), ["bee", "ant", "bat"])
    result.holds("out[0]['a']", ["ant"]).holds("out[0]['b'][1]", "bat").holds("out[1]", None)


@clause("python.mappings")
def test_equal_keys_of_other_types_are_one_key(check: Check) -> None:
    """``1``, ``True`` and ``1.0`` are one key: the first key object stays and the last value counts."""

    def program(a: torch.Tensor) -> Any:
        named: dict[Any, Any] = {1: "int"}
        named[True] = "bool"
        named[1.0] = "float"
        named[(1, "x")] = "pair"
        return a * len(named), named, named[(True, "x")], {0: 1, False: 2}

    result = check(program, tensor(3)).holds("out[1]", {1: "float", (1, "x"): "pair"}).holds("out[2]", "pair")
    result.holds("out[3]", {0: 2})


@clause("python.mappings")
def test_views_of_a_dict_follow_it(check: Check) -> None:
    """Keys and items that were asked for before a change show the dict after it, and work as sets."""

    def program(a: torch.Tensor, named: dict[str, int]) -> Any:
        keys, values, items = named.keys(), named.values(), named.items()
        named["new"] = 3
        del named["old"]
        return a * sum(values), list(keys), list(items), sorted(keys & {"new", "other"}), "old" in keys

    result = check(program, tensor(3), {"old": 1, "kept": 2}).holds("out[1]", ["kept", "new"])
    result.holds("out[2]", [("kept", 2), ("new", 3)]).holds("out[3]", ["new"]).holds("out[4]", False)


@clause("python.mappings", fullgraph=False)
def test_dict_that_changes_size_while_it_is_iterated(check: Check) -> None:
    """A loop over a dict that gains a key raises; a loop over a list of its keys does not."""

    def program(a: torch.Tensor, named: dict[str, int]) -> Any:
        b = a * 2
        for key in list(named):
            named[key + "2"] = 0
        caught = "nothing"
        try:
            for key in named:
                named[key + "3"] = 1
        except RuntimeError as error:
            caught = str(error)
        return b + len(named), caught

    check(program, tensor(3), {"a": 1}).holds("out[1]", "dictionary changed size during iteration")


@clause("python.mappings")
def test_ordered_dict_moves_keys_to_either_end(check: Check) -> None:
    """`move_to_end` and `popitem` work at both ends, and two ordered dicts in another order are not equal."""

    def program(a: torch.Tensor, named: Any) -> Any:
        named.move_to_end("a")
        named.move_to_end("c", last=False)
        first = named.popitem(last=False)
        other = collections.OrderedDict([("a", 1), ("b", 2)])
        return a * first[1], first, named == other, dict(named) == dict(other)

    result = check(program, tensor(3), built(lambda: collections.OrderedDict(a=1, b=2, c=3)))
    result.holds(1, collections.OrderedDict(b=2, a=1)).holds("out[1]", ("c", 3))
    result.holds("out[2]", False).holds("out[3]", True)


@clause("python.mappings")
def test_defaultdict_inserts_what_is_read(check: Check) -> None:
    """Reading a missing key inserts the default; `get` and ``in`` insert nothing."""

    def program(a: torch.Tensor, groups: Any) -> Any:
        groups["read"]
        groups["grown"].append(a * 2)
        absent = groups.get("got"), "asked" in groups
        return groups["grown"][0] + 1, list(groups), absent

    result = check(program, tensor(3), built(lambda: collections.defaultdict(list)))
    result.holds("out[1]", ["read", "grown"]).holds("out[2]", (None, False)).holds("arg[1]['read']", [])


@clause("python.mappings", fullgraph=False)
def test_counter_counts_and_subtracts(check: Check) -> None:
    """A counter gives 0 for what it lacks without inserting it, ranks by count and keeps ties in order of arrival."""

    def program(a: torch.Tensor, counts: Any) -> Any:
        b = a * 2
        ranked = counts.most_common(3)
        counts.subtract("zb")
        return b * counts["q"] + counts["b"], ranked, dict(counts), counts["z"], "q" in counts

    result = check(program, tensor(3), built(lambda: collections.Counter("abracadabra"))).holds(
        "out[1]", [("a", 5), ("b", 2), ("r", 2)]
    )
    result.holds("out[2]", {"a": 5, "b": 1, "r": 2, "c": 1, "d": 1, "z": -1}).holds("out[4]", False)


@clause("python.mappings")
def test_missing_of_a_dict_subclass_answers_only_brackets(check: Check) -> None:
    """``__missing__`` of a dict's subclass answers for absent keys in brackets, not in `get`, and inserts nothing."""

    class Scales(dict[str, int]):
        def __missing__(self, key: str) -> int:
            return len(key) * 10

    def program(a: torch.Tensor, scales: Any) -> Any:
        return a * scales["long"], scales["x"], scales["yy"], scales.get("zzz"), len(scales)

    result = check(program, tensor(3), built(lambda: Scales(x=3)))
    result.holds("out[1]", 3).holds("out[2]", 20).holds("out[3]", None).holds("out[4]", 1)


@clause("python.mappings")
def test_dict_comprehension_overwrites_at_the_first_place(check: Check) -> None:
    """A key that a comprehension makes twice has the last value, at the place of the first."""

    def program(a: torch.Tensor, words: list[str]) -> Any:
        lengths = {len(word): word for word in words}
        inverse = {value: key for key, value in lengths.items() if key != 3}
        return a * len(lengths), lengths, inverse

    result = check(program, tensor(3), ["one", "four", "two", "three"])
    result.holds("out[1]", {3: "two", 4: "four", 5: "three"}).holds("out[2]", {"four": 4, "three": 5})


@clause("python.mappings")
def test_tensors_are_keys_by_identity(check: Check) -> None:
    """A dict whose keys are tensors finds each by identity, whatever its values."""

    def program(a: torch.Tensor, b: torch.Tensor) -> Any:
        names = {a: "first", b: "second"}
        names[a] += " again"
        return a * 2 - b, names[a], names[b], len({a, b, a}), a.clone() in names

    result = check(program, tensor(3), tensor(3)).holds("out[1]", "first again").holds("out[2]", "second")
    result.holds("out[3]", 2).holds("out[4]", False)


@clause("python.mappings", fullgraph=False)
def test_text_of_a_dicts_relative_shows_what_it_holds(check: Check) -> None:
    """`str` and a formatted text of a counter, an ordered dict and a dict with a default are those of `repr`."""

    def program(a: torch.Tensor, key: str) -> Any:
        counted, ordered = collections.Counter(key), collections.OrderedDict([(key, 1)])
        grouped: dict[str, int] = collections.defaultdict(int, {key: 2})
        return a * 2, [str(counted), f"{ordered}", str(grouped)], [repr(counted), repr(ordered), repr(grouped)]

    texts = ["Counter({'k': 1})", "OrderedDict([('k', 1)])", "defaultdict(<class 'int'>, {'k': 2})"]
    if sys.version_info >= (3, 12):
        texts[1] = "OrderedDict({'k': 1})"
    check(program, tensor(3), "k").holds("out[1]", texts).holds("out[2]", texts)


@clause("python.mappings", "reuse.values")
def test_order_and_keys_of_a_dict_are_the_calls_own(check: Check) -> None:
    """A dict that another call brings is walked in its own order, backwards too, and has the keys that it has."""

    def program(a: torch.Tensor, scales: dict[str, int], options: dict[str, int], asked: str) -> Any:
        for name in reversed(scales):
            a = a * scales[name] + 1
        return a + 5 if asked in options else a

    calls = [
        (tensor(3), {"x": 2, "y": -3}, {"p": 1}, "q"),
        (tensor(3), {"y": -3, "x": 2}, {"p": 1}, "q"),
        (tensor(3), {"y": -3, "x": 2}, {"p": 1, "q": 1}, "q"),
    ]
    check(program, calls=calls).computed()


@clause("python.mappings")
def test_dicts_and_views_are_compared_by_what_they_hold(check: Check) -> None:
    """Dicts are equal where values are the same object or equal; keys are compared as sets, those of equal size too."""

    def program(a: torch.Tensor, named: dict[str, int]) -> Any:
        nan = float("nan")
        same, other = {"k": nan, "n": 1}, {"n": 1, "k": nan}
        keys = named.keys()
        orders = [keys <= {"x", "y"}, keys < {"x", "y"}, keys >= {"y", "x"}, keys <= {"x"}, keys < {"x", "y", "z"}]
        return a * len(keys), [same == other, same != other, same == {"k": 1, "n": 1}], orders

    result = check(program, tensor(3), {"x": 1, "y": 2}).holds("out[1]", [True, False, False])
    result.holds("out[2]", [True, False, True, False, True])


@clause("python.mappings")
def test_relatives_of_dicts_on_the_right_of_a_union(check: Check) -> None:
    """A dict with a default on the right of ``|`` wins and keeps its default; a counter's text ranks by count."""

    def program(a: torch.Tensor, text: str) -> Any:
        grouped = {"q": 9, "p": 8} | collections.defaultdict(int, {"p": 1, "r": 2})
        counted = collections.Counter(text)
        return a * grouped["r"], list(grouped.items()), grouped["missing"], repr(counted)

    result = check(program, tensor(3), "xyyzzz").holds("out[1]", [("q", 9), ("p", 1), ("r", 2)]).holds("out[2]", 0)
    result.holds("out[3]", "Counter({'z': 3, 'y': 2, 'x': 1})")
