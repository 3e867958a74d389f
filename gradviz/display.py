"""Whether a window can be shown here, without importing Qt: a missing screen or library is said in words."""

from __future__ import annotations

import ctypes.util
import os
import sys
from typing import Final

from gradviz.text import Message, mark, message

# What Qt's X11 plugin loads besides what it ships, and the Debian package that has it.
_XCB: Final = {
    "xcb-cursor": "libxcb-cursor0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-image": "libxcb-image0",
    "xcb-keysyms": "libxcb-keysyms1",
    "xcb-render-util": "libxcb-render-util0",
    "xcb-shape": "libxcb-shape0",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "EGL": "libegl1",
    "GL": "libgl1",
}


def problem() -> Message | None:
    """Why no window can be opened, and what to do; None if one can (or Qt must tell)."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return None
    if os.environ.get("WAYLAND_DISPLAY"):
        return None
    if not os.environ.get("DISPLAY"):
        return message(
            mark(
                "cli",
                "there is no screen here (DISPLAY and WAYLAND_DISPLAY are not set). The commands run, gradients, check "
                "and render work without one.",
            )
        )
    missing = [
        package for library, package in _XCB.items() if ctypes.util.find_library(library) is None
    ]
    if missing:
        text = mark(
            "cli",
            "the window needs system libraries that are missing: sudo apt-get install {packages}",
        )
        return message(text, packages=" ".join(missing))
    return None
