// JSON texts that no reader may take.
#pragma once

#include <string>
#include <vector>

namespace headscope::test {

struct JsonTrap {
  std::string name, text;
  bool passed_over = false;  // well-formed, and wrong only for a reader that holds it
  bool of_python = false;    // a number that Python's json writes
};

// Texts made of a small valid object: with a broken value under a key of its own, a key twice, a mark in front, bytes
// behind, and without it at all.
std::vector<JsonTrap> json_traps(const std::string& object);

}  // namespace headscope::test
