"""headscope-cli of WebAssembly, under node, against that of Linux: the same exit codes, texts and files.

    compare.py LINUX_PROGRAM SCRIPT [NAME...]

runs every row of tests/windows/cases.py (or those whose names hold one of these words) with both, by the rules of
tests/other_system.py, on one thread each; numbers may differ by 2e-6 of their size, for WebAssembly has no fused multiply-add.
"""
import os
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "windows")]
import cases
import other_system

RULES = other_system.Rules("WebAssembly", 2e-6)


def main(linux_program, script, *names):
    chosen = [case for case in cases.CASES if not names or any(name in case.name for name in names)]
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # both have one thread, and say so
    with tempfile.TemporaryDirectory(prefix="headscope-web-") as scratch:
        folder = pathlib.Path(scratch)
        environment = other_system.bare_environment(folder)
        linux = other_system.Side([str(pathlib.Path(linux_program).resolve())], folder / "linux", environment)
        # Emscripten 3.1.6 takes a node that knows fetch() for a browser.
        node = ["node", "--no-experimental-fetch", str(pathlib.Path(script).resolve())]
        return other_system.compare_all(chosen, linux, other_system.Side(node, folder / "web", environment), RULES)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
