"""Version bands: one golden, several torch releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden.bands import (
    BASELINE,
    FIRST,
    LAST,
    RECORDED,
    BadBands,
    Band,
    BandSet,
    default_mode,
    file_name,
    files_of,
    is_baseline,
    load_bands,
    parse_range,
    release_of,
)

A = "def forward(self, a):\n    sin = torch.ops.aten.sin.default(a, \"é\", '''x''', '\\\\')\n    return (sin,)\n"
B = A.replace("sin", "cos")
INLINE = A.replace("sin", "tan")


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        (f"{BASELINE}.1+cpu", "strict"),
        ("2.15.0+cu130", "strict"),
        ("2.15.0.dev20260101+cpu", "drift"),
        ("2.15.0a0+git1234", "drift"),
        ("2.12.1", "drift"),
    ],
)
def test_goldens_are_strict_where_they_were_recorded(version: str, mode: str) -> None:
    assert default_mode(version) == mode
    assert default_mode(version, "cuda") == "drift"


def test_baseline_is_recorded() -> None:
    assert is_baseline(BASELINE)
    assert BASELINE in RECORDED


def test_releases_with_bands_are_recorded() -> None:
    """Whoever records a band of a release records all, or its other goldens drift unseen."""
    starts = {band.start for band in load_bands().bands}
    assert starts <= {release_of(each) for each in RECORDED}


@pytest.mark.parametrize(
    "text, start, stop",
    [
        (">=2.14,<2.16", (2, 14), (2, 16)),
        ("<2.13", FIRST, (2, 13)),
        (">=2.15", (2, 15), LAST),
        ("==2.15.*", (2, 15), (2, 16)),
        ("*", FIRST, LAST),
    ],
)
def test_ranges_read_back(text: str, start: tuple[int, int], stop: tuple[int, int]) -> None:
    assert parse_range(text) == (start, stop)
    assert parse_range(Band("g", start, stop, A).range) == (start, stop)


@pytest.mark.parametrize("text", ["", "2.15", ">=2.16,<2.14", "~=2.15", ">2.15"])
def test_other_ranges_are_refused(text: str) -> None:
    with pytest.raises(BadBands, match="torch range"):
        parse_range(text)


def test_the_band_of_the_running_torch_is_found() -> None:
    bands = BandSet([Band("g", (2, 14), (2, 16), A)])
    assert bands.text_for("g", "2.15.3+cpu") == A
    assert bands.text_for("g", "2.16.0") is None
    assert bands.text_for("other", "2.15.0") is None


def test_equal_neighbours_become_one_band() -> None:
    bands = BandSet().recorded("g", "2.14.0", A, INLINE).recorded("g", "2.16.0", A, INLINE)
    assert [band.range for band in bands.bands] == [">=2.14,<2.15", ">=2.16,<2.17"], "2.15 is not known"
    bands = bands.recorded("g", "2.15.1", A, INLINE)
    assert [band.range for band in bands.bands] == [">=2.14,<2.17"]


def test_recording_splits_a_band() -> None:
    bands = BandSet([Band("g", (2, 14), LAST, A)]).recorded("g", "2.15.0", B, INLINE)
    assert [(band.range, band.text) for band in bands.bands] == [
        (">=2.14,<2.15", A),
        (">=2.15,<2.16", B),
        (">=2.16", A),
    ]


def test_a_text_that_means_what_the_literal_means_needs_no_band() -> None:
    bands = BandSet([Band("g", (2, 14), (2, 16), A)]).recorded(
        "g", "2.15.0", INLINE.replace("tan =", "x =").replace("(tan,)", "(x,)"), INLINE
    )
    assert [band.range for band in bands.bands] == [">=2.14,<2.15"]


def test_what_nothing_reaches_is_dropped() -> None:
    bands = BandSet([Band("g", (2, 9), (2, 11), A), Band("g", (2, 12), (2, 15), B), Band("gone", (2, 15), LAST, A)])
    assert [(band.golden, band.range) for band in bands.trimmed({"g"}).bands] == [
        ("g", ">=2.12,<2.13"),
        ("g", ">=2.14,<2.15"),
    ]
    assert "gone" in {band.golden for band in bands.trimmed(None).bands}


def test_overlapping_bands_are_refused() -> None:
    with pytest.raises(BadBands, match="overlap"):
        BandSet([Band("g", (2, 14), (2, 16), A), Band("g", (2, 15), LAST, B)])


def test_files_read_back(tmp_path: Path) -> None:
    bands = BandSet([Band("mutation/x#forward", (2, 14), LAST, A), Band("aliasing/y#backward", FIRST, (2, 13), B)])
    files = files_of(bands)
    assert sorted(files) == ["aliasing.toml", "mutation.toml"]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert load_bands(tmp_path).bands == bands.bands


@pytest.mark.parametrize(
    "text, message",
    [
        ("format = 1\n[[band]\n", "bad.toml"),
        ("format = 0\n", "format 0 is not the format"),
        ('format = 1\n[[band]]\ngolden = "g"\n', "band 1 has the keys"),
        ('format = 1\n[[band]]\ngolden = "g"\ntorch = "2.15"\ntext = ""\n', "band 1: torch range"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(BadBands, match=message):
        load_bands(tmp_path)


@pytest.mark.parametrize(
    "golden, name",
    [
        ("mutation/in_place/x#forward", "mutation.toml"),
        ("suites/aliasing/test_y.py::test_z#forward", "aliasing.toml"),
        ("#", "goldens.toml"),
    ],
)
def test_one_file_a_family(golden: str, name: str) -> None:
    assert file_name(golden) == name


def test_the_projects_own_bands_are_well_formed() -> None:
    assert load_bands().trimmed(None).bands == load_bands().bands
