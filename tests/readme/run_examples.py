"""Runs every headscope-cli line of the README, the guide, the changes and the pages for contributors and beside others, each page's in order and in an empty folder of its own: each
must succeed and say something. A block of text below such lines must be what the last of them says, but for its numbers. What
pages link to and show must be there."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile


def worded(text):
    """The lines without their numbers, and without how many spaces stand between two columns."""
    lines = [" ".join(re.sub(r"-?\d[\d.]*(e[+-]?\d+)?", "#", line).split()) for line in text.splitlines()]
    return [line for line in lines if line]


root, cli = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
guide = sorted((root / "assets" / "guide").glob("*.md"))
if len(guide) < 11:
    sys.exit(f"only {len(guide)} pages found in assets/guide")
failed = ran = 0
for page in [root / "README.md", *guide, root / "CHANGELOG.md", root / ".github" / "CONTRIBUTING.md", root / "assets" / "beside-others.md"]:
    text = page.read_text()
    # What the examples read is written by printf. Of a block of text the lines are those below what is run.
    lines, shown, above = [], {}, ""
    for kind, block in re.findall(r"^```(\S*)\n(.*?)^```$", text, re.S | re.M):
        if kind == "sh":
            lines += [line for line in block.splitlines() if line.startswith(("headscope-cli ", "printf "))]
        elif kind == "text" and above == "sh":
            shown[len(lines) - 1] = block
        above = kind
    print(f"{page.relative_to(root)}: {len(lines)} lines")
    with tempfile.TemporaryDirectory() as folder:
        # The corpus that is installed, under the name that the pages give it.
        shutil.copytree(root / "assets" / "corpus", pathlib.Path(folder, "corpus"))
        for place, line in enumerate(lines):
            arguments = ["sh", "-c", line] if line.startswith("printf ") else [str(cli), *shlex.split(line)[1:]]
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
            ok = done.returncode == 0 and (done.stdout or any(path.name != "corpus" for path in pathlib.Path(folder).iterdir()))
            print(("ok      " if ok else "FAILED  ") + line)
            ran += 1
            if not ok:
                failed += 1
                print(done.stderr)
            if place in shown and worded(shown[place]) != worded(done.stdout):
                failed += 1
                print(f"FAILED  below it the page shows\n{shown[place]}and it says\n{done.stdout}")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not (page.parent / target).exists():
            failed += 1
            print(f"FAILED  {page.name} leads to {target}, which does not exist")
    if page in guide and page.name not in (root / "README.md").read_text():
        failed += 1
        print(f"FAILED  the README does not lead to {page.name}")
if ran < 40:
    sys.exit(f"only {ran} examples found")
sys.exit(1 if failed else 0)
