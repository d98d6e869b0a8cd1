"""NumPy, from the first array on: the programs, windows on models and their pictures need none.

A wheel installs without a network, where there may be no NumPy; whoever asks for an array there is told what is missing.
"""

import typing

if typing.TYPE_CHECKING:
    import numpy as np
    from numpy import ndarray as Array
else:
    class Array:
        """An array of NumPy, in the types of fields and functions."""

    class _Numpy:
        def __getattr__(self, name):
            try:
                import numpy
            except ImportError as missing:
                raise ImportError("NumPy was not found, which arrays need: python3 -m pip install numpy "
                                  "(or sudo apt-get install python3-numpy)") from missing
            value = getattr(numpy, name)
            setattr(self, name, value)  # it is found at once from now on
            return value

    np = _Numpy()
