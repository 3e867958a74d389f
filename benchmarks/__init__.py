"""Programs that measure gradviz; nothing in it imports them.

    python -m benchmarks.engine    the engine beside hand-written NumPy and other libraries
    python -m benchmarks.start     what `import gradviz` costs

Each prints a Markdown table, or JSON with `--json`. Claims about speed come from here, never from a timed test.
"""
