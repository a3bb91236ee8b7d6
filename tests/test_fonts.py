"""The bundled fonts show every sign that the program writes, on a machine that has no other font."""

from pathlib import Path

import pytest
from PySide6.QtGui import QFontDatabase, QFontMetricsF, QRawFont, QTextLayout

from attnviz.assets import kernel_path, resource_path
from attnviz.gui.fonts import code_font, load_fonts

MPLUS = "m-plus-1p/MPLUS1p-{}.ttf"
SYMBOLS = "attnviz-symbols/attnviz-symbols.ttf"
CODE = "jetbrains-mono/JetBrainsMono-Regular.ttf"
EMOJI = "noto-emoji/NotoEmoji-Regular.ttf"

KANA = "".join(chr(code) for code in [*range(0x3041, 0x3097), *range(0x30A1, 0x30FB), *range(0xFF66, 0xFF9E)])
LATIN = "".join(chr(code) for code in [*range(0x20, 0x7F), *range(0xA1, 0x180)])
# JIS level 1 holds the jōyō kanji of 1981; the 196 added in 2010 are partly beyond it.
JIS_LEVEL_1 = "".join(
    bytes((row, cell)).decode("euc_jp")
    for row in range(0xB0, 0xD0)
    for cell in range(0xA1, 0xFF)
    if (row, cell) < (0xCF, 0xD4)
)
JOYO_2010 = (
    "挨曖宛嵐畏萎椅彙茨咽淫唄鬱怨媛艶旺岡臆俺苛牙瓦楷潰諧崖蓋骸柿顎葛釜鎌韓玩伎亀毀畿臼嗅巾僅錦惧串窟熊詣憬稽隙桁拳鍵舷股虎"
    "錮勾梗喉乞傲駒頃痕沙挫采塞埼柵刹拶斬恣摯餌鹿𠮟嫉腫呪袖羞蹴憧拭尻芯腎須裾凄醒脊戚煎羨腺詮箋膳狙遡曽爽痩踪捉遜汰唾堆戴誰"
    "旦綻緻酎貼嘲捗椎爪鶴諦溺塡妬賭藤瞳栃頓貪丼那奈梨謎鍋匂虹捻罵剝箸氾汎阪斑眉膝肘阜訃蔽餅璧蔑哺蜂貌頰睦勃昧枕蜜冥麺冶弥闇"
    "喩湧妖瘍沃拉辣藍璃慄侶瞭瑠呂賂弄籠麓脇"
)
PUNCTUATION = "｡、。「」『』・ー〜（）％＋－／：？！々〆…‥—–―“”‘’•"
MATHS = "ᵀ√Σ×÷−∞·±≤≥≠≈∑∈ₖₙₘᵢⱼᵥ₀₁₂₃₄₅₆₇₈₉"
SIGNS = "▾▸▴◂▲▼←→↑↓⏎＋▦▨█▇▌▁⚠✓✕☑☐⋮↺↻"


@pytest.fixture(scope="module")
def raw_fonts(qapp) -> dict[str, QRawFont]:
    files = [MPLUS.format("Regular"), MPLUS.format("Bold"), SYMBOLS]
    return {name: QRawFont(str(resource_path("fonts", *name.split("/"))), 16) for name in files}


@pytest.mark.parametrize("weight", ["Regular", "Bold"])
@pytest.mark.parametrize(
    "text",
    [KANA, LATIN, JIS_LEVEL_1, JOYO_2010, PUNCTUATION, MATHS, SIGNS],
    ids=["kana", "latin", "jis level 1", "jouyou 2010", "punctuation", "maths", "signs"],
)
def test_every_sign_has_a_glyph(raw_fonts, weight, text):
    fonts = (raw_fonts[MPLUS.format(weight)], raw_fonts[SYMBOLS])
    assert [sign for sign in text if not any(font.supportsCharacter(ord(sign)) for font in fonts)] == []


@pytest.mark.parametrize("weight", ["Regular", "Bold"])
def test_digits_are_equally_wide(raw_fonts, weight):
    font = raw_fonts[MPLUS.format(weight)]
    advances = font.advancesForGlyphIndexes(font.glyphIndexesForString("0123456789"))
    assert len({advance.x() for advance in advances}) == 1


def test_every_sign_of_code_has_one_width_and_two_are_not_joined(qapp):
    load_fonts()
    kernels = "".join(path.read_text(encoding="utf-8") for path in kernel_path("mask.cu").parent.glob("*.cu"))
    metrics = QFontMetricsF(code_font())
    signs = sorted(set(kernels) - {"\n"})
    assert len({round(metrics.horizontalAdvance(sign), 3) for sign in signs}) == 1
    for pair in ("->", "!=", ">=", "=="):
        glyphs = [run.glyphIndexes() for run in lined(pair).glyphRuns()]
        assert glyphs == [[lined(sign).glyphRuns()[0].glyphIndexes()[0] for sign in pair]]


def lined(text: str) -> QTextLayout:
    """Lay out one line of code."""
    layout = QTextLayout(text, code_font())
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return layout


def test_emoji_have_glyphs(qapp):
    emoji = QRawFont(str(resource_path("fonts", *EMOJI.split("/"))), 16)
    assert [sign for sign in "😀🐱🐟👨👩👧❤🏳🌈🇯🇵🍣👍🏽" if not emoji.supportsCharacter(ord(sign))] == []


def test_a_sign_of_the_second_font_does_not_make_a_line_higher(raw_fonts):
    mplus, symbols = raw_fonts[MPLUS.format("Regular")], raw_fonts[SYMBOLS]
    assert symbols.ascent() <= mplus.ascent()
    assert symbols.descent() <= mplus.descent()


@pytest.mark.parametrize(
    ("file", "family"),
    [
        (MPLUS.format("Regular"), "M PLUS 1p"),
        (SYMBOLS, "attnviz symbols"),
        (EMOJI, "Noto Emoji"),
        (CODE, "JetBrains Mono"),
    ],
)
def test_families_have_the_names_the_program_asks_for(qapp, file, family):
    number = QFontDatabase.addApplicationFont(str(resource_path("fonts", *file.split("/"))))
    assert QFontDatabase.applicationFontFamilies(number) == [family]
    QFontDatabase.removeApplicationFont(number)


def test_each_font_lies_beside_its_licence():
    fonts = list(resource_path("fonts").rglob("*.ttf"))
    assert fonts
    for font in fonts:
        assert "SIL OPEN FONT LICENSE" in Path(font.parent, "OFL.txt").read_text(encoding="utf-8")
