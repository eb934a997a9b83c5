"""Images and volumes sampled at points: every mode and padding, inside and beyond, and grids of affine maps."""

import torch
from torch.nn import functional

from suites.harness import Check, clause, tensor

#: Points inside, on the border, between the border and the corners of the outermost pixels, and far out.
POINTS = ((-1.0, -1.0), (1.0, 1.0), (0.25, -0.5), (0.9, 0.1), (-1.2, 0.3), (1.6, -2.3), (3.7, 0.0), (-0.1, 5.2))


#: As near to one column as to the next, counted from centres, of five.
HALFWAY = ((((-0.75, -1.0), (-0.25, 1.0), (0.25, -1.0), (0.75, 1.0)),),)


@clause("numbers.options", modes="train")
def test_bilinear_samples(check: Check) -> None:
    """A point between pixels is weighed, beyond them is padded in each way, corners aligned or not."""

    def program(a: torch.Tensor, points: torch.Tensor) -> dict[str, torch.Tensor]:
        grid = points.view(1, 2, 4, 2)
        sample = functional.grid_sample
        return {
            "zeros": sample(a, grid, align_corners=False),
            "aligned zeros": sample(a, grid, align_corners=True),
            "border": sample(a, grid, padding_mode="border", align_corners=False),
            "aligned border": sample(a, grid, padding_mode="border", align_corners=True),
            "reflection": sample(a, grid, padding_mode="reflection", align_corners=False),
            "aligned reflection": sample(a, grid, padding_mode="reflection", align_corners=True),
            "reflection in a column": sample(a[..., 1:2], grid, padding_mode="reflection", align_corners=True),
        }

    check(program, tensor(1, 1, 4, 5), tensor(8, 2, grad=False, values=POINTS)).values().expect("""\
out['zeros'] = float32[1, 1, 2, 4] [[[[-0.09804, -0.04837, -0.2935, -0.3351], [0, 0, 0, 0]]]]
out['aligned zeros'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -0.6194, -0.3311], [-0.8584, 0, 0, 0]]]]
out['border'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -0.2935, -0.4468], [-1.558, 0.6366, -0.4653, -0.9574]]]]
out['aligned border'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -0.6194, -0.3311], [-1.431, 0.6366, -0.4653,
    -0.9816]]]]
out['reflection'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -0.2935, -0.4468], [-1.558, -0.05807, 0.02385,
    -0.9574]]]]
out['aligned reflection'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -0.6194, -0.3311], [-0.2947, -0.1773, -0.3178,
    -0.8894]]]]
out['reflection in a column'] = float32[1, 1, 2, 4] [[[[-1.17, -0.5949, -0.5273, 0.8653], [1.409, 1.409, 0.5933,
    0.03355]]]]
""")


@clause("numbers.options", modes="train")
def test_nearest_and_cubic_samples(check: Check) -> None:
    """The nearest pixel or sixteen of them are taken at a point, with each padding."""

    def program(a: torch.Tensor, points: torch.Tensor) -> dict[str, torch.Tensor]:
        grid = points.view(1, 2, 4, 2) * 0.9
        sample = functional.grid_sample
        return {
            "nearest": sample(a, grid, mode="nearest", align_corners=False),
            "aligned nearest": sample(a, grid, mode="nearest", padding_mode="border", align_corners=True),
            "halfway": sample(a, a.new_tensor(HALFWAY), mode="nearest", align_corners=True),
            "cubic": sample(a, grid, mode="bicubic", align_corners=False),
            "reflected cubic": sample(a, grid, mode="bicubic", padding_mode="reflection", align_corners=False),
        }

    check(program, tensor(1, 1, 4, 5), tensor(8, 2, grad=False, values=POINTS)).values().expect("""\
out['nearest'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, 0.2713, -0.4192], [0, 0, 0, 0]]]]
out['aligned nearest'] = float32[1, 1, 2, 4] [[[[-0.3922, -0.1935, -2.151, -0.4192], [-1.494, 0.6366, -0.4192,
    -1.078]]]]
out['halfway'] = float32[1, 1, 1, 4] [[[[-0.3922, -1.078, 1.512, -0.1935]]]]
out['cubic'] = float32[1, 1, 2, 4] [[[[-0.1653, 0.01835, -0.4217, -0.5375], [-0.5763, 0, 0, 0]]]]
out['reflected cubic'] = float32[1, 1, 2, 4] [[[[-0.2929, 0.04101, -0.4392, -0.5481], [-2.027, 0.2508, -0.1244,
    -0.8689]]]]
""")


@clause("numbers.options", modes="train")
def test_samples_have_gradients_of_their_points(check: Check) -> None:
    """A point inside of the image moves the sample, one that is clipped to the border does not."""

    def program(a: torch.Tensor, points: torch.Tensor, c: torch.Tensor) -> dict[str, torch.Tensor]:
        grid = points.view(1, 2, 3, 2)
        return {
            "zeros": functional.grid_sample(a, grid, align_corners=False),
            "border": functional.grid_sample(a, grid, padding_mode="border", align_corners=True),
            "volume": functional.grid_sample(c, points.view(1, 1, 2, 2, 3), align_corners=False),
        }

    inside = ((-0.7, -0.6), (0.83, 0.77), (0.25, -0.5), (0.9, 0.1), (-1.2, 0.3), (1.6, -0.3))
    parts = tensor(1, 2, 4, 5), tensor(6, 2, values=inside), tensor(1, 1, 2, 3, 4)
    check(program, *parts).gradient(0, 1, 2).values().expect("""\
out['zeros'] = float32[1, 2, 2, 3] [[[[-0.2694, -0.7128, 0.469], [0.5086, 0, 0]], [[0.2911, 0.7705, -0.6295],
    [-0.2536, 0, 0]]]]
out['border'] = float32[1, 2, 2, 3] [[[[-0.4116, 0.006082, 0.9152], [0.4733, -0.6018, -0.1417]], [[0.09011, 0.2449,
    -0.3215], [-0.09244, -0.0373, 0.4676]]]]
out['volume'] = float32[1, 1, 1, 2, 2] [[[[[-0.111, 0.5659], [0.1002, 0]]]]]
""")


@clause("numbers.options", modes="train")
def test_grids_of_affine_maps(check: Check) -> None:
    """A grid reaches to the centres of the outermost pixels or to their corners, of images and volumes."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "apart": functional.affine_grid(a, [2, 1, 2, 3], align_corners=False),
            "aligned": functional.affine_grid(a, [2, 1, 2, 3], align_corners=True),
            "volume": functional.affine_grid(b, [1, 1, 2, 3, 2], align_corners=False),
            "aligned volume": functional.affine_grid(b, [1, 1, 2, 2, 2], align_corners=True),
        }

    check(program, tensor(2, 2, 3), tensor(1, 3, 4)).values().expect("""\
out['apart'] = float32[2, 2, 3, 2] [[[[0.6184, 2.165], [1.076, 1.243], [1.534, 0.3219]], [[-2.012, 1.708], [-1.554,
    0.7872], [-1.096, -0.1342]]], [[[-0.5247, 1.257], [-1.582, -0.225], [-2.64, -1.707]], [[0.3761, 1.423],
    [-0.6816, -0.05809], [-1.739, -1.54]]]]
out['aligned'] = float32[2, 2, 3, 2] [[[[1.705, 2.853], [2.391, 1.471], [3.078, 0.08925]], [[-3.556, 1.941],
    [-2.869, 0.5591], [-2.183, -0.8229]]], [[[-0.4462, 1.914], [-2.033, -0.3085], [-3.619, -2.531]], [[1.355,
    2.248], [-0.2312, 0.02537], [-1.818, -2.197]]]]
out['volume'] = float32[1, 2, 3, 2, 3] [[[[[1.373, 1.248, 1.962], [-0.9404, -0.9935, 1.192]], [[0.982, 0.8167,
    0.7234], [-1.331, -1.425, -0.04703]], [[0.5912, 0.3851, -0.5154], [-1.722, -1.857, -1.286]]], [[[0.8915, 2.2,
    1.595], [-1.422, -0.04213, 0.8248]], [[0.5007, 1.768, 0.3564], [-1.813, -0.4737, -0.414]], [[0.1098, 1.337,
    -0.8824], [-2.204, -0.9052, -1.653]]]]]
out['aligned volume'] = float32[1, 2, 2, 2, 3] [[[[[2.966, 2.109, 3.15], [-1.661, -2.374, 1.61]], [[1.793, 0.8145,
    -0.5661], [-2.834, -3.669, -2.107]]], [[[2.003, 4.012, 2.416], [-2.624, -0.4715, 0.8755]], [[0.8303, 2.717,
    -1.3], [-3.796, -1.766, -2.841]]]]]
""")


@clause("numbers.options", modes="train")
def test_grids_of_one_pixel(check: Check) -> None:
    """A grid of one pixel in some dimension is there at nought, and has a gradient."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "apart": functional.affine_grid(a, [2, 1, 1, 2], align_corners=False),
            "aligned": functional.affine_grid(a, [2, 1, 2, 1], align_corners=True),
        }

    check(program, tensor(2, 2, 3)).values().expect("""\
out['apart'] = float32[2, 1, 2, 2] [[[[-0.5822, 1.706], [0.1042, 0.3242]]], [[[-0.3387, 0.9696], [-1.925, -1.253]]]]
out['aligned'] = float32[2, 2, 1, 2] [[[[2.391, 1.471]], [[-2.869, 0.5591]]], [[[-2.033, -0.3085]], [[-0.2312,
    0.02537]]]]
""")


@clause("numbers.options")
def test_aligned_grid_of_one_pixel(check: Check) -> None:
    """Where a dimension has one pixel its place is nought, be corners aligned or not."""

    def program(a: torch.Tensor, b: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "aligned": functional.affine_grid(a, [2, 1, 2, 1], align_corners=True),
            "apart": functional.affine_grid(a, [2, 1, 1, 2], align_corners=False),
            "volume": functional.affine_grid(b, [1, 1, 2, 1, 1], align_corners=True),
        }

    check(program, tensor(2, 2, 3), tensor(1, 3, 4)).values().expect("""\
out['aligned'] = float32[2, 2, 1, 2] [[[[2.391, 1.471]], [[-2.869, 0.5591]]], [[[-2.033, -0.3085]], [[-0.2312,
    0.02537]]]]
out['apart'] = float32[2, 1, 2, 2] [[[[-0.5822, 1.706], [0.1042, 0.3242]]], [[[-0.3387, 0.9696], [-1.925, -1.253]]]]
out['volume'] = float32[1, 2, 1, 1, 3] [[[[[0.06607, -0.7799, 0.5217]]], [[[-0.8967, 1.123, -0.2123]]]]]
""")


@clause("numbers.options", "numbers.special-values", devices="cpu")
def test_samples_at_points_that_are_no_numbers(check: Check) -> None:
    """A coordinate that is NaN counts as minus one, where points beyond the image are moved into it."""
    none = float("nan")

    def program(a: torch.Tensor, points: torch.Tensor) -> dict[str, torch.Tensor]:
        grid = points.view(1, 1, 4, 2)
        sample = functional.grid_sample
        return {
            "border": sample(a, grid, padding_mode="border", align_corners=False),
            "aligned border": sample(a, grid, padding_mode="border", align_corners=True),
            "nearest border": sample(a, grid, mode="nearest", padding_mode="border", align_corners=False),
            "reflection": sample(a, grid, padding_mode="reflection", align_corners=True),
            "nearest reflection": sample(a, grid, mode="nearest", padding_mode="reflection", align_corners=False),
        }

    points = tensor(4, 2, values=[[none, 0.0], [0.5, none], [none, none], [0.5, -0.5]])
    check(program, tensor(1, 1, 3, 4), points).values().expect("""\
out['border'] = float32[1, 1, 1, 4] [[[[-0.4561, -0.8105, 0.6865, -0.6936]]]]
out['aligned border'] = float32[1, 1, 1, 4] [[[[-0.4561, -0.5247, 0.6865, -0.7447]]]]
out['nearest border'] = float32[1, 1, 1, 4] [[[[-0.4561, -0.239, 0.6865, -0.239]]]]
out['reflection'] = float32[1, 1, 1, 4] [[[[-0.4561, -0.5247, 0.6865, -0.7447]]]]
out['nearest reflection'] = float32[1, 1, 1, 4] [[[[-0.4561, -0.239, 0.6865, -0.239]]]]
""")


@clause("numbers.options", modes="train")
def test_volumes_sampled_to_another_shape(check: Check) -> None:
    """Samples of a volume are as many in each dimension as the grid has, which is not what the volume has."""

    def program(a: torch.Tensor, grid: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "linear": functional.grid_sample(a, grid, align_corners=False),
            "nearest": functional.grid_sample(a, grid, mode="nearest", padding_mode="border", align_corners=True),
        }

    check(program, tensor(1, 2, 3, 3, 5), tensor(1, 2, 3, 4, 3)).gradient(0, 1).shape(
        "out['linear']", 1, 2, 2, 3, 4
    ).computed()


@clause("numbers.options", modes="train")
def test_layout_of_what_comes_back_to_samples(check: Check) -> None:
    """What comes back to an image in channels last by its samples, and by pooling to a size, is laid out as eager's."""

    def program(a: torch.Tensor, grid: torch.Tensor) -> dict[str, torch.Tensor]:
        laid_out = a.contiguous(memory_format=torch.channels_last)
        return {
            "samples": functional.grid_sample(laid_out, grid, align_corners=False),
            "pooled": functional.adaptive_avg_pool2d(laid_out, (3, 2)),
        }

    image = tensor(2, 3, 7, 5, strides=(105, 1, 15, 3))
    check(program, image, tensor(2, 3, 4, 2)).gradient(0, 1).computed()
