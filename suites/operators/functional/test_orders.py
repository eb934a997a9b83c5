"""Order: sorting what ties, places among bounds, extremes and where they are, and membership."""

import torch

from suites.harness import Check, Result, clause, tensor


@clause("numbers.options")
def test_order_of_equals(check: Check) -> None:
    """A stable sort keeps equals in their order, forwards and backwards, along any dimension."""
    ties = [[2.0, 1.0, 2.0, 0.5, 1.0], [0.0, 3.0, 3.0, 0.0, 3.0], [1.0, 1.0, 1.0, -1.0, 2.0]]

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, object]:
        return {
            "rows": torch.sort(a, stable=True),
            "rows backwards": torch.sort(a, dim=1, descending=True, stable=True),
            "columns": torch.sort(a, dim=0, stable=True),
            "columns backwards": torch.sort(a, dim=-2, descending=True, stable=True),
            "places": torch.argsort(a * 2, dim=-1, stable=True),
            "whole": torch.sort(whole % 3, stable=True),
        }

    whole = tensor(7, dtype=torch.int64, values=[5, 3, 1, 4, 7, 9, 2])
    check(program, tensor(3, 5, values=ties), whole).values().expect("""\
out['rows'][0] = float32[3, 5] [[0.5, 1, 1, 2, 2], [0, 0, 3, 3, 3], [-1, 1, 1, 1, 2]]
out['rows'][1] = int64[3, 5] [[3, 1, 4, 0, 2], [0, 3, 1, 2, 4], [3, 0, 1, 2, 4]]
out['rows backwards'][0] = float32[3, 5] [[2, 2, 1, 1, 0.5], [3, 3, 3, 0, 0], [2, 1, 1, 1, -1]]
out['rows backwards'][1] = int64[3, 5] [[0, 2, 1, 4, 3], [1, 2, 4, 0, 3], [4, 0, 1, 2, 3]]
out['columns'][0] = float32[3, 5] [[0, 1, 1, -1, 1], [1, 1, 2, 0, 2], [2, 3, 3, 0.5, 3]]
out['columns'][1] = int64[3, 5] [[1, 0, 2, 2, 0], [2, 2, 0, 1, 2], [0, 1, 1, 0, 1]]
out['columns backwards'][0] = float32[3, 5] [[2, 3, 3, 0.5, 3], [1, 1, 2, 0, 2], [0, 1, 1, -1, 1]]
out['columns backwards'][1] = int64[3, 5] [[0, 1, 1, 0, 1], [2, 0, 0, 1, 2], [1, 2, 2, 2, 0]]
out['places'] = int64[3, 5] [[3, 1, 4, 0, 2], [0, 3, 1, 2, 4], [3, 0, 1, 2, 4]]
out['whole'][0] = int64[7] [0, 0, 1, 1, 1, 2, 2]
out['whole'][1] = int64[7] [1, 5, 2, 3, 4, 0, 6]
""")


@clause("numbers.options")
def test_order_from_the_largest_down(check: Check) -> None:
    """Numbers are put in order from the largest down along any dimension, where nothing is said of equals."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "rows": torch.sort(a, descending=True),
            "columns": a.sort(0, True),
            "from the end": torch.sort(a * 2, dim=-2, descending=True).values,
            "places": a.argsort(0, descending=True),
        }

    check(program, tensor(3, 5)).values().expect("""\
out['rows'][0] = float32[3, 5] [[0.6865, -0.239, -0.4561, -1.382, -2.63], [1.015, 0.9008, -1.132, -1.587, -2.222],
    [0.1669, -0.1415, -0.4814, -0.5863, -2.313]]
out['rows'][1] = int64[3, 5] [[0, 2, 4, 3, 1], [0, 2, 3, 1, 4], [0, 1, 4, 3, 2]]
out['columns'][0] = float32[3, 5] [[1.015, -0.1415, 0.9008, -0.5863, -0.4561], [0.6865, -1.587, -0.239, -1.132,
    -0.4814], [0.1669, -2.63, -2.313, -1.382, -2.222]]
out['columns'][1] = int64[3, 5] [[1, 2, 1, 2, 0], [0, 1, 0, 1, 2], [2, 0, 2, 0, 1]]
out['from the end'] = float32[3, 5] [[2.03, -0.2831, 1.802, -1.173, -0.9121], [1.373, -3.173, -0.478, -2.264,
    -0.9627], [0.3338, -5.26, -4.627, -2.764, -4.445]]
out['places'] = int64[3, 5] [[1, 2, 1, 2, 0], [0, 1, 0, 1, 2], [2, 0, 2, 0, 1]]
""")


@clause("numbers.options", modes="train")
def test_extremes_and_their_places(check: Check) -> None:
    """Extremes along any dimension or of all, kept or not, smallest ones, those of a rank, and where they are."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "smallest two": a.topk(2, 0, largest=False),
            "largest two": a.topk(2, dim=-2),
            "first": a.kthvalue(1),
            "third": a.kthvalue(3, 0, keepdim=True),
            "largest": a.max(1),
            "smallest kept": a.min(0, keepdim=True),
            "largest kept": a.max(1, keepdim=True),
            "largest of all": a.max(),
            "smallest of all": a.min(),
            "place": a.argmax(),
            "place in rows": a.argmin(1, keepdim=True),
            "place in columns": a.argmax(-2),
            "median": a.median(0, keepdim=True),
            "median of all": a.median(),
            "sorted": torch.msort(a),
            "place in a part": (a * 2)[1::2, 1:].argmin(),
        }

    check(program, tensor(5, 4)).gradient(0).values().expect("""\
out['smallest two'][0] = float32[2, 4] [[-1.218, -1.17, -1.494, -2.151], [-0.5949, -1.078, -1.347, -2.14]]
out['smallest two'][1] = int64[2, 4] [[3, 0, 2, 1], [4, 4, 4, 3]]
out['largest two'][0] = float32[2, 4] [[0.6366, 0.08515, 1.512, 1.5], [0.2713, -0.2308, -0.3132, -0.1935]]
out['largest two'][1] = int64[2, 4] [[1, 3, 0, 2], [2, 1, 1, 4]]
out['first'][0] = float32[5] [-1.17, -2.151, -1.494, -2.14, -1.347]
out['first'][1] = int64[5] [1, 3, 2, 3, 2]
out['third'][0] = float32[1, 4] [[-0.3922, -0.5113, -0.4192, -0.8268]]
out['third'][1] = int64[1, 4] [[0, 2, 3, 0]]
out['largest'][0] = float32[5] [1.512, 0.6366, 1.5, 0.08515, -0.1935]
out['largest'][1] = int64[5] [2, 0, 3, 1, 3]
out['smallest kept'][0] = float32[1, 4] [[-1.218, -1.17, -1.494, -2.151]]
out['smallest kept'][1] = int64[1, 4] [[3, 0, 2, 1]]
out['largest kept'][0] = float32[5, 1] [[1.512], [0.6366], [1.5], [0.08515], [-0.1935]]
out['largest kept'][1] = int64[5, 1] [[2], [0], [3], [1], [3]]
out['largest of all'] = float32[] 1.512
out['smallest of all'] = float32[] -2.151
out['place'] = int64[] 2
out['place in rows'] = int64[5, 1] [[1], [3], [2], [3], [2]]
out['place in columns'] = int64[4] [1, 3, 0, 2]
out['median'][0] = float32[1, 4] [[-0.3922, -0.5113, -0.4192, -0.8268]]
out['median'][1] = int64[1, 4] [[0, 2, 3, 0]]
out['median of all'] = float32[] -0.5113
out['sorted'] = float32[5, 4] [[-1.218, -1.17, -1.494, -2.151], [-0.5949, -1.078, -1.347, -2.14], [-0.3922, -0.5113,
    -0.4192, -0.8268], [0.2713, -0.2308, -0.3132, -0.1935], [0.6366, 0.08515, 1.512, 1.5]]
out['place in a part'] = int64[] 2
""")


@clause("numbers.options")
def test_values_that_come_most_often(check: Check) -> None:
    """Along any dimension, kept or not, the value that comes most often is what eager finds."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "of rows": a.mode().values * 2,
            "of columns": a.mode(0).values,
            "from the end": torch.mode(a, -2, keepdim=True).values,
            "kept": (a / 2).mode(1, keepdim=True).values,
            "of what is turned": (a.t() + 1).mode(0)[0],
        }

    numbers = [[1, 1, 2, 3, 1], [1, 2, 2, 3, 2], [1, 2, 2, 0, 2], [3, 2, 5, 3, 3]]
    check(program, tensor(4, 5, dtype=torch.int64, values=numbers)).values().expect("""\
out['of rows'] = int64[4] [2, 4, 4, 6]
out['of columns'] = int64[5] [1, 2, 2, 3, 2]
out['from the end'] = int64[1, 5] [[1, 2, 2, 3, 2]]
out['kept'] = float32[4, 1] [[0.5], [1], [1], [1.5]]
out['of what is turned'] = int64[4] [2, 3, 3, 4]
""")


@clause("numbers.options", devices="cpu")
def test_place_in_what_is_turned(check: Check) -> None:
    """The places of extremes of a permuted view are counted in the order of its dimensions."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        turned = (a @ (a + 1).t()).view(2, 3, 6)[:, :, :5].permute(2, 0, 1)
        return {
            "part": (a @ (a + 1).t()).view(6, 6, 1)[:, 1:3].permute(1, 2, 0).argmax(),
            "greatest": turned.argmax(),
            "least": turned.argmin(),
        }

    check(program, tensor(6, 4)).values().expect("""\
out['part'] = int64[] 1
out['greatest'] = int64[] 7
out['least'] = int64[] 6
""")


@clause("numbers.options")
def test_place_in_what_is_computed_of_what_is_turned(check: Check) -> None:
    """Where the extreme of all numbers lies is counted in the order of the dimensions that a permuted tensor has."""

    def program(a: torch.Tensor, b: torch.Tensor, image: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "twice": (a.t() * 2).argmax(),
            "least": (a.t() - 1).argmin(),
            "with another": (a.t() + a.t().contiguous()).argmax(),
            "laid out anew": a.t().contiguous().argmin(),
            "of three dimensions": (b.permute(2, 0, 1) * -1).argmax(),
            "beside its maximum": (b.permute(1, 2, 0) * 3).flatten().max(0).indices,
            "of two dimensions": (b * 2).permute(2, 0, 1).flip(1).flatten(1).argmin(),
            "format": (image.to(memory_format=torch.channels_last) * 2).argmax(),
        }

    check(program, tensor(5, 7), tensor(2, 3, 4), tensor(2, 3, 2, 2)).values().expect("""\
out['twice'] = int64[] 1
out['least'] = int64[] 27
out['with another'] = int64[] 1
out['laid out anew'] = int64[] 27
out['of three dimensions'] = int64[] 2
out['beside its maximum'] = int64[] 10
out['of two dimensions'] = int64[] 5
out['format'] = int64[] 4
""")


@clause("numbers.options")
def test_place_along_dimensions_of_what_is_turned(check: Check) -> None:
    """Where extremes along a dimension lie, and those of all in the order they are stored in, is that of eager."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "first": (a.t() * 2).argmax(0),
            "last": (a.t() * 3).argmin(-1, keepdim=True),
            "middle": (b.permute(2, 0, 1) * 4).argmax(1),
            "pair": (b.permute(1, 2, 0) * 5).max(0).indices,
            "as stored": (a * 6).argmax(),
            "kept": (b * 7).argmin(None, keepdim=True),
            "computed": torch.roll(a, 1, 0).mul(8).argmax(),
        }

    check(program, tensor(5, 7), tensor(2, 3, 4)).values().expect("""\
out['first'] = int64[5] [2, 0, 0, 1, 3]
out['last'] = int64[7, 1] [[3], [2], [3], [0], [4], [2], [0]]
out['middle'] = int64[4, 3] [[1, 1, 1], [1, 0, 1], [0, 1, 0], [1, 1, 0]]
out['pair'] = int64[4, 2] [[0, 1], [1, 2], [2, 2], [0, 1]]
out['as stored'] = int64[] 7
out['kept'] = int64[1, 1, 1] [[[8]]]
out['computed'] = int64[] 14
""")


@clause("numbers.options")
def test_places_among_bounds(check: Check) -> None:
    """A number that is a bound goes before or after it as told; bounds have rows, or an order apart."""
    edges = tensor(4, values=[-1.0, 0.0, 0.5, 2.0])
    rows = tensor(2, 4, values=[[0.0, 1.0, 1.0, 3.0], [-2.0, -1.0, 0.0, 0.5]])

    def program(
        a: torch.Tensor, edges: torch.Tensor, rows: torch.Tensor, whole: torch.Tensor, order: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {
            "before": torch.bucketize(a, edges),
            "after": torch.bucketize(a, edges, right=True),
            "narrow": torch.bucketize(a, edges, out_int32=True, right=True),
            "whole": torch.bucketize(whole, whole[:3]),
            "whole after": torch.bucketize(whole, whole[:3], right=True),
            "rows": torch.searchsorted(rows, a[:, :3].contiguous()),
            "rows after": torch.searchsorted(rows, a[:, :3].contiguous(), side="right"),
            "in an order": torch.searchsorted(edges[[2, 0, 3, 1]], a, sorter=order),
            "in an order after": torch.searchsorted(edges[[2, 0, 3, 1]], a, sorter=order, right=True, out_int32=True),
            "a number": torch.searchsorted(edges, 0.5) + torch.bucketize(0.5, edges, right=True),
            "after a number": torch.searchsorted(edges, 0.5, side="right"),
            "after a bound": torch.searchsorted(edges, 2.0, right=True),
            "computed": torch.bucketize(a * 2 - 1, edges + 1, right=True) + 1,
            "narrow, then wide": torch.bucketize(a, edges, out_int32=True).long(),
            "narrow, and a number": torch.searchsorted(edges, a, out_int32=True) + 1,
        }

    given = tensor(2, 5, values=[[-1.0, 0.5, 1.0, 2.0, 3.0], [0.0, -1.0, -3.0, 0.25, 2.0]])
    whole = tensor(5, dtype=torch.int64, values=[-3, 0, 4, 9, 4])
    order = tensor(4, dtype=torch.int64, values=[1, 3, 0, 2])
    check(program, given, edges, rows, whole, order).values().expect("""\
out['before'] = int64[2, 5] [[0, 2, 3, 3, 4], [1, 0, 0, 2, 3]]
out['after'] = int64[2, 5] [[1, 3, 3, 4, 4], [2, 1, 0, 2, 4]]
out['narrow'] = int32[2, 5] [[1, 3, 3, 4, 4], [2, 1, 0, 2, 4]]
out['whole'] = int64[5] [0, 1, 2, 3, 2]
out['whole after'] = int64[5] [1, 2, 3, 3, 3]
out['rows'] = int64[2, 3] [[0, 1, 1], [2, 1, 0]]
out['rows after'] = int64[2, 3] [[0, 1, 3], [3, 2, 0]]
out['in an order'] = int64[2, 5] [[0, 2, 3, 3, 4], [1, 0, 0, 2, 3]]
out['in an order after'] = int32[2, 5] [[1, 3, 3, 4, 4], [2, 1, 0, 2, 4]]
out['a number'] = int64[] 5
out['after a number'] = int64[] 3
out['after a bound'] = int64[] 4
out['computed'] = int64[2, 5] [[1, 2, 3, 5, 5], [1, 1, 1, 1, 5]]
out['narrow, then wide'] = int64[2, 5] [[0, 2, 3, 3, 4], [1, 0, 0, 2, 3]]
out['narrow, and a number'] = int32[2, 5] [[1, 3, 4, 4, 5], [2, 1, 1, 3, 4]]
""")


@clause("numbers.options")
def test_membership(check: Check) -> None:
    """Whether an element is among few or many others, or is not, or is a number."""

    def program(a: torch.Tensor, whole: torch.Tensor, many: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "few": torch.isin(whole, whole[1:3]),
            "not few": torch.isin(whole, whole[1:3], invert=True),
            "many": torch.isin(whole.view(2, 3), many),
            "not many": torch.isin(whole, many, invert=True),
            "each once": torch.isin(many[:9], many[6:20], assume_unique=True),
            "not each once": torch.isin(many[:9], many[6:20], assume_unique=True, invert=True),
            "number": torch.isin(whole, 4),
            "not the number": torch.isin(whole, 4, invert=True),
            "a number": torch.isin(4, whole),
            "one": torch.isin(whole.view(3, 2), whole[3]),
            "not one": torch.isin(whole, whole[3], invert=True),
            "one among them": torch.isin(whole[3], whole[2:]),
            "fractions": torch.isin(a, a[1:]),
            "none": torch.isin(a, a[:0]),
        }

    whole = tensor(6, dtype=torch.int64, values=[1, 4, -2, 4, 30, 17])
    parts = tensor(4), whole, tensor(24, dtype=torch.int64, values=[*range(0, 72, 3)][::-1])
    check(program, *parts).values().expect("""\
out['few'] = bool[6] [False, True, True, True, False, False]
out['not few'] = bool[6] [True, False, False, False, True, True]
out['many'] = bool[2, 3] [[False, False, False], [False, True, False]]
out['not many'] = bool[6] [True, True, True, True, False, True]
out['each once'] = bool[9] [False, False, False, False, False, False, True, True, True]
out['not each once'] = bool[9] [True, True, True, True, True, True, False, False, False]
out['number'] = bool[6] [False, True, False, True, False, False]
out['not the number'] = bool[6] [True, False, True, False, True, True]
out['a number'] = bool[] True
out['one'] = bool[3, 2] [[False, True], [False, True], [False, False]]
out['not one'] = bool[6] [True, False, True, False, True, True]
out['one among them'] = bool[] True
out['fractions'] = bool[4] [False, True, True, True]
out['none'] = bool[4] [False, False, False, False]
""")


@clause("numbers.options")
def test_elements_taken_together(check: Check) -> None:
    """Every choice of so many elements, in the order of their places, with an element taken once or again."""

    def program(a: torch.Tensor, whole: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "pairs": torch.combinations(a),
            "again": torch.combinations(whole, 2, with_replacement=True) * 2,
            "threes": torch.combinations(a, 3) + 1,
        }

    check(program, tensor(4), tensor(3, dtype=torch.int64, values=[5, -2, 7])).values().expect("""\
out['pairs'] = float32[6, 2] [[0.6865, -2.63], [0.6865, -0.239], [0.6865, -1.382], [-2.63, -0.239], [-2.63, -1.382],
    [-0.239, -1.382]]
out['again'] = int64[6, 2] [[10, 10], [10, -4], [10, 14], [-4, -4], [-4, 14], [14, 14]]
out['threes'] = float32[4, 3] [[1.686, -1.63, 0.761], [1.686, -1.63, -0.382], [1.686, 0.761, -0.382], [-1.63, 0.761,
    -0.382]]
""")


@clause("numbers.options")
def test_membership_in_tables(check: Check) -> None:
    """Whether an element is among those of a table of few or of many, in any row of it, the last of all among them."""

    def program(whole: torch.Tensor, few: torch.Tensor, many: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "few": torch.isin(whole, few),
            "not few": torch.isin(whole, few, invert=True),
            "few of a table": torch.isin(whole.view(3, 2), few),
            "many": torch.isin(whole, many),
            "volume": torch.isin(whole, few[:, None]),
        }

    parts = (
        tensor(6, dtype=torch.int64, values=[1, 4, -2, 69, 30, 17]),
        tensor(2, 2, dtype=torch.int64, values=[17, 1, 5, 6]),
        tensor(4, 6, dtype=torch.int64, values=[*range(0, 72, 3)]),
    )
    check(program, *parts).computed()


@clause("numbers.options", "numbers.special-values")
def test_membership_beside_numbers_that_are_none(check: Check) -> None:
    """A number that is among many others is found, whether or not some of those are NaN."""
    none = float("nan")

    def program(a: torch.Tensor, many: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.isin(a, many), torch.isin(a, many, invert=True)

    many = tensor(20, values=[none, *range(18), none])
    check(program, tensor(4, values=[16.0, 3.0, 17.0, 3.5]), many).values().expect("""\
out[0] = bool[4] [True, True, True, False]
out[1] = bool[4] [False, False, False, True]
""")


@clause("numbers.options", "numbers.special-values")
def test_membership_of_numbers_that_are_none(check: Check) -> None:
    """NaN is among no others, be they few or many; beside a few of which one is NaN the others are found."""
    none = float("nan")

    def program(a: torch.Tensor, many: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "many": torch.isin(a[:2], many),
            "few": torch.isin(a, a[1:]),
            "not few": torch.isin(a, a[1:], invert=True),
            "each once": torch.isin(a[1:], many, assume_unique=True),
        }

    check(program, tensor(4, values=[none, 3.0, none, 3.5]), tensor(20, values=[*range(20)])).values().expect("""\
out['many'] = bool[2] [False, True]
out['few'] = bool[4] [False, True, False, True]
out['not few'] = bool[4] [True, False, True, False]
out['each once'] = bool[3] [True, False, False]
""")


#: The size of what is found each once is the data's, and traced as an unbacked symbol instead of breaking the graph.
CAPTURED = {"dynamo.capture_dynamic_output_shape_ops": True}
#: Rows that come again beside each other and apart, and columns that do.
ROWS = [[3, 1, 1, 3], [0, 5, 5, 0], [3, 1, 1, 3], [3, 1, 1, 3]]
OTHER_ROWS = [[2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1]]


def rows(values: list[list[int]]) -> object:
    """Whole numbers in four rows of four."""
    return tensor(4, 4, dtype=torch.int64, values=values)


@clause("numbers.options", "dynamic-shapes.unbacked")
def test_each_row_once(check: Check) -> None:
    """Of equal rows one is kept, in order, with where each came from and how many there were, of each call's data."""

    def program(a: torch.Tensor) -> dict[str, object]:
        kept, places, counts = torch.unique(a, dim=0, return_inverse=True, return_counts=True)
        return {
            "kept": kept * 2,
            "together again": kept[places],
            "counts": counts + 0,
            "counted alone": torch.unique(a.flip(1), dim=-2, return_counts=True)[1],
            "of a number each": torch.unique(a[0] % 3, dim=0) - 1,
            "yes and no": torch.unique(a > 2, dim=0),
            "turned": torch.unique(a.t() * 2, dim=0),
        }

    result = check(program, calls=[(rows(ROWS),), (rows(OTHER_ROWS),)], config=CAPTURED)
    result.recompiled(0)
    result.values().expect("""\
out['kept'] = int64[2, 4] [[0, 10, 10, 0], [6, 2, 2, 6]]
out['together again'] = int64[4, 4] [[3, 1, 1, 3], [0, 5, 5, 0], [3, 1, 1, 3], [3, 1, 1, 3]]
out['counts'] = int64[2] [1, 3]
out['counted alone'] = int64[2] [1, 3]
out['of a number each'] = int64[2] [-1, 0]
out['yes and no'] = bool[2, 4] [[False, True, True, False], [True, False, False, True]]
out['turned'] = int64[2, 4] [[2, 10, 2, 2], [6, 0, 6, 6]]
""")
    result.in_call(1).values().expect("""\
out['kept'] = int64[2, 4] [[2, 2, 2, 2], [4, 4, 4, 4]]
out['together again'] = int64[4, 4] [[2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1]]
out['counts'] = int64[2] [2, 2]
out['counted alone'] = int64[2] [2, 2]
out['of a number each'] = int64[1] [1]
out['yes and no'] = bool[1, 4] [[False, False, False, False]]
out['turned'] = int64[1, 4] [[4, 4, 2, 2]]
""")


@clause("numbers.options", "dynamic-shapes.unbacked")
def test_runs_of_equals(check: Check) -> None:
    """Of equals that stand beside each other one is kept, and those that come again later are kept again."""

    def program(a: torch.Tensor) -> dict[str, object]:
        kept, places, counts = torch.unique_consecutive(a, dim=0, return_inverse=True, return_counts=True)
        return {
            "rows": (kept * 2, kept[places], counts + 0),
            "rows, from the end": torch.unique_consecutive(a + 1, dim=-2),
            "numbers": torch.unique_consecutive(a, return_inverse=True, return_counts=True),
            "a row": torch.unique_consecutive(a[0], dim=0, return_counts=True),
        }

    result = check(program, calls=[(rows(ROWS),), (rows(OTHER_ROWS),)], config=CAPTURED)
    result.recompiled(0)
    result.values().expect("""\
out['rows'][0] = int64[3, 4] [[6, 2, 2, 6], [0, 10, 10, 0], [6, 2, 2, 6]]
out['rows'][1] = int64[4, 4] [[3, 1, 1, 3], [0, 5, 5, 0], [3, 1, 1, 3], [3, 1, 1, 3]]
out['rows'][2] = int64[3] [1, 1, 2]
out['rows, from the end'] = int64[3, 4] [[4, 2, 2, 4], [1, 6, 6, 1], [4, 2, 2, 4]]
out['numbers'][0] = int64[11] [3, 1, 3, 0, 5, 0, 3, 1, 3, 1, 3]
out['numbers'][1] = int64[4, 4] [[0, 1, 1, 2], [3, 4, 4, 5], [6, 7, 7, 8], [8, 9, 9, 10]]
out['numbers'][2] = int64[11] [1, 2, 1, 1, 2, 1, 1, 2, 2, 2, 1]
out['a row'][0] = int64[3] [3, 1, 3]
out['a row'][1] = int64[3] [1, 2, 1]
""")
    result.in_call(1).values().expect("""\
out['rows'][0] = int64[2, 4] [[4, 4, 4, 4], [2, 2, 2, 2]]
out['rows'][1] = int64[4, 4] [[2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1]]
out['rows'][2] = int64[2] [2, 2]
out['rows, from the end'] = int64[2, 4] [[3, 3, 3, 3], [2, 2, 2, 2]]
out['numbers'][0] = int64[2] [2, 1]
out['numbers'][1] = int64[4, 4] [[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]]
out['numbers'][2] = int64[2] [8, 8]
out['a row'][0] = int64[1] [2]
out['a row'][1] = int64[1] [4]
""")


def _by_columns(check: Check, result: Result) -> Result:
    """Columns of four that were sorted lie by columns on a CPU, and in plain order on a GPU."""
    width = result.facts("out['columns'][0]").shape[1]
    return result.strides("out['columns'][0]", *((1, 4) if check.device == "cpu" else (width, 1)))


@clause("numbers.options", "dynamic-shapes.unbacked")
def test_each_column_once(check: Check) -> None:
    """Of equal columns one is kept, in order, and laid out by columns on a CPU, as they were sorted."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "columns": torch.unique(a, dim=1, return_inverse=True, return_counts=True),
            "from the end": torch.unique(a.view(2, 2, 4) + 1, dim=-1) * 2,
            "in the middle": torch.unique(a.view(2, 2, 4)[:, :, 1:3].transpose(1, 2), dim=1).sum(0),
        }

    result = check(program, calls=[(rows(ROWS),), (rows(OTHER_ROWS),)], config=CAPTURED)
    _by_columns(check, result).recompiled(0)
    result.values().expect("""\
out['columns'][0] = int64[4, 2] [[1, 3], [5, 0], [1, 3], [1, 3]]
out['columns'][1] = int64[4] [1, 0, 0, 1]
out['columns'][2] = int64[2] [2, 2]
out['from the end'] = int64[2, 2, 2] [[[4, 8], [12, 2]], [[4, 8], [4, 8]]]
out['in the middle'] = int64[1, 2] [[2, 6]]
""")
    result.in_call(1).values().expect("""\
out['columns'][0] = int64[4, 1] [[2], [2], [1], [1]]
out['columns'][1] = int64[4] [0, 0, 0, 0]
out['columns'][2] = int64[1] [4]
out['from the end'] = int64[2, 2, 1] [[[6], [6]], [[4], [4]]]
out['in the middle'] = int64[1, 2] [[3, 3]]
""")


@clause("numbers.options", "dynamic-shapes.unbacked")
def test_runs_of_equal_columns(check: Check) -> None:
    """The same of columns that stand beside each other."""

    def program(a: torch.Tensor) -> dict[str, object]:
        return {
            "columns": torch.unique_consecutive(a, dim=1, return_inverse=True, return_counts=True),
            "in the middle": torch.unique_consecutive(a.view(2, 4, 2), dim=1) * 2,
        }

    result = check(program, calls=[(rows(ROWS),), (rows(OTHER_ROWS),)], config=CAPTURED)
    _by_columns(check, result).recompiled(0)
    result.values().expect("""\
out['columns'][0] = int64[4, 3] [[3, 1, 3], [0, 5, 0], [3, 1, 3], [3, 1, 3]]
out['columns'][1] = int64[4] [0, 1, 1, 2]
out['columns'][2] = int64[3] [1, 2, 1]
out['in the middle'] = int64[2, 4, 2] [[[6, 2], [2, 6], [0, 10], [10, 0]], [[6, 2], [2, 6], [6, 2], [2, 6]]]
""")
    result.in_call(1).values().expect("""\
out['columns'][0] = int64[4, 1] [[2], [2], [1], [1]]
out['columns'][1] = int64[4] [0, 0, 0, 0]
out['columns'][2] = int64[1] [4]
out['in the middle'] = int64[2, 1, 2] [[[4, 4]], [[2, 2]]]
""")


@clause("numbers.options", "dynamic-shapes.unbacked")
def test_runs_along_the_last_dimension(check: Check) -> None:
    """A dimension that is counted from the end is the same dimension: sizes and means are those of what is kept."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, int, int]:
        kept = torch.unique_consecutive(a, dim=-1)
        return kept.sum(0), kept.dim(), kept.shape[-1]

    result = check(program, calls=[(rows(ROWS),), (rows(OTHER_ROWS),)], config=CAPTURED)
    result.holds("out[1]", 2).holds("out[2]", 3)
    result.values("out[0]").expect("""\
out[0] = int64[3] [9, 8, 9]
""")
    result.in_call(1).holds("out[2]", 1)


#: The longest row whose places a compiler counts in sixteen bits, one more, and far more.
LONG = (32766, 32767, 40000)
#: As many numbers as the longest has, of which some are equal.
NUMBERS = [place * 7919 % 32771 for place in range(LONG[-1])]


@clause("numbers.options", devices="cpu")
def test_order_of_rows_whose_places_need_more_bits(check: Check) -> None:
    """Rows of any length are put in order from either end, with the equals as they stood where that is asked."""

    def program(*rows: torch.Tensor) -> dict[str, object]:
        found: dict[str, object] = {}
        for row in rows:
            for size in LONG:
                found[f"{size} {row.dtype} up"] = torch.sort(row[:size], stable=True)
                found[f"{size} {row.dtype} down"] = torch.sort(row[-size:], descending=True, stable=True)
            found[f"columns {row.dtype}"] = torch.stack([row, row], 1).argsort(dim=0, descending=True, stable=True)
            found[f"values {row.dtype}"] = torch.sort(row[None], -1, True).values, torch.msort(row)
        return found

    rows = [
        tensor(len(NUMBERS), dtype=dtype, grad=False, values=[number % modulus for number in NUMBERS])
        for dtype, modulus in (
            (torch.float32, 32771),
            (torch.int64, 32771),
            (torch.float16, 2048),
            (torch.uint8, 256),
            (torch.bool, 2),
        )
    ]
    result = check(program, *rows).computed()
    down = result.value("out['40000 torch.int64 down'][0]")
    result.happened(bool(down[0] > down[-1]), "an order from the largest down")
