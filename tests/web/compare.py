"""headscope-cli of WebAssembly, under node, against that of Linux: the same exit codes, texts and files.

    compare.py LINUX_PROGRAM SCRIPT [NAME...]

runs every row of tests/windows/cases.py (or those whose names hold one of these words) with both, by the rules of
tests/other_system.py; numbers of arrays may differ by 2e-6 of the largest, those of texts, which
metrics are made of, by 5e-6: WebAssembly has no fused multiply-add.
"""
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "windows")]
import cases
import other_system

RULES = other_system.Rules("WebAssembly", 2e-6, near_in_texts=5e-6, only_code={
    "worksheet": "its PDF is compressed, and holds numbers of all digits",
    "a file in the place of a folder": "emscripten's mkdir says that the file exists"})


def main(linux_program, script, *names):
    chosen = [case for case in cases.CASES if not names or any(name in case.name for name in names)]
    with tempfile.TemporaryDirectory(prefix="headscope-web-") as scratch:
        folder = pathlib.Path(scratch)
        environment = other_system.bare_environment(folder)
        linux = other_system.Side([str(pathlib.Path(linux_program).resolve())], folder / "linux", environment)
        # Emscripten 3.1.6 takes a node that knows fetch() for a browser.
        node = ["node", "--no-experimental-fetch", str(pathlib.Path(script).resolve())]
        return other_system.compare_all(chosen, linux, other_system.Side(node, folder / "web", environment), RULES)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
