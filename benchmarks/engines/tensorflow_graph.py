"""TensorFlow through `tf.function`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

from benchmarks.engines import base
from benchmarks.workloads import Workload

tf.config.threading.set_intra_op_parallelism_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
tf.config.threading.set_inter_op_parallelism_threads(1)
LAST = (0, 2, 3, 1)
FIRST = (0, 3, 1, 2)


class F:
    keep = staticmethod(base.identity)
    sum, relu, tanh, sin = tf.reduce_sum, tf.nn.relu, tf.tanh, tf.sin
    reshape, transpose, softmax = tf.reshape, tf.transpose, tf.nn.softmax

    @staticmethod
    def cross_entropy(z: Any, labels: Any) -> Any:
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=z)
        return tf.reduce_mean(each)

    @staticmethod
    def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-5)

    @staticmethod
    def gelu(x: Any) -> Any:
        return tf.nn.gelu(x, approximate=True)

    @staticmethod
    def conv2d(x: Any, w: Any, b: Any) -> Any:
        # The processor's kernels know channels last alone.
        kernel = tf.transpose(w, (2, 3, 1, 0))
        y = tf.nn.conv2d(tf.transpose(x, LAST), kernel, 1, "SAME")
        return tf.transpose(tf.nn.bias_add(y, b), FIRST)

    @staticmethod
    def max_pool2d(x: Any) -> Any:
        return tf.transpose(tf.nn.max_pool2d(tf.transpose(x, LAST), 2, 2, "VALID"), FIRST)


class Engine(base.Engine):
    keeps = "leaf gradients"
    largest = 900

    def convert(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [tf.constant(array) for array in arrays]

    def build(self, workload: Workload) -> base.Step:
        names = list(workload.inputs(0))
        constants = {name: tf.constant(a) for name, a in workload.constants.items()}

        def gradients(leaves: Sequence[Any]) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(leaves)
                y = workload.program(F, dict(zip(names, leaves, strict=True)), constants)
            return y, tape.gradient(y, leaves)

        @tf.function
        def step(*leaves):
            if workload.directions is None:
                return gradients(leaves)
            with tf.GradientTape() as tape:
                tape.watch(leaves)
                y, found = gradients(leaves)
                along = tf.add_n(
                    [
                        tf.reduce_sum(g * workload.directions[name])
                        for g, name in zip(found, names, strict=True)
                    ]
                )
            return y, tape.gradient(along, leaves)

        return step

    def unpack(self, result: Any) -> tuple[Any, Sequence[Any]]:
        y, gradients = result
        return y.numpy(), [gradient.numpy() for gradient in gradients]
