"""Makes the packages of a build tree, and looks into them: package_test.py BUILD"""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

build = pathlib.Path(sys.argv[1]).resolve()


def run(*command, allowed=(0,), **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(good, sentence):
    if not good:
        sys.exit(sentence)


for tool, package in (("dpkg-deb", "dpkg"), ("dpkg-shlibdeps", "dpkg-dev"), ("file", "file")):
    if shutil.which(tool) is None:
        print(f"{tool} was not found: sudo apt-get install {package} (./dev test installs it)")
        sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "made", cwd=folder)
    packages = list((folder / "made").glob("headscope_*.deb"))
    archives = list((folder / "made").glob("headscope-*.tar.gz"))
    check(len(packages) == 1 and len(archives) == 1, f"not one .deb and one .tar.gz: {packages + archives}")

    needs = run("dpkg-deb", "-f", packages[0], "Depends")
    check("libc6" in needs and "libfontconfig1" in needs, f"the package depends on: {needs}")
    root = folder / "root"
    run("dpkg-deb", "-x", packages[0], root)
    files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    for wanted in ("usr/bin/headscope-cli", "usr/share/headscope/demos/pronouns/config.json",
                   "usr/share/headscope/corpus/pronouns.hsagg", "usr/share/headscope/corpus/engines/parallel.sh",
                   "usr/share/man/man1/headscope-cli.1", "usr/share/doc/headscope/copyright",
                   "usr/share/bash-completion/completions/headscope-cli"):
        check(wanted in files, f"{wanted} is not in the package")
    strangers = [file for file in files if file.endswith((".h", ".a", ".cmake")) or not file.startswith("usr/")]
    check(not strangers, f"in the package, though of no use to its user: {strangers[:3]}")
    # What is unpacked somewhere runs from there, with the models beside it.
    said = run(root / "usr/bin/headscope-cli", "info", "demo:pronouns", cwd=folder)
    check("pronouns" in said, f"the unpacked program says: {said}")
    if shutil.which("lintian"):
        found = run("lintian", "--fail-on", "none", packages[0])
        errors = [line for line in found.splitlines() if line.startswith("E:")]
        check(not errors, "\n".join(errors))
    with tarfile.open(archives[0]) as archive:
        check(any(member.endswith("/bin/headscope-cli") for member in archive.getnames()), "the archive has no program")
    print(f"{packages[0].name}: {len(files)} files, {packages[0].stat().st_size} bytes; depends on {needs.strip()}")
