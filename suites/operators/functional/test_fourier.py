"""Fourier transforms: their norms, sizes that cut or fill, halves of real ones, several dimensions, windows in time."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from suites.harness import Check, clause, tensor


@clause("numbers.fourier", modes="train", shapes=("dynamic", "static"))
def test_transforms_of_one_dimension(check: Check) -> None:
    """Of real and complex numbers, cut and filled, along any dimension, each norm."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        both = torch.complex(a, a.flip(-1) + 1)
        return {
            "forward": torch.fft.fft(a),
            "cut": torch.fft.fft(both, n=3, norm="forward"),
            "filled": torch.fft.fft(both, n=7, norm="ortho"),
            "columns": torch.fft.fft(both, dim=0),
            "back": torch.fft.ifft(both),
            "back, cut": torch.fft.ifft(both, n=2, norm="backward"),
            "back, filled": torch.fft.ifft(both, n=6, norm="forward"),
            "there and back": torch.fft.ifft(torch.fft.fft(both, norm="ortho"), norm="ortho").real,
        }

    check(program, tensor(2, 5)).gradient(0).values().expect("""\
out['forward'] = complex64[2, 5] [[-4.021+0j, 1.044+1.396j, 2.682+2.365j, 2.682-2.365j, 1.044-1.396j], [-3.025+0j,
    0.02523-1.799j, 4.025+1.56j, 4.025-1.56j, 0.02523+1.799j]]
out['cut'] = complex64[2, 3] [[-0.7275+0.3076j, 0.377+0.8084j, 1.037-0.5721j], [0.1098+0.1822j, -0.1341+0.0158j,
    1.04-1.42j]]
out['filled'] = complex64[2, 7] [[-1.52+0.3701j, -0.09067+1.049j, 0.8434+0.6482j, -0.2563+1.212j, 2.763-0.1916j,
    -0.5856-0.6645j, 0.662-0.9847j], [-1.143+0.7465j, 1.311-1.181j, -0.1716+0.293j, -0.1237+0.03534j, 2.96-0.2139j,
    -0.9886-1.816j, 0.8416-1.098j]]
out['columns'] = complex64[2, 5] [[1.702-0.6784j, -4.217-0.514j, 0.6618+2.662j, -2.514-2.217j, -2.678+3.702j],
    [-0.3287+1.766j, -1.044-0.25j, -1.14-1.14j, -0.25-1.044j, 1.766-0.3287j]]
out['back'] = complex64[2, 5] [[-0.8041+0.1959j, 0.3212+0.05087j, 1.234-0.629j, -0.1615+0.317j, 0.09649+0.6092j],
    [-0.605+0.395j, 0.1211+0.01917j, 1.531-0.7799j, 0.0795-0.156j, -0.111-0.7006j]]
out['back, cut'] = complex64[2, 2] [[-0.9718+0.08097j, 1.658+0.463j], [-0.2857-0.6772j, 1.301-0.5452j]]
out['back, filled'] = complex64[2, 6] [[-4.021+0.9793j, 2.233-1.33j, 0.4964-4.585j, 4.003+5.003j, 1.438+0.3468j,
    -0.03134+2.849j], [-3.025+1.975j, 2.228-1.329j, 1.352-7.78j, 2.412+3.412j, 1.322+0.3778j, 1.801-3.99j]]
out['there and back'] = float32[2, 5] [[0.6865, -2.63, -0.239, -1.382, -0.4561], [1.015, -1.587, 0.9008, -1.132,
    -2.222]]
""")


@clause("numbers.fourier", modes="train", shapes=("dynamic", "static"))
def test_columns_that_are_filled(check: Check) -> None:
    """Along columns that are too short: what is filled in has no gradient, and the others have theirs in place."""

    def program(a: torch.Tensor) -> torch.Tensor:
        return torch.fft.ifft(torch.complex(a, a + 1), n=6, dim=-2, norm="forward")

    check(program, tensor(2, 5)).gradient(0).shape("out", 6, 5)


@clause("numbers.fourier", modes="train", shapes=("dynamic", "static"))
def test_halves_of_transforms_of_real_numbers(check: Check) -> None:
    """The half that tells all, of even and odd sizes, back to real numbers, and of symmetric ones."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        half = torch.fft.rfft(a)
        return {
            "half": half,
            "half of an even size": torch.fft.rfft(a, n=4, norm="ortho"),
            "half of columns": torch.fft.rfft(a, dim=0, norm="forward"),
            "back to an odd size": torch.fft.irfft(half, n=5),
            "back to an even size": torch.fft.irfft(half, norm="ortho"),
            "back to fewer": torch.fft.irfft(half * (2 + 1j), n=3, norm="forward"),
            "of symmetric ones": torch.fft.hfft(half, n=5, norm="ortho"),
            "of symmetric ones, even": torch.fft.hfft(half * 1j),
            "to symmetric ones": torch.fft.ihfft(a, norm="forward"),
            "to fewer symmetric ones": torch.fft.ihfft(a, n=4, dim=1),
        }

    check(program, tensor(3, 5)).gradient(0).values().expect("""\
out['half'] = complex64[3, 3] [[-4.021+0j, 1.044+1.396j, 2.682+2.365j], [-3.025+0j, 0.02523-1.799j, 4.025+1.56j],
    [-3.356+0j, 2.32+0.6919j, -0.2252-1.842j]]
out['half of an even size'] = complex64[3, 3] [[-1.782+0j, 0.4627+0.624j, 2.23+0j], [-0.4013+0j, 0.0572+0.2273j,
    2.317+0j], [-1.437+0j, 1.24-0.2224j, -0.7093+0j]]
out['half of columns'] = complex64[2, 5] [[0.6229+0j, -1.453+0j, -0.5505+0j, -1.033+0j, -1.053+0j], [0.0318-0.2449j,
    -0.5887+0.4171j, 0.1558-0.9278j, -0.1743+0.1575j, 0.2986+0.5026j]]
out['back to an odd size'] = float32[3, 5] [[0.6865, -2.63, -0.239, -1.382, -0.4561], [1.015, -1.587, 0.9008,
    -1.132, -2.222], [0.1669, -0.1415, -2.313, -0.5863, -0.4814]]
out['back to an even size'] = float32[3, 4] [[0.375, -4.747, -1.713, -1.956], [0.5254, -1.726, 0.4749, -5.325],
    [0.5299, -2.257, -4.111, -0.8733]]
out['back to fewer'] = float32[3, 3] [[-6.656, -15.38, -2.09], [-2.35, -1.71, -14.09], [1.186, -17.08, -4.244]]
out['of symmetric ones'] = float32[3, 5] [[1.535, -1.02, -3.09, -0.5344, -5.881], [2.27, -4.969, -2.531, 2.014,
    -3.548], [0.3732, -1.076, -1.311, -5.173, -0.3165]]
out['of symmetric ones, even'] = float32[3, 4] [[-5.156, 4.453, 0.4266, 0.2765], [2.039, 1.61, -5.159, 1.509],
    [0.4584, 2.798, 3.226, -6.483]]
out['to symmetric ones'] = complex64[3, 3] [[-4.021-0j, 1.044-1.396j, 2.682-2.365j], [-3.025-0j, 0.02523+1.799j,
    4.025-1.56j], [-3.356-0j, 2.32-0.6919j, -0.2252+1.842j]]
out['to fewer symmetric ones'] = complex64[3, 3] [[-0.8912-0j, 0.2314-0.312j, 1.115-0j], [-0.2007-0j,
    0.0286-0.1136j, 1.159-0j], [-0.7186-0j, 0.6201+0.1112j, -0.3546-0j]]
""")


@clause("numbers.fourier", modes="train", shapes=("dynamic", "static"))
def test_transforms_of_several_dimensions(check: Check) -> None:
    """Two and more dimensions, of sizes and in an order that the call says, halves of the last of them."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        both = torch.complex(a, a * a)
        half = torch.fft.rfftn(a, dim=(0, 2))
        return {
            "two": torch.fft.fft2(a, norm="ortho"),
            "two others": torch.fft.fft2(both, s=(3, 2), dim=(2, 0)),
            "two back": torch.fft.ifft2(both, norm="forward"),
            "all": torch.fft.fftn(both),
            "all, of sizes": torch.fft.fftn(a, s=(2, 2), norm="forward"),
            "back by one": torch.fft.ifftn(both, dim=(1,)),
            "half of two": torch.fft.rfft2(a, s=(3, 4)),
            "half of others": half,
            "half, back": torch.fft.irfftn(half, s=(2, 4), dim=(0, 2), norm="ortho"),
            "half, back by two": torch.fft.irfft2(both, s=(2, 3)),
            "symmetric in two": torch.fft.hfft2(both, norm="ortho"),
            # What is added leaves no imaginary nought, whose sign is the library's.
            "to symmetric ones": torch.fft.ihfftn(a, dim=(0, 1)) + both[:, :2],
        }

    check(program, tensor(2, 3, 4)).gradient(0).values().expect("""\
out['two'] = complex64[2, 3, 4] [[[0.1687+0j, 0.07276+0.9945j, -0.9047+0j, 0.07276-0.9945j], [-0.464-0.4823j,
    -1.091-0.005257j, 1.802+0.4569j, -0.6307+0.6924j], [-0.464+0.4823j, -0.6307-0.6924j, 1.802-0.4569j,
    -1.091+0.005257j]], [[-1.579+0j, -0.07865+0.02515j, 0.9809+0j, -0.07865-0.02515j], [-0.4518+0.9563j,
    -0.1671-0.6074j, -0.7827+1.353j, -0.5643+0.1867j], [-0.4518-0.9563j, -0.5643-0.1867j, -0.7827-1.353j,
    -0.1671+0.6074j]]]
out['two others'] = complex64[2, 3, 3] [[[-1.924+5.823j, -2.592+2.116j, -0.7193-1.985j], [-3.304+4.882j,
    -0.2364-3.36j, 0.5844-0.003306j], [-0.1348+7.316j, 0.05881+0.2444j, 4.772-2.317j]], [[1.824+1.791j,
    -0.1238-0.8171j, 1.182-6.004j], [2.736-1.78j, -0.3428-0.6249j, -1.78+1.801j], [-3.333-2.183j, -0.9235-4.292j,
    1.188+1.673j]]]
out['two back'] = complex64[2, 3, 4] [[[0.5845+14.77j, 4.684-8.192j, -3.134-3.76j, -4.18-1.302j], [-2.171+1.019j,
    -8.493+0.1818j, 9.476+0.8791j, -0.4149-4.209j], [-1.043-2.322j, -3.955+0.588j, 3.005+4.044j, 0.936+0.1453j]],
    [[-5.469+12.09j, -0.6114-0.1303j, 3.398+3.429j, 0.06648+0.04393j], [0.4761-4.86j, 2.108+3.797j, -2.295-4.886j,
    -2.526+2.672j], [-3.606+1.765j, -1.384+3.966j, -3.128+4.489j, -3.266-0.411j]]]
out['all'] = complex64[2, 3, 4] [[[-4.884+26.87j, -4.114-1.258j, 0.2639-0.3317j, 4.073-8.323j], [-4.649-0.5573j,
    -2.33-0.2657j, -0.1228+8.534j, -5.339+4.554j], [-1.695-3.841j, -2.94-1.537j, 7.182-4.007j, -6.385+3.979j]],
    [[6.053+2.681j, -4.247-1.346j, -6.532-7.189j, 5.296-8.062j], [2.563-4.087j, 4.202+0.5564j, 6.133-0.4451j,
    -2.571-3.378j], [-2.648+5.879j, 2.111-6.881j, 11.77+5.766j, -10.6-3.616j]]]
out['all, of sizes'] = complex64[2, 2, 2] [[[-0.2661+0j, -0.1253+0j], [-0.5148+0j, 0.5139+0j]], [[-0.7825+0j,
    -0.1914+0j], [0.05408+0j, -0.4331+0j]]]
out['back by one'] = complex64[2, 3, 4] [[[-0.1705+0.1266j, -0.2643+0.8059j, -0.2545+1.709j, 0.884+2.283j],
    [-0.1336-0.1774j, -0.6047+0.6849j, 1.351+0.4938j, -1.337-0.6615j], [-0.08808+0.2046j, -0.3005-0.123j,
    0.4151+0.08239j, -0.3743-0.9381j]], [[-0.218+1.286j, -0.7534+0.7786j, -0.1272+1.301j, -0.7243+0.6656j],
    [-0.1863-0.2731j, 0.3247-0.3839j, -0.1168-1.351j, 0.1371+0.3883j], [-0.9487+0.8174j, 0.3249-0.3838j,
    -0.1737+0.225j, -0.4046-0.07024j]]]
out['half of two'] = complex64[2, 3, 3] [[[0.5845+0j, 0.252+3.445j, -3.134+0j], [-1.607-1.671j, -3.779-0.01821j,
    6.241+1.583j], [-1.607+1.671j, -2.185-2.399j, 6.241-1.583j]], [[-5.469+0j, -0.2724+0.08714j, 3.398+0j],
    [-1.565+3.313j, -0.5789-2.104j, -2.711+4.688j], [-1.565-3.313j, -1.955-0.6469j, -2.711-4.688j]]]
out['half of others'] = complex64[2, 3, 3] [[[-3.743+0j, -2.839-0.5452j, 2.441+0j], [-1.519+0j, 1.143+1.976j,
    -4.709+0j], [0.3773+0j, 1.676+2.102j, 2.532+0j]], [[1.989+0j, -0.9684+1.231j, 3.791+0j], [4.909+0j,
    -0.3614+0.2063j, -3.368+0j], [-0.8453+0j, 1.854+1.921j, -6.954+0j]]]
out['half, back'] = float32[2, 3, 4] [[[-1.109, -3.308, 4.276, -2.338], [-1.104, 2.511, -2.21, 5.597], [0.7673,
    -1.446, -4.225, 4.242]], [[-3.827, -0.2937, -1.181, -2.805], [-1.683, -3.05, -3.81, -0.5473], [3.66, -3.049,
    3.912, -2.794]]]
out['half, back by two'] = float32[2, 2, 3] [[[-0.2243, -0.7059, 0.5389], [-0.6861, 0.1754, 0.5099]], [[-0.7187,
    -0.4664, 0.2111], [0.1985, 0.04376, -0.6213]]]
out['symmetric in two'] = float32[2, 3, 6] [[[-0.2291, 2.328, -0.2348, -0.7317, 1.978, -3.833], [-0.1649, -0.3533,
    -0.6595, 1.214, -0.1564, -0.2539], [0.01594, 0.9112, -1.333, 3.617, -1.801, -1.976]], [[-1.912, 2.462, -0.6832,
    1.244, 0.5958, -2.631], [-0.7431, -0.2268, -1.81, -1.09, -0.3182, 0.1623], [0.2592, -2.042, 1.003, -0.853,
    -1.367, 2.209]]]
out['to symmetric ones'] = complex64[2, 2, 4] [[[-0.5864+0.1538j, -1.678+1.368j, 1.321+2.285j, -0.7469+0.6836j],
    [-0.7297-0.2157j, 0.824+0.9903j, -0.4123+0.3191j, 1.484+4.1j]], [[-1.329+1.831j, 0.1407+0.01078j,
    -0.4812+0.1744j, -0.1876+0.9837j], [-0.3665+0.531j, -1.467+1.365j, -0.8329+2.312j, -0.5543-0.008056j]]]
""")


@clause("numbers.fourier", modes=("train", "no_grad"), shapes=("dynamic", "static"))
def test_order_of_frequencies(check: Check) -> None:
    """Frequencies of even and odd sizes, by a distance; halves that are exchanged, and back."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            "even": torch.fft.fftfreq(4, d=0.5, device=a.device),
            "odd": torch.fft.fftfreq(a.shape[1], device=a.device) + a[0],
            "half": torch.fft.rfftfreq(a.shape[1], d=2.0, device=a.device),
            "exchanged": torch.fft.fftshift(a),
            "exchanged rows": torch.fft.fftshift(a, dim=0),
            "back": torch.fft.ifftshift(a),
            "columns back": torch.fft.ifftshift(a * 2, dim=(1,)),
            "there and back": torch.fft.ifftshift(torch.fft.fftshift(a)) - a + 1,
        }

    check(program, tensor(3, 5)).gradient(0).values().expect("""\
out['even'] = float32[4] [0, 0.5, -1, -0.5]
out['odd'] = float32[5] [0.6865, -2.43, 0.161, -1.782, -0.6561]
out['half'] = float32[3] [0, 0.1, 0.2]
out['exchanged'] = float32[3, 5] [[-0.5863, -0.4814, 0.1669, -0.1415, -2.313], [-1.382, -0.4561, 0.6865, -2.63,
    -0.239], [-1.132, -2.222, 1.015, -1.587, 0.9008]]
out['exchanged rows'] = float32[3, 5] [[0.1669, -0.1415, -2.313, -0.5863, -0.4814], [0.6865, -2.63, -0.239, -1.382,
    -0.4561], [1.015, -1.587, 0.9008, -1.132, -2.222]]
out['back'] = float32[3, 5] [[0.9008, -1.132, -2.222, 1.015, -1.587], [-2.313, -0.5863, -0.4814, 0.1669, -0.1415],
    [-0.239, -1.382, -0.4561, 0.6865, -2.63]]
out['columns back'] = float32[3, 5] [[-0.478, -2.764, -0.9121, 1.373, -5.26], [1.802, -2.264, -4.445, 2.03, -3.173],
    [-4.627, -1.173, -0.9627, 0.3338, -0.2831]]
out['there and back'] = float32[3, 5] [[1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]
""")


@clause("numbers.fourier", modes="train")
def test_windows_in_time(check: Check) -> None:
    """A transform of windows that overlap: of their length, distance, edges, half or whole, and back to the signal."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        window = torch.hann_window(6, dtype=a.dtype, device=a.device) + 0.1
        whole = torch.stft(a, 8, hop_length=2, return_complex=True)
        return {
            "centred": torch.view_as_real(whole),
            "windowed": torch.stft(a, 8, 3, 6, window, normalized=True, return_complex=True),
            "reflected": torch.stft(a, 6, window=window, pad_mode="replicate", onesided=False, return_complex=True),
            "not centred": torch.stft(a[0], 4, center=False, return_complex=True),
            "back": torch.istft(whole, 8, hop_length=2, length=a.shape[1]),
            "windowed, back": torch.istft(
                torch.stft(a, 6, 2, window=window, return_complex=True), 6, 2, window=window, center=True
            ),
        }

    check(program, tensor(2, 16)).gradient(0).values().expect("""\
out['centred'] = float32[2, 5, 9, 2] [-1.752, 0, -0.03711, 0, 0.8184, 0, 2.408, 0, 2.026, 0, 1.45, 0, ..., 0.9471,
    0, 0.4385, 0]
out['windowed'] = complex64[2, 5, 6] [-0.5105+0j, -0.0333+0j, 0.509+0j, 0.1248+0j, 0.3281+0j, 0.08972+0j,
    0.6289+0.02067j, 0.07347-0.1398j, -0.326+0.3297j, 0.1551-0.2979j, -0.2312-0.04612j, 0.04101-0.004803j, ...,
    0.8546+0j, -0.6486+0j, -0.1133+0j, -0.5161+0j]
out['reflected'] = complex64[2, 6, 17] [-1.406+0j, -0.8007+0j, -0.3471+0j, -0.09418+0j, -0.2388+0j, 0.5352+0j,
    1.44+0j, 1.911+0j, 1.342+0j, 0.353+0j, 0.2594+0j, 0.5228+0j, ..., -0.1484-0.4677j, 0.5724+1.917j, 2.96+1.941j,
    3.733+0.5215j]
out['not centred'] = complex64[3, 13] [-0.8767+0j, -0.8751+0j, 1.182+0j, -1.111+0j, 1.695+0j, 2.319+0j, 1.226+0j,
    1.327+0j, 0.3305+0j, 0.2895+0j, 0.2241+0j, 1.961+0j, ..., 1.266+0j, -1.2+0j, -0.5365+0j, 2.767+0j]
out['back'] = float32[2, 16] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802, 0.9823, 0.1921, -0.2701, 1.057, -1.248], [0.4689, -0.8049, 0.6474, -0.8027, 0.6366, -0.2308, -0.3132,
    -2.151, 1.239, -0.04738, -0.7093, -1.743, -1.218, 0.08515, -0.4192, -2.14]]
out['windowed, back'] = float32[2, 16] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331,
    -0.2048, -0.6802, 0.9823, 0.1921, -0.2701, 1.057, -1.248], [0.4689, -0.8049, 0.6474, -0.8027, 0.6366, -0.2308,
    -0.3132, -2.151, 1.239, -0.04738, -0.7093, -1.743, -1.218, 0.08515, -0.4192, -2.14]]
""")


@clause("numbers.fourier", modes="train")
def test_windows_in_time_and_back_in_each_way(check: Check) -> None:
    """Back from a normalised, a two-sided, a complex and a cut transform, one is where one came from."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        window = torch.hamming_window(6, dtype=a.dtype, device=a.device)
        both = torch.complex(a, a.flip(1) * 2)

        def there(signal: torch.Tensor, *, onesided: bool = True, normalized: bool = False) -> torch.Tensor:
            return torch.stft(signal, 6, 2, 6, window, True, "reflect", normalized, onesided, return_complex=True)

        def back(of: torch.Tensor, **options: object) -> torch.Tensor:
            return torch.istft(of, 6, 2, 6, window, **options)  # type: ignore[arg-type]

        return {
            "normalised": back(there(a, normalized=True), normalized=True),
            "not normalised back": back(there(a, normalized=True)),
            "two sides": back(there(a, onesided=False), onesided=False),
            "shorter": back(there(a), length=11),
            "complex": torch.view_as_real(back(there(both, onesided=False), onesided=False, return_complex=True)),
        }

    check(program, tensor(2, 16)).gradient(0).values().expect("""\
out['normalised'] = float32[2, 16] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331,
    -0.2048, -0.6802, 0.9823, 0.1921, -0.2701, 1.057, -1.248], [0.4689, -0.8049, 0.6474, -0.8027, 0.6366, -0.2308,
    -0.3132, -2.151, 1.239, -0.04738, -0.7093, -1.743, -1.218, 0.08515, -0.4192, -2.14]]
out['not normalised back'] = float32[2, 16] [[-0.1601, -0.4775, 0.6172, -0.3375, -0.1594, 0.3625, -0.3189, 0.8079,
    0.09516, -0.08361, -0.2777, 0.401, 0.07843, -0.1103, 0.4313, -0.5094], [0.1914, -0.3286, 0.2643, -0.3277,
    0.2599, -0.09421, -0.1279, -0.8783, 0.506, -0.01934, -0.2896, -0.7116, -0.4972, 0.03476, -0.1711, -0.8735]]
out['two sides'] = float32[2, 16] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331,
    -0.2048, -0.6802, 0.9823, 0.1921, -0.2701, 1.057, -1.248], [0.4689, -0.8049, 0.6474, -0.8027, 0.6366, -0.2308,
    -0.3132, -2.151, 1.239, -0.04738, -0.7093, -1.743, -1.218, 0.08515, -0.4192, -2.14]]
out['shorter'] = float32[2, 11] [[-0.3922, -1.17, 1.512, -0.8268, -0.3905, 0.8879, -0.7813, 1.979, 0.2331, -0.2048,
    -0.6802], [0.4689, -0.8049, 0.6474, -0.8027, 0.6366, -0.2308, -0.3132, -2.151, 1.239, -0.04738, -0.7093]]
out['complex'] = float32[2, 16, 2] [-0.3922, -2.495, -1.17, 2.113, 1.512, -0.5403, -0.8268, 0.3842, -0.3905, 1.965,
    0.8879, -1.36, ..., -0.4192, -1.61, -2.14, 0.9378]
""")


@clause("numbers.options", modes="train")
def test_windows_shorter_than_the_transform(check: Check) -> None:
    """A shorter window stands amid noughts, by an odd number nearer to the beginning, there and on the way back."""

    def program(a: torch.Tensor, window: torch.Tensor) -> dict[str, torch.Tensor]:
        results = {}
        for length in (4, 5, 7):
            there = torch.stft(a, 8, 2, length, window[:length], center=False, return_complex=True)
            results[f"{length}"] = torch.view_as_real(there)
            edges = torch.stft(a, 8, 2, length, window[:length], return_complex=True)
            results[f"{length}, back"] = torch.istft(edges, 8, 2, length, window[:length])
        results["ones"] = torch.view_as_real(torch.stft(a, 8, 4, 5, center=False, return_complex=True))
        return results

    window = tensor(7, values=[0.5, 1.0, 2.0, 1.5, 0.75, 1.25, 0.5])
    check(program, tensor(2, 16), window, exact=False).gradient(0, 1).computed()


#: By name, what a window is made of beside its length, its symmetry and its dtype.
WINDOWS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "bartlett": ({},),
    "blackman": ({},),
    "cosine": ({},),
    "exponential": ({}, {"tau": 2.5}, {"center": 1.0, "sym": False, "tau": 0.5}),
    "gaussian": ({"std": 0.8}, {"std": 3.0}),
    "general_cosine": ({"a": [0.46, 0.23, 0.31]}, {"a": [1.0]}),
    "general_hamming": ({}, {"alpha": 0.3}),
    "hamming": ({},),
    "hann": ({},),
    "kaiser": ({}, {"beta": 3.0}, {"beta": 0.0}),
    "nuttall": ({},),
}


@clause("numbers.fourier", profile="default")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows_of_signals_by_their_keywords(check: Check, dtype: str) -> None:
    """A window of none, one and several samples, symmetric or periodic, of its own width, is eager's."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        told: Any = {"dtype": getattr(torch, dtype), "device": a.device}
        found = {}
        for name, options in WINDOWS.items():
            for number, option in enumerate(options):
                for length, symmetric in ((0, True), (1, True), (6, True), (6, False)):
                    made = getattr(torch.signal.windows, name)(length, **{"sym": symmetric, **option}, **told)
                    found[f"{name} {number} of {length}, {symmetric}"] = made - a
        return found

    check(program, tensor(1, values=[0.75])).computed()


@clause("numbers.fourier", profile="default")
@pytest.mark.parametrize("periodic", [True, False])
def test_windows_by_their_keywords(check: Check, periodic: bool) -> None:
    """A window of torch's own functions is periodic or symmetric, narrow or wide, of each shape that is told."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        makers = (torch.hann_window, torch.hamming_window, torch.bartlett_window, torch.blackman_window)
        for make in (*makers, torch.kaiser_window):
            for dtype in (torch.float32, torch.float64):
                for length in (0, 1, 2, 7):
                    made = make(length, periodic=periodic, dtype=dtype, device=a.device)
                    found[f"{make.__name__} of {length}, {dtype}"] = made - a
        return found | {
            "hamming, alpha": torch.hamming_window(6, periodic, 0.6, device=a.device) * a,
            "hamming, both": torch.hamming_window(6, periodic, alpha=0.5, beta=0.25, device=a.device) * a,
            "kaiser, beta": torch.kaiser_window(6, periodic, beta=3.5, device=a.device) * a,
            "kaiser, flat": torch.kaiser_window(6, periodic, 0.0, dtype=torch.float64, device=a.device) * a,
        }

    check(program, tensor(1, values=[0.75])).computed()


@clause("numbers.fourier", modes="train", profile="default")
@pytest.mark.parametrize("center", [True, False])
def test_transforms_of_windows_by_their_keywords(check: Check, center: bool) -> None:
    """Padded in each way, normalised or not, of one side or both, by short and full windows, and of complex signals."""

    def program(a: torch.Tensor, window: torch.Tensor) -> dict[str, torch.Tensor]:
        def there(signal: torch.Tensor, **options: Any) -> torch.Tensor:
            found = torch.stft(signal, 8, hop_length=3, center=center, return_complex=True, **options)
            return torch.view_as_real(found)

        found = {
            "normalised": there(a, normalized=True, window=window),
            "of one side": there(a, normalized=False, onesided=True, win_length=4, window=window[:4]),
            "both sides": there(a, onesided=False, win_length=5, window=window[:5]),
        }
        if center:
            found |= {mode: there(a, pad_mode=mode, window=window) for mode in ("constant", "replicate", "circular")}
        return found | {
            "as pairs": torch.stft(a, 8, window=window, center=center, return_complex=False),
            "of a complex signal": there(torch.complex(a, a.flip(1)), window=window),
            "of both sides": there(torch.complex(a, a), window=window, onesided=False),
            "by a complex window": there(a, window=torch.complex(window, window.flip(0))),
        }

    check(program, tensor(2, 12), tensor(8)).gradient(0, 1).computed()


@clause("numbers.fourier", modes="train", profile="default")
def test_lengths_of_what_is_transformed_back(check: Check) -> None:
    """Back from windows that overlap, a signal is as long as is told: shorter, whole and longer, of any side."""

    def program(a: torch.Tensor, window: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        for onesided in (True, False):
            for normalized in (True, False):
                options: Any = {"window": window, "normalized": normalized, "onesided": onesided}
                there = torch.stft(a, 8, 2, return_complex=True, **options)
                for length in (None, 9, 15):
                    found[f"{onesided}, {normalized}, {length}"] = torch.istft(there, 8, 2, length=length, **options)
        there = torch.stft(a, 8, 2, 6, window[:6], return_complex=True)
        return found | {"short window": torch.istft(there, 8, 2, 6, window[:6], length=11)}

    window = tensor(8, grad=False, values=[0.2, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.2])
    check(program, tensor(2, 12), window).gradient(0).computed()


@clause("numbers.fourier", modes="train", shapes=("dynamic", "static"))
def test_signals_that_are_filled_up_at_their_end(check: Check) -> None:
    """Back from windows, a signal that is to be longer than they reach ends with noughts, centred or not."""

    def program(a: torch.Tensor, window: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {}
        for center in (True, False):
            options: Any = {"window": window, "center": center}
            there = torch.stft(a, 8, 2, return_complex=True, **options)
            found[f"centred, {center}"] = torch.istft(there, 8, 2, length=18, **options)
        return found

    window = tensor(8, grad=False, values=[0.2, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.2])
    check(program, tensor(2, 12), window).gradient(0).shape("out['centred, True']", 2, 18).computed()


@clause("numbers.fourier", modes="train", profile="full")
def test_gradients_of_many_transforms_of_one_signal(check: Check) -> None:
    """The gradients of many transforms of one signal, of parts of complex ones and of both sides, add up to eager's."""

    def program(a: torch.Tensor, window: torch.Tensor) -> dict[str, torch.Tensor]:
        def there(signal: torch.Tensor, window: torch.Tensor, length: int = 8, **options: Any) -> torch.Tensor:
            told: Any = {"window": window, "center": False, "onesided": False, "return_complex": True, **options}
            return torch.view_as_real(torch.stft(signal, 8, 3, length, **told))

        found = {}
        for length in (8, 4, 5):
            found[f"normalised, {length}"] = there(a, window[:length], length, normalized=True)
        for name, each in {"windowed": window, "not windowed": None}.items():
            found[name] = torch.view_as_real(torch.stft(a, 8, window=each, center=False, return_complex=True))
        for time in ("first", "again"):
            found[f"of unlike parts, {time}"] = there(torch.complex(a, a.flip(1)), window)
            found[f"of equal parts, {time}"] = there(torch.complex(a, a), window)
            found[f"by a complex window, {time}"] = there(a, torch.complex(window, window.flip(0)))
        return found

    check(program, tensor(2, 12), tensor(8)).gradient(0, 1).computed()
