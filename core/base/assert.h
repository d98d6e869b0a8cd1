// Our own bugs: stops with a sentence (exit code 1 at the command line). Never for what a user typed or a file held.
#pragma once

#include <stdexcept>
#include <string>

namespace headscope {

// Caught only in main, which reports it and exits with 1.
class Bug : public std::logic_error {
 public:
  explicit Bug(const std::string& sentence) : std::logic_error(sentence) {}
};

[[noreturn]] void report_bug(const char* condition, const char* file, int line, const std::string& detail);

}  // namespace headscope

// `detail` names both shapes, or whatever else disagrees.
#define HEADSCOPE_ASSERT(condition, detail) \
  ((condition) ? void(0) : ::headscope::report_bug(#condition, __FILE__, __LINE__, (detail)))
