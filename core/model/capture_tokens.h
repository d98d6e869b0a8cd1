// The tokens of a capture: lists in its metadata, or a file beside it. Internal to core/model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/json_value.h"

namespace headscope {

struct CaptureTokens {
  std::optional<std::vector<std::string>> queries, keys;  // nullopt: the file does not name them
};

// Whether a text is meant as JSON: "[CLS]" and "{" are tokens, too.
bool is_token_json(std::string_view text);

// The strings of a list. Error that names `what` for other values.
std::vector<std::string> token_list(const JsonValue& list, const std::string& what);

// A JSON list of strings. Error that names `what`.
std::vector<std::string> parse_token_list(std::string_view json, const std::string& what);

// A JSON list, a JSON object with the lists `tokens` and `key_tokens`, or, unless the file is called .json, UTF-8 text
// with one token a line (the last line may end without a line feed). Throws Error that names the file.
CaptureTokens read_token_file(const std::string& path);

}  // namespace headscope
