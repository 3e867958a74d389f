"""Kernels written by hand in NumPy, over buffers made once; what backward needs is kept by forward."""

from __future__ import annotations

import numpy as np

ROOT = 0.7978845608028654  # √(2/π)
CUBIC = 0.044715


class CrossEntropy:
    """Mean of −log softmax at the labels."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype, labels: np.ndarray) -> None:
        rows = shape[0]
        self.labels, self.rows, self.share = labels, np.arange(rows), dtype.type(1 / rows)
        self.p = np.empty(shape, dtype)
        self.top, self.total = np.empty((rows, 1), dtype), np.empty((rows, 1), dtype)

    def forward(self, z: np.ndarray, loss: np.ndarray) -> None:
        p, top, total = self.p, self.top, self.total
        np.maximum.reduce(z, 1, None, top, True)
        np.subtract(z, top, p)
        chosen = np.add.reduce(p[self.rows, self.labels])
        np.exp(p, p)
        np.add.reduce(p, 1, None, total, True)
        np.divide(p, total, p)
        loss[()] = (np.add.reduce(np.log(total[:, 0])) - chosen) * self.share

    def backward(self, dz: np.ndarray) -> None:
        np.multiply(self.p, self.share, dz)
        dz[self.rows, self.labels] -= self.share


class Softmax:
    """Over the last axis."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.row, self.spare = np.empty((*shape[:-1], 1), dtype), np.empty(shape, dtype)

    def forward(self, x: np.ndarray, p: np.ndarray) -> None:
        np.maximum.reduce(x, -1, None, self.row, True)
        np.subtract(x, self.row, p)
        np.exp(p, p)
        np.add.reduce(p, -1, None, self.row, True)
        np.divide(p, self.row, p)

    def backward(self, g: np.ndarray, p: np.ndarray, dx: np.ndarray) -> None:
        np.multiply(g, p, self.spare)
        np.add.reduce(self.spare, -1, None, self.row, True)
        np.subtract(g, self.row, dx)
        np.multiply(dx, p, dx)


class LayerNorm:
    """Rows to mean 0 and variance 1, times gamma, plus beta."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype) -> None:
        number = dtype.type
        self.share, self.eps = number(1 / shape[1]), number(1e-5)
        self.normal, self.spare = np.empty(shape, dtype), np.empty(shape, dtype)
        self.mean, self.scale, self.along = (np.empty((shape[0], 1), dtype) for _ in range(3))

    def forward(self, x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, out: np.ndarray) -> None:
        normal, mean, scale = self.normal, self.mean, self.scale
        np.add.reduce(x, -1, None, mean, True)
        np.multiply(mean, self.share, mean)
        np.subtract(x, mean, normal)
        np.einsum("ij,ij->i", normal, normal, out=scale[:, 0])
        np.multiply(scale, self.share, scale)
        np.add(scale, self.eps, scale)
        np.sqrt(scale, scale)
        np.reciprocal(scale, scale)
        np.multiply(normal, scale, normal)
        np.multiply(normal, gamma, out)
        np.add(out, beta, out)

    def backward(
        self,
        g: np.ndarray,
        gamma: np.ndarray,
        dx: np.ndarray,
        dgamma: np.ndarray,
        dbeta: np.ndarray,
    ) -> None:
        normal, spare, mean, along = self.normal, self.spare, self.mean, self.along
        np.add.reduce(g, 0, None, dbeta)
        np.einsum("ij,ij->j", g, normal, out=dgamma)
        np.multiply(g, gamma, spare)
        np.add.reduce(spare, -1, None, mean, True)
        np.multiply(mean, self.share, mean)
        np.einsum("ij,ij->i", spare, normal, out=along[:, 0])
        np.multiply(along, self.share, along)
        np.multiply(normal, along, dx)
        np.subtract(spare, dx, dx)
        np.subtract(dx, mean, dx)
        np.multiply(dx, self.scale, dx)


class Gelu:
    """The form with tanh."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype) -> None:
        self.tanh, self.spare, self.square = (np.empty(shape, dtype) for _ in range(3))
        numbers = ROOT, ROOT * CUBIC, 3 * ROOT * CUBIC, 0.5, 1.0
        self.numbers = [dtype.type(number) for number in numbers]

    def forward(self, x: np.ndarray, out: np.ndarray) -> None:
        first, third, _, half, one = self.numbers
        tanh, square = self.tanh, self.square
        np.multiply(x, x, square)
        np.multiply(square, third, tanh)
        np.add(tanh, first, tanh)
        np.multiply(tanh, x, tanh)
        np.tanh(tanh, tanh)
        np.add(tanh, one, out)
        np.multiply(out, x, out)
        np.multiply(out, half, out)

    def backward(self, g: np.ndarray, x: np.ndarray, dx: np.ndarray) -> None:
        first, _, slope, half, one = self.numbers
        tanh, inner = self.tanh, self.spare
        np.multiply(self.square, slope, inner)
        np.add(inner, first, inner)
        np.multiply(inner, x, inner)
        np.multiply(tanh, tanh, dx)
        np.subtract(one, dx, dx)
        np.multiply(dx, inner, dx)
        np.add(dx, tanh, dx)
        np.add(dx, one, dx)
        np.multiply(dx, half, dx)
        np.multiply(dx, g, dx)


class Convolution:
    """3×3, stride 1, padding 1: the nine shifted pictures side by side, then one matrix product a picture."""

    def __init__(self, shape: tuple[int, int, int, int], filters: int, dtype: np.dtype) -> None:
        count, channels, height, width = self.shape = shape
        self.padded = np.zeros((count, channels, height + 2, width + 2), dtype)
        self.dpadded = np.empty_like(self.padded)
        self.columns = np.empty((count, channels, 9, height, width), dtype)
        self.dcolumns = np.empty_like(self.columns)
        self.dweights = np.empty((count, filters, channels * 9), dtype)
        self.flat = (count, channels * 9, height * width)

    def _shifted(self, padded: np.ndarray) -> list[np.ndarray]:
        _, _, height, width = self.shape
        return [
            padded[:, :, row : row + height, column : column + width]
            for row in range(3)
            for column in range(3)
        ]

    def forward(self, x: np.ndarray, w: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
        self.padded[:, :, 1:-1, 1:-1] = x
        for number, shifted in enumerate(self._shifted(self.padded)):
            self.columns[:, :, number] = shifted
        rows = out.reshape(len(out), len(w), -1)
        np.matmul(w.reshape(len(w), -1), self.columns.reshape(self.flat), rows)
        np.add(rows, b[:, None], rows)

    def backward(
        self, g: np.ndarray, w: np.ndarray, dx: np.ndarray, dw: np.ndarray, db: np.ndarray
    ) -> None:
        rows = g.reshape(len(g), len(w), -1)
        np.add.reduce(rows, (0, 2), None, db)
        np.matmul(rows, self.columns.reshape(self.flat).transpose(0, 2, 1), self.dweights)
        np.add.reduce(self.dweights, 0, None, dw.reshape(len(w), -1))
        np.matmul(w.reshape(len(w), -1).T, rows, self.dcolumns.reshape(self.flat))
        self.dpadded.fill(0)
        for number, shifted in enumerate(self._shifted(self.dpadded)):
            np.add(shifted, self.dcolumns[:, :, number], shifted)
        dx[...] = self.dpadded[:, :, 1:-1, 1:-1]


def quarters(x: np.ndarray) -> list[np.ndarray]:
    """The four cells of each 2×2 window, as views."""
    return [x[:, :, row::2, column::2] for row in (0, 1) for column in (0, 1)]


class MaxPool:
    """2×2; a tie goes to the first cell."""

    def __init__(self, shape: tuple[int, int, int, int], dtype: np.dtype) -> None:
        count, channels, height, width = shape
        small = (count, channels, height // 2, width // 2)
        self.spare = np.empty(small, dtype)
        self.here, self.free = np.empty(small, bool), np.empty(small, bool)

    def forward(self, x: np.ndarray, out: np.ndarray) -> None:
        a, b, c, d = quarters(x)
        np.maximum(a, b, out=out)
        np.maximum(c, d, out=self.spare)
        np.maximum(out, self.spare, out=out)

    def backward(self, g: np.ndarray, x: np.ndarray, out: np.ndarray, dx: np.ndarray) -> None:
        here, free = self.here, self.free
        free.fill(True)
        for cells, target in zip(quarters(x), quarters(dx), strict=True):
            np.equal(cells, out, here)
            np.logical_and(here, free, here)
            np.multiply(g, here, target)
            np.logical_xor(free, here, free)
