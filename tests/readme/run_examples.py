"""Runs every headscope-cli line of the README, the guide, the changes and the page for contributors, each page's in order and in an empty folder of its own: each
must succeed and say something. What pages link to and show must be there."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

root, cli = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
guide = sorted((root / "assets" / "guide").glob("*.md"))
if len(guide) < 10:
    sys.exit(f"only {len(guide)} pages found in assets/guide")
failed = ran = 0
for page in [root / "README.md", *guide, root / "CHANGELOG.md", root / ".github" / "CONTRIBUTING.md"]:
    text = page.read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
    # What the examples read is written by printf.
    lines = [line for block in blocks for line in block.splitlines() if line.startswith(("headscope-cli ", "printf "))]
    print(f"{page.relative_to(root)}: {len(lines)} lines")
    with tempfile.TemporaryDirectory() as folder:
        # The corpus that is installed, under the name that the pages give it.
        shutil.copytree(root / "assets" / "corpus", pathlib.Path(folder, "corpus"))
        for line in lines:
            arguments = ["sh", "-c", line] if line.startswith("printf ") else [str(cli), *shlex.split(line)[1:]]
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
            ok = done.returncode == 0 and (done.stdout or any(path.name != "corpus" for path in pathlib.Path(folder).iterdir()))
            print(("ok      " if ok else "FAILED  ") + line)
            ran += 1
            if not ok:
                failed += 1
                print(done.stderr)
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
