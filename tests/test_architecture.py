"""What import-linter's contracts (pyproject.toml) cannot say: what each room may import from outside."""

import ast
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "attnviz"

OUTSIDE = {
    "attnviz.assets": set(),
    "attnviz.core": {"numpy"},
    "attnviz.text": {"numpy", "regex", "sudachipy"},
    "attnviz.engine": {"dask", "distributed", "numpy", "pycuda", "threadpoolctl"},
    "attnviz.io": {"numpy", "zarr"},
    "attnviz.cli": {"numpy"},
    "attnviz.gui": {"numpy", "PySide6", "pyqtgraph", "regex", "shiboken6"},
    "attnviz.__main__": set(),
}
"""Packages that a room may import beside the standard library."""

ONLY_INSIDE_FUNCTIONS = ("dask", "distributed", "pycuda", "sudachipy", "zarr")
"""Optional packages: the program must start without them."""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("attnviz", include_external_packages=True, cache_dir=None)


@pytest.mark.parametrize("room", OUTSIDE)
def test_a_room_imports_nothing_from_outside_but_what_it_may(graph, room):
    modules = {room} | graph.find_descendants(room)
    outside = {name for module in modules for name in graph.find_modules_directly_imported_by(module)}
    foreign = {name.split(".")[0] for name in outside} - sys.stdlib_module_names - {"attnviz"}
    assert foreign <= OUTSIDE[room]


def test_every_room_is_listed(graph):
    assert graph.find_children("attnviz") == set(OUTSIDE)


@pytest.mark.parametrize("package", ONLY_INSIDE_FUNCTIONS)
def test_optional_packages_are_imported_inside_functions(package):
    at_import = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in _imports_outside_functions(ast.parse(path.read_text(encoding="utf-8")))
        if package in _imported(node)
    ]
    assert at_import == []


def test_importing_attnviz_loads_no_qt():
    code = (
        "import sys, attnviz; print([m for m in ('PySide6', 'pyqtgraph', 'sudachipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _imports_outside_functions(tree: ast.AST) -> list[ast.Import | ast.ImportFrom]:
    found, waiting = [], [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found.append(node)
            elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                waiting.extend(node.orelse)
            elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                waiting.append(node)
    return found


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return {name.split(".")[0] for name in names}
