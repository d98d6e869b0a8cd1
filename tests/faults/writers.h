// Every writer of files, a row each. failing_writes.py makes the calls of each row fail, one after the other, and its
// places: a full disk, a folder that may not be written, a file system without links.
#pragma once

#include <string>
#include <vector>

namespace headscope::test {

struct Writer {
  const char* name;    // of the row
  const char* covers;  // public functions, and files of the tree that write; blanks between
  // Writes files whose content tells `words` into the folder; throws where it cannot. Null: `command` does.
  void (*write)(const std::string& folder, const std::string& words) = nullptr;
  // The words of a call of headscope-cli that does: WORDS and OUT stand for the two, SESSION for a
  // session of other words, MODEL for one of a whole model.
  std::vector<std::string> command = {};
};

const std::vector<Writer>& writers();

// The parts of writers(): functions of the engine and the session, and commands.
std::vector<Writer> function_writers();
std::vector<Writer> command_writers();

}  // namespace headscope::test
