#include "core/model/capture_tokens.h"

#include <fmt/format.h>

#include <span>

#include "core/base/error.h"
#include "core/base/text_lines.h"
#include "core/base/utf8.h"
#include "core/io/json_text.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostTokens = 1'000'000;

CaptureTokens tokens_of_json(std::string_view text, const std::string& path) {
  const JsonValue json = parse_strict_json(text, path);
  CaptureTokens tokens;
  if (json.kind != JsonValue::Kind::object) {
    tokens.queries = token_list(json, path);
    return tokens;
  }
  const JsonValue* queries = json.find("tokens");
  if (queries == nullptr) throw Error(path + ": tokens is missing; expected a list of strings of that name");
  tokens.queries = token_list(*queries, path + ": tokens");
  if (const JsonValue* keys = json.find("key_tokens")) tokens.keys = token_list(*keys, path + ": key_tokens");
  return tokens;
}

// Files that no list of tokens begins like; "<s>" may be a token, and a list may be empty.
void refuse_other_kinds(std::string_view text, const std::string& path) {
  const std::string seen = describe_bytes(std::as_bytes(std::span(text.data(), text.size())));
  if (seen.empty() || seen == "empty" || seen == "JSON text" || seen == "an XML or HTML page") return;
  throw Error(fmt::format("{}: is {}; expected a JSON list, or one token a line", path, seen));
}

std::vector<std::string> lines_of(std::string_view text, const std::string& path) {
  const std::size_t invalid = first_invalid_byte(text);
  if (invalid != std::string::npos) {
    throw Error(fmt::format("{}: byte 0x{:02X} at position {} is not UTF-8; expected a JSON list, or one token a line",
                            path, static_cast<unsigned char>(text[invalid]), invalid));
  }
  std::vector<std::string> lines;
  while (!text.empty()) {
    if (lines.size() == kMostTokens) throw Error(fmt::format("{}: expected at most {} tokens", path, kMostTokens));
    lines.emplace_back(take_line(text));
  }
  return lines;
}

}  // namespace

std::vector<std::string> token_list(const JsonValue& list, const std::string& what) {
  if (list.kind != JsonValue::Kind::array) {
    throw Error(fmt::format("{} is {}; expected a list of strings", what, json_kind_name(list.kind)));
  }
  std::vector<std::string> tokens;
  for (const JsonValue& item : list.items) {
    if (item.kind != JsonValue::Kind::string) {
      throw Error(fmt::format("{}: item {} is {}; expected a string", what, tokens.size(), json_kind_name(item.kind)));
    }
    tokens.push_back(item.text);
  }
  return tokens;
}

bool is_token_json(std::string_view text) {
  // A JSON list or object goes on with a string, and a list may end at once.
  constexpr const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos || (text[first] != '[' && text[first] != '{')) return false;
  const std::size_t next = text.find_first_not_of(blanks, first + 1);
  return next != text.npos && (text[next] == '"' || (text[first] == '[' && text[next] == ']'));
}

std::vector<std::string> parse_token_list(std::string_view json, const std::string& what) {
  return token_list(parse_strict_json(json, what), what);
}

CaptureTokens read_token_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (text.size() > kMostBytes) {
    throw Error(fmt::format("{} has {} bytes; expected a list of tokens of at most {}", path, text.size(), kMostBytes));
  }
  refuse_other_kinds(text, path);
  CaptureTokens tokens;
  if (path.ends_with(".json") || is_token_json(text)) {
    tokens = tokens_of_json(text, path);
  } else {
    tokens.queries = lines_of(text, path);
  }
  file->check_unchanged();
  return tokens;
}

}  // namespace headscope
