"""Where the files that are not Python lie: CUDA kernels, fonts, icons, presets, translations.

A wheel carries ``cuda/`` and ``resources/`` inside the package, under ``attnviz/_assets``. In a source tree,
and so in an editable install, they lie beside the package. Nothing here reads a file or knows what is in it.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_assets"
_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent


def resource_path(*parts: str) -> Path:
    """Path of a file or folder under ``resources/``.

    Parameters
    ----------
    *parts
        Names below ``resources/``, as in ``resource_path("presets", "neko.json")``. None: the folder itself.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder, which means that the installation is incomplete.
    """
    return _existing("resources", *parts)


def kernel_path(name: str) -> Path:
    """Path of a CUDA source file under ``cuda/``, as in ``kernel_path("attention.cu")``.

    Raises
    ------
    FileNotFoundError
        If there is no such file, which means that the installation is incomplete.
    """
    return _existing("cuda", name)


def _existing(*parts: str) -> Path:
    path = _ROOT.joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(
            f"attnviz is not installed completely: {'/'.join(parts)} is missing, it was looked for in {_ROOT}"
        )
    return path
