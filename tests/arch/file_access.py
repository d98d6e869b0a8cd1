"""Who may remove, read and write files in ways that no other file goes: a table, a row a way.

    file_access.py ROOT

What is removed below a folder, whatever it is, may be a user's. What is read or written past core/io is not noted as read
(core/io/files_read.h), or not held against what was read. A new file of this kind fails here; so does a row that has lost
its reason.
"""
import pathlib
import re
import sys

# way -> (what is sought, where, {file: why it may})
WAYS = {
    "removes all that lies below a folder": (
        re.compile(r"\bremove_all\b|\brmtree\b|\brm\s+-[a-zA-Z]*[rR]|\bnftw\b|\bSHFileOperation|\bTemporaryDirectory\b"
                   r"|\bfile\(REMOVE_RECURSE\b"),
        ("app", "core", "assets", "shaders"), {
            "assets/corpus/engines/dask_scan.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/packaging/onefile/header.sh": "folders that it has made itself in its cache (mktemp), or unpacked there",
            "assets/packaging/wheel/wheel.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/python/headscope/_commands.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/python/headscope/_diagnose.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/python/headscope/_run.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/python/headscope/_show.py": "a folder of temporary files that it has made itself (tempfile)",
            "assets/screenshots/make.sh": "a folder of temporary files that it has made itself (mktemp)",
        }),
    "reads files by itself; MappedFile::open and read_small_file note what is read": (
        re.compile(r"\bifstream\b|\bfopen\b|\bsystem::open_file\(|(?<!\w)::open\(|\bCreateFileW\("), ("app", "core"), {
            "app/cli/unreadable_names.cpp": "the list that the scan itself has begun",
            "app/frame/crash_handler.cpp": "writes in a handler of signals",
            "app/platform/posix/socket_file.cpp": "locks a folder",
            "app/session/session_slot.cpp": "locks a file of the program's own",
            "core/base/system/posix/files.cpp": "is what they are made of",
            "core/base/system/posix/machine.cpp": "asks the system about its memory",
            "core/base/system/posix/streams.cpp": "opens /dev/null in place of a stream that is closed",
            "core/base/system/web/files.cpp": "is what they are made of",
            "core/base/system/web/streams.cpp": "opens /dev/null in place of a stream that is closed",
            "core/base/system/windows/files.cpp": "is what they are made of",
            "core/io/atomic_file.cpp": "is read_small_file, and writes",
            "core/io/file_journal.cpp": "the journal of an export, which is the program's own",
            "core/io/files_together.cpp": "syncs what it has written",
            "core/io/gguf.cpp": "looks at the first bytes",
            "core/io/mapped_file.cpp": "is MappedFile",
        }),
    "writes, moves or cuts files by itself; write_file_atomically and FilesTogether ask what was read": (
        re.compile(r"\bofstream\b|\bresize_file\(|\bcopy_file\(|\b(filesystem|fs)::(rename|copy)\(|"
                   r"\bstd::rename\(|\bsystem::rename_file\(|(?<!\w)::(rename|truncate)\(|\bempty_file\("), ("app", "core"), {
            "app/cli/unreadable_names.cpp": "goes on with a list, after check_not_read()",
            "app/cli/unreadable_names.h": "goes on with a list, after check_not_read()",
            "app/frame/crash_handler.cpp": "in the state folder, under a name of its own",
            "app/frame/probe_file.cpp": "for tests, after check_not_read()",
            "app/session/kept_file.cpp": "puts a broken file of the program's own aside",
            "app/session/last_session.cpp": "files of the program's own",
            "core/base/system/files.h": "is what they are made of",
            "core/base/system/posix/files.cpp": "is what they are made of",
            "core/base/system/web/files.cpp": "is what they are made of",
            "core/base/system/windows/files.cpp": "is what they are made of",
            "core/io/file_journal.cpp": "finishes what FilesTogether has begun",
            "core/io/files_together.cpp": "is FilesTogether",
        }),
    "replaces files that were read": (
        re.compile(r"\bReplaces::(own_files|sessions|masks)\b"), ("app", "core"), {
            "app/frame/wire.cpp": "files that were handed over, in the window's own folder",
            "app/session/export/export_job.cpp": "saves a session, over one that was opened",
            "app/session/last_session.cpp": "the last session, in the state folder",
            "app/session/session_slot.cpp": "how often the last session was opened in vain",
            "app/session/settings.cpp": "the settings",
            "core/io/files_read.cpp": "decides it",
            "core/model/mask_file.cpp": "exports a mask that is painted, over the one that was imported",
        }),
    "reads files as something else than an input": (
        re.compile(r"\bReadAs::(session|mask|passing)\b"), ("app", "core"), {
            "app/session/file_kind.cpp": "looks at the first bytes",
            "app/session/session_paths.cpp": "a session that is opened, to be saved again",
            "app/ui/mask/mask_files.cpp": "a mask that is imported, to be painted on",
            "core/corpus/scan_job.cpp": "what the scan itself has kept",
            "core/io/files_read.cpp": "notes it",
        }),
}
SOURCES = {".cpp", ".h", ".py", ".sh", ".cmake", ""}
COMMENT = re.compile(r"//.*$|^\s*#(?!include).*$")


def found_in(root):
    """(way, file) of each file that goes a way."""
    found = set()
    for way, (sought, folders, _) in WAYS.items():
        for folder in folders:
            for path in sorted(pathlib.Path(root, folder).rglob("*")):
                if not path.is_file() or path.suffix not in SOURCES:
                    continue
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                if any(sought.search(COMMENT.sub("", line)) for line in lines):
                    found.add((way, path.relative_to(root).as_posix()))
    return found


def complaints(root):
    """Sentences, of files that are new and of rows that are old."""
    found = found_in(root)
    allowed = {(way, path) for way, (_, _, files) in WAYS.items() for path in files}
    return [f"{path} {way}; tests/arch/file_access.py does not list it" for way, path in sorted(found - allowed)] + \
        [f"{path} no longer {way}: take it out of tests/arch/file_access.py" for way, path in sorted(allowed - found)]


if __name__ == "__main__":
    wrong = complaints(sys.argv[1])
    print("\n".join(wrong) or "all files go the ways that are listed")
    sys.exit(1 if wrong else 0)
