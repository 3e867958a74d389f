"""The cursor over the film: play both ways, pause, step, scrub, halt where something is to be seen.

`position` counts the steps that have been shown (0: none); `progress` is how far the picture of the step that leads to
`position` has got, 0 to 1, and 1 at rest. The film is recorded: moving the cursor computes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from gradviz.engine import explain
from gradviz.engine.explain import Inner
from gradviz.engine.gradient import Address, Role, Step
from gradviz.engine.stops import Stops
from gradviz.engine.timeline import Timeline
from gradviz.gui.document import Document

FRAME_MS = 16
MOTION_S = 0.45
MERGE_S = 0.3
PAUSE_S = 0.9
SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)
Clock = Callable[[], float]


class Player(QObject):
    """Moves over `document.answer.timeline`.

    moved()    position or progress changed: paint
    arrived()  position changed: say the step's sentence
    played()   `playing` or `speed` changed
    """

    moved = Signal()
    arrived = Signal()
    played = Signal()

    def __init__(
        self, document: Document, parent: QObject | None = None, clock: Clock = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._clock = clock
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.tick)
        self._position = 0
        self._address: Address | None = None
        self._at_end = True
        self._progress = 1.0
        self._started = 0.0
        self._playing = False
        self._backwards = False
        self._waiting = False
        self._stops: Stops | None = None
        self._inner: tuple[Inner, ...] = ()
        self._shown = 0
        self._speed = 1.0
        self.reduced_motion = False
        document.answered.connect(self._keep_place)
        self._keep_place()

    @property
    def timeline(self) -> Timeline:
        """The film."""
        return self._document.answer.timeline

    @property
    def position(self) -> int:
        """How many steps have been shown."""
        return self._position

    @property
    def progress(self) -> float:
        """How far the picture of the present step has got; 1 at rest."""
        return self._progress

    @property
    def step(self) -> Step | None:
        """The step that leads to the present position."""
        return self.timeline.step(self._position)

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._playing

    @property
    def backwards(self) -> bool:
        """Whether what plays runs towards the start."""
        return self._playing and self._backwards

    @property
    def stops(self) -> Stops:
        """Where the film halts: breakpoints, the first bad number, a bound for gradients."""
        if self._stops is None:
            self._stops = Stops(self._document.answer)
        return self._stops

    @property
    def speed(self) -> float:
        """1 is as designed; it scales every duration."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if speed != self._speed:
            self._started = self._clock() - (self._clock() - self._started) * self._speed / speed
            self._speed = speed
            self.played.emit()

    def play(self, *, backwards: bool = False) -> None:
        """Go on by itself, until the next stop; from the other end if the film is at its end."""
        if not len(self.timeline) or (self._playing and self._backwards == backwards):
            return
        end = 0 if backwards else len(self.timeline)
        if self._position == end and self._progress >= 1:
            self._place(len(self.timeline) - end)
        self._playing = True
        self._backwards = backwards
        self.played.emit()
        if backwards:
            # The picture of the present step runs back to its beginning.
            self._waiting = False
            self._started = self._clock() - (1 - self._progress) * self._length() / self._speed
        elif self._progress >= 1:
            # A step that is still under way goes on; otherwise the next one begins at once.
            self._begin(self._position + 1)
        else:
            self._started = self._clock() - self._progress * self._length() / self._speed
        self._timer.start()

    def pause(self) -> None:
        """Stay; the picture of the present step is finished at once."""
        if self._playing:
            self._playing = False
            self._rest()
            self.played.emit()

    def toggle(self, *, backwards: bool = False) -> None:
        """Play or pause."""
        if self._playing and self._backwards == backwards:
            self.pause()
        else:
            self.play(backwards=backwards)

    @property
    def inside(self) -> tuple[Inner, ...]:
        """The moments inside the present step that have been shown, if it was gone into."""
        return self._inner[: self._shown]

    @property
    def inner_count(self) -> int:
        """How many moments there are inside the present step; 0 unless it was gone into."""
        return len(self._inner)

    def into(self) -> bool:
        """Go into the present step; False if there is nothing inside."""
        self.pause()
        if self._inner:
            return False
        self._inner = explain.inside(self._document.answer, self.step)
        self._shown = 1 if self._inner else 0
        if self._inner:
            self.arrived.emit()
        return bool(self._inner)

    def out(self) -> bool:
        """Back to the step as a whole; False if it was not gone into."""
        if not self._inner:
            return False
        self._leave()
        self.arrived.emit()
        return True

    def _leave(self) -> None:
        self._inner, self._shown = (), 0

    def _within(self, by: int) -> bool:
        """Inside a step, move to the next moment or the one before; False if that is outside."""
        if not self._inner:
            return False
        if 0 < self._shown + by <= len(self._inner):
            self._shown += by
            self.arrived.emit()
            return True
        return self.out() and by < 0

    def forward(self) -> None:
        """One step on, with its picture; inside a step, one moment on."""
        self.pause()
        if self._within(1):
            return
        if self._position < len(self.timeline):
            self._begin(self._position + 1)

    def back(self) -> None:
        """One step back, at once; inside a step, one moment back."""
        self.pause()
        if not self._within(-1):
            self.seek(self._position - 1)

    def over(self) -> None:
        """To the end of the operation that comes next, at once."""
        self.pause()
        self.seek(self.timeline.over(self._position))

    def under(self) -> None:
        """To where the present operation began, at once."""
        self.pause()
        self.seek(self.timeline.under(self._position))

    def to_next_stop(self) -> bool:
        """To the next place where the film halts; False if there is none behind this one."""
        return self._to(self.stops.after(self._position))

    def to_last_stop(self) -> bool:
        """To the place before this one where the film halts; False if there is none."""
        return self._to(self.stops.before(self._position))

    def _to(self, position: int | None) -> bool:
        self.pause()
        if position is not None:
            self.seek(position)
        return position is not None

    def run_to(self, node: str) -> bool:
        """To where the node's value or gradient is complete next, going round at the end; False if it never is."""
        places = self.stops.of_node(node)
        behind = [at for at in places if at > self._position]
        return self._to(next(iter(behind or places), None))

    def seek(self, position: int) -> None:
        """Go to a position, at rest; beyond the ends, to the end."""
        self._place(max(0, min(position, len(self.timeline))))
        self._started = self._clock()

    def to_start(self) -> None:
        """Before the first step."""
        self.pause()
        self.seek(0)

    def to_boundary(self) -> None:
        """Between forward and backward."""
        self.pause()
        self.seek(self.timeline.forward)

    def to_end(self) -> None:
        """After the last step."""
        self.pause()
        self.seek(len(self.timeline))

    def tick(self) -> None:
        """Show the moment the clock says; the timer calls it."""
        if self._playing and self._backwards:
            self._tick_backwards()
        else:
            self._tick_forwards()
        if not self._playing and self._progress >= 1:
            self._timer.stop()

    @property
    def _elapsed(self) -> float:
        return (self._clock() - self._started) * self._speed

    def _tick_forwards(self) -> None:
        length = self._length()
        if self._progress < 1:
            self._progress = min(1.0, self._elapsed / length) if length else 1.0
            self.moved.emit()
        if not self._playing or self._elapsed < length:
            return
        if self._position >= len(self.timeline) or self._position in self.stops.positions:
            self.pause()
        elif self._elapsed >= length + PAUSE_S:
            self._begin(self._position + 1)

    def _tick_backwards(self) -> None:
        if self._waiting:
            if self._elapsed >= PAUSE_S:
                self._waiting = False
                self._started = self._clock()
            return
        length = self._length()
        self._progress = max(0.0, 1 - self._elapsed / length) if length else 0.0
        if self._progress > 0:
            self.moved.emit()
            return
        self._waiting = True
        self._started = self._clock()
        self._place(self._position - 1)
        if not self._position or self._position in self.stops.positions:
            self.pause()

    def _length(self) -> float:
        if self.reduced_motion or self.step is None:
            return 0.0
        return MERGE_S if self.step.address.role is Role.MERGE else MOTION_S

    def _begin(self, position: int) -> None:
        self._started = self._clock()
        self._place(position, 1.0 if self.reduced_motion else 0.0)
        self._timer.start()

    def _rest(self) -> None:
        self._timer.stop()
        if self._progress < 1:
            self._progress = 1.0
            self.moved.emit()

    def _place(self, position: int, progress: float = 1.0) -> None:
        step = self.timeline.step(position)
        self._address = step.address if step is not None else None
        self._at_end = position == len(self.timeline)
        other = position != self._position
        if not other and progress == self._progress:
            return
        self._position = position
        self._progress = progress
        self._leave()
        self.moved.emit()
        if other:
            self.arrived.emit()

    def _keep_place(self) -> None:
        """After an edit, stay at the same step; at the end, stay at the end.

        A step that is gone is remembered until another one is gone to: an undo brings it back.
        """
        timeline = self.timeline
        self._stops = None
        shown = self._shown
        self._leave()
        found = None if self._address is None or self._at_end else timeline.position(self._address)
        if self._at_end:
            position = len(timeline)
        elif self._address is None:
            position = 0
        else:
            position = found if found is not None else min(self._position, len(timeline))
        self._position = position
        self._progress = 1.0
        if shown and found is not None:
            self._inner = explain.inside(self._document.answer, timeline.step(position))
            self._shown = min(shown, len(self._inner))
        self.moved.emit()
        self.arrived.emit()
