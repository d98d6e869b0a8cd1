#include "core/corpus/phrase_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/io/json_cursor.h"
#include "core/io/mapped_file.h"
#include "core/io/sha256.h"

namespace headscope {
namespace {

constexpr std::size_t kLongestPhrase = std::size_t{1} << 24;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The first line, which is taken away from `rest`, without its end.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// A JSON string, or the "text" or "phrase" of an object.
std::string text_of_json(std::string_view line) {
  JsonCursor cursor(line, "this line");
  const JsonValue value = cursor.read_value();
  cursor.finish();
  const JsonValue* text = &value;
  if (value.kind == JsonValue::Kind::object) {
    text = value.find("text") != nullptr ? value.find("text") : value.find("phrase");
  }
  if (text == nullptr || text->kind != JsonValue::Kind::string) {
    throw Error(fmt::format("this line: found {}; expected a JSON string, or an object with a string \"text\"",
                            text == nullptr ? "an object without text" : json_kind_name(text->kind)));
  }
  return text->text;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f") == text.npos;
}

ListedPhrase phrase_of(std::string_view line, std::int64_t index, bool json) {
  ListedPhrase phrase;
  phrase.index = index;
  phrase.blank = is_blank(line);
  if (phrase.blank) return phrase;
  if (line.size() > kLongestPhrase) {
    phrase.problem = fmt::format("{} bytes; at most {} are read", line.size(), kLongestPhrase);
    return phrase;
  }
  if (const std::size_t bad = first_invalid_byte(line); bad != line.npos) {
    phrase.problem = fmt::format("byte {} of the line is no UTF-8", bad + 1);
    return phrase;
  }
  try {
    phrase.text = json ? text_of_json(line) : std::string(line);
    phrase.blank = is_blank(phrase.text);
  } catch (const Error& error) {
    phrase.problem = error.what();
  }
  return phrase;
}

}  // namespace

PhraseList PhraseList::open(const std::string& path) {
  PhraseList list;
  list.file_ = MappedFile::open(path);
  list.json_ = path.ends_with(".jsonl");
  list.look_through();
  list.file_->check_unchanged();
  return list;
}

PhraseList PhraseList::of_text(std::string text) {
  PhraseList list;
  list.text_ = std::move(text);
  list.look_through();
  return list;
}

std::string_view PhraseList::text() const {
  if (file_ == nullptr) return text_;
  return {reinterpret_cast<const char*>(file_->bytes().data()), file_->bytes().size()};
}

void PhraseList::look_through() {
  const std::string_view all = text();
  Sha256 sha;
  sha.add(all);
  sha256_ = sha.hex();
  size_ = std::count(all.begin(), all.end(), '\n') + (all.empty() || all.ends_with('\n') ? 0 : 1);
}

void PhraseList::visit(Range range, const std::function<void(const ListedPhrase&)>& f) const {
  std::string_view rest = text();
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  for (std::int64_t index = 0; index < std::min(range.end, size_); ++index) {
    const std::string_view line = take_line(rest);
    if (index < range.begin) continue;
    f(phrase_of(line, index, json_));
    if (file_ != nullptr) file_->check_unchanged();
  }
}

Range shard_of(std::int64_t size, std::int64_t index, std::int64_t count) {
  // size / count whole phrases each, and one more for the first size % count places of the rounding.
  const auto before = [&](std::int64_t k) { return size / count * k + size % count * k / count; };
  return {before(index), before(index + 1)};
}

}  // namespace headscope
