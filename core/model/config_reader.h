// Typed values of config.json; values that do not fit are collected, so that one error can list all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_text.h"

namespace headscope {

class ConfigReader {
 public:
  explicit ConfigReader(const JsonValue& object) : object_(object) {}

  bool holds_null(std::string_view key) const;
  // Null where the key is absent, or holds null.
  const JsonValue* find(std::string_view key) const;
  // A whole number from `least` to `most`; `otherwise` where the key is absent; an absent key without `otherwise` is a
  // problem. After a problem the result is `least`.
  std::int64_t whole(std::string_view key, std::int64_t least, std::int64_t most,
                     std::optional<std::int64_t> otherwise = {});
  // A finite number above 0.
  double positive(std::string_view key, std::optional<double> otherwise = {});
  bool truth(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::string_view otherwise);

  void add_problem(std::string problem);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  const JsonValue& object_;
  std::vector<std::string> problems_;
};

// A value as a sentence shows it: "a list", 12, "text" in quotes.
std::string shown_value(const JsonValue& value);

// "a, b, c and 7 more": at most ten.
std::string first_ten(const std::vector<std::string>& items, const char* separator = ", ");

}  // namespace headscope
