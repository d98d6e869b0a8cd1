"""window_words.py finds sentences without a row and rows without a text, and nothing else."""
import pathlib
import sys
import tempfile

from window_words import missing, texts, unknown

FILES = {
    "app/ui/a.cpp": '#include "core/request/is no sentence.h"\n'
                    'const char* a = "Shows the row " "of {:.2f} heads.";  // "Nothing in a comment is a sentence."\n'
                    'const char* b = R"(Written with "quotes" inside.)";\n'
                    'const char* c = "--phrase is an option";\nconst char* d = "raw_scores";\n',
    "core/request/b.h": 'inline const char* e = "caf\\xC3\\xA9 opens at {{{}}} now";\n',
    "core/script/c.cpp": 'const char* f = "A comment of a script that is written.";\n',
}
ROWS = {"Shows the row of {} heads.": "Muestra la fila de {} cabezas.", "raw_scores": "raw_scores", "Long ago removed.": "Ya no est\u00e1."}

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = texts(root)
    lacks, stale = missing(found, ROWS), unknown(found, ROWS)
    if lacks != ['Written with "quotes" inside.', "caf\u00e9 opens at {{}} now"]:
        sys.exit(f"missing: {lacks}")
    if stale != ["Long ago removed."]:
        sys.exit(f"unknown: {stale}")
