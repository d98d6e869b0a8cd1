// The world refused: a missing file, a bad header, a full disk. Caught once, at the edge.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace headscope {

// what() is one sentence: the path or option, what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

// What was asked for cannot be understood or does not fit together (exit code 2): the option, what was found, what was
// expected, what to do. The parts are there for readers that show the option elsewhere, beside its control for one.
// what() is one sentence made of them: "--OPTION: FOUND; expected EXPECTED. ADVICE", without the parts that are empty.
class UsageError : public std::runtime_error {
 public:
  // About no option.
  explicit UsageError(std::string_view found) : UsageError("", found) {}
  UsageError(std::string_view option, std::string_view found, std::string_view expected = "",
             std::string_view advice = "");

  const std::string& option() const { return option_; }      // "mask-order", without dashes; "" about none
  const std::string& found() const { return found_; }        // "'soon' is not a known value"
  const std::string& expected() const { return expected_; }  // "after-scale or before-scale", or ""
  const std::string& advice() const { return advice_; }      // "Make --batch smaller", or ""

  // "FOUND; expected EXPECTED".
  std::string mismatch() const;
  // what() without the option: "FOUND; expected EXPECTED. ADVICE".
  std::string reason() const;

 private:
  std::string option_, found_, expected_, advice_;
};

// Thrown out of a computation whose CancelToken was set. Not an error: nobody shows it.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace headscope
