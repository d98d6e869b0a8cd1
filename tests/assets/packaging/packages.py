#!/usr/bin/env python3
"""The wheel and the one file, made, used and misused as far as no other system is needed: packages.py SOURCE BUILD"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from packed import check, made_folder, run, version_of

source, build = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
sys.path.insert(0, str(source / "assets/packaging/portable"))
import symbols  # noqa: E402

MOST_BYTES = {".whl": 25_000_000, ".run": 30_000_000}
PROGRAM = ("headscope", "headscope-cli")


def ends(code, words, *command, **environment):
    """The command ends with `code`, and says `words`. None as a variable is none."""
    environment = {name: value for name, value in dict(os.environ, **environment).items() if value is not None}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL)
    said = done.stdout + done.stderr
    check(done.returncode == code and words in said, f"{command} ended with {done.returncode} instead of {code}: {said!r}, not {words!r}")
    return said


def small(path):
    check(path.stat().st_size <= MOST_BYTES[path.suffix], f"{path.name} has {path.stat().st_size} bytes")
    return f"{path.name}: {path.stat().st_size / 1e6:.1f} MB"


def wheels(usr, work, version):
    make = [sys.executable, source / "assets/packaging/wheel/wheel.py", usr, work]
    needed = [one for path in usr.rglob("*") if path.is_file() and symbols.is_elf(path) for one in symbols.too_new(path)]
    if needed:
        ends(1, "a build on Debian 12 does", *make)
        return f"no wheel, for this system's libraries are too new: {needed[0]}"
    try:
        import setuptools  # noqa: F401
        import wheel  # noqa: F401
    except ImportError:
        return "no wheel: setuptools and wheel were not found"
    run(*make)
    wheel_file = work / f"headscope-{version}-py3-none-{symbols_tag()}.whl"
    pure = work / f"headscope-{version}-py3-none-any.whl"
    first = wheel_file.read_bytes()
    run(*make)
    check(wheel_file.read_bytes() == first, "the same input gives another wheel")
    names = set(zipfile.ZipFile(wheel_file).namelist())
    check(set(zipfile.ZipFile(pure).namelist()) <= names, "the wheel with the programs lacks a file of the pure one")
    run(sys.executable, "-m", "venv", work / "an environment")
    run(work / "an environment/bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel_file)
    here = {"HEADSCOPE": None, "PATH": "/usr/bin:/bin", "PYTHONPATH": None}
    for program in PROGRAM:
        ends(0, f"{program} {version}\n", work / "an environment/bin" / program, "--version", **here)
    ends(0, f"{work}/an environment/bin/headscope-cli {version}\n", work / "an environment/bin/python", "-c",
         "from headscope import version; from headscope._program import program; print(program('headscope-cli'), version())", **here)
    run(work / "an environment/bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", "--target", work / "a target", wheel_file)
    ends(0, f"{work}/a target/bin/headscope-cli {version}\n", sys.executable, "-c",
         "from headscope import version; from headscope._program import program; print(program('headscope-cli'), version())",
         **{**here, "PYTHONPATH": str(work / "a target")})
    ends(0, "induction", work / "an environment/bin/headscope-cli", "info", "demo:induction", **here)
    run(work / "an environment/bin/pip", "uninstall", "--quiet", "--yes", "headscope")
    left = [path for path in (work / "an environment").rglob("*headscope*") if not path.is_dir()]
    check(not left, f"pip leaves {left}")
    return small(wheel_file)


def symbols_tag():
    return f"manylinux_{symbols.GLIBC.replace('.', '_')}_{os.uname().machine}"


class OneFile:
    """The file, used with caches of its own."""

    def __init__(self, folder, work, version):
        (work / "one file").mkdir()
        self.path = work / "one file" / f"headscope-{os.uname().machine}.run"
        self.work, self.version = work, version
        run(source / "assets/packaging/onefile/onefile.sh", folder, self.path)
        self.count = 0

    def places(self, cache=True):
        """Variables: an empty cache, or no home at all, and an empty folder for temporary files."""
        self.count += 1
        made = self.work / f"place {self.count}"
        (made / "tmp").mkdir(parents=True)
        return made, {"HOME": str(made) if cache else None, "XDG_CACHE_HOME": None, "TMPDIR": str(made / "tmp")}

    def unpacked(self, made):
        return [path for path in made.rglob(self.version + "-*") if path.is_dir()]

    def is_used(self):
        made, here = self.places()
        ends(0, f"headscope {self.version}\n", self.path, "--version", **here)
        check([path.parent for path in self.unpacked(made)] == [made / ".cache/headscope/onefile"], f"unpacked: {self.unpacked(made)}")
        link = made / "headscope-cli"
        link.symlink_to(self.path)
        ends(0, f"headscope-cli {self.version}\n", link, "--version", **here)
        # Words pass through as they are.
        ends(2, '--no such "option"; *', link, "run", '--no such "option"; *', **here)
        moment = self.unpacked(made)[0].stat().st_ctime_ns
        ends(0, "", self.path, "--help", **here)
        check(self.unpacked(made)[0].stat().st_ctime_ns == moment, "it is unpacked at every start")
        # What a cleaner of old files took away, or cut short, is there again.
        for damage in (lambda file: file.unlink(), lambda file: file.write_bytes(file.read_bytes()[:100])):
            file = next(self.unpacked(made)[0].rglob("libfmt.so*"))
            damage(file)
            ends(0, f"headscope {self.version}\n", self.path, "--version", **here)
        check(len(self.unpacked(made)) == 1, f"left: {self.unpacked(made)}")

    def starts_at_once(self):
        made, here = self.places()
        both = [subprocess.Popen([str(self.path), "--version"], stdout=subprocess.PIPE, text=True, env=dict(os.environ, **{
            name: value for name, value in here.items() if value is not None})) for _ in range(4)]
        for each in both:
            said = each.communicate()[0]
            check(each.returncode == 0 and said == f"headscope {self.version}\n", f"one of several starts: {said!r}")
        check(len(self.unpacked(made)) == 1, f"several starts at once leave {self.unpacked(made)}")

    def has_no_home(self):
        made, here = self.places(cache=False)
        ends(0, f"headscope {self.version}\n", self.path, "--version", **here)
        check([path.parents[1] for path in self.unpacked(made)] == [made / "tmp"], f"{self.unpacked(made)}")
        check(self.unpacked(made)[0].parent.stat().st_mode & 0o077 == 0, "others may look into the folder for temporary files")
        # Nor anywhere else to write. A folder that others may change is none, whoever asks; root may write everywhere else.
        (made / "open").mkdir(mode=0o777)
        (made / "open" / f"headscope-{os.getuid()}").mkdir()
        (made / "open" / f"headscope-{os.getuid()}").chmod(0o777)
        ends(3, "there is no folder to unpack to", self.path, "--version", **{**here, "TMPDIR": str(made / "open")})
        ends(3, "there is no folder to unpack to", self.path, "--version", HOME="/proc/nowhere", XDG_CACHE_HOME=None, TMPDIR="/proc/nowhere")

    def says_what_is_wrong(self):
        made, here = self.places()
        content = self.path.read_bytes()
        for name, damaged in (("cut", content[:-1000]), ("changed", content[:-1000] + b"x" + content[-999:])):
            (made / name).write_bytes(damaged)
            (made / name).chmod(0o755)
            ends(3, "is damaged", made / name, "--version", **here)
        check(not self.unpacked(made), f"unpacked all the same: {self.unpacked(made)}")
        (made / "libfmt.so.9").write_text("no library")
        (made / "libfmt.so.10").write_text("no library")
        ends(3, "the programs do not start here", self.path, "--version", **{**here, "LD_LIBRARY_PATH": str(made)})
        check(not self.unpacked(made), f"unpacked all the same: {self.unpacked(made)}")
        (made / "bin").mkdir()
        (made / "bin/uname").write_text('#!/bin/sh\ncase "$*" in -m) echo riscv64 ;; -s) echo Linux ;; *) echo "Linux riscv64" ;; esac\n')
        (made / "bin/uname").chmod(0o755)
        ends(3, "here is Linux on riscv64", self.path, "--version", **{**here, "PATH": f"{made}/bin:/usr/bin:/bin"})

    def unpacks_where_it_is_told(self):
        made, here = self.places()
        said = ends(0, "AppRun\n", self.path, "--onefile-extract", made / "a folder", **here)
        ends(0, f"headscope {self.version}\n", said.strip(), "--version", **here)
        ends(2, "is there already", self.path, "--onefile-extract", made / "a folder", **here)
        ends(2, "needs FOLDER", self.path, "--onefile-extract", **here)


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name).resolve()
    folder = made_folder(source, build, work / "Head scope.AppDir")
    version = version_of(source)
    said = wheels(folder / "usr", work, version)
    one = OneFile(folder, work, version)
    shutil.rmtree(folder)
    one.is_used()
    one.starts_at_once()
    one.has_no_home()
    one.says_what_is_wrong()
    one.unpacks_where_it_is_told()
    print(f"{said}; {small(one.path)}")
