// This process keeps in mind which files it has read, so that no writer puts something else in their place: every
// reader notes them (MappedFile, read_small_file), every writer asks (FilesTogether). Files are told apart as the
// system does, by device and number, whatever names lead to them.
#pragma once

#include <string>

#include "core/base/system/files.h"

namespace headscope {

// Says as what a file is read. A document is opened to be saved over: a session, or a mask that is painted.
enum class ReadAs {
  input,    // any other file; once an input, a file stays one
  session,  // opened as the document of a window
  mask,     // imported to be painted on
  passing,  // looked at, to tell what it is: not noted
};

// While it lives, files that its thread opens are read as that.
class ReadingAs {
 public:
  explicit ReadingAs(ReadAs as) noexcept;
  ~ReadingAs();
  ReadingAs(const ReadingAs&) = delete;
  ReadingAs& operator=(const ReadingAs&) = delete;

 private:
  const ReadAs before_;
};

// Says which of the files that were read a writer may replace.
enum class Replaces {
  nothing_read,  // none: this holds for every writer that does not say otherwise
  sessions,      // sessions that were opened: saving a session
  masks,         // masks that were imported: exporting the mask that was painted
  own_files,     // all: a file that the program keeps for itself, in a place that it chose
};

// Notes that `path`, of which the system says `facts`, is read. Any thread may call it. A path that leads to no regular
// file is passed over.
void note_read(const std::string& path, const system::EntryFacts& facts);

// Throws UsageError where the file at `path` is one that was read and that `replaces` does not allow for: "NAME: is
// read here (as OTHER NAME), and would be replaced". A file that was replaced by another one since is not meant.
void check_not_read(const std::string& path, Replaces replaces = Replaces::nothing_read);

// The process begins anew: nothing was read. For tests, which are many programs in one process.
void forget_files_read();

}  // namespace headscope
