"""Which picture of the matrix the screen wants, and where one that it has lies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.request import Region
from attnviz.gui.views.map_window import Window
from attnviz.gui.views.picture_frame import PictureFrame, wanted_frame

COUNTS = st.integers(1, 200_000)


@st.composite
def views(draw) -> tuple[Window, int, int, float, float]:
    """A window into a matrix, as zooming and panning make them, and a plot in px."""
    n_query, n_key = draw(COUNTS), draw(COUNTS)
    window = Window.whole(n_query, n_key)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.floats(0, n_key)), draw(st.floats(0, n_query))
        window = window.zoomed(draw(st.floats(0.3, 40)), at, n_query, n_key)
        moved = draw(st.floats(-n_key, n_key)), draw(st.floats(-n_query, n_query))
        window = window.moved(*moved, n_query, n_key)
    return window, n_query, n_key, draw(st.floats(1, 900)), draw(st.floats(1, 900))


@given(views())
def test_the_picture_that_is_wanted_covers_the_window_within_the_matrix(view):
    window, n_query, n_key, width, height = view
    queries, keys, most = wanted_frame(window, width, height, n_query, n_key)
    assert 0 <= queries[0] < queries[1] <= n_query
    assert 0 <= keys[0] < keys[1] <= n_key
    frame = PictureFrame.of(Region(0, queries, keys, most))
    assert frame.covers(window)


@given(views())
def test_no_cell_of_the_picture_is_smaller_than_a_px_or_much_larger_than_it_must_be(view):
    window, n_query, n_key, width, height = view
    queries, keys, most = wanted_frame(window, width, height, n_query, n_key)
    bins = Region(0, queries, keys, most).bins
    for size, length, pixels in zip(bins, (window.rows, window.columns), (height, width), strict=True):
        needed = length / pixels
        assert size == 1 or size < needed + 1.001
        # The last bin may be short: then there are as many, a little narrower.
        assert size >= needed * 0.5 - 1e-6


@given(views(), st.floats(-0.9, 0.9))
def test_a_pan_of_less_than_the_margin_is_covered_by_the_picture_there_is(view, part):
    window, n_query, n_key, width, height = view
    queries, keys, most = wanted_frame(window, width, height, n_query, n_key)
    frame = PictureFrame.of(Region(0, queries, keys, most))
    moved = window.moved(part * window.columns / 8, part * window.rows / 8, n_query, n_key)
    assert frame.covers(moved)


@given(views())
def test_small_pans_want_the_same_picture_again_and_again(view):
    window, n_query, n_key, width, height = view
    steps = 60
    wanted = {
        wanted_frame(
            window.moved(0.0, window.rows * step / steps, n_query, n_key), width, height, n_query, n_key
        )
        for step in range(steps)
    }
    assert len(wanted) <= 18  # of 60 frames over one window's height


def test_a_picture_lies_at_its_own_place_whatever_is_in_view():
    frame = PictureFrame((100, 200), (0, 50), (10, 5))
    rect = frame.rect(Window(25.0, 150.0, 50.0, 50.0), 500.0, 500.0)
    assert (rect.left(), rect.top(), rect.width(), rect.height()) == (-250, -500, 500, 1000)
    assert frame.place_of(199, 49) == (9, 9)
    assert frame.block_of(123, 7) == ((120, 130), (5, 10))
    assert not frame.holds(99, 0)
    assert frame.shown(Window(25.0, 150.0, 50.0, 80.0)) == ((150, 200), (25, 50))


def test_the_last_bin_ends_with_the_matrix():
    frame = PictureFrame((0, 95), (0, 95), (10, 10))
    assert frame.block_of(94, 94) == ((90, 95), (90, 95))


@pytest.mark.parametrize("n", [(1, 1), (1, 5000), (5000, 1)])
def test_zooming_in_as_far_as_it_goes_leaves_one_cell(n):
    window = Window.whole(*n).zoomed(1e9, (0.5, 0.5), *n)
    assert (window.columns, window.rows) == (1, 1)
    assert window.zoomed(1e-9, (0.5, 0.5), *n) == Window.whole(*n)
