"""The limit: straight-line NumPy written for each workload, buffers made once, all values and gradients left in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.engines import base, kernels
from benchmarks.workloads import CONVOLVED, DAG_LEAVES, HEADS, Workload

add, subtract, multiply, matmul, total = np.add, np.subtract, np.multiply, np.matmul, np.add.reduce
F32 = np.dtype("float32")
FLAT = (0, 1)


def scalars(count: int) -> list[np.ndarray]:
    return [np.empty(()) for _ in range(count)]


def straight_line(lines: list[str], names: dict[str, Any], leaves: str, result: str) -> base.Step:
    """A function of these lines, one NumPy call each: what a patient person would type."""
    body = "\n    ".join(lines)
    scope = {"add": add, "subtract": subtract, "multiply": multiply, **names}
    exec(
        compile(f"def step({leaves}):\n    {body}\n    return {result}\n", "<by hand>", "exec"),
        scope,
    )
    return scope["step"]


class Engine(base.Engine):
    def build(self, workload: Workload) -> base.Step:
        return getattr(self, workload.key.split("_")[0])(workload)

    def a(self, workload: Workload) -> base.Step:
        square, sum_, y, g = scalars(4)
        one, two, less = np.array(1.0), np.array(2.0), np.array(-1.0)
        squared = np.square

        def step(x):
            squared(x, square)
            add(square, x, sum_)
            add(sum_, less, y)
            multiply(x, two, g)
            add(g, one, g)
            return y, (g,)

        return step

    def b(self, workload: Workload) -> base.Step:
        s, square, sum_, y, slope = scalars(5)
        gradient = np.empty((3, 3))
        one, two, less = np.array(1.0), np.array(2.0), np.array(-1.0)
        squared = np.square

        def step(x):
            total(x, FLAT, None, s)
            squared(s, square)
            add(square, s, sum_)
            add(sum_, less, y)
            multiply(s, two, slope)
            add(slope, one, slope)
            gradient[...] = slope
            return y, (gradient,)

        return step

    def c(self, workload: Workload) -> base.Step:
        names: dict[str, Any] = {
            "maximum": np.maximum,
            "greater": np.greater,
            "zero": np.array(0.0),
        }
        names["g_end"] = np.array(1.0)
        lines, back = [], []
        last = "x"
        for i, factor in enumerate(workload.detail):
            names[f"c{i}"], names[f"v{i}"] = np.array(factor), np.empty(())
            # Two positional arguments and a third for `out` take maximum's slow path.
            lines.append(
                (
                    f"multiply({last}, c{i}, v{i})",
                    f"add({last}, c{i}, v{i})",
                    f"maximum({last}, zero, out=v{i})",
                )[i % 3]
            )
            last = f"v{i}"
        g = "g_end"
        for i in reversed(range(len(workload.detail))):
            if i % 3 == 1:
                continue
            names[f"g{i}"] = np.empty(())
            if i % 3 == 2:
                names[f"m{i}"] = np.empty((), bool)
                back.append(f"greater(v{i}, zero, m{i})")
            back.append(f"multiply({g}, {'m' if i % 3 == 2 else 'c'}{i}, g{i})")
            g = f"g{i}"
        return straight_line(lines + back, names, "x", f"{last}, ({g},)")

    def d(self, workload: Workload) -> base.Step:
        names: dict[str, Any] = {"g": np.empty(())}
        lines, made = [], []
        for i, factor in enumerate(workload.detail):
            names[f"c{i}"], names[f"v{i}"] = np.array(factor), np.empty(())
            lines.append(f"multiply(x, c{i}, v{i})")
            made.append(f"v{i}")
        count = len(made)
        while len(made) > 1:
            level = []
            for a, b in zip(made[::2], made[1::2], strict=False):
                names[f"v{count}"] = np.empty(())
                lines.append(f"add({a}, {b}, v{count})")
                level.append(f"v{count}")
                count += 1
            made = level + (made[-1:] if len(made) % 2 else [])
        # The gradient of every summand is 1: adding up the leaf's is all there is to do.
        lines.append("g[()] = 0.0")
        lines += [f"add(g, c{i}, g)" for i in range(len(workload.detail))]
        return straight_line(lines, names, "x", f"{made[0]}, (g,)")

    def e(self, workload: Workload) -> base.Step:
        x, w1, b1, w2, b2 = workload.inputs(0).values()
        dtype = x.dtype
        hidden, logits = np.empty((len(x), len(b1)), dtype), np.empty((len(x), len(b2)), dtype)
        dhidden, dlogits, active = (
            np.empty_like(hidden),
            np.empty_like(logits),
            np.empty(hidden.shape, bool),
        )
        dx, dw1, db1, dw2, db2 = map(np.empty_like, (x, w1, b1, w2, b2))
        loss = np.empty((), dtype)
        entropy = kernels.CrossEntropy(logits.shape, dtype, workload.constants["labels"])
        greater, maximum = np.greater, np.maximum

        def step(x, w1, b1, w2, b2):
            matmul(x, w1, hidden)
            add(hidden, b1, hidden)
            greater(hidden, 0, active)
            maximum(hidden, 0, out=hidden)
            matmul(hidden, w2, logits)
            add(logits, b2, logits)
            entropy.forward(logits, loss)
            entropy.backward(dlogits)
            matmul(hidden.T, dlogits, dw2)
            total(dlogits, 0, None, db2)
            matmul(dlogits, w2.T, dhidden)
            multiply(dhidden, active, dhidden)
            matmul(x.T, dhidden, dw1)
            total(dhidden, 0, None, db1)
            matmul(dhidden, w1.T, dx)
            return loss, (dx, dw1, db1, dw2, db2)

        return step

    def f(self, workload: Workload) -> base.Step:
        target = workload.constants["T"]
        length, width = target.shape
        each = width // HEADS
        q, k, v, o, y, do, dq, dk, dv, dx, spare = (
            np.empty((length, width), F32) for _ in range(11)
        )

        def heads(x: np.ndarray) -> np.ndarray:
            return x.reshape(length, HEADS, each).transpose(1, 0, 2)

        qh, kh, vh, oh, doh, dqh, dkh, dvh = map(heads, (q, k, v, o, do, dq, dk, dv))
        scores, p, dscores, dp = (np.empty((HEADS, length, length), F32) for _ in range(4))
        dwq, dwk, dwv, dwo = (np.empty((width, width), F32) for _ in range(4))
        softmax, scale = kernels.Softmax(p.shape, F32), F32.type(each**-0.5)
        turned = (0, 2, 1)

        def step(x, wq, wk, wv, wo):
            matmul(x, wq, q)
            matmul(x, wk, k)
            matmul(x, wv, v)
            matmul(qh, kh.transpose(turned), scores)
            multiply(scores, scale, scores)
            softmax.forward(scores, p)
            matmul(p, vh, oh)
            matmul(o, wo, y)
            loss = np.vdot(y, target)
            matmul(o.T, target, dwo)
            matmul(target, wo.T, do)
            matmul(doh, vh.transpose(turned), dp)
            matmul(p.transpose(turned), doh, dvh)
            softmax.backward(dp, p, dscores)
            multiply(dscores, scale, dscores)
            matmul(dscores, kh, dqh)
            matmul(dscores.transpose(turned), qh, dkh)
            matmul(x.T, dq, dwq)
            matmul(x.T, dk, dwk)
            matmul(x.T, dv, dwv)
            matmul(dq, wq.T, dx)
            matmul(dk, wk.T, spare)
            add(dx, spare, dx)
            matmul(dv, wv.T, spare)
            add(dx, spare, dx)
            return loss, (dx, dwq, dwk, dwv, dwo)

        return step

    def g(self, workload: Workload) -> base.Step:
        shape = (1024, 1024)
        norm, gelu = kernels.LayerNorm(shape, F32), kernels.Gelu(shape, F32)
        normal, y, dy, dnormal, dx = (np.empty(shape, F32) for _ in range(5))
        dgamma, dbeta = np.empty(1024, F32), np.empty(1024, F32)
        share, twice = F32.type(1 / 1024**2), F32.type(2 / 1024**2)

        def step(x, gamma, beta):
            norm.forward(x, gamma, beta, normal)
            gelu.forward(normal, y)
            loss = np.vdot(y, y) * share
            multiply(y, twice, dy)
            gelu.backward(dy, normal, dnormal)
            norm.backward(dnormal, gamma, dx, dgamma, dbeta)
            return loss, (dx, dgamma, dbeta)

        return step

    def h(self, workload: Workload) -> base.Step:
        convolution, pool = kernels.Convolution(CONVOLVED, 16, F32), kernels.MaxPool(CONVOLVED, F32)
        mapped, active, dmapped, dx = (np.empty(CONVOLVED, F32) for _ in range(4))
        positive = np.empty(CONVOLVED, bool)
        y, dy = np.empty((8, 16, 16, 16), F32), np.empty((8, 16, 16, 16), F32)
        dw, db = np.empty((16, 16, 3, 3), F32), np.empty(16, F32)
        share, twice = F32.type(1 / y.size), F32.type(2 / y.size)

        def step(x, w, b):
            convolution.forward(x, w, b, mapped)
            np.maximum(mapped, 0, out=active)
            np.greater(mapped, 0, positive)
            pool.forward(active, y)
            loss = np.vdot(y, y) * share
            multiply(y, twice, dy)
            pool.backward(dy, active, y, dmapped)
            multiply(dmapped, positive, dmapped)
            convolution.backward(dmapped, w, dx, dw, db)
            return loss, (dx, dw, db)

        return step

    def i(self, workload: Workload) -> base.Step:
        dag, shape = workload.detail, (8, 8)
        names: dict[str, Any] = {
            "sin": np.sin,
            "cos": np.cos,
            "tanh": np.tanh,
            "square": np.square,
            "negative": np.negative,
            "total": total,
            "flat": FLAT,
            "spare": np.empty(shape),
            "one": np.array(1.0),
            "loss": np.empty(()),
        }
        count = DAG_LEAVES + len(dag.steps)
        for k in range(count):
            names[f"v{k}"], names[f"g{k}"] = np.empty(shape), np.empty(shape)
        lines = [
            f"{op}(v{a}, {f'v{b}, ' if b >= 0 else ''}v{k})"
            for k, (op, a, b) in enumerate(dag.steps, DAG_LEAVES)
        ]
        sum_ = f"v{dag.ends[0]}"
        for end in dag.ends[1:]:
            names[f"v{count}"] = np.empty(shape)
            lines.append(f"add({sum_}, v{end}, v{count})")
            sum_ = f"v{count}"
            count += 1
        lines.append(f"total({sum_}, flat, None, loss)")
        for end in dag.ends:
            names[f"g{end}"] = np.ones(shape)
        written = set(dag.ends)

        def place(k: int) -> str:
            """Where the contribution to node k's gradient is computed: in place the first time."""
            return "spare" if k in written else f"g{k}"

        def arrived(k: int) -> None:
            if k in written:
                lines.append(f"add(g{k}, spare, g{k})")
            written.add(k)

        for k in reversed(range(DAG_LEAVES, DAG_LEAVES + len(dag.steps))):
            op, a, b = dag.steps[k - DAG_LEAVES]
            if op in ("add", "subtract"):
                for end, minus in ((a, False), (b, op == "subtract")):
                    if end in written:
                        lines.append(f"{'subtract' if minus else 'add'}(g{end}, g{k}, g{end})")
                    else:
                        lines.append(f"negative(g{k}, g{end})" if minus else f"g{end}[...] = g{k}")
                        written.add(end)
            elif op == "multiply":
                lines.append(f"multiply(g{k}, v{b}, {place(a)})")
                arrived(a)
                lines.append(f"multiply(g{k}, v{a}, {place(b)})")
                arrived(b)
            else:
                to = place(a)
                if op == "sin":
                    lines.append(f"cos(v{a}, {to})")
                else:
                    lines += [f"square(v{k}, {to})", f"subtract(one, {to}, {to})"]
                lines.append(f"multiply({to}, g{k}, {to})")
                arrived(a)
        leaves = ", ".join(f"v{k}" for k in range(DAG_LEAVES))
        gradients = ", ".join(f"g{k}" for k in range(DAG_LEAVES))
        return straight_line(lines, names, leaves, f"loss, ({gradients},)")

    def j(self, workload: Workload) -> base.Step:
        w1, b1, w2, b2 = workload.inputs(0).values()
        x, v = workload.constants["x"], workload.directions
        vw1, vb1, vw2, vb2 = v["W1"], v["b1"], v["W2"], v["b2"]
        shape = len(x), len(b1)
        hidden, slope, rsum, rhidden, dhidden, rdhidden, spare = (
            np.empty(shape, F32) for _ in range(7)
        )
        small = len(x), len(b2)
        logits, dlogits, rlogits, rdlogits, other = (np.empty(small, F32) for _ in range(5))
        hw1, hb1, hw2, hb2, more = map(np.empty_like, (w1, b1, w2, b2, w2))
        entropy, loss = (
            kernels.CrossEntropy(small, F32, workload.constants["labels"]),
            np.empty((), F32),
        )
        share, less = F32.type(1 / len(x)), F32.type(-2)
        p = entropy.p

        def step(w1, b1, w2, b2):
            matmul(x, w1, hidden)
            add(hidden, b1, hidden)
            np.tanh(hidden, hidden)
            matmul(hidden, w2, logits)
            add(logits, b2, logits)
            entropy.forward(logits, loss)
            entropy.backward(dlogits)
            matmul(dlogits, w2.T, dhidden)
            multiply(hidden, hidden, slope)
            subtract(1, slope, slope)
            matmul(x, vw1, rsum)
            add(rsum, vb1, rsum)
            multiply(slope, rsum, rhidden)
            matmul(rhidden, w2, rlogits)
            matmul(hidden, vw2, other)
            add(rlogits, other, rlogits)
            add(rlogits, vb2, rlogits)
            multiply(p, rlogits, other)
            subtract(rlogits, total(other, 1, None, None, True), rlogits)
            multiply(p, rlogits, rdlogits)
            multiply(rdlogits, share, rdlogits)
            matmul(rhidden.T, dlogits, hw2)
            matmul(hidden.T, rdlogits, more)
            add(hw2, more, hw2)
            total(rdlogits, 0, None, hb2)
            matmul(rdlogits, w2.T, rdhidden)
            matmul(dlogits, vw2.T, spare)
            add(rdhidden, spare, rdhidden)
            multiply(rdhidden, slope, rdhidden)
            multiply(hidden, rhidden, spare)
            multiply(spare, dhidden, spare)
            multiply(spare, less, spare)
            add(rdhidden, spare, rdhidden)
            matmul(x.T, rdhidden, hw1)
            total(rdhidden, 0, None, hb1)
            return loss, (hw1, hb1, hw2, hb2)

        return step
