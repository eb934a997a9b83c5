"""The sizes, strides and dtypes that a program is told of results before they are there."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of


@clause("T7.10", "numbers.options")
def test_orders_of_what_is_turned(check: Check) -> None:
    """A program is told truly how what is sorted, ranked or counted among bounds lies, where dimensions are turned."""

    def program(a: torch.Tensor) -> tuple[dict[str, object], list[tuple[object, ...]]]:
        turned, images = a[0].t(), a.permute(1, 2, 0)
        found = {
            "sorted": torch.sort(turned, 0),
            "sorted, middle": torch.sort(images, 1, descending=True),
            "places": torch.argsort(images, 0),
            "few": torch.topk(images, 2, 1),
            "rank": torch.kthvalue(a, 2, 1, keepdim=True),
            "rank, left out": torch.kthvalue(images, 1, 1),
            "bounds": torch.bucketize(turned, a[0, 0].sort().values),
            "bounds of rows": torch.searchsorted(a.sort(-1).values, images.permute(2, 0, 1), out_int32=True),
            "median": torch.median(images, 1, keepdim=True),
            "mode": torch.mode(images, 0),
            "running": torch.cummax(images, 1),
            "extremes": torch.aminmax(images, dim=1, keepdim=True),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4)).computed()


@clause("T7.10", "numbers.options")
def test_factors_of_matrices(check: Check) -> None:
    """A program is told truly what factors and functions of matrices are: of wide, tall, turned and complex ones."""

    def program(a: torch.Tensor) -> tuple[dict[str, object], list[tuple[object, ...]]]:
        square = a @ a.mT + 3 * torch.eye(3, device=a.device)
        complex_ = torch.complex(square, square.mT * 0.5)
        found = {
            "singular numbers": torch.linalg.svdvals(complex_),
            "singular numbers of wide": torch.linalg.svdvals(a),
            "tall": torch.linalg.qr(a.mT)[1].abs(),
            "only the second": torch.linalg.qr(a, mode="r")[1].abs(),
            "lower": torch.linalg.cholesky(square),
            "upper": torch.linalg.cholesky(square, upper=True),
            "proper numbers": torch.linalg.eigvalsh(complex_ + complex_.mH),
            "three": torch.linalg.lu(square.mT),
            "packed": torch.linalg.lu_factor(a),
            "exponential": torch.matrix_exp(square.mT * 0.1),
            "power": torch.linalg.matrix_power(square.mT, 3),
            "inverse": torch.linalg.inv(square.mT),
            "solved": torch.linalg.solve(square, a),
            "solved from the left": torch.linalg.solve(square, square.mT, left=False),
            "determinant": torch.linalg.slogdet(complex_),
            "triangle solved": torch.linalg.solve_triangular(square.triu(), a, upper=True),
        }
        return found, told_of(found)

    check(program, tensor(2, 3, 4), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_windows_of_unlike_sides(check: Check) -> None:
    """A program is told truly what becomes of images whose windows have sides, gaps and steps that are all unlike."""

    def program(
        a: torch.Tensor, weight: torch.Tensor, volume: torch.Tensor, deep: torch.Tensor
    ) -> tuple[dict[str, object], list[tuple[object, ...]]]:
        back = weight.transpose(0, 1)
        found = {
            "convolved": functional.conv2d(a, weight, stride=(2, 1), padding=(0, 2), dilation=(1, 2)),
            "turned back": functional.conv_transpose2d(
                a, back, stride=(3, 1), padding=(1, 0), output_padding=(2, 0), dilation=(1, 2)
            ),
            "turned back, wider gaps above": functional.conv_transpose2d(a, back, padding=(0, 1), dilation=(3, 1)),
            "volume": functional.conv3d(volume, deep, stride=(1, 2, 1), padding=(1, 0, 2), dilation=(2, 1, 1)),
            "volume turned back": functional.conv_transpose3d(
                volume, deep, stride=(1, 3, 2), output_padding=(0, 1, 1), dilation=(2, 1, 3)
            ),
            "largest": functional.max_pool2d(a, (2, 3), (2, 1), (1, 0), (1, 2), ceil_mode=True, return_indices=True),
            "means": functional.avg_pool2d(a, (3, 2), (1, 2), (1, 0), ceil_mode=True),
            "means of volumes": functional.avg_pool3d(volume, (1, 2, 3), (1, 1, 2), (0, 1, 1)),
            "unfolded": functional.unfold(a, (2, 3), dilation=(2, 1), padding=(0, 1), stride=(1, 2)),
            "resampled": functional.interpolate(a, scale_factor=(1.5, 0.7), mode="bilinear"),
            "nearest": functional.interpolate(a, scale_factor=(0.4, 2.6)),
            "padded": functional.pad(a, (1, -2, 0, 3), mode="constant", value=0.5),
        }
        return found, told_of(found)

    inputs = tensor(1, 2, 6, 7), tensor(3, 2, 2, 3), tensor(1, 2, 4, 5, 6), tensor(2, 2, 2, 1, 2)
    check(program, *inputs, exact=False).computed()
