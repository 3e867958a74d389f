"""Computation graphs and visible gradients."""

__version__ = "0.1.0"
