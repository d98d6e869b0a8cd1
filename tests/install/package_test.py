"""Makes the packages of a build tree, and looks into them: package_test.py BUILD"""
import gzip
import pathlib
import re
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
                   "usr/share/man/man1/headscope-cli.1.gz", "usr/share/doc/headscope/copyright",
                   "usr/share/doc/headscope/changelog.gz", "usr/share/bash-completion/completions/headscope-cli"):
        check(wanted in files, f"{wanted} is not in the package")
    strangers = [file for file in files if file.endswith((".h", ".a", ".cmake")) or not file.startswith("usr/")]
    check(not strangers, f"in the package, though of no use to its user: {strangers[:3]}")
    # What is unpacked somewhere runs from there, with the models beside it.
    said = run(root / "usr/bin/headscope-cli", "info", "demo:pronouns", cwd=folder)
    check("pronouns" in said, f"the unpacked program says: {said}")
    if (root / "usr/bin/headscope").exists():
        for size in ("16x16", "22x22", "24x24", "32x32", "48x48", "64x64", "128x128", "256x256", "512x512"):
            check(f"usr/share/icons/hicolor/{size}/apps/headscope.png" in files, f"no icon of {size} is in the package")
        for wanted in ("mime/packages/headscope.xml", "applications/headscope.desktop", "metainfo/headscope.metainfo.xml",
                       "icons/hicolor/scalable/apps/headscope.svg", "man/man1/headscope.1.gz"):
            check(f"usr/share/{wanted}" in files, f"usr/share/{wanted} is not in the package")
    version = run("dpkg-deb", "-f", packages[0], "Version").strip()
    changes = root / "usr/share/doc/headscope/changelog.gz"
    (folder / "changelog").write_bytes(gzip.decompress(changes.read_bytes()))
    newest = run("dpkg-parsechangelog", "-l", folder / "changelog", "-S", "Version").strip()
    check(version == newest, f"the package is {version}, the newest of assets/packaging/debian/changelog is {newest}")
    judged = "lintian is not installed (./dev test installs it): it judged nothing"
    if shutil.which("lintian"):
        found = run("lintian", "--allow-root", "--fail-on", "none", packages[0])
        errors = [line for line in found.splitlines() if line.startswith("E:")]
        check(not errors, "lintian:\n" + "\n".join(errors))
        judged = f"lintian: {found.strip() or 'nothing to say'}"
    # What shops make of it: the name, the icons, the screenshots' addresses.
    if shutil.which("appstreamcli") and subprocess.run(["appstreamcli", "compose", "--help"], capture_output=True).returncode == 0:
        run("appstreamcli", "compose", "--no-net", "--origin=headscope", "--prefix=/usr", f"--result-root={folder / 'shop'}", root)
        listed = gzip.decompress((folder / "shop/usr/share/swcatalog/xml/headscope.xml.gz").read_bytes()).decode()
        for word in ("<id>org.example.headscope</id>", "application/x-headscope-session"):
            check(word in listed, f"the catalogue of a shop has no {word}:\n{listed}")
        for size in (48, 64, 128):
            check(list((folder / "shop").rglob(f"{size}x{size}/org.example.headscope.png")), f"a shop finds no icon of {size} pixels")
        judged += "; appstreamcli compose made an entry of it"
    with tarfile.open(archives[0]) as archive:
        check(any(member.endswith("/bin/headscope-cli") for member in archive.getnames()), "the archive has no program")
    print(f"{packages[0].name}: {len(files)} files, {packages[0].stat().st_size} bytes; depends on {needs.strip()}\n{judged}")
