#!/usr/bin/env python3
"""Formulas of many requests, compiled by pdflatex: no error, no character that is missing, no line that is too wide.

    python3 tests/core/script/latex_test.py build/release/bin/headscope-cli [--only NAME] [--keep FOLDER]
Exit code 77 when pdflatex is missing. --keep leaves attention.pdf of every request there, by name.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import script_test

DEMO = ["--model", "demo:pronouns", "--phrase", "The animal didn't cross the street because it was too tired"]
# Of script_test's requests, those whose formulas differ from one another.
TAKEN = ["tutorial 1", "drawn whole, batch, direct merge", "drawn cross-attention", "words, window and padding",
         "grouped heads, softcap", "dropout", "dropout of all", "heads off", "before-scale", "fully masked, uniform",
         "mask added, before-scale", "softcap after the mask", "queries that begin later", "past, attention alone", "past, one layer", "alibi", "alibi, six heads, bottom-right", "tutorial 4", "attention alone", "key not transposed", "bias_k",
         "softmax-over-queries", "mask-after-softmax", "edits of stages", "GPT-2", "Llama, rotary and grouped",
         "Qwen 3, head norms", "Gemma", "Llama 2 of C, neighbours", "strange words"]
# Every letter and sign below U+2200 that a token may hold: each is shown by a font or by its number.
LETTERS = "".join(chr(c) for c in range(0xA1, 0x250)) + "‐–—‘’“”„†•…€→"


def cases():
    known = dict(script_test.cases())
    for name in TAKEN:
        yield name, known[name]
    yield "demo, layer 0", DEMO + ["--layer", "0"]
    yield "demo, last layer, head off", DEMO + ["--layer", "1", "--ablate", "0.3,1.7"]
    for k in range(0, len(LETTERS), 60):
        yield f"letters {k}", ["--model", "seeded", "--heads", "2", "--d-model", "8", "--phrase",
                               " ".join(LETTERS[k:k + 60].split())]
    yield "a long word", ["--model", "seeded", "--heads", "2", "--d-model", "8", "--phrase", "w" * 300 + " it's --x-- ,,``''<<>>"]
    yield "many interventions", script_test.SMALL + ["--edit", ";".join(f"weights:0,{h},{i},0=0.25" for h in range(4)
                                                                        for i in range(5))]


def compile_one(cli, name, words, folder):
    """Raises AssertionError with what pdflatex complains about."""
    text = script_test.run([cli, "script", *words, "--as", "latex"], folder)
    with open(os.path.join(folder, "attention.tex"), "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "attention.tex"], cwd=folder,
                          capture_output=True)
    with open(os.path.join(folder, "attention.log"), encoding="latin-1") as file:
        log = file.read()
    errors = re.findall(r"^!.*(?:\n.*){0,3}", log, re.M)
    assert done.returncode == 0 and not errors, f"{name}: {errors[:2] or log[-400:]}"
    for complaint in (r"^Overfull .*", r"^Missing character.*", r"^LaTeX (?:Font )?Warning.*"):
        found = re.findall(complaint, log, re.M)
        assert not found, f"{name}: {found[:3]}"


def check_the_check(folder):
    """What this test looks for is found where it is."""
    broken = {"a line that is too wide": "\\texttt{" + "w" * 300 + "}", "an error": "\\nothing",
              "a character that no font has": "\\font\\ten=cmsy10 \\ten\\char200"}
    for what, body in broken.items():
        with open(os.path.join(folder, "cli"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat <<'END'\n\\documentclass{article}\\begin{document}\n" + body +
                       "\n\\end{document}\nEND\n")
        os.chmod(os.path.join(folder, "cli"), 0o755)
        try:
            compile_one(os.path.join(folder, "cli"), what, [], folder)
        except AssertionError:
            continue
        raise AssertionError(f"{what} was not noticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cli")
    parser.add_argument("--only")
    parser.add_argument("--keep")
    given = parser.parse_args()
    if shutil.which("pdflatex") is None:
        print("skipped: no pdflatex (apt-get install texlive-latex-base)")
        return 77
    cli = os.path.abspath(given.cli)
    failed, count = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        check_the_check(folder)
        script_test.write_files(folder)
        for name, words in cases():
            if given.only and given.only != name:
                continue
            try:
                compile_one(cli, name, words, folder)
                count += 1
                if given.keep:
                    os.makedirs(given.keep, exist_ok=True)
                    shutil.copy(os.path.join(folder, "attention.pdf"),
                                os.path.join(given.keep, re.sub(r"\W+", "-", name) + ".pdf"))
            except AssertionError as wrong:
                failed += 1
                print(f"FAILED {wrong}")
    print(f"{count} documents compiled")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
