"""The document: what is edited, what is selected, and the way back.

Every change of the inputs enters at ``Document.apply``; new and open replace the document, a lesson exchanges
it for a while. Nothing here computes, draws, reads a file or asks a question.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from attnviz.core.edits import Edit
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.core.steps import Step

UNDO_BYTES = 64 << 20
"""Bytes that undo may keep alive; the oldest steps go first, the newest always stays."""


@dataclass(eq=False)
class Aside:
    """A document that is not the window's now, whole: with its file, its mark of changes and its way back."""

    inputs: Inputs
    selection: Selection
    path: Path | None
    preset: str | None
    title: str
    stack: QUndoStack
    number: int

    @property
    def is_clean(self) -> bool:
        """True where nothing of it would be lost."""
        return self.stack.isClean()


class Document(QObject):
    """One document of a window, with undo.

    Changes asked for while a change is being announced wait until everybody has heard of it, so that no
    listener ever hears of a newer document before an older one.

    Parameters
    ----------
    inputs, selection
        What the document holds and looks at first.
    undo_bytes
        Bytes that undo may keep alive.
    """

    inputs_changed = Signal(object)
    """The new Inputs; ``selection`` fits them already."""
    selection_changed = Signal(object)
    """The new Selection."""
    refused = Signal(object)
    """The InputError of an edit that could not be made; nothing has changed."""
    clean_changed = Signal(bool)
    """Whether the document is as it was opened or last saved."""
    path_changed = Signal(object)
    """The Path of the document's file, or None."""
    can_undo_changed = Signal(bool)
    can_redo_changed = Signal(bool)

    def __init__(
        self,
        inputs: Inputs,
        selection: Selection | None = None,
        parent: QObject | None = None,
        undo_bytes: int = UNDO_BYTES,
    ) -> None:
        super().__init__(parent)
        self._inputs = inputs
        self._selection = (selection or Selection()).clamped(inputs)
        self._path: Path | None = None
        self._preset: str | None = None
        self._title = ""
        self._numbers = itertools.count()
        self._number = next(self._numbers)
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_changing = False
        self._undo_bytes = undo_bytes
        self._stack = QUndoStack(self)
        self._listen()

    @property
    def inputs(self) -> Inputs:
        """What the document holds."""
        return self._inputs

    @property
    def selection(self) -> Selection:
        """What is looked at; always exists in ``inputs``."""
        return self._selection

    @property
    def path(self) -> Path | None:
        """The document's file, or None where it has none yet."""
        return self._path

    @property
    def title(self) -> str:
        """What a document without a file is called, after the picture it came from; else nothing."""
        return self._title

    @property
    def number(self) -> int:
        """Tells the documents apart that this window has held; edits leave it as it is."""
        return self._number

    @property
    def preset(self) -> str | None:
        """Name of the preset the document came from; None once it has a file of its own."""
        return self._preset

    @property
    def is_clean(self) -> bool:
        """True where nothing would be lost by closing."""
        return self._stack.isClean()

    @property
    def is_untouched_preset(self) -> bool:
        """True for a preset that nothing has been changed in."""
        return self._preset is not None and self.is_clean and self._stack.count() == 0

    @property
    def can_undo(self) -> bool:
        """Whether there is a step back."""
        return self._stack.canUndo()

    @property
    def can_redo(self) -> bool:
        """Whether there is a step forward."""
        return self._stack.canRedo()

    @property
    def undo_steps(self) -> int:
        """How many steps lead back."""
        return self._stack.index()

    def apply(self, edit: Edit, gesture: str = "") -> None:
        """Make one edit, as one step of undo.

        Parameters
        ----------
        edit
            A pure function from Inputs to Inputs. Its InputError is announced by ``refused``.
        gesture
            Edits in a row with the same non-empty gesture become one step; a gesture that ends where it began
            leaves none.
        """
        self._perform(lambda: self._apply(edit, gesture))

    def undo(self) -> None:
        """Go one step back, if there is one."""
        self._perform(lambda: self._walk(self._stack.undo))

    def redo(self) -> None:
        """Go one step forward, if there is one."""
        self._perform(lambda: self._walk(self._stack.redo))

    def replace(
        self,
        inputs: Inputs,
        selection: Selection | None = None,
        path: Path | None = None,
        preset: str | None = None,
        title: str = "",
    ) -> None:
        """Hold another document from now on; the way back ends here."""
        self._perform(lambda: self._replace(inputs, selection or Selection(), path, preset, title))

    def beside(self, inputs: Inputs, selection: Selection) -> Aside:
        """Give another document, with no file and no way back, to be exchanged for this one."""
        stack = QUndoStack(self)
        return Aside(inputs, selection.clamped(inputs), None, None, "", stack, next(self._numbers))

    def exchange(self, other: Aside) -> None:
        """Hold another document, and let ``other`` hold this one; a second time brings it back as it was."""
        self._perform(lambda: self._exchange(other))

    def mark_saved(self, path: Path, inputs: Inputs | None = None) -> None:
        """Remember that the document lies in a file.

        Parameters
        ----------
        inputs
            What of it does; where it has changed since, there are unsaved changes. None: as it is now.
        """
        self._preset, self._title = None, ""
        self._set_path(path)
        self._seal()
        if inputs is None or inputs is self._inputs:
            self._stack.setClean()

    def select(self, selection: Selection) -> None:
        """Look at something else; what does not exist becomes the nearest that does."""
        self._perform(lambda: self._select(selection))

    def select_query(self, query: int) -> None:
        """Look at another query."""
        self._perform(lambda: self._select(self._selection.at(query, self._selection.key)))

    def select_key(self, key: int) -> None:
        """Look at another key."""
        self._perform(lambda: self._select(self._selection.at(self._selection.query, key)))

    def select_cell(self, query: int, key: int) -> None:
        """Look at another query and key."""
        self._perform(lambda: self._select(self._selection.at(query, key)))

    def select_head(self, head: int) -> None:
        """Look at another head."""
        now = self._selection
        self._perform(lambda: self._select(Selection(head, now.query, now.key)))

    def _perform(self, change: Callable[[], None]) -> None:
        self._waiting.append(change)
        if self._is_changing:
            return
        self._is_changing = True
        try:
            while self._waiting:
                self._waiting.popleft()()
        finally:
            self._waiting.clear()
            self._is_changing = False

    def _apply(self, edit: Edit, gesture: str) -> None:
        before = self._inputs
        try:
            after = edit(before)
        except InputError as error:
            self.refused.emit(error)
            return
        if after.equals(before):
            return
        self._stack.push(_StepCommand(self, Step.between(before, after), gesture, after))
        self._forget_oldest()
        self._announce()

    def _walk(self, step: Callable[[], None]) -> None:
        self._seal()
        before = self._inputs
        step()
        self._seal()
        if self._inputs is not before:
            self._announce()

    def _replace(
        self, inputs: Inputs, selection: Selection, path: Path | None, preset: str | None, title: str
    ) -> None:
        old = self._selection
        self._inputs, self._selection = inputs, selection.clamped(inputs)
        self._preset, self._title, self._number = preset, title, next(self._numbers)
        self._stack.clear()
        self._set_path(path)
        self.inputs_changed.emit(inputs)
        if self._selection != old:
            self.selection_changed.emit(self._selection)

    def _exchange(self, other: Aside) -> None:
        self._seal()
        for signal in (self._stack.cleanChanged, self._stack.canUndoChanged, self._stack.canRedoChanged):
            signal.disconnect()
        old, path = self._selection, self._path
        mine = (self._inputs, self._selection, self._path, self._preset, self._title, self._stack)
        self._number, other.number = other.number, self._number
        self._inputs, self._selection, self._path = other.inputs, other.selection, other.path
        self._preset, self._title, self._stack = other.preset, other.title, other.stack
        other.inputs, other.selection, other.path, other.preset, other.title, other.stack = mine
        self._listen()
        self.can_undo_changed.emit(self.can_undo)
        self.can_redo_changed.emit(self.can_redo)
        if self._path != path:
            self.path_changed.emit(self._path)
        self.clean_changed.emit(self.is_clean)
        self.inputs_changed.emit(self._inputs)
        if self._selection != old:
            self.selection_changed.emit(self._selection)

    def _listen(self) -> None:
        self._stack.cleanChanged.connect(self.clean_changed)
        self._stack.canUndoChanged.connect(self.can_undo_changed)
        self._stack.canRedoChanged.connect(self.can_redo_changed)

    def _select(self, selection: Selection) -> None:
        selection = selection.clamped(self._inputs)
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit(selection)

    def _set_path(self, path: Path | None) -> None:
        if path != self._path:
            self._path = path
            self.path_changed.emit(path)

    def _announce(self) -> None:
        old = self._selection
        self._selection = old.clamped(self._inputs)
        self.inputs_changed.emit(self._inputs)
        if self._selection != old:
            self.selection_changed.emit(self._selection)

    def _seal(self) -> None:
        """Let nothing merge into the last step any more."""
        last = self._stack.command(self._stack.index() - 1) if self._stack.index() else None
        if isinstance(last, _StepCommand):
            last.gesture = ""

    def _forget_oldest(self) -> None:
        """Keep undo within its bytes; a QUndoStack can only be shortened by building it anew."""
        stack = self._stack
        commands = [
            command
            for index in range(stack.count())
            if isinstance(command := stack.command(index), _StepCommand)
        ]
        spare, first = self._undo_bytes, len(commands)
        while first and (first == len(commands) or commands[first - 1].step.nbytes <= spare):
            first -= 1
            spare -= commands[first].step.nbytes
        if first == 0:
            return
        kept = [(command.step, command.gesture) for command in commands[first:]]
        clean = stack.cleanIndex() - first
        now = self._inputs
        stack.clear()
        if clean < 0:
            stack.resetClean()
        for index, (step, gesture) in enumerate(kept):
            if index == clean:
                stack.setClean()
            stack.push(_StepCommand(self, step, gesture if index == len(kept) - 1 else "", now))
        if clean == len(kept):
            stack.setClean()


class _StepCommand(QUndoCommand):
    """The one kind of command: a Step, and the gesture it belongs to.

    ``after`` spares the first redo, which a stack calls when the command is pushed, from applying the step
    again.
    """

    def __init__(self, document: Document, step: Step, gesture: str, after: Inputs) -> None:
        super().__init__()
        self._document = document
        self._after: Inputs | None = after
        self.step = step
        self.gesture = gesture

    def id(self) -> int:
        return 1 if self.gesture else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _StepCommand) or other.gesture != self.gesture:
            return False
        joined = self.step.followed_by(other.step)
        if joined is not None:
            self.step = joined
            self.setObsolete(joined.is_empty)
            return True
        after = self._document._inputs
        before = self.step.undone(other.step.undone(after))
        self.step = Step.between(before, after)
        self.setObsolete(before.equals(after))
        return True

    def undo(self) -> None:
        self._document._inputs = self.step.undone(self._document._inputs)

    def redo(self) -> None:
        after, self._after = self._after, None
        self._document._inputs = self.step.redone(self._document._inputs) if after is None else after
