import itertools

import numpy as np
import pyqtgraph as pg
import pytest

from attnviz.gui.colormaps import (
    CENTRE,
    HIDDEN,
    HIGHEST,
    LOWEST,
    contrast,
    diverging_index,
    diverging_indices,
    diverging_lut,
    inks,
    stops_of,
    text_colour,
    weight_index,
    weight_indices,
    weights_lut,
)
from attnviz.gui.theme import Theme


def colours(table) -> list[tuple[int, int, int]]:
    return [tuple(entry) for entry in table.tolist()]


def ground(theme: Theme) -> tuple[int, int, int]:
    return theme.ground.getRgb()[:3]


def test_a_number_has_a_contrast_of_4_5_on_every_colour_of_every_map(theme):
    for table in (weights_lut(theme), diverging_lut(theme)):
        for colour in colours(table):
            assert contrast(text_colour(colour).getRgb()[:3], colour) >= 4.5


def test_a_number_has_a_contrast_of_4_5_on_every_grey():
    assert all(contrast(text_colour((g, g, g)).getRgb()[:3], (g, g, g)) >= 4.5 for g in range(256))


def test_zero_is_the_ground_itself_in_both_maps(theme):
    assert colours(weights_lut(theme))[LOWEST] == ground(theme)
    assert colours(diverging_lut(theme))[CENTRE] == ground(theme)


@pytest.mark.parametrize("arm", [slice(LOWEST, HIGHEST + 1)])
def test_more_weight_is_always_further_from_the_ground(theme, arm):
    away = [contrast(colour, ground(theme)) for colour in colours(weights_lut(theme)[arm])]
    assert all(later >= earlier - 0.02 for earlier, later in itertools.pairwise(away))
    assert away[-1] > 4


def test_both_arms_of_the_diverging_map_move_away_from_the_ground(theme):
    table = diverging_lut(theme)
    for arm in (table[CENTRE : HIGHEST + 1], table[CENTRE : LOWEST - 1 if LOWEST > 1 else None : -1]):
        away = [contrast(colour, ground(theme)) for colour in colours(arm)[:127]]
        assert all(later >= earlier - 0.03 for earlier, later in itertools.pairwise(away))


def test_text_stands_out_from_the_ground(theme):
    for colour in (theme.text, theme.muted, theme.accent, theme.danger):
        assert contrast(colour.getRgb()[:3], ground(theme)) >= 4.5
    assert contrast(theme.on_accent.getRgb()[:3], theme.accent.getRgb()[:3]) >= 4.5
    assert contrast(theme.text.getRgb()[:3], theme.accent_soft.getRgb()[:3]) >= 4.5


def test_levels_map_the_ends_and_the_middle_to_the_ends_and_the_middle():
    values = np.array([-2.0, 0.0, 2.0, 9.0, -np.inf], np.float32)
    assert diverging_indices(values, 2.0).tolist() == [LOWEST, CENTRE, HIGHEST, HIGHEST, LOWEST]
    assert weight_indices(np.array([0.0, 1.0], np.float32), 1.0).tolist() == [LOWEST, HIGHEST]


@pytest.mark.parametrize("limit", [0.0, 1e-40, 1e12, float("inf"), float("nan")])
def test_any_limit_gives_an_index_without_a_warning(limit):
    indices = diverging_indices(np.array([0.0, 1.0, -1e12], np.float32), limit)
    assert indices.dtype == np.uint8
    assert indices[0] == CENTRE
    assert HIDDEN not in indices


@pytest.mark.parametrize("name", ["CET-D6", "CET-D13", "CET-CBD1"])
def test_maps_are_those_that_pyqtgraph_carries(name, monkeypatch, tmp_path):
    stops = stops_of(name)
    assert np.array_equal(stops, pg.colormap.get(name).getColors(mode="byte")[:, :3])
    monkeypatch.setattr(pg, "__file__", str(tmp_path / "__init__.py"))  # where they are not as files
    assert np.array_equal(stops_of(name), stops)


def test_inks_of_a_table_are_those_of_its_colours(theme):
    table = diverging_lut(theme)
    several, numbers = inks(table.tobytes())
    assert [several[number] for number in numbers] == [text_colour(colour) for colour in colours(table)]


def test_the_index_of_one_number_is_that_of_many():
    rng = np.random.default_rng(0)
    for limit in (0.0, 1e-30, 0.37, 1.0, 812.5, float("inf")):
        values = (rng.standard_normal(200) * min(limit or 1.0, 1e6)).astype(np.float32)
        several = diverging_indices(values, limit).tolist(), weight_indices(abs(values), limit).tolist()
        assert [diverging_index(value, limit) for value in values.tolist()] == several[0]
        assert [weight_index(abs(value), limit) for value in values.tolist()] == several[1]
