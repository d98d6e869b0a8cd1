#include "core/sweep/text_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/text_lines.h"
#include "core/base/utf8.h"
#include "core/io/atomic_file.h"
#include "core/io/json_cursor.h"
#include "core/io/json_value.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr const char* kNames = "clean, corrupt, answer, other and at";

void set_place(TextPair& pair, std::string_view text) {
  std::int64_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("found '{}' for at; expected a whole number, a position", text));
  }
  pair.at = place;
}

// Each row is a name that a pair may have, and the field that it fills.
struct Field {
  std::string_view name;
  bool number = false;  // in JSON a whole number may stand there
  bool string = true;   // and a string
  void (*set)(TextPair& pair, std::string_view text) = nullptr;
};
constexpr Field kFields[] = {
    {"clean", false, true, [](TextPair& pair, std::string_view text) { pair.clean = text; }},
    {"corrupt", false, true, [](TextPair& pair, std::string_view text) { pair.corrupt = text; }},
    {"answer", true, true, [](TextPair& pair, std::string_view text) { pair.answer = text; }},
    {"other", true, true, [](TextPair& pair, std::string_view text) { pair.other = text; }},
    {"at", true, false, set_place},
    {"position", true, false, set_place}};

const Field& field_named(std::string_view name) {
  for (const Field& field : kFields) {
    if (field.name == name) return field;
  }
  throw Error(fmt::format("found '{}'; expected {}", name, kNames));
}

void check_pair(const TextPair& pair) {
  for (const auto& [name, text] : {std::pair{"clean", &pair.clean}, {"corrupt", &pair.corrupt}}) {
    if (text->empty()) throw Error(fmt::format("has no text {}; expected {}", name, kNames));
  }
}

// Each of `names` once, and not both names of a position.
void check_names(const std::vector<std::string>& names) {
  const auto count = [&](std::string_view name) { return std::count(names.begin(), names.end(), name); };
  for (const std::string& name : names) {
    field_named(name);
    if (count(name) > 1) throw Error(fmt::format("found '{}' twice; expected it once", name));
  }
  if (count("at") + count("position") > 1)
    throw Error("found at and position, which say the same; expected one of both");
}

TextPair pair_of_json(std::string_view line) {
  JsonCursor cursor(line, "this line");
  const JsonValue value = cursor.read_value();
  cursor.finish();
  if (value.kind != JsonValue::Kind::object) {
    throw Error(fmt::format("found {}; expected an object with {}", json_kind_name(value.kind), kNames));
  }
  check_names(value.keys);
  TextPair pair;
  for (std::size_t k = 0; k < value.keys.size(); ++k) {
    const Field& field = field_named(value.keys[k]);
    const JsonValue& item = value.items[k];
    const bool number = field.number && item.kind == JsonValue::Kind::number;
    if (!number && !(field.string && item.kind == JsonValue::Kind::string)) {
      throw Error(fmt::format("found {} for {}; expected {}", json_kind_name(item.kind), field.name,
                              field.string ? "a string" : "a whole number"));
    }
    field.set(pair, item.text);
  }
  check_pair(pair);
  return pair;
}

// The fields of the next row, which may hold ends of lines between quotes; takes it off `text` and counts its lines.
std::vector<std::string> take_row(std::string_view& text, std::int64_t& lines) {
  std::vector<std::string> fields(1);
  bool quoted = false, closed = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (quoted) {
      if (letter == '\n') ++lines;
      if (letter != '"') {
        fields.back() += letter;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        fields.back() += text[++at];
      } else {
        quoted = false;
        closed = true;
      }
      continue;
    }
    if (letter == '\n' || (letter == '\r' && at + 1 < text.size() && text[at + 1] == '\n')) break;
    if (letter == ',') {
      fields.emplace_back();
      closed = false;
    } else if (letter == '"' && fields.back().empty() && !closed) {
      quoted = true;
    } else if (letter == '"' || closed) {
      throw Error("found a quote within a field; expected it around the field, and doubled within");
    } else {
      fields.back() += letter;
    }
  }
  if (quoted) throw Error("found a quote that nothing closes");
  at = std::min(at + (at < text.size() && text[at] == '\r' ? 2 : 1), text.size());
  text.remove_prefix(at);
  ++lines;
  return fields;
}

TextPair pair_of_row(const std::vector<std::string>& names, const std::vector<std::string>& fields) {
  if (fields.size() != names.size()) {
    throw Error(fmt::format("found {} fields; expected {}, as the first row has", fields.size(), names.size()));
  }
  TextPair pair;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!fields[k].empty()) field_named(names[k]).set(pair, fields[k]);
  }
  check_pair(pair);
  return pair;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\v\f") == line.npos;
}

// Where reading is: sentences are of the line that began last.
struct Reading {
  std::vector<TextPair> pairs;
  std::int64_t line = 1;

  void add(TextPair pair) {
    pair.line = line;
    pairs.push_back(std::move(pair));
  }
};

void read_rows(std::string_view text, Reading& reading) {
  std::int64_t next = reading.line;
  const std::vector<std::string> names = take_row(text, next);
  check_names(names);
  while (!text.empty()) {
    reading.line = next;
    const std::vector<std::string> fields = take_row(text, next);
    if (fields.size() > 1 || !is_blank(fields.front())) reading.add(pair_of_row(names, fields));
  }
}

void read_lines(std::string_view text, Reading& reading) {
  for (; !text.empty(); ++reading.line) {
    const std::string_view line = take_line(text);
    if (!is_blank(line)) reading.add(pair_of_json(line));
  }
}

// What the file seems to be in place of pairs, as the end of a sentence; "" where nothing is recognised.
std::string other_kind(std::string_view text, bool csv) {
  const std::string kind = describe_bytes(std::as_bytes(std::span(text.data(), text.size())));
  return kind.empty() || text.empty() || (!csv && kind == "JSON text") ? "" : fmt::format("; the file is {}", kind);
}

}  // namespace

std::vector<TextPair> parse_text_pairs(std::string_view text, const std::string& what, bool csv) {
  const std::string kind = other_kind(text, csv);
  if (csv && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::size_t bad = first_invalid_byte(text); bad != text.npos) {
    const auto before = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
    throw Error(fmt::format("{}: line {}: found bytes that are no UTF-8{}", what, 1 + before, kind));
  }
  Reading reading;
  try {
    csv ? read_rows(text, reading) : read_lines(text, reading);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: line {}: {}{}", what, reading.line, error.what(), kind));
  }
  if (reading.pairs.empty()) throw Error(fmt::format("{}: found no pair; expected {} of one at least", what, kNames));
  return std::move(reading.pairs);
}

std::vector<TextPair> read_text_pairs(const std::string& path) {
  const bool csv = path.ends_with(".csv");
  if (!csv && !path.ends_with(".jsonl") && !path.ends_with(".ndjson")) {
    throw UsageError("pairs", fmt::format("found '{}'", path), "FILE.jsonl or FILE.csv");
  }
  return parse_text_pairs(read_small_file(path, kLargestFile), path, csv);
}

}  // namespace headscope
