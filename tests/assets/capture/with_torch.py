"""Imported first by the tests of assets/capture: a Python that has torch, with those helpers on its path.

Ends the test with 77 (skipped) where no Python with torch is found.
"""

import os
import sys

try:
    import torch  # noqa: F401
except ImportError:
    # Debian's python3-torch belongs to Debian's Python, which need not be the first one of the path.
    debian = "/usr/bin/python3"
    if os.path.realpath(sys.executable) != os.path.realpath(debian) and os.path.exists(debian):
        os.execv(debian, [debian, *sys.argv])
    print("skipped: no torch (apt-get install python3-torch)")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "assets", "capture"))
