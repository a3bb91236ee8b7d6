"""Which engine a window uses: what a person wishes, what became of it, and what the window says about it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from attnviz.core.errors import AttnvizError
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost
from attnviz.engine.select import choose_engine, cuda_obstacle
from attnviz.gui.engine_notice import EngineNotice
from attnviz.gui.runner import Runner
from attnviz.gui.settings import Settings
from attnviz.gui.window_face import WindowFace


class EngineChoice(QObject):
    """The wish for an engine of one window, and its runner.

    Parameters
    ----------
    face
        The window whose Engine menu and status line tell what is used.
    settings
        Where a choice of the menu is remembered.
    wish
        ``auto``, ``cuda`` or ``cpu`` for this run alone; None: what is remembered.

    Notes
    -----
    The first picture never waits for CUDA: the CPU computes it, CUDA is made ready beside it and takes over.
    Where it cannot, the CPU stays and the status line says why; who asked for CUDA itself hears it too.
    """

    failed = Signal(object)
    """An AttnvizError to be said once: why CUDA cannot be used, or why the CPU has taken over."""

    def __init__(self, face: WindowFace, settings: Settings, wish: str | None = None) -> None:
        super().__init__(face)
        self._face, self._settings = face, settings
        self._wish = settings.engine if wish is None else wish
        self._asked: str | None = None  # what CUDA is being made ready for
        self._is_to_be_remembered = False
        self._told: set[str] = set()
        self._notice = EngineNotice(face.menus.menu("engine"), lambda: face.status.engine)
        face.deeds.show_choice("engine", self._wish)
        face.deeds.on_choice("engine", self.choose)
        self._obstacle = None if self._wish == "cpu" else cuda_obstacle()
        self._must_try = self._wish != "cpu" and self._obstacle is None
        self.runner = Runner(self._first, face)
        self.runner.engine_changed.connect(self._take)
        self.runner.engine_refused.connect(self._take_refusal)
        self.runner.stages_ready.connect(self._follow_first_answer)

    @property
    def wish(self) -> str:
        """``auto``, ``cuda`` or ``cpu``: the choice that the menu shows."""
        return self._wish

    @property
    def is_settled(self) -> bool:
        """False while CUDA has still to be tried, or is being made ready."""
        return self._asked is None and not self._must_try

    def choose(self, wish: str) -> None:
        """Use another engine if it can be used; the document, its picture and undo stay as they are."""
        self._told.clear()
        self._must_try = False
        if wish == "cpu":
            self._asked = None
            self.runner.use_engine(lambda: choose_engine("cpu"), lambda: self._settle(wish, remember=True))
        elif self._asked is not None or self._uses_cuda():  # it is on its way, or there
            self._wished_again(wish)
        else:
            self._try_cuda(wish, remember=True)

    def _first(self) -> tuple[Engine, AttnvizError | None]:
        engine, why = choose_engine("cpu")
        if self._must_try:
            return engine, AttnvizError("CUDA is being made ready.")
        return engine, why if self._obstacle is None else self._obstacle

    def _follow_first_answer(self, stages: Stages) -> None:
        self.runner.stages_ready.disconnect(self._follow_first_answer)
        QTimer.singleShot(0, self, self._try_first)  # not before the picture is on its way to the screen

    def _try_first(self) -> None:
        if self._must_try:
            self._must_try = False
            self._try_cuda(self._wish, remember=False)
        elif self._obstacle is not None and self._wish == "cuda":
            self.failed.emit(self._obstacle)

    def _try_cuda(self, wish: str, *, remember: bool) -> None:
        self._asked, self._is_to_be_remembered = wish, remember
        self.runner.use_engine(lambda: choose_engine("cuda"), self._accept)

    def _wished_again(self, wish: str) -> None:
        if self._asked is None:
            self._settle(wish, remember=True)
        else:
            self._asked, self._is_to_be_remembered = wish, True

    def _accept(self) -> None:
        if self._asked is not None:
            self._settle(self._asked, remember=self._is_to_be_remembered)

    def _take_refusal(self, error: AttnvizError) -> None:
        """Stay with the present engine; ``auto`` is content with it, ``cuda`` of the menu goes back."""
        asked = self._asked or self._wish
        is_content = asked == "auto"
        wish = asked if is_content or not self._is_to_be_remembered else self._wish
        if wish != "cpu":
            self._face.status.set_engine(self._face.status.engine[0], error)
        self._settle(wish, remember=is_content and self._is_to_be_remembered)
        if not is_content:
            self._say(error)

    def _settle(self, wish: str, *, remember: bool) -> None:
        self._wish, self._asked = wish, None
        self._face.deeds.show_choice("engine", wish)
        if remember:
            self._settings.engine = wish

    def _take(self, name: str, why: AttnvizError | None) -> None:
        self._face.status.set_engine(name, why)
        if isinstance(why, DeviceFull | DeviceLost) and why.template not in self._told:
            self._told.add(why.template)
            self._say(AttnvizError("The CPU has taken over: {reason}", reason=why))

    def _say(self, error: AttnvizError) -> None:
        """Say it after what is going on: an edit that this comes with takes old messages away."""
        QTimer.singleShot(0, self, lambda: self.failed.emit(error))

    def _uses_cuda(self) -> bool:
        name, why = self._face.status.engine
        return bool(name) and why is None
