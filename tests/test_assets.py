"""Files that are not Python are found, or their absence is said with the place that was searched."""

import re
from pathlib import Path

import pytest

from attnviz.assets import kernel_path, resource_path

ROOT = Path(__file__).resolve().parent.parent


def test_a_source_tree_has_its_resources_beside_the_package():
    assert resource_path() == ROOT / "resources"
    assert resource_path("fonts", "README.md") == ROOT / "resources" / "fonts" / "README.md"


def test_kernels_lie_in_cuda():
    assert kernel_path("README.md") == ROOT / "cuda" / "README.md"


@pytest.mark.parametrize(
    ("find", "names", "shown"),
    [
        (resource_path, ("presets", "no.json"), "resources/presets/no.json"),
        (kernel_path, ("no.cu",), "cuda/no.cu"),
    ],
)
def test_a_missing_file_is_named_with_the_place_that_was_searched(find, names, shown):
    with pytest.raises(FileNotFoundError, match=f"{re.escape(shown)} is missing.*{re.escape(str(ROOT))}"):
        find(*names)
