import csv
import io
import json

import numpy as np
import pytest

from attnviz.__main__ import main
from attnviz.core.selection import Selection
from attnviz.io.session import save_session
from tests.io.documents import lone_weight_document, small_document


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "a.attnviz"
    save_session(path, small_document(n_heads=2), Selection(1, 2, 0))
    return str(path)


def output(capfdbinary, *arguments):
    assert main(["export", *arguments, "-o", "-"]) == 0
    captured = capfdbinary.readouterr()
    assert not captured.err
    return captured.out.decode("utf-8")


def table(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_without_a_document_neko_is_exported(capfdbinary):
    assert output(capfdbinary) == output(capfdbinary, "--preset", "neko", "--stage", "weights", "--head", "0")


def test_neko_s_weights_are_the_published_ones(capfdbinary):
    header, *rows = table(output(capfdbinary, "--preset", "neko"))
    assert header == ["", *(row[0] for row in rows)]
    assert rows[6][0] == "それ"
    shown = [f"{float(cell) * 100:.1f}" for cell in rows[6][1:8]]
    assert shown == ["18.8", "1.5", "65.7", "1.5", "6.1", "2.5", "3.7"]
    assert rows[6][8:] == ["0", "0", "0"]


def test_rows_of_cross_attention_are_queries_and_columns_its_keys(tmp_path, capfdbinary):
    header, *rows = table(output(capfdbinary, "--preset", "translation"))
    assert header == ["", "The", "cat", "ate", "the", "fish", "."]
    assert [row[0] for row in rows] == ["猫", "が", "魚", "を", "食べた"]
    assert float(rows[0][2]) > 0.8
    path = tmp_path / "a.npz"
    assert main(["export", "--preset", "translation", "--stage", "all", "-o", str(path)]) == 0
    with np.load(path) as file:
        assert file["weights"].shape == file["scores"].shape == (1, 5, 6)
        assert (file["q"].shape, file["k"].shape) == ((1, 5, 4), (1, 6, 4))
        assert file["mask"].shape == (5, 6)
        assert file["output"].shape == (5, 4)
        assert file["key_tokens"].tolist() == header[1:]


def test_one_lone_weight_is_in_the_first_row_third_column(tmp_path, capfdbinary):
    save_session(tmp_path / "lone.attnviz", lone_weight_document(), Selection())
    rows = table(output(capfdbinary, str(tmp_path / "lone.attnviz")))
    assert rows == [["", "a", "b", "c"], ["a", "0", "0", "1"], ["b", "0", "0", "0"], ["c", "0", "0", "0"]]


def test_standard_output_and_a_file_hold_the_same_bytes(tmp_path, capfdbinary):
    path = tmp_path / "a.csv"
    assert main(["export", "--stage", "masked", "--head", "1", "-o", str(path)]) == 0
    assert path.read_bytes().decode("utf-8") == output(capfdbinary, "--stage", "masked", "--head", "1")
    assert b"-inf" in path.read_bytes()


def test_head_output_has_the_dimensions_for_columns(capfdbinary):
    header, *rows = table(output(capfdbinary, "--stage", "head_output"))
    assert header == ["", "動物", "食べ物", "動作", "機能語"]
    assert [f"{float(cell):.2f}" for cell in rows[6][1:]] == ["1.23", "2.01", "0.18", "0.12"]


@pytest.mark.parametrize(("head", "shape"), [(None, (2, 3, 3)), ("0", (3, 3)), ("1", (3, 3))])
def test_npz_and_json_hold_all_heads_unless_one_is_given(session, tmp_path, head, shape):
    choice = [] if head is None else ["--head", head]
    for suffix in ("npz", "json"):
        out = str(tmp_path / f"a.{suffix}")
        assert main(["export", session, "--stage", "all", *choice, "-o", out]) == 0
    data = json.loads((tmp_path / "a.json").read_text("utf-8"))
    with np.load(tmp_path / "a.npz") as file:
        stages = {"scores", "scaled", "masked", "weights", "head_output"}
        of_the_layer = {"names", "q", "k", "v", "concat", "output"} if head is None else set()
        assert set(file) == set(data) == {"tokens", "mask", *stages, *of_the_layer}
        assert file["mask"].tolist() == data["mask"] == np.tri(3, dtype=bool).tolist()
        assert file["scores"].shape == shape
        assert np.array_equal(file["scores"], np.array(data["scores"], np.float32))
        assert file["masked"][..., 0, 2].max() == -np.inf
        assert np.ravel(np.array(data["masked"], object)[..., 0, 2])[0] == "-inf"


def test_all_of_andrea_holds_every_array_under_its_name(tmp_path):
    path = tmp_path / "out.npz"
    assert main(["export", "--preset", "andrea", "--stage", "all", "-o", str(path)]) == 0
    shapes = {
        "tokens": (1024,), "names": (12,), "mask": (1024, 1024), "x": (1024, 768),
        "w_q": (12, 768, 64), "w_k": (12, 768, 64), "w_v": (12, 768, 64),
        "q": (12, 1024, 64), "k": (12, 1024, 64), "v": (12, 1024, 64),
        "scores": (12, 1024, 1024), "scaled": (12, 1024, 1024), "masked": (12, 1024, 1024),
        "weights": (12, 1024, 1024), "head_output": (12, 1024, 64), "concat": (1024, 768),
        "w_o": (768, 768), "output": (1024, 768), "residual": (1024, 768),
    }  # fmt: skip
    with np.load(path) as file:
        assert {name: file[name].shape for name in file} == shapes
        joined = np.concatenate(list(file["head_output"]), axis=1)
        assert np.array_equal(file["concat"], joined)
        exact = joined.astype(float) @ file["w_o"].astype(float)
        assert np.abs(file["output"] - exact).max() < 1e-5
        assert np.abs(file["residual"] - (file["x"] + exact)).max() < 1e-5
        assert np.abs(file["q"][3] - file["x"].astype(float) @ file["w_q"][3]).max() < 1e-5


def test_the_output_is_that_of_all_heads_in_every_format(tmp_path, capfdbinary):
    for suffix in ("csv", "npz", "json"):
        out = str(tmp_path / f"a.{suffix}")
        assert main(["export", "--preset", "gpt2-small", "--stage", "output", "-o", out]) == 0
    with np.load(tmp_path / "a.npz") as file:
        assert set(file) == {"tokens", "output"}
        wanted = file["output"]
    assert wanted.shape == (1024, 768)
    data = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert np.array_equal(np.array(data["output"], np.float32), wanted)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["", *map(str, range(768))]
    assert np.array_equal(np.array([row[1:] for row in rows], np.float32), wanted)


def test_summaries_are_a_row_per_head_and_query(session, tmp_path, capfdbinary):
    text = output(capfdbinary, session, "--stage", "summaries")
    header, *rows = table(text)
    assert header == [
        "head", "name", "query", "token", "entropy", "effective_keys",
        "on_first", "on_itself", "on_previous", "on_window", "window",
    ]  # fmt: skip
    assert [row[:4] for row in rows] == [
        [str(head), f"h{head}", str(query), token] for head in range(2) for query, token in enumerate("abc")
    ]
    # Of the first row nothing but itself is allowed.
    assert rows[0][4:] == ["0", "1", "1", "1", "0", "1", "16"]
    one = output(capfdbinary, session, "--stage", "summaries", "--head", "1", "--window", "1")
    assert [row[:9] for row in table(one)[1:]] == [row[:9] for row in rows[3:]]
    for row in table(one)[1:]:
        assert row[9] == row[7]  # a window of one token is the token itself
        assert row[10] == "1"
    for suffix in ("npz", "json"):
        assert main(["export", session, "--stage", "summaries", "-o", str(tmp_path / f"a.{suffix}")]) == 0
    data = json.loads((tmp_path / "a.json").read_text("utf-8"))
    with np.load(tmp_path / "a.npz") as file:
        assert set(file) == set(data) == {"tokens", *header[4:]}
        assert file["window"] == data["window"] == 16
        for column, measure in enumerate(header[4:10], 4):
            wanted = np.array([row[column] for row in rows], np.float32).reshape(2, 3)
            assert np.array_equal(file[measure], wanted)
            assert np.array_equal(np.array(data[measure], np.float32), wanted)


def test_a_table_of_summaries_quotes_what_would_break_it(tmp_path, capfdbinary):
    inputs = small_document(("a,b", 'say "x"', "two\nlines"))
    save_session(tmp_path / "odd.attnviz", inputs, Selection())
    rows = table(output(capfdbinary, str(tmp_path / "odd.attnviz"), "--stage", "summaries"))
    assert [row[3] for row in rows[1:]] == ["a,b", 'say "x"', "two\nlines"]
    assert {len(row) for row in rows} == {11}


def test_the_head_given_is_the_head_written(session, capfdbinary):
    first, second = (output(capfdbinary, session, "--stage", "scores", "--head", head) for head in "01")
    assert first != second
    assert output(capfdbinary, session, "--stage", "scores") == first


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--head", "2"], "There is no head 2; 0 to 1 are there"),
        (["--head", "-1"], "There is no head -1"),
        (["--head", "1.5"], "a whole number is wanted"),
        (["--head", "x"], "a whole number is wanted"),
        (["--head", ""], "a whole number is wanted"),
        (["--head", "1_0"], "a whole number is wanted"),
        (["--head", "9" * 5000], "a whole number is wanted"),
        (["--head"], "--head"),
        (
            ["--stage", "softmax"],
            "scores, scaled, masked, weights, head_output, output, mask, summaries, all",
        ),
        (["--stage", "all"], "CSV"),
        (["--stage", "summaries", "--window", "0"], "The width of the window is 0"),
        (["--stage", "summaries", "--window", "wide"], "a whole number is wanted"),
        (["--window", "4"], "--window is of the summaries alone"),
        (["--stage", "output", "--head", "0"], "The output is of all heads together; leave --head out"),
        (["--preset", "nobody"], "There is no preset “nobody”; neko, toy, english, translation, linear-map"),
        (["--preset", "../neko"], "There is no preset"),
        (["--preset"], "--preset"),
        (["none.attnviz"], "There is no file “none.attnviz”"),
        (["none.attnviz", "--preset", "toy"], "A file and a preset were given"),
        (["a", "b"], "b"),
        (["--colour", "red"], "--colour"),
        (["--sta", "all"], "--sta"),
        ([""], "There is no file “”"),
        (["."], "folder"),
        (["a\0b"], "null"),
        (["a\nb"], "a b"),
        (["\udcff"], "There is no file"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, words, tmp_path, capfd):
    for target in ("-", str(tmp_path / "a.csv")):
        assert main(["export", *arguments, "-o", target]) == 2
        captured = capfd.readouterr()
        assert not captured.out
        assert words in captured.err
        assert captured.err.count("\n") == 1
        assert captured.err.endswith(".\n")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [".csv", ".CSV", "a.b.csv"])
def test_a_name_may_be_no_more_than_its_suffix(name, tmp_path):
    assert main(["export", "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(",猫,".encode())


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("none/a.csv", "there is no folder"),
        ("a.attnviz/a.csv", "is not a folder"),
        ("a.txt", "does not end in .csv, .npz or .json"),
        ("a", "does not end in .csv, .npz or .json"),
        ("", "“” does not end in .csv, .npz or .json"),
        ("folder.csv", "it is a folder"),
        ("a" * 300 + ".csv", "the name is too long"),
        ("a\0b.csv", "null"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_in_one_sentence(session, tmp_path, target, words, capfd):
    (tmp_path / "folder.csv").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert main(["export", session, "-o", str(tmp_path / target) if target else ""]) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_without_a_place_to_write_it_asks_for_one(capfd):
    assert main(["export"]) == 2
    assert "-o OUT.csv" in capfd.readouterr().err


def test_a_damaged_session_is_refused(tmp_path, session, capfd):
    content = (tmp_path / "a.attnviz").read_bytes()
    (tmp_path / "bad.attnviz").write_bytes(content[:-30])
    assert main(["export", str(tmp_path / "bad.attnviz"), "-o", "-"]) == 2
    assert "damaged or cut short" in capfd.readouterr().err


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, capfd):
    path = tmp_path / "a.npz"
    path.write_bytes(b"old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert main(["export", "--stage", "all", "-o", str(path)]) == 2
    assert "the disk is full" in capfd.readouterr().err
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.npz"]


def test_of_a_long_document_tables_of_queries_and_keys_are_refused_and_the_others_written(
    session, capfdbinary, tmp_path, monkeypatch
):
    wanted = {stage: output(capfdbinary, session, "--stage", stage) for stage in ("head_output", "output")}
    for module in ("core.inputs", "core.request", "io.export"):
        monkeypatch.setattr(f"attnviz.{module}.DENSE_TOKENS", 2)
    for stage, needed in (
        ("weights", "36 bytes for each head"),
        ("mask", "9 bytes"),
        ("all", "144 bytes for each head"),
    ):
        assert main(["export", session, "--stage", stage, "-o", str(tmp_path / "a.npz")]) == 2
        said = capfdbinary.readouterr().err.decode()
        assert f"{stage} of 3 × 3 tokens would take {needed}; up to 2 tokens" in said
        assert not (tmp_path / "a.npz").exists()
    for stage, before in wanted.items():
        now = output(capfdbinary, session, "--stage", stage)
        for mine, theirs in zip(table(now), table(before), strict=True):
            assert mine[0] == theirs[0]
            assert [float(cell) for cell in mine[1:]] == pytest.approx(
                [float(c) for c in theirs[1:]], rel=1e-5
            )
