"""What the tests of assets/corpus/engines share: a list of sentences, one scan of it, and the same by an engine, with the
line that the guide has for it."""
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[4]
GUIDE = ROOT / "assets" / "guide" / "07-a-corpus.md"
MODEL, SHARDS = "demo:pronouns", 8  # of the guide's lines
SECONDS = 240  # an engine that hangs is ended with all that it started, and fails the test

sys.path.insert(0, str(ROOT / "assets" / "train"))
import grammar  # noqa: E402  (no torch)


# Daemons lie where only root looks for them.
SEARCHED = f"{os.environ['PATH']}:/usr/sbin:/sbin"


def skip(reason):
    print(reason)
    sys.exit(77)


def need(program, package):
    """Ends the test as skipped where a program is missing."""
    if not shutil.which(program, path=SEARCHED):
        skip(f"{program} is missing: apt-get install {package}")


def line_of(script):
    """The words of the guide's command that runs a script, as `sh corpus/engines/parallel.sh ...`."""
    found, = re.findall(rf"`([^`]*corpus/engines/{re.escape(script)} [^`]*)`", GUIDE.read_text())
    words = shlex.split(found)
    assert words[2:6] == [MODEL, "phrases.txt", str(SHARDS), "all.hsagg"], found
    return words


class Work:
    """A folder with phrases.txt and corpus, in which headscope-cli is found by its name."""

    def __init__(self, sentences=60):
        self._folder = tempfile.TemporaryDirectory(prefix="headscope_engine_")
        self.folder = pathlib.Path(self._folder.name)
        programs = self.folder / "bin"
        programs.mkdir()
        self.cli = pathlib.Path(sys.argv[1]).resolve()
        (programs / "headscope-cli").symlink_to(self.cli)
        (self.folder / "corpus").symlink_to(ROOT / "assets" / "corpus")
        # Engines write below HOME, too.
        self.environment = {**os.environ, "PATH": f"{programs}:{SEARCHED}", "HOME": str(self.folder / "home")}
        (self.folder / "home").mkdir()
        drawn = random.Random(20)
        lines = [" ".join(grammar.sentence(drawn)[0]) for _ in range(sentences)]
        lines[7] = ""  # a blank line and one that cannot be read belong to a list as it is met
        text = "\n".join(lines).encode() + b"\na\xff\n"
        (self.folder / "phrases.txt").write_bytes(text)

    def run(self, *command, fails=False, **more):
        """Runs a command in the folder; its output, which is printed where it does not end as it should."""
        with subprocess.Popen([str(word) for word in command], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**self.environment, **more}, preexec_fn=os.setpgrp) as started:
            try:
                said, _ = started.communicate(timeout=SECONDS)
            except BaseException:
                os.killpg(started.pid, signal.SIGKILL)
                raise
        if (started.returncode != 0) != fails:
            print(said)
            raise AssertionError(f"{command[0]} ended with {started.returncode}")
        return said

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def single_scan(self):
        """The bytes of one scan of the whole list by one process."""
        self.run(self.cli, "scan", "--model", MODEL, "--phrases", "phrases.txt", "--out", "single.hsagg")
        return self.bytes_of("single.hsagg")

    def assert_same(self, name):
        """What an engine merged has the very bytes of one scan, and nothing else is left."""
        single = self.single_scan()
        assert len(single) > 10_000, "a scan of nothing"
        assert self.bytes_of(name) == single, f"{name} differs from a single scan"
        left = sorted(path.name for path in self.folder.iterdir() if ".hsagg" in path.name)
        assert left == sorted([name, "single.hsagg"]), f"left: {left}"
        print(f"{name}: the {len(single):,} bytes of a single scan")
