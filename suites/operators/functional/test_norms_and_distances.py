"""Norms of vectors and matrices of every order, and distances between points."""

import torch

from suites.harness import Check, clause, tensor

INF = float("inf")


@clause("numbers.options", modes="train")
def test_norms(check: Check) -> None:
    """Orders from minus infinity to infinity, over one dimension or several, and no slope at nought."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        norm = torch.linalg.vector_norm
        return {
            "two": norm(a, dim=1),
            "one": norm(a, 1, dim=(0, 2)),
            "three": norm(a, 3, dim=2, keepdim=True),
            "half": norm(a.abs() + 1, 0.5),
            "count": norm(a.detach(), 0, dim=1),
            "largest": norm(a, INF, dim=(1, 2)),
            "smallest": norm(a, -INF, dim=2),
            "minus one": norm(a.abs() + 1, -1, dim=0),
            "in double": norm(a, dtype=torch.float64),
            "of noughts": norm(a * 0, dim=2),
            "one of noughts": norm(a * 0, 1, dim=2),
        }

    check(program, tensor(2, 3, 4)).values().expect("""\
out['two'] = float32[2, 4] [[0.6163, 1.555, 2.264, 2.617], [1.964, 1.528, 1.975, 1.413]]
out['one'] = float32[3] [6.766, 7.252, 8.519]
out['three'] = float32[2, 3, 1] [[[1.784], [2.079], [1.9]], [[1.522], [1.576], [1.916]]]
out['half'] = float32[] 1099
out['count'] = float32[2, 4] [[3, 3, 3, 3], [3, 3, 3, 3]]
out['largest'] = float32[2] [1.979, 1.383]
out['smallest'] = float32[2, 3] [[0.3922, 0.3905, 0.2713], [0.1038, 0.1935, 0.9878]]
out['minus one'] = float32[3, 4] [[0.8747, 0.7316, 0.9062, 0.9529], [0.7428, 0.9893, 1.013, 0.8521], [0.818, 0.875,
    1.219, 1.107]]
out['in double'] = float64[] 5.183
out['of noughts'] = float32[2, 3] [[0, 0, 0], [0, 0, 0]]
out['one of noughts'] = float32[2, 3] [[0, 0, 0], [0, 0, 0]]
""")


@clause("numbers.options")
def test_norms_of_matrices(check: Check) -> None:
    """Sums of columns and of rows, the smallest of them, and the root of all squares."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        norm = torch.linalg.matrix_norm
        return {
            "squares": norm(a),
            "columns": norm(a, 1),
            "smallest column": norm(a, -1),
            "rows": norm(a, INF, dim=(0, 2)),
            "smallest row": norm(a, -INF, keepdim=True),
            "old": torch.norm(a, 2, (0, 1)),
        }

    check(program, tensor(2, 3, 4)).values().expect("""\
out['squares'] = float32[2] [3.844, 3.478]
out['columns'] = float32[2] [4.306, 3.242]
out['smallest column'] = float32[2] [1.054, 2.173]
out['rows'] = float32[3] [3.9, 4.039, 4.743]
out['smallest row'] = float32[2, 1, 1] [[[3.776]], [[2.866]]]
out['old'] = float32[4] [2.059, 2.18, 3.005, 2.974]
""")


@clause("numbers.options", modes="train")
def test_distances(check: Check) -> None:
    """Distances of a power, with what is added to each difference, between pairs and among all."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "pairs": torch.pairwise_distance(a, b[:3]),
            "pairs of power one": torch.pairwise_distance(a, b[:3], p=1, eps=0.5, keepdim=True),
            "largest": torch.pairwise_distance(a, b[:3], p=INF, eps=0.0),
            "all": torch.cdist(a, b),
            "all of power one": torch.cdist(a, b, p=1.0),
            "all of the largest": torch.cdist(a, b, p=INF),
            "all that differ": torch.cdist(a.detach(), b.detach(), p=0.0),
            "without a product": torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"),
            "between": torch.dist(a, b[:3], 3),
            "numbers that differ": torch.dist(a.detach(), b[:3].detach(), 0),
        }

    check(program, tensor(3, 2), tensor(4, 2)).values().expect("""\
out['pairs'] = float32[3] [4.199, 1.226, 1.314]
out['pairs of power one'] = float32[3, 1] [[5.804], [2.733], [1.78]]
out['largest'] = float32[3] [3.531, 0.893, 1.157]
out['all'] = float32[3, 4] [[4.199, 1.864, 2.542, 3.63], [2.651, 1.226, 1.305, 2.222], [1.136, 3.307, 1.314, 2.452]]
out['all of power one'] = float32[3, 4] [[5.804, 2.226, 3.008, 5.044], [3.63, 1.733, 1.646, 2.87], [1.245, 3.913,
    1.78, 3.459]]
out['all of the largest'] = float32[3, 4] [[3.531, 1.818, 2.489, 3], [2.283, 0.893, 1.24, 2.074], [1.131, 3.238,
    1.157, 1.857]]
out['all that differ'] = float32[3, 4] [[2, 2, 2, 2], [2, 2, 2, 2], [2, 2, 2, 2]]
out['without a product'] = float32[3, 4] [[4.199, 1.864, 2.542, 3.63], [2.651, 1.226, 1.305, 2.222], [1.136, 3.307,
    1.314, 2.452]]
out['between'] = float32[] 3.89
out['numbers that differ'] = float32[] 6
""")


@clause("numbers.options", modes="train")
def test_distances_between_batches_that_are_spread(check: Check) -> None:
    """One batch of points beside several is as many, and what comes back to it is what comes back to all of them."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "of power one": torch.cdist(a, b, p=1.0),
            "of the largest": torch.cdist(b, a, p=INF),
            "of another power": torch.cdist(a, b[0], p=3.0),
            "straight": torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"),
        }

    check(program, tensor(1, 3, 2), tensor(4, 5, 2)).gradient(0, 1).computed()


@clause("numbers.options")
def test_distances_of_points_that_nearly_coincide(check: Check) -> None:
    """Of a distance by a product, in which large numbers cancel, no root is taken that rounding left below nought."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        far = a * 0.001 + 1000.0
        return {
            "distances": (torch.cdist(far, far) >= 0).sum(),
            "of batches": (torch.cdist(far.view(2, 30, 3), far[:30]) >= 0).sum((1, 2)),
        }

    check(program, tensor(60, 3)).values().expect("""\
out['distances'] = int64[] 3600
out['of batches'] = int64[2] [900, 900]
""")


@clause("numbers.options")
def test_norms_of_complex_numbers(check: Check) -> None:
    """Each norm of complex numbers is one of their sizes: even powers, too, of rows, of all and of matrices."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        norm = torch.linalg.vector_norm
        found = {f"of order {order}": norm(a, order, dim=1) for order in (0, 0.5, 1, 2, 3, 4, 6.0, INF, -INF)}
        found["of all"] = norm(a, 4)
        found["kept"] = norm(a, 2, dim=0, keepdim=True)
        found["in double"] = norm(a, 4, dtype=torch.complex128)
        found["of one"] = norm(a[:1, :1], 4, dim=(0, 1))
        found["by its old name"] = a.norm(4, dim=0)
        found["kept, by its old name"] = a.norm(3, dim=1, keepdim=True)
        found["kept of all, by its old name"] = torch.norm(a, 1, dim=(0, 1), keepdim=True)
        found["of a matrix"] = torch.linalg.matrix_norm(a)
        found["of its columns"] = torch.linalg.matrix_norm(a, 1)
        found["distance"] = torch.dist(a, a.flip(0), 4)
        return found

    values = [[3 + 4j, 0j, -1j], [1 - 1j, 2 + 0j, 5 - 12j]]
    check(program, tensor(2, 3, dtype=torch.complex64, values=values, grad=False), exact=False).values().expect("""\
out['of order 0'] = float32[2] [2, 3]
out['of order 0.5'] = float32[2] [10.47, 38.55]
out['of order 1'] = float32[2] [6, 16.41]
out['of order 2'] = float32[2] [5.099, 13.23]
out['of order 3'] = float32[2] [5.013, 13.02]
out['of order 4'] = float32[2] [5.002, 13]
out['of order 6.0'] = float32[2] [5, 13]
out['of order inf'] = float32[2] [5, 13]
out['of order -inf'] = float32[2] [0, 1.414]
out['of all'] = float32[] 13.07
out['kept'] = float32[1, 3] [[5.196, 2, 13.04]]
out['in double'] = float64[] 13.07
out['of one'] = float32[] 5
out['by its old name'] = float32[3] [5.008, 2, 13]
out['kept, by its old name'] = float32[2, 1] [[5.013], [13.02]]
out['kept of all, by its old name'] = float32[1, 1] [[22.41]]
out['of a matrix'] = float32[] 14.18
out['of its columns'] = float32[] 14
out['distance'] = float32[] 14.51
""")
