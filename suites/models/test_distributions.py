"""Probability distributions: densities, moments, distances, transforms and draws, as networks end in them.

Arguments are not validated, which would break graphs, but where a clause says so.
"""

import torch
from torch import distributions
from torch.distributions import transforms

from suites.harness import Check, clause, tensor


@clause("models.distributions", modes="train", profile="full")
def test_densities_of_numbers(check: Check) -> None:
    """The logarithm of a density has the value and the gradients of the distribution that was asked for."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p = raw.sigmoid() + 0.25
        found = {
            "normal": distributions.Normal(a, p, validate_args=False),
            "laplace": distributions.Laplace(a, p, validate_args=False),
            "cauchy": distributions.Cauchy(a, p, validate_args=False),
            "gumbel": distributions.Gumbel(a, p, validate_args=False),
            "student": distributions.StudentT(p * 4, a, p, validate_args=False),
            "von mises": distributions.VonMises(a, p, validate_args=False),
        }
        return {name: each.log_prob(raw * 2) for name, each in found.items()}

    check(program, calls=[(tensor(3), tensor(3))], probe=False).gradient(0, 1).values().expect("""\
out['normal'] = float32[3] [-29.43, -4.096, -3.562]
out['laplace'] = float32[3] [-7.552, -2.937, -2.983]
out['cauchy'] = float32[3] [-4.436, -2.806, -2.972]
out['gumbel'] = float32[3] [-2105, -2.311, -2.39]
out['student'] = float32[3] [-5.177, -2.956, -3.076]
out['von mises'] = float32[3] [-2.317, -2.031, -2.7]
""")


@clause("models.distributions", modes="train", profile="full")
def test_densities_of_numbers_above_nought(check: Check) -> None:
    """So do those of numbers that are not below nought, and of those between two bounds."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p, value = raw.sigmoid() + 0.25, a.sigmoid()
        found = {
            "log normal": distributions.LogNormal(raw, p, validate_args=False),
            "half normal": distributions.HalfNormal(p, validate_args=False),
            "exponential": distributions.Exponential(p, validate_args=False),
            "gamma": distributions.Gamma(p * 2, p, validate_args=False),
            "chi squared": distributions.Chi2(p * 3, validate_args=False),
            "beta": distributions.Beta(p + 1, p * 2, validate_args=False),
            "f": distributions.FisherSnedecor(p * 4, p * 3, validate_args=False),
            "weibull": distributions.Weibull(p, p * 2, validate_args=False),
            "kumaraswamy": distributions.Kumaraswamy(p, p * 2, validate_args=False),
            "inverse gamma": distributions.InverseGamma(p + 1, p, validate_args=False),
        }
        densities = {name: each.log_prob(value) for name, each in found.items()}
        densities["pareto"] = distributions.Pareto(p, p * 2, validate_args=False).log_prob(value + 1)
        densities["uniform"] = distributions.Uniform(p - 1, p + 1, validate_args=False).log_prob(value * 2)
        return densities

    check(program, calls=[(tensor(3), tensor(3))], probe=False).gradient(0, 1).values().expect("""\
out['log normal'] = float32[3] [-2.051, -3.955, -1.822]
out['half normal'] = float32[3] [-0.518, 0.2182, -0.3099]
out['exponential'] = float32[3] [-1.097, -0.4924, -0.4496]
out['gamma'] = float32[3] [-1.043, -1.257, -1.246]
out['chi squared'] = float32[3] [-0.96, -0.6069, -1.512]
out['beta'] = float32[3] [0.1664, -0.9154, 0.3829]
out['f'] = float32[3] [-1.174, -0.3769, -0.5445]
out['weibull'] = float32[3] [-0.7656, 0.01582, -0.2905]
out['kumaraswamy'] = float32[3] [-0.5008, 0.7173, 0.1017]
out['inverse gamma'] = float32[3] [-0.7131, -2.997, 0.1872]
out['pareto'] = float32[3] [-1.792, -0.478, -0.438]
out['uniform'] = float32[3] [-0.6931, -0.6931, -0.6931]
""")


@clause("models.distributions", modes="train", profile="full")
def test_probabilities_of_counts(check: Check) -> None:
    """Counts, classes and trials have their probabilities, by logits and by shares, and the gradients of those."""

    def program(logits: torch.Tensor, counts: torch.Tensor) -> dict[str, torch.Tensor]:
        p = logits.sigmoid()
        return {
            "bernoulli, logits": distributions.Bernoulli(logits=logits, validate_args=False).log_prob(counts % 2),
            "bernoulli": distributions.Bernoulli(p, validate_args=False).log_prob(counts % 2),
            "binomial": distributions.Binomial(5, p, validate_args=False).log_prob(counts),
            "of fewer": distributions.Binomial(counts + 2, logits=logits, validate_args=False).log_prob(counts),
            "geometric": distributions.Geometric(p, validate_args=False).log_prob(counts),
            "poisson": distributions.Poisson(p * 3, validate_args=False).log_prob(counts),
            "negative binomial": distributions.NegativeBinomial(4, p, validate_args=False).log_prob(counts),
            "classes": distributions.Categorical(logits=logits, validate_args=False).log_prob(counts[:, 1].long()),
            "shares of classes": distributions.Categorical(p, validate_args=False).probs,
            "one class": distributions.OneHotCategorical(p, validate_args=False).log_prob(counts.eq(2).float()),
            "several": distributions.Multinomial(5, p, validate_args=False).log_prob(counts),
        }

    counts = tensor(2, 4, grad=False, values=[[0.0, 1.0, 2.0, 2.0], [2.0, 3.0, 0.0, 0.0]])
    check(program, calls=[(tensor(2, 4), counts)], probe=False).gradient(0).values().expect("""\
out['bernoulli, logits'] = float32[2, 4] [[-1.094, -2.7, -0.5808, -0.224], [-0.4909, -0.3092, -0.1862, -1.242]]
out['bernoulli'] = float32[2, 4] [[-1.094, -2.7, -0.5808, -0.224], [-0.4909, -0.3092, -0.1862, -1.242]]
out['binomial'] = float32[2, 4] [[-5.471, -1.369, -1.079, -1.581], [-1.064, -1.274, -0.9308, -6.209]]
out['of fewer'] = float32[2, 4] [[-2.188, -1.74, -1.009, -1.868], [-1.084, -1.274, -0.3723, -2.483]]
out['geometric'] = float32[2, 4] [[-0.4077, -2.769, -1.981, -2.054], [-1.929, -4.282, -1.773, -0.3409]]
out['poisson'] = float32[2, 4] [[-1.996, -1.803, -1.457, -2.31], [-1.554, -1.626, -0.5096, -2.133]]
out['negative binomial'] = float32[2, 4] [[-4.377, -1.592, -1.66, -1.805], [-1.555, -3.229, -0.7447, -4.967]]
out['classes'] = float32[2] [-3.761, -0.9009]
out['shares of classes'] = float32[2, 4] [[0.4842, 0.04894, 0.3207, 0.1461], [0.1937, 0.3665, 0.08481, 0.355]]
out['one class'] = float32[2] [-1.137, -1.642]
out['several'] = float32[2] [-5.737, -3.992]
""")


@clause("models.distributions", modes="train", profile="full")
def test_densities_of_correlated_vectors(check: Check) -> None:
    """Vectors of correlated numbers have one density each, by a covariance, its triangle, or factors of low rank."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p = raw.sigmoid() + 0.25
        covariance = torch.eye(3, device=a.device) + 0.25 * a.mT @ a
        triangle = torch.diag_embed(p)
        found = {
            "covariance": distributions.MultivariateNormal(a, covariance, validate_args=False),
            "triangle": distributions.MultivariateNormal(a, scale_tril=triangle, validate_args=False),
            "low rank": distributions.LowRankMultivariateNormal(a, a.unsqueeze(-1), p, validate_args=False),
        }
        return {name: each.log_prob(raw) for name, each in found.items()}

    check(program, calls=[(tensor(2, 3), tensor(2, 3))], probe=False).gradient(0, 1).values().expect("""\
out['covariance'] = float32[2] [-7.821, -4.619]
out['triangle'] = float32[2] [-24.18, -5.67]
out['low rank'] = float32[2] [-7.636, -5.083]
""")


@clause("models.distributions", modes="train", profile="full")
def test_densities_of_what_is_made_of_others(check: Check) -> None:
    """Shares, mixtures, independent numbers, what is transformed, and relaxed choices have their densities."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p = raw.sigmoid() + 0.25
        shares = p / p.sum(-1, keepdim=True)
        normal = distributions.Normal(a, p, validate_args=False)
        parts = distributions.Categorical(logits=raw, validate_args=False)
        ways = [transforms.TanhTransform(), transforms.AffineTransform(0.5, 2.0)]
        bounded = distributions.TransformedDistribution(normal, ways, validate_args=False)
        heat = torch.tensor(0.75, device=a.device)
        return {
            "shares": distributions.Dirichlet(p * 3, validate_args=False).log_prob(shares),
            "mixture": distributions.MixtureSameFamily(parts, normal, validate_args=False).log_prob(a[:, 0]),
            "independent": distributions.Independent(normal, 1, validate_args=False).log_prob(raw),
            "bounded": bounded.log_prob(raw.tanh() + 0.5),
            "relaxed": distributions.RelaxedBernoulli(heat, logits=raw, validate_args=False).log_prob(shares),
            "relaxed class": distributions.RelaxedOneHotCategorical(heat, logits=a, validate_args=False).log_prob(
                shares
            ),
        }

    check(program, calls=[(tensor(2, 3), tensor(2, 3))], probe=False).gradient(0, 1).values().expect("""\
out['shares'] = float32[2] [1.504, 1.481]
out['mixture'] = float32[2] [-2.513, -1.621]
out['independent'] = float32[2] [-24.18, -5.67]
out['bounded'] = float32[2, 3] [[-4.48, -6.323, -0.8018], [-3.257, -1.603, -2.425]]
out['relaxed'] = float32[2, 3] [[-0.02936, -0.4676, -0.0665], [-0.09258, -0.3034, -0.2446]]
out['relaxed class'] = float32[2] [-2.314, -0.751]
""")


@clause("models.distributions", modes="train", profile="full")
def test_moments_and_entropies(check: Check) -> None:
    """What a distribution says of itself: mean, mode, variance and entropy, with their gradients."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, tuple[torch.Tensor, ...]]:
        p = raw.sigmoid() + 0.25
        found = {
            "normal": distributions.Normal(a, p, validate_args=False),
            "log normal": distributions.LogNormal(a, p, validate_args=False),
            "laplace": distributions.Laplace(a, p, validate_args=False),
            "gumbel": distributions.Gumbel(a, p, validate_args=False),
            "gamma": distributions.Gamma(p * 2, p, validate_args=False),
            "beta": distributions.Beta(p + 1, p * 2, validate_args=False),
            "weibull": distributions.Weibull(p, p * 2, validate_args=False),
            "uniform": distributions.Uniform(a, a + p, validate_args=False),
            "bernoulli": distributions.Bernoulli(logits=a, validate_args=False),
            "geometric": distributions.Geometric(p * 0.5, validate_args=False),
            "classes": distributions.Categorical(logits=a, validate_args=False),
            "shares": distributions.Dirichlet(p * 3, validate_args=False),
        }
        middles: dict[str, tuple[torch.Tensor, ...]] = {
            name: (each.mean, each.variance) for name, each in found.items() if name != "classes"
        }
        entropies: dict[str, tuple[torch.Tensor, ...]] = {
            f"entropy of {name}": (each.entropy(),) for name, each in found.items()
        }
        modes: dict[str, tuple[torch.Tensor, ...]] = {
            f"mode of {name}": (found[name].mode,) for name in ("gamma", "beta", "classes", "log normal")
        }
        return middles | entropies | modes

    check(program, calls=[(tensor(3), tensor(3))], probe=False).gradient(0, 1).values().expect("""\
out['normal'][1] = float32[3] [0.2031, 0.4069, 0.9683]
out['log normal'][0] = float32[3] [2.199, 0.08834, 1.278]
out['log normal'][1] = float32[3] [1.089, 0.003919, 2.667]
out['laplace'][1] = float32[3] [0.4062, 0.8139, 1.937]
out['gumbel'][0] = float32[3] [0.9466, -2.262, 0.329]
out['gumbel'][1] = float32[3] [0.3341, 0.6694, 1.593]
out['gamma'][0] = float32[3] [2, 2, 2]
out['gamma'][1] = float32[3] [4.438, 3.135, 2.032]
out['beta'][0] = float32[3] [0.6168, 0.5621, 0.502]
out['beta'][1] = float32[3] [0.07051, 0.06289, 0.05048]
out['weibull'][0] = float32[3] [0.4738, 0.5915, 0.8724]
out['weibull'][1] = float32[3] [0.2772, 0.2181, 0.2141]
out['uniform'][0] = float32[3] [0.9118, -2.311, 0.253]
out['uniform'][1] = float32[3] [0.01693, 0.03391, 0.08069]
out['bernoulli'][0] = float32[3] [0.6652, 0.06723, 0.4405]
out['bernoulli'][1] = float32[3] [0.2227, 0.06271, 0.2465]
out['geometric'][0] = float32[3] [3.438, 2.135, 1.032]
out['geometric'][1] = float32[3] [15.26, 6.694, 2.098]
out['shares'][0] = float32[3] [0.2174, 0.3078, 0.4748]
out['shares'][1] = float32[3] [0.02358, 0.02952, 0.03455]
out['entropy of normal'][0] = float32[3] [0.622, 0.9694, 1.403]
out['entropy of log normal'][0] = float32[3] [1.308, -1.661, 1.164]
out['entropy of laplace'][0] = float32[3] [0.8962, 1.244, 1.677]
out['entropy of gumbel'][0] = float32[3] [0.7802, 1.128, 1.561]
out['entropy of gamma'][0] = float32[3] [1.69, 1.676, 1.582]
out['entropy of beta'][0] = float32[3] [-0.09058, -0.06099, -0.1214]
out['entropy of weibull'][0] = float32[3] [0.2437, 0.4316, 0.5908]
out['entropy of uniform'][0] = float32[3] [-0.797, -0.4495, -0.0161]
out['entropy of bernoulli'][0] = float32[3] [0.6375, 0.2464, 0.6861]
out['entropy of geometric'][0] = float32[3] [2.368, 1.963, 1.409]
out['entropy of classes'][0] = float32[] 0.6995
out['entropy of shares'][0] = float32[] -1.108
out['mode of gamma'][0] = float32[3] [0, 0.4324, 0.9838]
out['mode of beta'][0] = float32[3] [1, 0.6981, 0.5041]
out['mode of classes'][0] = int64[] 0
out['mode of log normal'][0] = float32[3] [1.621, 0.04798, 0.299]
""")


@clause("models.distributions", modes="train", profile="full")
def test_variance_of_a_few_degrees_of_freedom(check: Check) -> None:
    """The variance of Student's distribution is one formula, an infinity or none, by the degrees of freedom."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        freedom = raw.sigmoid() * 2 + torch.tensor([2.0, 0.5, -0.25], device=a.device)
        student = distributions.StudentT(freedom, a, raw.exp(), validate_args=False)
        return student.mean, student.variance, student.entropy()

    check(program, calls=[(tensor(3), tensor(3, values=[1.0, 0.5, -0.5]))], probe=False).gradient(
        1
    ).values().expect("""\
out[0] = float32[3] [0.6865, -2.63, nan]
out[1] = float32[3] [17.5, inf, nan]
out[2] = float32[3] [2.724, 2.543, 3.144]
""")


@clause("models.distributions", modes="train", profile="full")
def test_shares_below_a_number(check: Check) -> None:
    """The share that lies below a number, and the number below which a share lies, are each other's inverse."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
        p, share = raw.sigmoid() + 0.25, a.sigmoid()
        found = {
            "normal": distributions.Normal(a, p, validate_args=False),
            "laplace": distributions.Laplace(a, p, validate_args=False),
            "cauchy": distributions.Cauchy(a, p, validate_args=False),
            "gumbel": distributions.Gumbel(a, p, validate_args=False),
            "exponential": distributions.Exponential(p, validate_args=False),
            "half normal": distributions.HalfNormal(p, validate_args=False),
            "weibull": distributions.Weibull(p, p * 2, validate_args=False),
            "pareto": distributions.Pareto(p, p * 2, validate_args=False),
            "uniform": distributions.Uniform(a, a + p, validate_args=False),
        }
        return {name: (each.cdf(each.icdf(share) + 0.125), each.icdf(share)) for name, each in found.items()}

    check(program, calls=[(tensor(3), tensor(3))], probe=False).gradient(0, 1).values().expect("""\
out['normal'][0] = float32[3] [0.7593, 0.09666, 0.491]
out['normal'][1] = float32[3] [0.8787, -3.585, -0.3862]
out['laplace'][0] = float32[3] [0.7463, 0.08178, 0.5002]
out['laplace'][1] = float32[3] [0.8672, -3.91, -0.3636]
out['cauchy'][0] = float32[3] [0.724, 0.07008, 0.4803]
out['cauchy'][1] = float32[3] [0.9439, -5.605, -0.425]
out['gumbel'][0] = float32[3] [0.7342, 0.1087, 0.4858]
out['gumbel'][1] = float32[3] [1.091, -3.264, -0.04344]
out['exponential'][0] = float32[3] [0.6835, 0.1387, 0.5053]
out['exponential'][1] = float32[3] [2.428, 0.1091, 0.5902]
out['half normal'][0] = float32[3] [0.7857, 0.2208, 0.5227]
out['half normal'][1] = float32[3] [0.4347, 0.05381, 0.5743]
out['weibull'][0] = float32[3] [0.7379, 0.2082, 0.5451]
out['weibull'][1] = float32[3] [0.498, 0.07899, 0.7466]
out['pareto'][0] = float32[3] [0.6882, 0.2493, 0.5317]
out['pareto'][1] = float32[3] [1.517, 0.6737, 1.322]
out['uniform'][0] = float32[3] [0.9425, 0.2632, 0.5676]
out['uniform'][1] = float32[3] [0.9863, -2.587, 0.1945]
""")


@clause("models.distributions", modes="train", profile="full")
def test_divergence_of_two_distributions(check: Check) -> None:
    """How far one distribution is from another of its kind, or of another kind, with the gradients to both."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p, q = a.sigmoid() + 0.25, raw.sigmoid() + 0.25
        pairs = {
            "normal": (
                distributions.Normal(a, p, validate_args=False),
                distributions.Normal(raw, q, validate_args=False),
            ),
            "gamma": (distributions.Gamma(p, q, validate_args=False), distributions.Gamma(q, p, validate_args=False)),
            "beta": (distributions.Beta(p, q, validate_args=False), distributions.Beta(q, p, validate_args=False)),
            "classes": (
                distributions.Categorical(logits=a, validate_args=False),
                distributions.Categorical(logits=raw, validate_args=False),
            ),
            "bernoulli": (
                distributions.Bernoulli(logits=a, validate_args=False),
                distributions.Bernoulli(logits=raw, validate_args=False),
            ),
            "shares": (
                distributions.Dirichlet(p, validate_args=False),
                distributions.Dirichlet(q, validate_args=False),
            ),
            "of two kinds": (
                distributions.Laplace(a, p, validate_args=False),
                distributions.Normal(raw, q, validate_args=False),
            ),
            "whole": (
                distributions.Independent(distributions.Normal(a, p, validate_args=False), 1, validate_args=False),
                distributions.Independent(distributions.Normal(raw, q, validate_args=False), 1, validate_args=False),
            ),
        }
        return {name: distributions.kl_divergence(*pair) for name, pair in pairs.items()}

    check(program, calls=[(tensor(2, 3), tensor(2, 3))], probe=False).gradient(0, 1).values().expect("""\
out['normal'] = float32[2, 3] [[15.75, 7.411, 1.778], [3, 0.3502, 1.438]]
out['gamma'] = float32[2, 3] [[1.085, 1.966, 0.1763], [0.07946, 0.08157, 0.2135]]
out['beta'] = float32[2, 3] [[0.8405, 1.712, 0.147], [0.07847, 0.06534, 0.155]]
out['classes'] = float32[2] [1.793, 0.3014]
out['bernoulli'] = float32[2, 3] [[0.604, 0.9347, 0.09206], [0.04752, 0.04753, 0.1496]]
out['shares'] = float32[2] [1.511, 0.1265]
out['of two kinds'] = float32[2, 3] [[17.85, 7.191, 2.481], [3.565, 0.4007, 2.112]]
out['whole'] = float32[2] [24.94, 4.788]
""")


@clause("models.distributions", modes="train")
def test_divergence_of_correlated_vectors(check: Check) -> None:
    """How far one normal distribution of vectors is from another, with the gradients to both."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> torch.Tensor:
        scales = raw.sigmoid() + 0.25
        triangle = torch.diag_embed(scales) + 0.5 * torch.ones(3, 3, device=a.device).tril(-1)
        first = distributions.MultivariateNormal(a, scale_tril=triangle, validate_args=False)
        second = distributions.MultivariateNormal(raw, scale_tril=torch.diag_embed(scales), validate_args=False)
        return distributions.kl_divergence(first, second)

    check(program, calls=[(tensor(2, 3), tensor(2, 3))], probe=False).gradient(0, 1).values().expect("""\
out = float32[2] [24.2, 5.228]
""")


@clause("models.distributions", modes="train", profile="full")
def test_transforms_and_their_slopes(check: Check) -> None:
    """A transform of numbers, its inverse, and the logarithm of how much it stretches."""

    def program(a: torch.Tensor) -> dict[str, tuple[torch.Tensor, ...]]:
        ways = {
            "exponential": transforms.ExpTransform(),
            "tanh": transforms.TanhTransform(),
            "softplus": transforms.SoftplusTransform(),
            "affine": transforms.AffineTransform(0.5, -2.0),
            "to between bounds": distributions.transform_to(distributions.constraints.interval(-1.0, 2.0)),
        }
        return {name: (way(a), way.inv(way(a)), way.log_abs_det_jacobian(a, way(a))) for name, way in ways.items()}

    check(program, calls=[(tensor(2, 3),)], probe=False).gradient(0).values().expect("""\
out['exponential'][0] = float32[2, 3] [[1.987, 0.07207, 0.7874], [0.2511, 0.6338, 2.76]]
out['exponential'][1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['tanh'][0] = float32[2, 3] [[0.5957, -0.9897, -0.2345], [-0.8814, -0.4269, 0.7679]]
out['tanh'][1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['tanh'][2] = float32[2, 3] [[-0.4383, -3.884, -0.05658], [-1.5, -0.2012, -0.8908]]
out['softplus'][0] = float32[2, 3] [[1.094, 0.06959, 0.5808], [0.224, 0.4909, 1.324]]
out['softplus'][1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['softplus'][2] = float32[2, 3] [[-0.4077, -2.7, -0.8198], [-1.606, -0.947, -0.3092]]
out['affine'][0] = float32[2, 3] [[-0.8729, 5.76, 0.978], [3.264, 1.412, -1.53]]
out['affine'][1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['affine'][2] = float32[2, 3] [[0.6931, 0.6931, 0.6931], [0.6931, 0.6931, 0.6931]]
out['to between bounds'][0] = float32[2, 3] [[0.9955, -0.7983, 0.3216], [-0.3979, 0.1638, 1.202]]
out['to between bounds'][1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['to between bounds'][2] = float32[2, 3] [[-0.4032, -1.671, -0.3019], [-0.7314, -0.3392, -0.535]]
""")


@clause("models.distributions", modes="train", profile="full")
def test_transform_to_numbers_above_nought(check: Check) -> None:
    """The transform to positive numbers stretches by what it is given, which is a tensor of its own."""

    def program(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        way = distributions.biject_to(distributions.constraints.positive)
        return way(a), way.log_abs_det_jacobian(a, way(a))

    result = check(program, calls=[(tensor(2, 3),)], probe=False).gradient(0).distinct("out[1]", 0)
    result.values().expect("""\
out[0] = float32[2, 3] [[1.987, 0.07207, 0.7874], [0.2511, 0.6338, 2.76]]
out[1] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
""")


@clause("models.distributions", modes="train", profile="full")
def test_transforms_to_shares_and_triangles(check: Check) -> None:
    """Vectors become shares that add up to one, and triangles of correlations, and some of them come back."""

    def program(a: torch.Tensor) -> dict[str, torch.Tensor]:
        sticks = transforms.StickBreakingTransform()
        triangles = transforms.CorrCholeskyTransform()
        return {
            "shares": transforms.SoftmaxTransform()(a),
            "sticks": sticks(a),
            "and back": sticks.inv(sticks(a)),
            "how much they stretch": sticks.log_abs_det_jacobian(a, sticks(a)),
            "triangles": triangles(a),
        }

    check(program, calls=[(tensor(2, 3),)], probe=False).gradient(0).values().expect("""\
out['shares'] = float32[2, 3] [[0.698, 0.02532, 0.2767], [0.06889, 0.1739, 0.7572]]
out['sticks'] = float32[2, 4] [[0.3984, 0.02093, 0.2558, 0.3249], [0.07723, 0.222, 0.5144, 0.1864]]
out['and back'] = float32[2, 3] [[0.6865, -2.63, -0.239], [-1.382, -0.4561, 1.015]]
out['how much they stretch'] = float32[2] [-7.275, -6.411]
out['triangles'] = float32[2, 3, 3] [[[1, 0, 0], [0.5957, 0.8032, 0], [-0.9897, -0.03363, 0.1394]], [[1, 0, 0],
    [-0.8814, 0.4724, 0], [-0.4269, 0.6944, 0.5793]]]
""")


@clause("models.distributions", "T17", modes="train", profile="full")
def test_draws_that_have_gradients(check: Check) -> None:
    """Draws that are computed from noise are eager's, as many as asked for, with gradients to the parameters."""

    def program(a: torch.Tensor, raw: torch.Tensor) -> dict[str, torch.Tensor]:
        p = raw.sigmoid() + 0.25
        found = {
            "laplace": distributions.Laplace(a, p, validate_args=False),
            "gumbel": distributions.Gumbel(a, p, validate_args=False),
            "exponential": distributions.Exponential(p, validate_args=False),
            "gamma": distributions.Gamma(p * 2, p, validate_args=False),
            "beta": distributions.Beta(p + 1, p * 2, validate_args=False),
            "shares": distributions.Dirichlet(p * 3, validate_args=False),
            "student": distributions.StudentT(p * 4, a, p, validate_args=False),
            "weibull": distributions.Weibull(p, p * 2, validate_args=False),
            "vectors": distributions.MultivariateNormal(a, scale_tril=torch.diag_embed(p), validate_args=False),
            "relaxed": distributions.RelaxedOneHotCategorical(
                torch.tensor(0.75, device=a.device), logits=a, validate_args=False
            ),
        }
        return {name: each.rsample((2,)) for name, each in found.items()}

    check(program, calls=[(tensor(2, 3), tensor(2, 3))], probe=False).drew_random().gradient(0, 1)


@clause("models.distributions", "T17", profile="full")
def test_draws_of_counts(check: Check) -> None:
    """Draws of counts and classes are eager's, of every shape that is asked for."""

    def program(logits: torch.Tensor) -> dict[str, torch.Tensor]:
        p = logits.sigmoid()
        return {
            "bernoulli": distributions.Bernoulli(logits=logits, validate_args=False).sample((2,)),
            "binomial": distributions.Binomial(5, p, validate_args=False).sample(),
            "classes": distributions.Categorical(logits=logits, validate_args=False).sample((2, 3)),
            "one class": distributions.OneHotCategorical(p, validate_args=False).sample(),
            "several": distributions.Multinomial(5, p, validate_args=False).sample(),
            "geometric": distributions.Geometric(p, validate_args=False).sample(),
            "poisson": distributions.Poisson(p * 3, validate_args=False).sample((1,)),
            "negative binomial": distributions.NegativeBinomial(4, p, validate_args=False).sample(),
        }

    check(program, calls=[(tensor(2, 4),)], probe=False).drew_random()


@clause("models.distributions", modes="train")
def test_policy_that_is_told_its_actions(check: Check) -> None:
    """A policy's loss: what its actions brought, by the probability of each, less a share of the entropy."""

    def program(logits: torch.Tensor, brought: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        policy = distributions.Categorical(logits=logits, validate_args=False)
        before = distributions.Categorical(logits=logits.detach() * 0.5, validate_args=False)
        ratio = (policy.log_prob(actions) - before.log_prob(actions)).exp()
        clipped = torch.min(ratio * brought, ratio.clamp(0.75, 1.25) * brought)
        return -(clipped + 0.125 * policy.entropy()).mean()

    actions = tensor(4, dtype=torch.int64, values=[2, 0, 1, 2])
    check(program, calls=[(tensor(4, 3), tensor(4, grad=False), actions)], probe=False).gradient(0).values().expect("""\
out = float32[] 0.7529
""")


@clause("models.distributions", fullgraph=False)
def test_parameter_that_is_refused(check: Check) -> None:
    """A parameter outside of what a distribution allows raises where arguments are validated."""

    def program(mean: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return distributions.Normal(mean, scale * 2, validate_args=True).log_prob(mean + 1)

    calls = [(tensor(3), tensor(3, values=[1.0, 0.5, 2.0])), (tensor(3), tensor(3, values=[1.0, -0.5, 2.0]))]
    result = check(program, calls=calls)
    result.in_call(1).raised("found invalid values")
