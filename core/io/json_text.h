// JSON as values: strict in, well-formed out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/io/json_value.h"

namespace headscope {

// The one value that `json` is, read by a JsonCursor: at most 16 MB, nested at most 16 deep, at most a million values.
// Error for what the cursor does not take, for keys that stand twice and for bytes after the end; it names `what` and
// the byte.
JsonValue parse_strict_json(std::string_view json, const std::string& what);

// value.dump(indent) that never throws: invalid UTF-8 becomes U+FFFD.
std::string json_dump(const nlohmann::ordered_json& value, int indent = -1);

// A number, or the strings "nan", "inf", "-inf".
nlohmann::ordered_json json_number(double value);

}  // namespace headscope
