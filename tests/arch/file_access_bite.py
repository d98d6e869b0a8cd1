"""file_access.py finds each way that it is there to find, and says so of rows that nothing needs."""
import pathlib
import sys
import tempfile

import file_access

BITES = {
    "app/a.cpp": ("  fs::remove_all(folder, ignored);", "removes all"),
    "app/b.py": ("shutil.rmtree(folder)", "removes all"),
    "assets/c.sh": ('rm -rf "$folder"', "removes all"),
    "core/d.cpp": ("  std::ifstream in(path);", "reads files by itself"),
    "core/e.cpp": ("  std::ofstream out(path);", "writes, moves"),
    "app/f.cpp": ("  std::filesystem::rename(a, b);", "writes, moves"),
    "app/g.cpp": ("  write_file_atomically(path, write, Replaces::own_files);", "replaces files"),
    "app/h.cpp": ("  const ReadingAs looking(ReadAs::passing);", "reads files as"),
}
with tempfile.TemporaryDirectory() as root:
    for name, (line, _) in BITES.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(line + "\n")
    pathlib.Path(root, "app/quiet.cpp").write_text("// never remove_all()\n  file.remove();\n")
    said = file_access.complaints(root)
    wrong = [f"let through: {name}" for name, (_, way) in BITES.items()
             if not any(each.startswith(f"{name} {way}") for each in said)]
    wrong += [each for each in said if each.startswith("app/quiet.cpp")]
    listed = sum(len(files) for _, _, files in file_access.WAYS.values())
    if sum("no longer" in each for each in said) != listed:
        wrong.append("a row that nothing needs was let through")
print("\n".join(wrong) or f"{len(BITES)} ways found")
sys.exit(1 if wrong else 0)
