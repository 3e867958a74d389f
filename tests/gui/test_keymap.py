"""Presets of keys, and a file of one's own."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence

from gradviz.gui import keymap
from gradviz.gui.actions import ACTIONS
from gradviz.gui.help import KeysPage


def read(tmp_path, text: str) -> keymap.Keymap:
    path = tmp_path / "keys.toml"
    path.write_text(text, encoding="utf-8")
    return keymap.read(path)


@pytest.mark.parametrize("name", keymap.PRESETS)
def test_no_preset_has_a_key_twice(qapp, name: str) -> None:
    keys = Counter(
        QKeySequence(k).toString() for keys in keymap.preset(name).values() for k in keys
    )
    assert [key for key, count in keys.items() if count > 1] == []
    assert not keys.keys() & keymap.TAKEN
    assert "" not in keys


@pytest.mark.parametrize("name", keymap.PRESETS)
def test_no_key_lies_elsewhere_on_other_keyboards(qapp, name: str) -> None:
    for id, keys in keymap.preset(name).items():
        plain = [key for key in keys if key[-1] not in "/\\[]"]
        assert plain or not keys, id


def test_every_preset_names_commands_that_are_there(qapp) -> None:
    assert set(keymap.BLENDER) <= {action.id for action in ACTIONS}


def test_a_file_changes_what_it_names(qapp, tmp_path) -> None:
    found = read(tmp_path, 'preset = "blender"\n[keys]\njoin = "Ctrl+J"\nknife = ["N", "Ctrl+K"]\n')
    assert found.faults == ()
    assert found.keys["join"] == ("Ctrl+J",)
    assert found.keys["knife"] == ("N", "Ctrl+K")
    assert found.keys["select_all"] == ("A",)
    assert found.keys["undo"] == ("Ctrl+Z",)


def test_a_command_can_be_without_a_key(qapp, tmp_path) -> None:
    assert read(tmp_path, "[keys]\njoin = []\n").keys["join"] == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[keys]\n\nflyaway = 'F'\n", "Line 3: there is no command flyaway"),
        ("[keys]\njoin = 'Hyper+Q'\n", "Line 2: Hyper+Q is no key for join"),
        ("[keys]\njoin = 3\n", "Line 2: 3 is no key for join"),
        ("[keys]\njoin = 'Ctrl+Z'\n", "Line 2: Ctrl+Z was the key of undo, which lost it"),
        ("[keys]\njoin = 'Ctrl+9'\nknife = 'Ctrl+9'\n", "is the key of"),
        ("[keys]\njoin = 'P'\n", "Line 2: P belongs to the canvas"),
        ("preset = 'vi'\n", "no preset vi"),
        ("[keys\n", "cannot be read"),
        ("keys = 3\n", ""),
    ],
)
def test_faults_are_told_and_the_rest_counts(qapp, tmp_path, text: str, words: str) -> None:
    found = read(tmp_path, text)
    assert words in " ".join(map(str, found.faults))
    assert bool(found.faults) == bool(words)
    assert found.keys["undo"] or "Ctrl+Z" in found.keys["join"]
    assert set(found.keys) == {action.id for action in ACTIONS}


def test_no_file_and_no_text_are_told(qapp, tmp_path) -> None:
    assert "no such file" in str(keymap.read(tmp_path / "none.toml").faults[0])
    (tmp_path / "keys.toml").write_bytes(b"\xff\xfe")
    assert "UTF-8" in str(keymap.read(tmp_path / "keys.toml").faults[0])


def test_the_template_says_what_is(qapp, tmp_path) -> None:
    found = read(tmp_path, keymap.template())
    assert found.faults == ()
    assert found.keys == keymap.preset("gradviz")
    uncommented = keymap.template().replace("# ", "").replace("#", "")
    first = uncommented.index("preset")
    found = read(tmp_path, uncommented[first:].replace('preset = "blender"', ""))
    assert found.keys == keymap.preset("gradviz")


def test_the_help_finds_keys_by_word_and_by_key(qtbot) -> None:
    page = KeysPage()
    qtbot.addWidget(page)
    page.search.setText("knife")
    text = page.page.toPlainText()
    assert "Cut wires with the knife" in text
    assert "Undo" not in text
    page.search.setText("ctrl+z")
    assert "Undo" in page.page.toPlainText()
    page.search.setText("right drag")
    assert "Cut the wires that are crossed" in page.page.toPlainText()
    page.search.setText("no such words")
    assert "No key" in page.page.toPlainText()
