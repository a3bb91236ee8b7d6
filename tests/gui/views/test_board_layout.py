import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from attnviz.gui.views.board_layout import Measures, label_places, plan_board

MEASURES = Measures(
    widest_query=34, widest_key=34, tallest_key=33, corner=42, short_number=29, number=32, large_number=48
)


def parts(place) -> list[QRectF]:
    return [place.header, place.columns, place.rows, place.plot, place.legend]


SHAPES = [(n, n) for n in (1, 2, 10, 40, 300, 1024, 2048)]
CROSS = [(5, 7), (7, 5), (1, 12), (12, 1), (2, 40), (40, 3), (1, 2048), (2048, 1)]


@pytest.mark.parametrize("shape", SHAPES + CROSS)
@pytest.mark.parametrize("size", [(1360, 860), (760, 480), (480, 420), (300, 900), (120, 90), (40, 40)])
@pytest.mark.parametrize("n_panels", [1, 4])
def test_nothing_overlaps_and_all_lies_within_the_area(shape, size, n_panels):
    plan = plan_board(*size, *shape, MEASURES, n_panels)
    area = QRectF(0, 0, *size)
    assert len(plan.panels) == n_panels
    for index, place in enumerate(plan.panels):
        assert area.contains(place.plot)
        assert area.contains(place.whole)
        for other in plan.panels[index + 1 :]:
            assert not place.whole.intersects(other.whole)
        filled = [part for part in parts(place) if not part.isEmpty()]
        for at, part in enumerate(filled):
            assert not any(part.intersects(other) for other in filled[at + 1 :])


@pytest.mark.parametrize("size", [(1, 1), (2, 7), (3, 500), (500, 3)])
def test_the_smallest_area_still_has_four_plots(size):
    plan = plan_board(*size, 10, 10, MEASURES, 4)
    assert all(place.plot.width() > 0 and place.plot.height() > 0 for place in plan.panels)


def test_all_panels_have_equal_cells_on_one_grid():
    first, second, third, fourth = (place.plot for place in plan_board(760, 480, 10, 10, MEASURES, 4).panels)
    assert first.size() == second.size() == third.size() == fourth.size()
    assert (first.top(), third.top()) == (second.top(), fourth.top())
    assert (first.left(), second.left()) == (third.left(), fourth.left())
    assert first.width() / 10 == math.floor(first.width() / 10)


def test_cells_are_square_where_there_is_room_for_numbers_anyway():
    plot = plan_board(1360, 1360, 10, 10, MEASURES, 4).panels[0].plot
    assert plot.width() / plot.height() == pytest.approx(1, abs=0.1)


def test_cells_are_wider_than_high_only_so_far_that_numbers_fit():
    plot = plan_board(760, 480, 10, 10, MEASURES, 4).panels[0].plot
    assert plot.height() / 10 >= 13
    assert plot.width() / 10 >= MEASURES.number


@given(
    st.integers(1, 2048),
    st.floats(0.05, 60),
    st.floats(20, 900),
    st.floats(9, 90),
    st.integers(0, 2047),
    st.floats(0, 1),
)
def test_labels_never_overlap(count, cell, length, pitch, selected, part):
    length = min(length, cell * count)
    first = part * max(0.0, count - length / cell)
    places = label_places(count, first, cell, length, pitch, (min(selected, count - 1),))
    centres = [centre for _, centre in places]
    assert all(0 <= centre <= length for centre in centres)
    assert all(
        later - earlier >= min(pitch, max(cell, pitch)) - 0.05
        for earlier, later in itertools.pairwise(centres)
    )
    for index, centre in places:
        assert centre == pytest.approx((index + 0.5 - first) * cell)


def test_the_selected_label_is_always_there():
    assert 601 in dict(label_places(1024, 0.0, 0.3, 307.2, 12.0, (601,)))


def test_every_label_is_there_where_cells_are_large_enough():
    assert [index for index, _ in label_places(10, 0.0, 14.0, 140.0, 11.0)] == list(range(10))


def test_the_legend_stands_beside_the_plot_where_height_is_scarce_and_width_is_not():
    beside = plan_board(590, 385, 10, 10, MEASURES, 4).panels[0]
    assert beside.legend.left() >= beside.plot.right()
    below = plan_board(760, 480, 10, 10, MEASURES, 4).panels[0]
    assert below.legend.top() >= below.plot.bottom()


def test_one_token_more_leaves_room_for_numbers_with_one_decimal():
    plot = plan_board(770, 490, 11, 11, MEASURES, 4).panels[0].plot
    assert plot.height() / 11 >= 13
    assert MEASURES.short_number <= plot.width() / 11 < MEASURES.number


@pytest.mark.parametrize("shape", CROSS)
def test_a_matrix_that_is_not_square_has_equal_cells_and_stands_in_the_middle(shape):
    n_query, n_key = shape
    plan = plan_board(760, 480, n_query, n_key, MEASURES, 4)
    first, *others = (place.plot for place in plan.panels)
    assert all(plot.size() == first.size() for plot in others)
    above = min(place.whole.top() for place in plan.panels)
    below = 480 - max(place.whole.bottom() for place in plan.panels)
    left = min(place.whole.left() for place in plan.panels)
    right = 760 - max(place.whole.right() for place in plan.panels)
    assert abs(above - below) <= 2
    assert abs(left - right) <= 2


@pytest.mark.parametrize("shape", [(1, 12), (2, 40), (40, 3), (12, 1)])
def test_few_rows_or_columns_keep_their_labels_and_are_more_than_a_strip(shape):
    place = plan_board(760, 480, *shape, MEASURES, 4).panels[0]
    assert not place.rows.isEmpty()
    assert not place.columns.isEmpty()
    assert min(place.plot.width() / shape[1], place.plot.height() / shape[0]) >= 3
    assert place.plot.height() >= 16
    assert place.plot.width() >= 16


def test_a_narrow_matrix_leaves_its_header_room_for_controls():
    plan = plan_board(760, 480, 40, 3, MEASURES, 4)
    assert plan.panels[0].header.width() >= 240
    assert plan.panels[0].plot.width() < 120
