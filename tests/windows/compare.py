"""headscope-cli of Windows, under Wine, against that of Linux: the same exit codes, texts and files.

    compare.py LINUX_PROGRAM WINDOWS_PROGRAM [NAME...]

runs every row of cases.py (or those whose names hold one of these words, and what they need is their own affair) with
both, by the rules of tests/other_system.py; numbers may differ by 1e-6 of their size.
"""
import pathlib
import subprocess
import sys
import tempfile

import cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import other_system

RULES = other_system.Rules("Windows", 1e-6)


def main(linux_program, windows_program, *names):
    chosen = [case for case in cases.CASES if not names or any(name in case.name for name in names)]
    with tempfile.TemporaryDirectory(prefix="headscope-windows-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "wine").mkdir()
        environment = other_system.bare_environment(folder)
        wine = {**environment, "WINEPREFIX": str(folder / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=;mshtml="}
        quietly = {"env": wine, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["wineserver", "--persistent"], timeout=60, check=True, **quietly)
        subprocess.run(["wine", "wineboot", "--init"], timeout=600, check=True, **quietly)
        try:
            linux = other_system.Side([str(pathlib.Path(linux_program).resolve())], folder / "linux", environment)
            windows = other_system.Side(["wine", str(pathlib.Path(windows_program).resolve())], folder / "windows", wine)
            return other_system.compare_all(chosen, linux, windows, RULES)
        finally:
            subprocess.run(["wineserver", "--kill"], timeout=60, check=False, **quietly)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
