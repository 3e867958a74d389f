"""How it is computed. Imports errors, text, limits, graph and ops.

`check` finds shapes and problems, `gradient` builds the backward nodes, `plan` and `run` execute and record,
`timeline` is the film of a run, `diagnose` finds why a gradient is missing, `explain` alone writes sentences,
`gradcheck` compares with finite differences, `rulecheck` the rule of one op; `repeat` runs one graph many times. `answer` joins them for one diagram: start reading there.
"""
