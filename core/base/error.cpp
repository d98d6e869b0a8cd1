#include "core/base/error.h"

#include <fmt/format.h>

namespace headscope {

namespace {

std::string mismatch_text(std::string_view found, std::string_view expected) {
  return expected.empty() ? std::string(found) : fmt::format("{}; expected {}", found, expected);
}

std::string reason_text(std::string_view found, std::string_view expected, std::string_view advice) {
  const std::string mismatch = mismatch_text(found, expected);
  return advice.empty() ? mismatch : fmt::format("{}. {}", mismatch, advice);
}

std::string sentence(std::string_view option, std::string_view found, std::string_view expected,
                     std::string_view advice) {
  const std::string reason = reason_text(found, expected, advice);
  return option.empty() ? reason : fmt::format("--{}: {}", option, reason);
}

}  // namespace

UsageError::UsageError(std::string_view option, std::string_view found, std::string_view expected,
                       std::string_view advice)
    : std::runtime_error(sentence(option, found, expected, advice)),
      option_(option),
      found_(found),
      expected_(expected),
      advice_(advice) {}

std::string UsageError::mismatch() const {
  return mismatch_text(found_, expected_);
}

std::string UsageError::reason() const {
  return reason_text(found_, expected_, advice_);
}

}  // namespace headscope
