// Errors that are no fault of the program: a missing file, a bad header, a full disk, an option that cannot be
// understood. Commands, jobs and panels catch them and show their text.
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

// A request that cannot be understood or whose parts do not fit together (exit code 2): the option, what was found,
// what was expected, what to do. A dialog that shows the message beside the option's control takes the parts it needs.
// what() is one sentence made of them: "--OPTION: FOUND; expected EXPECTED. ADVICE", without the parts that are empty.
class UsageError : public std::runtime_error {
 public:
  // An error that concerns no single option.
  explicit UsageError(std::string_view found) : UsageError("", found) {}
  // An empty part is left out of the message.
  UsageError(std::string_view option, std::string_view found, std::string_view expected = "",
             std::string_view advice = "");

  const std::string& option() const { return option_; }      // "mask-order", without dashes; "" when it concerns none
  const std::string& found() const { return found_; }        // "'soon' is not a known value"
  const std::string& expected() const { return expected_; }  // "after-scale or before-scale"; "" when not given
  const std::string& advice() const { return advice_; }      // "Make --batch smaller"; "" when not given

  // "FOUND; expected EXPECTED"; "FOUND" when nothing was expected.
  std::string mismatch() const;
  // what() without the option: "FOUND; expected EXPECTED. ADVICE".
  std::string reason() const;

 private:
  std::string option_, found_, expected_, advice_;
};

// Thrown out of a computation whose CancelToken was set. It is caught where the computation was started and is never
// shown as an error.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace headscope
