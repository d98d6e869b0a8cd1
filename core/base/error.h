// The world refused: a missing file, a bad header, a full disk. Caught once, at the edge.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace headscope {

// what() is one sentence: the path or option, what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

// What was asked for cannot be understood or does not fit together (exit code 2): the option, what was found, what was
// expected.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& sentence) : std::runtime_error(sentence) {}
};

// Thrown out of a computation whose CancelToken was set. Not an error: nobody shows it.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace headscope
