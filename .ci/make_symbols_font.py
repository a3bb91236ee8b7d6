"""Make resources/fonts/attnviz-symbols: the signs that M PLUS 1p lacks, from three Noto fonts.

Usage: python .ci/make_symbols_font.py M_PLUS.ttf NOTO_SANS.ttf NOTO_SANS_MATH.ttf NOTO_SANS_SYMBOLS_2.ttf OUT

Needs fontTools. A sign goes in when M PLUS 1p has none for it, from the first of the three that has one.
resources/fonts/README.md says where the fonts come from.
"""

import sys
from pathlib import Path

from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

BLOCKS = [
    (0x1D2C, 0x1D6A),  # modifier letters: ᵀ ᵏ ᵥ
    (0x2070, 0x209F),  # superscripts and subscripts
    (0x2100, 0x214F),  # letterlike
    (0x2190, 0x23FF),  # arrows, operators, technical
    (0x2500, 0x27FF),  # boxes, blocks, geometric shapes, symbols, dingbats, more arrows
    (0x2C7C, 0x2C7D),  # two more modifier letters: ⱼ ⱽ
]
UNUSED = ["GDEF", "GPOS", "GSUB", "MATH", "STAT", "gasp", "vhea", "vmtx"]
FAMILY = "attnviz symbols"
NAMES = {1: FAMILY, 2: "Regular", 3: f"{FAMILY} 1.0", 4: FAMILY, 5: "Version 1.0", 6: "attnviz-symbols"}


def main(argv: list[str]) -> int:
    """Make the font; the arguments are the paths of the module docstring."""
    mplus, *sources, out = argv
    have = set(TTFont(mplus).getBestCmap())
    signs = {code for first, last in BLOCKS for code in range(first, last + 1)}
    parts, rights = [], []
    for number, source in enumerate(sources):
        font = TTFont(source)
        wanted = signs & set(font.getBestCmap()) - have
        have |= wanted
        options = Options(layout_features=[], hinting=False, drop_tables=UNUSED)
        options.name_IDs = [*options.name_IDs, 13, 14]  # the licence and its address
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=wanted)
        subsetter.subset(font)
        rights.append(font["name"].getDebugName(0))
        parts.append(Path(f"{out}.{number}"))
        font.save(parts[-1])
    merged = Merger().merge(parts)
    for part in parts:
        part.unlink()
    for record in list(merged["name"].names):
        if record.nameID not in (13, 14):  # the licence stays
            merged["name"].removeNames(record.nameID)
    for name_id, text in {0: "; ".join(rights), **NAMES}.items():
        merged["name"].setName(text, name_id, 3, 1, 0x409)
    # A line must not grow when a sign comes from this font: as high and as deep as M PLUS 1p at most.
    merged["hhea"].ascent = merged["OS/2"].sTypoAscender = merged["OS/2"].usWinAscent = 1069
    merged["hhea"].descent = merged["OS/2"].sTypoDescender = -293
    merged["OS/2"].usWinDescent = 293
    merged["hhea"].lineGap = merged["OS/2"].sTypoLineGap = 0
    merged.save(out)
    print(f"{out}: {len(merged.getBestCmap())} signs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
