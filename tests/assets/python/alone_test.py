"""The package where things are missing: NumPy, a display, programs on PATH: alone_test.py HEADSCOPE_CLI"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "assets" / "python"
CLI = pathlib.Path(sys.argv.pop(1)).resolve()
# NumPy as on a machine that has none.
NO_NUMPY = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
sys.meta_path.insert(0, Missing())
"""


def said(code, folder=PACKAGE, **environment):
    """What Python prints for a program that imports the package of `folder`, with no display and no window that listens."""
    own = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")}
    own.update(PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1", HEADSCOPE=str(CLI))
    own.update(environment)
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], env={name: value for name, value in own.items() if value},
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{code}\nended with {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


class WithoutNumPy(unittest.TestCase):
    def test_programs_pictures_and_words_need_none(self):
        found = said(NO_NUMPY + "import headscope\n"
                     "shown = headscope.show(model='demo:induction', phrase='cat box ink cat', window=False)\n"
                     "print(headscope.version(), shown.png()[1:4], shown.html()[:15], headscope.info('demo:induction').kind,\n"
                     "      len(headscope.doctor()._repr_html_()) > 100)")
        self.assertRegex(found, r"^[\d.]+ b'PNG' <!DOCTYPE html> \w+ True\n$")

    def test_arrays_say_what_is_missing(self):
        for call in ("run(phrase='a b')", "show(attn=[[[1.0]]], window=False)", "lens(model='demo:induction', phrase='cat box')"):
            found = said(NO_NUMPY + f"import headscope\ntry:\n    headscope.{call}\nexcept ImportError as missing:\n    print(missing)")
            self.assertRegex(found, r"^NumPy was not found, which arrays need: .*pip install numpy")


class WithoutDisplay(unittest.TestCase):
    SHOW = "import headscope\nshown = headscope.show(model='demo:induction', phrase='cat box ink cat')\n"

    def test_a_program_is_told_that_no_window_opened(self):
        found = said(self.SHOW + "print(shown.running, shown.html()[:15], shown.request()['phrase'])")
        self.assertIn("False <!DOCTYPE html> cat box ink cat", found)
        self.assertRegex(found, r"<string>:2: UserWarning: there is no display .*no window was opened; html\(\)")

    def test_a_notebook_has_the_page(self):
        found = said("import sys, types\nsys.modules['ipykernel'] = types.ModuleType('ipykernel')\n" + self.SHOW
                     + "print(shown.running, shown._repr_html_()[:15], end='')")
        self.assertEqual(found, "False <iframe srcdoc=")


class Programs(unittest.TestCase):
    def test_those_that_came_along_are_found_before_path(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name, "an environment")
            packages, elsewhere = folder / "lib/python3/site-packages", folder / "elsewhere"
            shutil.copytree(PACKAGE / "headscope", packages / "headscope", ignore=shutil.ignore_patterns("__pycache__"))
            info = packages / "headscope-1.dist-info"
            for made in (info, elsewhere, folder / "bin"):
                made.mkdir(parents=True)
            (info / "METADATA").write_text("Metadata-Version: 2.1\nName: headscope\nVersion: 1\n")
            for program, words in ((folder / "bin/headscope-cli", "came along"), (elsewhere / "headscope-cli", "of PATH")):
                program.write_text(f"#!/bin/sh\necho {words}\n")
                program.chmod(0o755)
            ask = "from headscope._program import call; print(call([]))"
            path = f"{elsewhere}:{os.environ['PATH']}"
            for record, wanted in (("headscope/_program.py,,\n../../../bin/headscope-cli,,\n", "came along"),
                                   ("headscope/_program.py,,\n", "of PATH"), ("../../../bin/headscope-cli,,\n", "of PATH")):
                (info / "RECORD").write_text(record)
                self.assertEqual(said(ask, packages, HEADSCOPE="", PATH=path).strip(), wanted, record)
            (info / "RECORD").write_text("headscope/_program.py,,\n../../../bin/headscope-cli,,\n")
            self.assertRegex(said(ask.replace("[]", "['--version']"), packages), "^headscope-cli [0-9.]+")  # HEADSCOPE wins
            (folder / "bin/headscope-cli").unlink()
            self.assertEqual(said(ask, packages, HEADSCOPE="", PATH=path).strip(), "of PATH")


if __name__ == "__main__":
    unittest.main()
