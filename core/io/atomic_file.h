// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/io/files_read.h"

namespace headscope {

class FileJournal;

// Calls `write` with a stream on a temporary file beside `path`, then flushes, syncs and renames it over `path`. When
// anything fails (also an exception out of `write`), the temporary file is removed, `path` is unchanged, and Error
// names the path and the reason (the system's own words: "No space left on device"). The stream throws
// std::ios_base::failure as soon as the system refuses a byte, so that a long `write` stops there.
// A file that this process has read is not replaced: UsageError, before `write` is called, unless `replaces` allows for
// it (files_read.h).
// A new file gets the mode 0666 less the umask, a replaced one keeps its own; a symbolic link stays one, and what it
// points to is replaced; a device or pipe (/dev/stdout) is written to directly.
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write,
                           Replaces replaces = Replaces::nothing_read);

// Several files that appear together, on any file system: add() writes each to a temporary file beside its place,
// commit() moves all to their places, unless a mapped file changed
// meanwhile (check_mapped_files). When commit() fails, files that it replaced are put back. When the process is
// killed in between, the next commit() into that folder finishes what it had begun (file_journal.h): all files are the
// old ones or all the new ones. Files that symbolic links lead to other folders have a journal there. The destructor
// removes what was not committed. commit() also removes what killed processes have left in the folders. add() refuses
// to replace what this process has read, as write_file_atomically() does.
class FilesTogether {
 public:
  explicit FilesTogether(Replaces replaces = Replaces::nothing_read) : replaces_(replaces) {}
  ~FilesTogether();
  FilesTogether(const FilesTogether&) = delete;
  FilesTogether& operator=(const FilesTogether&) = delete;
  void add(const std::string& path, const std::function<void(std::ostream&)>& write);
  void commit();

 private:
  struct Pending {
    std::string shown;      // as the caller named it, for messages
    std::string path;       // where it goes: a link's end
    std::string temporary;  // beside it
    std::string backup;     // where the old file is put while commit() runs; "" when there was none
  };
  void sync_together();
  std::vector<FileJournal> write_journals(const std::vector<std::string>& folders);
  static void put_aside(Pending& file);
  void put_back(std::size_t moved, std::vector<FileJournal>& journals) noexcept;
  void discard() noexcept;
  const Replaces replaces_;
  std::vector<Pending> pending_;
};

// Creates a folder with its parents; Error when it cannot. Returns the folders that were created, outermost first.
std::vector<std::string> make_folder(const std::string& path);

// A whole small file, or what a pipe gives (a shell's <(...)). Error when it is missing, is a folder or a device, or
// holds more than `limit` bytes.
std::string read_small_file(const std::string& path, std::size_t limit);

}  // namespace headscope
