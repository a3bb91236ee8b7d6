import pytest

from attnviz.text.longest_match import split_by_longest_match

WORDS = {
    "猫",
    "人",
    "が",
    "は",
    "と",
    "て",
    "はい",
    "いつも",
    "犬",
    "ライオン",
    "食べ",
    "食べた",
    "料理",
    "魚",
}


@pytest.mark.parametrize(
    "pieces",
    [
        "食べた 猫",  # the longest word, not 食べ
        "猫 は いつも",  # two words lead further than はい
        "人間 が",  # 人 is no word inside a compound
        "魚 料理",
        "ほととぎす が",  # nor と inside an unknown word
        "踊り が",  # an unknown word keeps its ending
        "ライオンズ は",  # a word never ends inside katakana
        "ねーねー と 犬",
    ],
)
def test_a_run_is_split_into_known_words_and_what_hangs_together(pieces):
    assert split_by_longest_match(pieces.replace(" ", ""), WORDS, 4) == pieces.split()
