"""The house itself: one version, complete packages, nothing that ties it to one machine."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import gradviz
from gradviz import resources
from gradviz.picture import fonts

ROOT = Path(__file__).resolve().parent.parent
UNTRACKED = {".git", ".venv", "__pycache__", "build", "dist", ".hypothesis"}


def _tracked():
    """The text files of the checkout; without git, those that look like its own."""
    listed = (
        subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
        )
        if _has_git()
        else None
    )
    if listed is not None and listed.returncode == 0:
        files = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        files = [
            path
            for path in ROOT.rglob("*")
            if path.is_file()
            and not any(
                part in UNTRACKED or part.endswith(("_cache", ".egg-info"))
                for part in path.relative_to(ROOT).parts
            )
        ]
    for path in files:
        if path.is_file() and path != Path(__file__).resolve():
            content = path.read_bytes()
            if b"\0" not in content:
                yield path.relative_to(ROOT).as_posix(), content.decode("utf-8")


def _has_git():
    return any(Path(folder, "git").exists() for folder in os.get_exec_path())


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    written = f'"{gradviz.__version__}"'
    code = [(file, text) for file, text in _tracked() if file.endswith((".py", ".toml"))]
    assert [file for file, text in code if written in text] == ["gradviz/__init__.py"]


# A place of one machine, and a host that packages come from.
TIED = re.compile(
    r"(?<![\w.*}$])/(work|farm|root|home/\w+|tmp/(venv|bash_jobs))/"
    r"|file:///(?!dev/zero|etc/passwd)\w"  # those two stand in hostile files for any file
    r"|\b(pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs\.org|proxy\.golang\.org)\b"
)


def test_no_file_names_a_place_of_one_machine_or_a_package_host():
    found = [f"{file}: {match[0]}" for file, text in _tracked() if (match := TIED.search(text))]
    assert found == []


def test_the_readme_names_the_two_commands_and_ci_runs_the_one_for_tests():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("start", "test"):
        assert f"\nsh .ci/{command}\n" in readme
        assert (ROOT / ".ci" / command).is_file()
    assert "\nsh .ci/test " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    script = "\n".join(re.findall(r"```python\n(.*?)```", readme, re.DOTALL))
    lines = [line for line in script.splitlines() if not line.startswith("gv.show(")]
    checks = [
        "assert (y.value, g.value) == (5, 5)",
        "assert (G.value == 2 * s.value + 1).all()",
        "assert np.isclose(b.value, -np.exp(-1))",
        "assert gv.check(bump, [0.5, 1.0], width=2.0).agree == 2",
    ]
    subprocess.run([sys.executable, "-c", "\n".join([*lines, *checks])], check=True)


def test_the_top_level_holds_what_it_may():
    tops = {file.split("/")[0] for file, _ in _tracked()}
    allowed = {
        *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"),
        *("gradviz", "resources", "tests", "benchmarks"),
    }
    assert {top for top in tops if not top.startswith(".")} <= allowed


def _build(target, folder):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return _build("wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_carries_the_package_and_its_resources(wheel):
    assert wheel.name == f"gradviz-{gradviz.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {
        f"gradviz/_resources/{path.relative_to(resources.path()).as_posix()}"
        for path in resources.path().rglob("*")
        if path.is_file()
    }
    assert shipped <= names
    assert {f"gradviz/_resources/fonts/{file}" for file in fonts.FILES} <= names
    assert {name.split("/")[0] for name in names} == {
        "gradviz",
        f"gradviz-{gradviz.__version__}.dist-info",
    }
    info = f"gradviz-{gradviz.__version__}.dist-info/licenses"
    assert {f"{info}/LICENSE", f"{info}/resources/fonts/LICENSE-DejaVu.txt"} <= names


def test_an_installed_wheel_finds_its_resources(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = "from gradviz import resources; print(resources.path('fonts', 'DejaVuSans.ttf'))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    font = Path(done.stdout.strip())
    assert font == (tmp_path / "site/gradviz/_resources/fonts/DejaVuSans.ttf").resolve()
    assert font.is_file()


def test_the_source_archive_carries_what_the_checkout_has(tmp_path):
    with tarfile.open(_build("sdist", tmp_path)) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = {file for file, _ in _tracked()} - {".gitignore"}
    assert tracked - names == set()
    assert {f"resources/fonts/{file}" for file in fonts.FILES} <= names


def test_the_scripts_are_sound_shell():
    for name in ("setup", "start", "test"):
        subprocess.run(["sh", "-n", str(ROOT / ".ci" / name)], check=True)
