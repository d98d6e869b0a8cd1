// The readers and writers of files in a source tree, found in its text.
#pragma once

#include <set>
#include <string>

namespace headscope::test {

// What has to be in a table: public functions by name ("read_npy", "Checkpoint::open"), and by path the .cpp files that
// open files, through core/io or the system.
struct FileUsers {
  std::set<std::string> readers, writers;
};

// Looks through core/ and app/ below `root`. A function counts when its name begins with read, load, open or parse
// (write, save or export) and it takes a path, a folder, bytes, JSON or a stream.
FileUsers file_users(const std::string& root);

}  // namespace headscope::test
