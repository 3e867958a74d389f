"""What a node does: one declaration per operation. Imports errors, text, limits and graph.

`op.py` says what a declaration holds, `expr.py` how rules and users write arithmetic; then one file per family.
Importing this package registers the built-in operations, in the order of the palette.
"""

from gradviz.ops import (  # noqa: F401  importing a family registers its ops
    activations,
    adjoint,
    arranging,
    attention,
    comparing,
    convolution,
    counting,
    cross_entropy,
    cumulative,
    determinants,
    elementwise,
    functions,
    indexing,
    kernels,
    linalg,
    loss,
    masking,
    matrix_functions,
    neural,
    normalization,
    orthogonal,
    pairs,
    picking,
    pooling,
    products,
    reduction,
    reshaping,
    selection,
    solving,
    sorting,
    source,
    special,
    spectra,
    statistics,
    triangular,
)
