"""The gate for the Japanese translation: complete, up to date, and compiled.

Usage: python .ci/check_translations.py            say what is wrong; exit 1 if anything is
       python .ci/check_translations.py --update   bring the .ts up to the sources and compile the .qm

Run in the root of the source tree. lupdate and lrelease are those of PySide6.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

TS = Path("resources/translations/attnviz_ja.ts")
QM = TS.with_suffix(".qm")
SOURCES = Path("attnviz/gui")

PLACEHOLDER = re.compile(r"\{[^{}]*\}|%n")
# lupdate passes over f-strings without a word, so they would stay English.
F_STRING_IN_TR = re.compile(r"""\b(?:tr|translate|QT_TR\w*NOOP)\(\s*(?:"[^"]*",\s*)?[rR]?[fF][rR]?["']""")
# nor does it see a tr() inside one.
TR_IN_F_STRING = re.compile(r"""\b[fF]["'][^"\n]*\{[^{}\n]*\b(?:tr|translate)\(""")


def main(argv: list[str]) -> int:
    """Check, or with --update bring up to date; gives the exit code."""
    if argv == ["--update"]:
        TS.parent.mkdir(parents=True, exist_ok=True)
        update(Path(), TS)
        release(TS, QM)
    wrong = findings(Path())
    for line in wrong:
        print(line)
    if not wrong:
        print("translations: complete and up to date")
    return 1 if wrong else 0


def findings(root: Path) -> list[str]:
    """One sentence for each thing that is wrong with the translation of the source tree ``root``."""
    wrong = [
        f"{path.relative_to(root)}: a text in tr() is an f-string, which is never translated; use {{name}}"
        for path in _sources(root)
        if F_STRING_IN_TR.search(path.read_text(encoding="utf-8"))
    ]
    wrong += [
        f"{path.relative_to(root)}: a tr() stands in an f-string, where it is not found; put it before"
        for path in _sources(root)
        if TR_IN_F_STRING.search(path.read_text(encoding="utf-8"))
    ]
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder, TS.name)
        ts, qm = root / TS, root / QM
        if ts.exists():
            fresh.write_bytes(ts.read_bytes())
        update(root, fresh)
        wanted = _messages(fresh)
        if not wanted and not ts.exists():
            return wrong
        if not ts.exists():
            return [*wrong, f"{TS} is missing: run `make translations` and translate what it adds"]
        present = _messages(ts)
        wrong += [f"{TS} lacks {key}: run `make translations`" for key in wanted.keys() - present.keys()]
        for key in present.keys() - wanted.keys():
            wrong.append(f"{TS} has {key}, which no source has: run `make translations`")
        for key, message in present.items():
            wrong += [f"{TS}: {key} {fault}" for fault in _faults(key, message)]
        compiled = Path(folder, QM.name)
        release(ts, compiled)
        if not qm.exists() or qm.read_bytes() != compiled.read_bytes():
            wrong.append(f"{QM} is not what {TS.name} compiles to: run `make translations`")
    return sorted(wrong)


def update(root: Path, ts: Path) -> None:
    """Bring ``ts`` up to the texts in the sources of ``root``; what is no longer there goes."""
    # Without locations the file changes only where a text does.
    options = ["-no-obsolete", "-locations", "none", "-source-language", "en", "-target-language", "ja"]
    _run("lupdate", *options, *map(str, _sources(root)), "-ts", str(ts))


def release(ts: Path, qm: Path) -> None:
    """Compile ``ts`` to ``qm``, which is replaced at once: a running window has it mapped."""
    fresh = qm.with_suffix(".qm.new")
    _run("lrelease", str(ts), "-qm", str(fresh))
    fresh.replace(qm)


def _sources(root: Path) -> list[Path]:
    return sorted((root / SOURCES).rglob("*.py"))


def _messages(ts: Path) -> dict[tuple[str, ...], ET.Element]:
    """The messages of a .ts file by context, source text and disambiguation."""
    if not ts.exists():
        return {}
    return {
        (
            context.findtext("name", ""),
            *(message.findtext(part, "") for part in ("source", "comment")),
        ): message
        for context in ET.parse(ts).getroot().iter("context")
        for message in context.iter("message")
    }


def _faults(key: tuple[str, ...], message: ET.Element) -> list[str]:
    context, source = key[:2]
    faults = []
    if not context or "." in context:
        # Seen: a self.tr() after a QCoreApplication.translate() gets the context "QCoreApplication.self".
        faults.append("has a context that lupdate guessed wrong: at run time it is not found")
    translation = message.find("translation")
    if translation is None or translation.get("type") == "unfinished":
        return [*faults, "is not translated"]
    for form in [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]:
        if not form.strip():
            faults.append("is translated by nothing")
        elif set(PLACEHOLDER.findall(form)) != set(PLACEHOLDER.findall(source)):
            faults.append(f"and its translation {form!r} have different placeholders")
    return faults


def _run(tool: str, *arguments: str) -> None:
    # The programs themselves: their wrappers pyside6-lupdate and -lrelease load all of PySide6 first.
    spec = importlib.util.find_spec("PySide6")
    if spec is None or spec.origin is None:
        raise SystemExit("PySide6, which brings lupdate and lrelease, is not installed")
    command = [str(Path(spec.origin).with_name(tool)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{tool} failed: {done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
