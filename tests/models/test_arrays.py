"""NumPy's .npy files from strangers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import FileError
from gradviz.models.arrays import read_npy


@pytest.mark.parametrize(
    "array",
    [
        np.array(2.5),
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3)),
        np.array([1, 2], np.int16),
        np.array([True, False]),
        np.array([1.5], np.float32),
        np.array([1.5], ">f8"),
    ],
)
def test_what_numpy_writes_is_read(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "a.npy", array)
    found = read_npy(tmp_path / "a.npy")
    np.testing.assert_array_equal(found, array)
    assert not found.flags.writeable


def _file(header: str, data: bytes = b"", length: int | None = None) -> bytes:
    text = header.encode()
    return (
        b"\x93NUMPY\x01\x00"
        + (len(text) if length is None else length).to_bytes(2, "little")
        + text
        + data
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no array at all",
        _file("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,)}", b"\0" * 8),
        _file(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967297, 4294967296)}", b"\0" * 8
        ),
        _file("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"),
        _file("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"\0" * 8),
        _file("{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", b"\0" * 16),
        _file("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", b"\0" * 8),
        _file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", b"\0" * 8),
        _file("-" * 9000),
        _file("{" * 100),
        _file("{}", length=60000),
        _file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", b"\0" * 8),
        _file("__import__('os').system('true')"),
    ],
)
def test_everything_else_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.npy").write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_npy(tmp_path / "b.npy")
    assert "b.npy" in str(caught.value)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.npy"):
        with pytest.raises(FileError):
            read_npy(path)
