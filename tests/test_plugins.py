"""Plug-ins: one that works is loaded, a broken one is logged and skipped."""

from __future__ import annotations

import logging
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from gradviz import plugins
from gradviz.ops import registry

GOOD = """
from gradviz.ops import shapes
from gradviz.ops.op import FUNCTIONS, example, op

@op(sign="3", category=FUNCTIONS, family="map", summary=FUNCTIONS, text="3·{x}", formula="3x",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "3 * {x}"), aliases={}, spec=shapes.elementwise,
    examples=[example([1.0])])
def thrice(x):
    return 3 * x
"""


def test_a_broken_plugin_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "gradviz_good.py").write_text(GOOD)
    (tmp_path / "gradviz_bad.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    entries = [
        EntryPoint(name, f"gradviz_{name}", "gradviz.ops") for name in ("bad", "good", "absent")
    ]
    with caplog.at_level(logging.ERROR):
        assert plugins.load(entries) == ("good",)
    assert "bad" in caplog.text
    assert "absent" in caplog.text
    assert registry.get("thrice").forward(2) == 6
    registry.unregister("thrice")
    sys.modules.pop("gradviz_good", None)


def test_nothing_installed_is_fine() -> None:
    assert isinstance(plugins.load(), tuple)
