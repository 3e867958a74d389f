"""The import table of the architecture page, held against the imports.

A room that is not in the table fails: whoever adds a module beside the packages says here what it
may import.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import gradviz

PACKAGE = Path(gradviz.__file__).parent

GROUND = {"errors", "text", "limits", "bulk"}
PLAIN = GROUND | {"digits", "platform", "resources"}
ENGINE = PLAIN | {"graph", "ops", "engine"}
CORE = ENGINE | {"edit", "files", "code", "models", "networks", "plugins"}
SHOWN = CORE | {"api", "display", "picture", "reference"}
ALL = SHOWN | {"__init__", "gui"}

# A room is a package or a module right below gradviz/. It may always import itself.
MAY_IMPORT = {
    "text": set(),
    "bulk": set(),
    "errors": {"text"},
    "limits": {"text"},
    "digits": GROUND,
    "display": PLAIN,
    "platform": GROUND,
    "resources": GROUND,
    "graph": PLAIN,
    "ops": PLAIN | {"graph"},
    "engine": PLAIN | {"graph", "ops"},
    "edit": ENGINE,
    "files": ENGINE,
    "code": ENGINE,
    "models": ENGINE,
    "networks": ENGINE,
    "reference": ENGINE,
    "picture": ENGINE,
    "plugins": CORE,
    "api": ALL - {"__init__"},
    "cli": ALL,
    "gui": ALL,
    "__init__": ALL,
    "__main__": {"cli"},
}

# What starts without a window loads the window's rooms only inside the functions that need them.
LATE_ROOMS = {room: {"gui", "picture"} for room in ("__init__", "__main__", "api", "cli")}

# Packages that cost more than the start may take: only ever imported inside functions.
LATE = {"networkx", "PIL", "scipy", "ziamath", "av", "onnx", "torch", "tensorflow", "jax"}

ONLY_IN = {
    "PySide6": ("gui/", "picture/"),
    "shiboken6": ("gui/", "picture/"),
    "networkx": ("graph/", "engine/", "edit/layout.py", "networks.py"),
}

BANNED = {
    "pickle": "files are data",
    "cPickle": "files are data",
    "dill": "files are data",
    "cloudpickle": "files are data",
    "joblib": "it is pickle",
    "marshal": "files are data",
    "shelve": "it is pickle",
    "socket": "gradviz talks to nobody",
    "socketserver": "gradviz talks to nobody",
    "ssl": "gradviz talks to nobody",
    "http": "gradviz talks to nobody",
    "urllib.request": "gradviz talks to nobody",
    "ftplib": "gradviz talks to nobody",
    "smtplib": "gradviz talks to nobody",
    "xmlrpc": "gradviz talks to nobody",
    "requests": "gradviz talks to nobody",
    "PySide6.QtNetwork": "gradviz talks to nobody",
    "PySide6.QtWebEngineCore": "no browser inside",
    "PySide6.QtWebEngineWidgets": "no browser inside",
}

CODE_RUNNERS = {"eval", "exec", "compile", "__import__"}
MAY_RUN_CODE = {"engine/compiled.py"}


class Import(NamedTuple):
    module: str
    line: int
    late: bool


def _imports(tree: ast.Module, file: str) -> Iterator[Import]:
    """Every import of a module, with relative ones resolved; `late` when no start runs it."""
    package = ["gradviz", *Path(file).parent.parts]

    def visit(node: ast.AST, late: bool) -> Iterator[Import]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            late = True
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                yield from visit(child, True)
            for child in node.orelse:
                yield from visit(child, late)
            return
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, late)
        elif isinstance(node, ast.ImportFrom):
            stem = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*stem, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Import(f"{base}.{alias.name}", node.lineno, late)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            named = node.args[0] if node.args else None
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                yield Import(named.value, node.lineno, late)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late)

    return visit(tree, False)


def _room(module: str, rooms: set[str]) -> str:
    """The room that `gradviz.x.y` belongs to; a name of the package itself is in `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in rooms else "__init__"


def _begins(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _import_faults(tree: ast.Module, file: str, rooms: set[str]) -> Iterator[tuple[int, str]]:
    room = file.split("/", 1)[0].removesuffix(".py")
    if room not in MAY_IMPORT:
        yield 1, f"the room {room!r} has no line in tests/test_layers.py"
        return
    for module, line, late in _imports(tree, file):
        if _begins(module, "gradviz"):
            other = _room(module, rooms)
            if other != room and other not in MAY_IMPORT[room]:
                yield line, f"{room} may not import {other}"
            if not late and other in LATE_ROOMS.get(room, ()):
                yield line, f"{room} must import {other} inside the function that needs it"
            sides = {"gui/canvas/": "gradviz.gui.panels", "gui/panels/": "gradviz.gui.canvas"}
            for side, opposite in sides.items():
                if file.startswith(side) and _begins(module, opposite):
                    yield line, "panels and canvas never import each other"
            continue
        top = module.split(".")[0]
        if top in ONLY_IN and not file.startswith(ONLY_IN[top]):
            yield line, f"{top} is not for this place"
        if top in LATE and not late:
            yield line, f"{top} must be imported inside the function that needs it"
        for name, reason in BANNED.items():
            if _begins(module, name):
                yield line, f"{name} is banned: {reason}"


def _call_faults(tree: ast.Module, file: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield node.lineno, "a bare except also catches the wish to stop"
        if not isinstance(node, ast.Call):
            continue
        called, arguments = ast.unparse(node.func), " ".join(map(ast.unparse, node.args))
        if called.removeprefix("builtins.") in CODE_RUNNERS and file not in MAY_RUN_CODE:
            yield node.lineno, f"{called}() may run code that is data"
        if called.split(".")[-1] == "setrecursionlimit":
            yield node.lineno, "depth is walked by loops, never by a deeper stack"
        if called in ("np.prod", "numpy.prod") and "shape" in arguments:
            yield node.lineno, "np.prod of a shape overflows silently: math.prod"
        if any(
            word.arg == "allow_pickle" and ast.unparse(word.value) != "False"
            for word in node.keywords
        ):
            yield node.lineno, "allow_pickle runs code from a file"


def faults(package: Path) -> list[str]:
    """Each breach of the table below `package`, as `file:line: what`."""
    files = sorted(package.rglob("*.py"))
    rooms = {file.relative_to(package).parts[0].removesuffix(".py") for file in files}
    rooms |= MAY_IMPORT.keys()
    found = []
    for path in files:
        file = path.relative_to(package).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"), file)
        for line, what in [*_import_faults(tree, file, rooms), *_call_faults(tree, file)]:
            found.append(f"gradviz/{file}:{line}: {what}")
    return found


def test_every_import_follows_the_table():
    assert faults(PACKAGE) == []


BREACHES = {
    "graph/walk.py": ("from gradviz.ops import registry", "graph may not import ops"),
    "ops/a.py": ("from ..engine import run", "ops may not import engine"),
    "ops/b.py": ("def f():\n    import gradviz.engine.run", "ops may not import engine"),
    "engine/a.py": ("from PySide6.QtCore import QObject", "PySide6 is not for this place"),
    "engine/b.py": ("import networkx as nx", "networkx must be imported inside"),
    "files/a.py": ("from gradviz.edit import edits", "files may not import edit"),
    "files/b.py": ("def f():\n    import networkx", "networkx is not for this place"),
    "files/c.py": ("from pickle import loads", "pickle is banned"),
    "files/d.py": ("import numpy as np\nnp.load('x', allow_pickle=True)", "allow_pickle"),
    "edit/a.py": ("from gradviz import variable", "edit may not import __init__"),
    "picture/a.py": ("from gradviz.gui import app", "picture may not import gui"),
    "picture/b.py": ("from gradviz.files import native", "picture may not import files"),
    "gui/panels/a.py": ("from gradviz.gui.canvas import view", "never import each other"),
    "gui/canvas/a.py": ("from ..panels import palette", "never import each other"),
    "gui/a.py": ("from urllib.request import urlopen", "urllib.request is banned"),
    "gui/b.py": ("from PySide6 import QtNetwork", "PySide6.QtNetwork is banned"),
    "cli.py": ("from gradviz.gui import app", "cli must import gui inside the function"),
    "code/a.py": ("eval('1')", "eval() may run code"),
    "code/b.py": ("try:\n    pass\nexcept:\n    pass", "a bare except"),
    "code/c.py": ("import sys\nsys.setrecursionlimit(9)", "never by a deeper stack"),
    "code/d.py": ("import numpy as np\nnp.prod(x.shape)", "math.prod"),
    "code/e.py": (
        "import importlib\nimportlib.import_module('gradviz.gui.app')",
        "may not import gui",
    ),
    "cupboard.py": ("x = 1", "has no line"),
}


@pytest.mark.parametrize("file", BREACHES)
def test_a_breach_is_found(tmp_path, file):
    source, expected = BREACHES[file]
    _write(tmp_path / file, source)
    found = faults(tmp_path)
    assert len(found) == 1, found
    assert expected in found[0]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("engine/compiled.py", "exec('x = 1')"),
        ("engine/a.py", "def f():\n    import networkx"),
        ("engine/b.py", "import re\nre.compile('x')"),
        ("cli.py", "def f():\n    from gradviz.gui import app"),
        ("graph/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import networkx"),
        ("gui/panels/a.py", "from gradviz.gui import document\nimport gradviz"),
    ],
)
def test_what_is_allowed_is_let_through(tmp_path, file, source):
    _write(tmp_path / file, source)
    assert faults(tmp_path) == []


def _write(path, source):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)


def _heavy_after(script):
    heavy = sorted({"PySide6", "shiboken6", *LATE})
    script += f"; import sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("module", ["gradviz", "gradviz.cli"])
def test_nothing_heavy_is_imported_at_the_start(module):
    assert _heavy_after(f"import {module}") == "[]\n"


def test_everything_below_the_window_is_imported_without_qt():
    modules = [
        ".".join(["gradviz", *path.relative_to(PACKAGE).with_suffix("").parts])
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in ("gui", "picture", "__main__.py")
    ]
    assert _heavy_after(f"import {', '.join(modules).replace('.__init__', '')}") == "[]\n"


def test_importing_gradviz_leaves_out_what_is_not_needed_to_write_an_expression():
    late = (
        *("PySide6", "networkx", "scipy", "msgspec", "importlib.metadata", "logging", "difflib"),
        *("gradviz.api", "gradviz.engine", "gradviz.edit", "gradviz.networks", "gradviz.plugins"),
        *("gradviz.files", "gradviz.code", "gradviz.models", "gradviz.gui", "gradviz.picture"),
    )
    script = (
        "import numpy, sys; before = set(sys.modules); import gradviz as gv\n"
        "gv.exp(gv.variable(1.0) * 2) + gv.constant(1.0)\n"
        f"print([m for m in {late} if m in set(sys.modules) - before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_what_is_loaded_late_is_there_all_the_same():
    assert set(gradviz.__all__) <= set(dir(gradviz))
    assert gradviz.gradients is gradviz.gradients
    for name in gradviz.__all__:
        assert getattr(gradviz, name) is not None
    script = (
        "from gradviz import *; print(gradients(exp(variable(0.0)) * 3, []), to_networkx.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[] to_networkx\n"
