"""Dask arrays: read block by block here, or computed where they live, so that no rows of them travel."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import attnviz
from attnviz.core import edits
from attnviz.core.block_arrays import BlockArray
from attnviz.core.errors import InputError
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.row_sources import LostArrayError
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.cluster import Cluster, DaskRows
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document
from tests.engine.long_documents import Truth, any_mask, assert_cells, assert_true, true_answers
from tests.foreign_threads import start_those_of_dask

da = pytest.importorskip("dask.array", reason="pip install 'attnviz[arrays]' for this test")
distributed = pytest.importorskip("distributed", reason="pip install 'attnviz[arrays]' for this test")


@pytest.fixture
def everything_is_small(small_limits, monkeypatch):
    """Blocks, jobs and limits of a few tokens."""
    for name, value in {
        "attnviz.core.array_stacks.READ_ROWS": 20,
        "attnviz.core.row_sources.BLOCK_BYTES": 160,
        "attnviz.core.row_sources.KEPT_BYTES": 1000,
        "attnviz.engine.cluster.SHOWN_ROWS": 3,
        "attnviz.engine.cluster.TASK_KEYS": 16,
        "attnviz.engine.long_engine.JOB_ROWS": 40,
    }.items():
        monkeypatch.setattr(name, value)


@pytest.fixture(scope="module", autouse=True)
def _dask_has_its_threads():
    start_those_of_dask()


@pytest.fixture(scope="module")
def client():
    """A cluster of two worker processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.submit(np.ones, 3_000_000).result()  # a large message starts a thread that stays
        yield client


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


def in_dask(held, chunks=13, column_chunks=-1):
    """Give a document whose q, k and v are dask arrays, with the numbers of one that is held."""
    arrays = {
        which: da.from_array(
            np.stack([getattr(head, which) for head in held.heads]), chunks=(1, chunks, column_chunks)
        )
        for which in "qkv"
    }
    made = inputs_from_arrays(**arrays, tokens=held.tokens, key_tokens=held.key_tokens)
    return replace(made, mask=held.mask, mask_fill=held.mask_fill, scale_strength=held.scale_strength)


def whole(inputs, query=0, max_cells=(7, 6), **options):
    region = Region(0, (0, inputs.n_query), (0, inputs.n_key), max_cells)
    return Request(inputs, query, region, **options)


class Traffic:
    """What results came from the cluster, in bytes."""

    def __init__(self, monkeypatch) -> None:
        self.sizes: list[int] = []
        ask = Cluster.result

        def measured(cluster, *arguments, **options):
            found = ask(cluster, *arguments, **options)
            self.sizes.append(len(pickle.dumps(found)))
            return found

        monkeypatch.setattr(Cluster, "result", measured)

    @property
    def total(self) -> int:
        return sum(self.sizes)


def test_a_local_scheduler_reads_block_by_block(everything_is_small, engine):
    held = document(60, 4, 3, n_heads=2)
    inputs = in_dask(held, column_chunks=3)
    source = inputs.heads[0].k.sources[0]
    assert isinstance(source, DaskRows)
    assert source.cluster is None
    assert_true(engine.compute(whole(inputs, 30)), Truth(held, 0))


def test_rows_of_unknown_number_are_refused():
    unknown = da.from_array(np.ones((60, 4)), chunks=10)
    unknown = unknown[unknown[:, 0] > 0]
    with pytest.raises(InputError, match=r"q has shape .* call its compute_chunk_sizes"):
        inputs_from_arrays(unknown, unknown, unknown)


def test_a_graph_that_fails_is_one_sentence(everything_is_small, engine):
    def fail(block):
        raise RuntimeError("the disk is full")

    good = da.from_array(np.ones((60, 4), np.float32), chunks=(10, 4))
    inputs = inputs_from_arrays(good, good.map_blocks(fail, dtype=np.float32), good)
    with pytest.raises(
        LostArrayError, match=r"“k” could not be computed where it lives \(the disk is full\)"
    ):
        engine.compute(whole(inputs))


@pytest.mark.parametrize(
    ("mask", "n_query", "n_key", "fill"),
    [
        ("causal", 60, 60, -math.inf),
        ("window last", 37, 61, 0.5),
        ("none", 5, 61, -math.inf),
        ("padding", 60, 60, 0.5),
        ("holes", 37, 61, -math.inf),
    ],
)
def test_what_is_computed_on_a_cluster_is_what_the_definition_says(
    everything_is_small, client, engine, mask, n_query, n_key, fill
):
    held = document(n_query, 4, 3, n_key=n_key, mask=any_mask(mask, n_query, n_key), mask_fill=fill)
    inputs = in_dask(held)
    assert inputs.heads[0].k.is_far
    for stages, truth in true_answers(engine, inputs, held):
        if stages.request.region.queries == (0, n_query):
            assert_cells(stages, truth)


def test_a_weight_that_would_need_all_keys_at_once_is_not_told(everything_is_small, client, engine):
    inputs = in_dask(document(60, 4, 3))
    stages = engine.compute(Request(inputs, 3, Region(0, (0, 9), (0, 60), (7, 6))))
    cell = stages.cell(50, 2)
    assert math.isnan(cell.weights)
    assert cell.scores == pytest.approx(float(inputs.heads[0].q[50] @ inputs.heads[0].k[2]))


def test_coarse_answers_of_a_cluster_are_samples(everything_is_small, client, engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.AT_ONCE", 0)
    held = document(60, 4, 3)
    stages = engine.compute(whole(in_dask(held), 20, detail="coarse"))
    assert stages.is_coarse
    assert_true(stages, Truth(held, 0))


def test_scores_of_any_size_are_joined_exactly(everything_is_small, client, engine):
    for spread in (0.0, 30.0, 1e4):
        held = document(60, 4, 3, spread=spread, mask="none")
        extras = frozenset([HEAD_OUTPUTS])
        assert_true(engine.compute(whole(in_dask(held), 20, extras=extras)), Truth(held, 0))


def test_edits_lie_over_what_is_on_the_cluster(everything_is_small, client, engine):
    held = document(60, 4, 3)
    inputs = in_dask(held)
    for which, token in (("q", 7), ("k", 31), ("v", 12), ("k", 32)):
        inputs, held = (
            edits.set_vector_block(each, 0, which, token, 0, [[2.0, -1.0, 0.5]]) for each in (inputs, held)
        )
        stages = engine.compute(whole(inputs, 40, extras=frozenset([HEAD_OUTPUTS])))
        assert isinstance(inputs.heads[0].k, BlockArray)
        assert_true(stages, Truth(held, 0))
    kept = [index for index in range(60) if index != 20]
    inputs, held = (edits.rearrange_tokens(each, "", ["t"] * 59, kept) for each in (inputs, held))
    assert_true(engine.compute(whole(inputs, 40)), Truth(held, 0))
    inputs, held = (edits.resize_head(each, 0, 6, 2) for each in (inputs, held))
    assert_true(engine.compute(whole(inputs, 40)), Truth(held, 0))


def test_only_statistics_and_pictures_travel(client, engine, monkeypatch):
    n, d = 6000, 64
    rng = np.random.default_rng(3)
    arrays = {
        which: da.from_array(rng.standard_normal((n, d)).astype(np.float32), chunks=(1000, d))
        for which in "qkv"
    }
    persisted = dict(zip("qkv", client.persist(list(arrays.values())), strict=True))
    traffic = Traffic(monkeypatch)

    def never(*arguments, **options):
        raise AssertionError("an array was fetched as a whole")

    monkeypatch.setattr(da.Array, "compute", never)
    monkeypatch.setattr(da.Array, "__array__", never)
    inputs = inputs_from_arrays(**persisted)
    region = Region(0, (0, n), (0, n), (48, 48))
    stages = engine.compute(Request(inputs, 5000, region))
    assert not stages.is_coarse
    one_array = n * d * 4
    statistics, picture, row = n * 2 * 4, 48 * 48 * 4, n * 4
    assert traffic.total > statistics
    assert traffic.total < statistics + 12 * picture + 2 * row + 60_000
    assert traffic.total < one_array / 4
    assert max(traffic.sizes) <= row + 2000
    edited = edits.set_vector_value(inputs, 0, "q", 5000, 3, 2.0)
    before = traffic.total
    stages = engine.compute(Request(edited, 5000, region))
    assert traffic.total - before < one_array / 4
    with monkeypatch.context() as original:
        original.undo()
    q, k = (np.asarray(rows.rows(5000, 5001)) for rows in (edited.heads[0].q, edited.heads[0].k))
    assert stages.row.scores[5000] == pytest.approx(float(q[0] @ k[0]), rel=1e-5)


def test_numbers_that_cannot_be_taken_are_named_on_the_cluster(everything_is_small, client, engine):
    held = document(60, 4, mask="none")
    k = da.from_array(np.where(np.arange(60)[:, None] == 44, np.inf, held.heads[0].k), chunks=(13, 4))
    inputs = inputs_from_arrays(held.heads[0].q, k, held.heads[0].v)
    with pytest.raises(InputError, match="k holds inf at token 44, dimension 0"):
        engine.compute(whole(inputs))


def test_a_computation_on_a_cluster_is_cancelled_between_its_rows(everything_is_small, client, engine):
    inputs = in_dask(document(200, 4, 3))
    asked = []

    def progress(fraction, partial=None):
        asked.append(fraction)
        return len(asked) < 3

    assert engine.compute(whole(inputs), progress=progress) is None
    held = document(200, 4, 3)
    assert_true(engine.compute(whole(inputs)), Truth(held, 0))


def test_a_cluster_that_is_gone_is_one_sentence(everything_is_small, engine):
    held = document(60, 4, 3)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, set_as_default=True),
    ):
        inputs = in_dask(held)
        assert_true(engine.compute(whole(inputs)), Truth(held, 0))
    with pytest.raises(LostArrayError, match="could not be computed where it lives"):
        engine.compute(whole(edits.set_scale_strength(inputs, 2.0)))


def test_a_cluster_without_workers_is_given_up_after_a_while(everything_is_small, engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.cluster.LOST_AFTER", 0.2)
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster),
    ):
        inputs = in_dask(document(60, 4, 3))
        with pytest.raises(LostArrayError, match="the cluster has no workers any more"):
            engine.compute(whole(inputs))


def test_stages_of_dask_arrays_are_those_of_arrays():
    arrays = [
        np.random.default_rng(which).standard_normal((2, 30, 4)).astype(np.float32) for which in range(3)
    ]
    mine = attnviz.compute(*(da.from_array(array, chunks=(1, 10, 4)) for array in arrays))
    theirs = attnviz.compute(*arrays)
    assert np.array_equal(mine.weights, theirs.weights)
