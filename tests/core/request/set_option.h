// A request with one option, and the sentence that refuses its value.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/request/request_text.h"
#include "tests/core/io/io_helpers.h"

namespace headscope::test {

inline Request with(const std::string& option, const std::string& text) {
  Request request;
  const RequestOption* found = find_request_option(option);
  EXPECT_NE(found, nullptr) << option;
  if (found != nullptr) found->set(request, text);
  return request;
}

inline std::string refused(const std::string& option, const std::string& text) {
  return refusal_of<UsageError>([&] { with(option, text); });
}

}  // namespace headscope::test
