"""Work that may take long: it runs in a thread on immutable values and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from PySide6.QtCore import QObject, Signal

Work = Callable[[Callable[[], bool]], object]


class Task(QObject):
    """One piece of work at a time; a new one cancels the one before, whose result is dropped."""

    done = Signal(object)
    failed = Signal(object)
    changed = Signal()
    _ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, "gradviz-task")
        self._cancel: Event | None = None
        self._ended.connect(self._receive)

    @property
    def running(self) -> bool:
        """Whether a result is still to come."""
        return self._cancel is not None

    def start(self, work: Work) -> None:
        """Run `work(cancelled)` in the thread."""
        self.cancel()
        self._cancel = cancel = Event()
        future = self._pool.submit(work, cancel.is_set)
        future.add_done_callback(lambda ended: self._announce(cancel, ended))
        self.changed.emit()

    def cancel(self) -> None:
        """Drop what runs."""
        if self._cancel is not None:
            self._cancel.set()
            self._cancel = None
            self.changed.emit()

    def _announce(self, cancel: Event, ended: Future[object]) -> None:
        if not ended.cancelled():
            self._ended.emit(cancel, ended)

    def _receive(self, cancel: Event, ended: Future[object]) -> None:
        if cancel is not self._cancel:
            return
        self._cancel = None
        self.changed.emit()
        error = ended.exception()
        if error is None:
            self.done.emit(ended.result())
        else:
            self.failed.emit(error)

    def close(self) -> None:
        """Cancel and wait for the thread."""
        self.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
