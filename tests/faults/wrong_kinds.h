// Files of 21 kinds, of which a reader reads one.
#pragma once

#include <string>
#include <vector>

namespace headscope::test {

struct WrongKind {
  const char* name;
  std::string bytes;
  const char* said;     // what a refusal names: "HTML"; "" where nothing is promised
  bool text = false;    // UTF-8 without NULs
  bool folder = false;  // no file at all
};

const std::vector<WrongKind>& wrong_kinds();

}  // namespace headscope::test
