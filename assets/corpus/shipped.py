"""What the scripts that make the shipped corpora share: a list of phrases, packed, and what headscope-cli counts over it."""
import argparse
import gzip
import pathlib
import subprocess


def make(folder, name, model, text, options=()):
    """Writes FOLDER/NAME.txt.gz and FOLDER/NAME.hsagg. headscope-cli is on the PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    # No time and no name in the packed file.
    (folder / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    subprocess.run(["headscope-cli", "scan", "--model", model, "--phrases", folder / f"{name}.txt.gz", *options, "--out",
                    folder / f"{name}.hsagg"], check=True)


def given(doc, sentences):
    """What the command line says: .folder, .sentences."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sentences", type=int, default=sentences)
    return parser.parse_args()
