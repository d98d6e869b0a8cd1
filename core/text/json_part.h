// A part of a JSON file that knows its place in the file, for error messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_text.h"

namespace headscope {

class JsonPart {
 public:
  // `where`: "tokenizer.json: normalizer". `value`: null when the part is missing.
  JsonPart(const JsonValue* value, std::string where) : value_(value), where_(std::move(where)) {}

  bool present() const { return value_ != nullptr && value_->kind != JsonValue::Kind::null; }
  bool is(JsonValue::Kind kind) const { return value_ != nullptr && value_->kind == kind; }
  const std::string& where() const { return where_; }

  JsonPart at(std::string_view key) const;  // of an object
  std::vector<JsonPart> items() const;      // of a list; Error for anything else
  const std::vector<std::string>& keys() const;

  // Error when the value has another type. The second form is for values that may be missing.
  const std::string& text() const;
  std::string text(std::string otherwise) const { return present() ? text() : std::move(otherwise); }
  bool flag() const;
  bool flag(bool otherwise) const { return present() ? flag() : otherwise; }
  std::int64_t integer(std::int64_t low, std::int64_t high) const;

  // "WHERE: found ...; expected EXPECTED"
  [[noreturn]] void refuse(std::string_view expected) const;

 private:
  const JsonValue* value_;
  std::string where_;
};

}  // namespace headscope
