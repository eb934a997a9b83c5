"""The dtypes that a program is told of results before they are there."""

import torch

from suites.harness import Check, clause, tensor
from suites.operators.table.told import told_of


@clause("T7.10", "numbers.options")
def test_dtypes_of_complex_and_of_narrow_results(check: Check) -> None:
    """A program is told truly the dtypes of what complex numbers come to, and those that it asks for."""

    def program(a: torch.Tensor, double: torch.Tensor, whole: torch.Tensor) -> tuple[object, object]:
        complex_ = torch.complex(double, double - 1)
        found = {
            "angle": torch.angle(complex_),
            "angle of one": torch.angle(double),
            "angle of whole numbers": torch.angle(whole),
            "size": complex_.abs(),
            "spread": torch.var(complex_, 1),
            "deviation": torch.std(complex_.to(torch.complex64), correction=0),
            "turned": double * 1j,
            "whole times a complex number": whole * 1j,
            "least norm": torch.linalg.vector_norm(a, float("-inf"), dtype=torch.float64),
            "greatest norm": torch.linalg.vector_norm(a, float("inf"), dim=1, dtype=torch.float64),
            "least norm of complex numbers": torch.linalg.vector_norm(complex_, float("-inf"), dim=0),
            "count of others": torch.linalg.vector_norm(complex_, 0, dim=0),
            "bytes": torch.arange(3, dtype=torch.uint8, device=a.device),
            "narrow": torch.arange(5, 0, -2, dtype=torch.int16, device=a.device),
            "sign": torch.sgn(complex_),
        }
        return found, told_of(found)

    whole = tensor(3, dtype=torch.int64, values=[2, 0, -3])
    check(program, tensor(2, 3), tensor(2, 3, dtype=torch.float64), whole).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_quotients_and_of_functions_of_whole_numbers(check: Check) -> None:
    """A program is told truly the dtypes of quotients in each way of rounding, and of functions of whole numbers."""

    def program(whole: torch.Tensor, narrow: torch.Tensor, byte: torch.Tensor) -> tuple[object, object]:
        found = {
            "rest": torch.remainder(narrow, whole),
            "rest of bytes": torch.fmod(byte, byte),
            "rest by half": whole % 2.5,
            "floors by half": whole // 2.5,
            "slope of slopes": torch.polygamma(1, whole),
            "many": torch.mvlgamma(whole + 3, 2),
            "bell": torch.special.erfcx(narrow),
            "share": torch.special.expit(byte),
            "odds": torch.special.logit(whole, 0.25),
            "power": torch.float_power(whole, 2),
            "sine": torch.sinc(narrow),
            "degrees": torch.rad2deg(whole),
            "infinite": torch.isposinf(whole),
            "finite": torch.isfinite(byte),
            "all": torch.all(byte),
            "square": torch.square(narrow),
            "sum": torch.sum(narrow, 0),
            "product": torch.prod(byte, 0),
        }
        for name in ("trunc", "floor", None):
            found[f"quotient, {name}"] = torch.div(whole, narrow, rounding_mode=name)
            found[f"quotient of bytes, {name}"] = torch.div(byte, 2, rounding_mode=name)
            found[f"quotient by half, {name}"] = torch.div(whole, 2.5, rounding_mode=name)
        return found, told_of(found)

    numbers = (torch.int64, [7, 4, 9]), (torch.int8, [2, -3, 5]), (torch.uint8, [200, 3, 8])
    inputs = [tensor(3, dtype=dtype, values=values) for dtype, values in numbers]
    check(program, *inputs, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_counts_certain_draws_and_parts_of_numbers(check: Check) -> None:
    """A program is told truly what histograms, draws that are certain and parts of numbers are, and how they lie."""

    def program(double: torch.Tensor, sure: torch.Tensor, whole: torch.Tensor) -> tuple[object, object]:
        turned = double.t()
        found = {
            "histogram": torch.histc(double, 4),
            "histogram of narrow numbers": torch.histc(double.float(), 3, -1, 1),
            "drawn by a number": torch.bernoulli(turned, 1.0),
            "drawn by each": torch.bernoulli(sure.t()),
            "drawn out of each row": torch.multinomial(sure, 4, replacement=True),
            "drawn out of one row": torch.multinomial(sure[1], 1),
            "parts": torch.frexp(turned),
            "parts of narrow numbers": torch.frexp(turned.half()),
            "places": torch.nonzero_static(sure.t(), size=4),
            "airy": torch.special.airy_ai(whole),
            "bessel": torch.special.bessel_y1(whole),
            "kept": torch.special.modified_bessel_k0(whole.to(torch.int16)),
            "in single": torch.special.spherical_bessel_j0(double.float()),
        }
        return found, told_of(found)

    double = tensor(2, 3, dtype=torch.float64, grad=False)
    sure = tensor(2, 3, values=[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], grad=False)
    whole = tensor(3, dtype=torch.int64, values=[1, 2, 5])
    check(program, double, sure, whole, exact=False).computed()


@clause("T7.10", "numbers.options")
def test_operands_of_two_dtypes_or_sizes(check: Check) -> None:
    """A program is told truly what two operands come to of which neither dtype holds the other, or neither size."""

    def program(
        a: torch.Tensor, double: torch.Tensor, both: torch.Tensor, byte: torch.Tensor, batch: torch.Tensor
    ) -> tuple[object, object]:
        signed = byte.to(torch.int8)
        found = {
            "halves of two kinds": a.half() * a.bfloat16(),
            "halves of two kinds, joined": torch.cat([a.half(), a.bfloat16()]),
            "bytes with and without a sign": byte + signed,
            "the larger byte": torch.maximum(byte, signed),
            "doubles and narrow complex numbers": double * both,
            "doubles and one narrow complex number": double + both[0],
            "doubles under complex numbers": torch.where(double > 0, double, both),
            "a row and a column between": torch.lerp(a[:1], a[:1] + 1, a[:, None]),
            "sum of a row and a product": torch.addcmul(a[:, None], a, a[:1], value=0.5),
            "sum of a row and a quotient": torch.addcdiv(a[:, None], a, a[:1] * 2),
            "product of each, and a row": torch.baddbmm(batch[0, 0], batch, batch.mT[..., :3], beta=0.5),
            "distances": torch.cdist(batch, batch[:1, :2], p=1.0),
            "distances of one": torch.cdist(batch[:1], batch),
            "at right angles": torch.linalg.cross(batch[:1, :1], batch),
        }
        return found, told_of(found)

    inputs = (
        tensor(4, grad=False),
        tensor(4, dtype=torch.float64, grad=False),
        tensor(4, dtype=torch.complex64, grad=False),
    )
    byte = tensor(4, dtype=torch.uint8, values=[200, 3, 0, 127])
    check(program, *inputs, byte, tensor(2, 3, 3, grad=False), exact=False).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_products_and_polynomials_of_whole_numbers(check: Check) -> None:
    """A program is told truly the dtypes of products of bytes, of polynomials of whole numbers, and of places."""

    def program(byte: torch.Tensor, whole: torch.Tensor, a: torch.Tensor) -> tuple[object, object]:
        found = {
            "product of bytes": torch.ops.aten._int_mm(byte, byte.mT),
            "first kind": torch.special.chebyshev_polynomial_t(whole, whole),
            "second kind": torch.special.chebyshev_polynomial_u(whole, 2),
            "physicists'": torch.special.hermite_polynomial_h(whole, whole),
            "probabilists'": torch.special.hermite_polynomial_he(3, whole),
            "laguerre": torch.special.laguerre_polynomial_l(whole, whole),
            "legendre": torch.special.legendre_polynomial_p(whole, whole),
            "zeta": torch.special.zeta(whole + 1, whole),
            "place of the largest": torch.max(a, 1).indices.to(torch.int32),
            "place of the least": torch.min(a, 1, keepdim=True).indices.to(torch.int32),
            "sum": torch.sum(byte, 0).to(torch.int8),
            "running": torch.cumsum(whole.to(torch.int32), 0).to(torch.int32),
            "truths": torch.sum(a > 0).to(torch.bool),
        }
        return found, told_of(found)

    byte = tensor(32, 32, dtype=torch.int8)
    check(program, byte, tensor(3, dtype=torch.int64, values=[1, 2, 3]), tensor(3, 4, grad=False)).computed()


@clause("T7.10", "numbers.options")
def test_dtypes_of_draws_of_wide_and_of_narrow_numbers(check: Check) -> None:
    """A program is told truly the dtypes and sizes of what is drawn of parameters in double and in single precision."""

    def program(a: torch.Tensor, double: torch.Tensor) -> tuple[object, object]:
        operators = torch.ops.aten
        drawn = {
            "gamma": [operators._standard_gamma(each) for each in (a, double)],
            "slope of gamma": [operators._standard_gamma_grad(each, each) for each in (a, double)],
            "shares": [operators._sample_dirichlet(each) for each in (a, double)],
            "trials": [torch.binomial(each, each * 0 + 0.5) for each in (a.floor() + 2, double.floor() + 2)],
            "counts": [torch.poisson(each) for each in (a, double)],
            "places": [torch.multinomial(each, 2) for each in (a, double)],
            "places of a row": torch.multinomial(double[0], 5, replacement=True),
        }
        return drawn, told_of(drawn)

    ones = [[1.0, 2.0, 1.5], [0.5, 1.0, 2.0]]
    double = tensor(2, 3, dtype=torch.float64, grad=False, values=ones)
    check(program, tensor(2, 3, grad=False, values=ones), double).computed()
