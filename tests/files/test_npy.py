"""`.npy` files: what comes back, and what is refused before anything is made."""

from __future__ import annotations

import io
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradviz.errors import FileError
from gradviz.files.npy import read_npy, write_npy


def saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def with_header(header: str, data: bytes = b"") -> bytes:
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


@settings(max_examples=50, deadline=None)
@given(
    array=arrays.arrays(
        st.sampled_from(
            ["float64", "float32", "int64", "bool", ">f8", "int8", "uint16", "float16"]
        ),
        arrays.array_shapes(min_dims=0, max_dims=4, max_side=4),
    ),
    columns=st.booleans(),
)
def test_what_numpy_writes_is_read(tmp_path_factory, array: np.ndarray, columns: bool) -> None:
    path = tmp_path_factory.mktemp("npy") / "a.npy"
    path.write_bytes(saved(np.array(array, order="F" if columns else "C")))
    found = read_npy(path)
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)
    assert found.dtype.name in ("float64", "float32", "int64", "bool")
    assert not found.flags.writeable


def test_what_is_written_numpy_reads(tmp_path) -> None:
    array = np.arange(6.0, dtype="float32").reshape(2, 3)
    write_npy(tmp_path / "a.npy", array)
    again = np.load(tmp_path / "a.npy", allow_pickle=False)
    np.testing.assert_array_equal(again, array)
    assert again.dtype == array.dtype


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not an .npy file"),
        (b"hello", "not an .npy file"),
        (b"\x93NUMPY", "not an .npy file"),
        (pickle.dumps([1, 2]), "not an .npy file"),
        (saved(np.array([{}, 1], dtype=object)), "only numbers"),
        (saved(np.array(["a"])), "only numbers"),
        (saved(np.array([1 + 2j])), "only numbers"),
        (saved(np.zeros(2, dtype=[("a", "f8")])), "only numbers"),
        (with_header(HUGE % "10"), "cut off"),
        (with_header(HUGE % (10**15)), "too large"),
        (with_header(HUGE % "10**9"), "not an .npy file"),
        (with_header(HUGE % "-3"), "damaged"),
        (
            with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 20 + ")}"),
            "axes",
        ),
        (with_header("__import__('os').getcwd()"), "not an .npy file"),
        (with_header("[" * 5000), "not an .npy file"),
        (saved(np.arange(9.0))[:-8], "cut off"),
        (saved(np.array([2**63], dtype="uint64")), "int64"),
    ],
)
def test_what_cannot_be_is_refused_in_words(tmp_path, data: bytes, words: str) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(FileError, match=words) as caught:
        read_npy(path)
    assert caught.value.path == str(path)


def test_folders_and_missing_files_are_told(tmp_path) -> None:
    with pytest.raises(FileError, match="directory"):
        read_npy(tmp_path)
    with pytest.raises(FileError, match="no such file"):
        read_npy(tmp_path / "none.npy")
