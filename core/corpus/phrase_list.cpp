#include "core/corpus/phrase_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/io/changed_file.h"
#include "core/io/json_cursor.h"
#include "core/io/sha256.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

ListedPhrase phrase_of(const TextLine& line, std::int64_t index, bool json) {
  ListedPhrase phrase;
  phrase.index = index;
  phrase.blank = line.blank;
  if (phrase.blank) return phrase;
  if (line.size > kLongestPhrase) {
    phrase.problem = fmt::format("{} bytes; at most {} are read", line.size, kLongestPhrase);
    return phrase;
  }
  if (const std::size_t bad = first_invalid_byte(line.text); bad != line.text.npos) {
    phrase.problem = fmt::format("byte {} of the line is no UTF-8", bad + 1);
    return phrase;
  }
  try {
    phrase.text = json ? text_of_json(line.text) : std::string(line.text);
    phrase.blank = is_blank(phrase.text);
  } catch (const Error& error) {
    phrase.problem = error.what();
  }
  return phrase;
}

TextLine without_mark(TextLine line) {
  if (!line.text.starts_with(kByteOrderMark)) return line;
  line.text.remove_prefix(kByteOrderMark.size());
  line.size -= kByteOrderMark.size();
  line.blank = line.text.size() == line.size && is_blank(line.text);
  return line;
}

// Sorted as bytes, so that every machine has them in the same order.
std::vector<std::string> files_in(const std::string& folder, PhraseList::LeftOut& left_out) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    if (fs::is_directory(entry->path(), ignored)) {
      ++left_out.folders;
    } else if (PhraseFile::is_named_so(name)) {
      paths.push_back(entry->path().string());
    } else {
      ++left_out.files;
    }
  }
  if (error) throw Error(fmt::format("{}: {}", folder, error.message()));
  if (paths.empty()) {
    throw Error(
        folder +
        ": is a folder without phrases; expected files named .txt, .jsonl or .ndjson, also with .gz behind, in it");
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What a first look at the parts finds: how many lines each has, and the digest of them all.
class FirstLook {
 public:
  // Returns the number of lines.
  std::int64_t add(const TextPieces& pieces, const CancelToken& cancel) {
    std::int64_t lines = 0;
    bool any = false;
    for (std::string_view piece = pieces(); !piece.empty(); piece = pieces()) {
      cancel.check();
      if (!any && open_line_) sha_.add(std::string_view("\n"));
      any = true;
      sha_.add(piece);
      lines += std::count(piece.begin(), piece.end(), '\n');
      open_line_ = !piece.ends_with('\n');
    }
    return lines + (any && open_line_ ? 1 : 0);
  }
  std::string sha256() { return sha_.hex(); }

 private:
  Sha256 sha_;
  bool open_line_ = false;  // what came last has no line's end
};

}  // namespace

PhraseList PhraseList::open(const std::string& path, const CancelToken& cancel) {
  PhraseList list;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const std::string& file : files_in(path, list.left_out_)) list.parts_.push_back({file, nullptr, {}, {}});
  } else {
    list.parts_.push_back({path, PhraseFile::open(path), {}, {}});
  }
  list.look_through(cancel);
  return list;
}

PhraseList PhraseList::of_text(std::string text) {
  PhraseList list;
  list.text_ = std::move(text);
  list.parts_.emplace_back();
  list.look_through({});
  return list;
}

void PhraseList::look_through(const CancelToken& cancel) {
  FirstLook look;
  for (Part& part : parts_) {
    part.lines.begin = size_;
    if (part.path.empty()) {
      size_ += look.add(pieces_of(text_), cancel);
    } else {
      part.stamp = file_stamp(part.path);
      const auto file = part.file != nullptr ? part.file : PhraseFile::open(part.path);
      size_ += look.add(file->pieces(), cancel);
      file->check_unchanged();
    }
    part.lines.end = size_;
  }
  sha256_ = look.sha256();
}

void PhraseList::visit_part(const Part& part, Range range, const std::function<void(const ListedPhrase&)>& f) const {
  std::shared_ptr<const PhraseFile> file = part.file;
  if (file == nullptr && !part.path.empty()) {
    file = PhraseFile::open(part.path);
    if (file_stamp(part.path) != part.stamp) throw changed_file_error(part.path);
  }
  const bool json = PhraseFile::is_json(part.path);
  std::int64_t index = part.lines.begin;
  for_each_line(file != nullptr ? file->pieces() : pieces_of(text_), [&](const TextLine& line) {
    if (index >= range.begin) {
      const ListedPhrase phrase = phrase_of(index == part.lines.begin ? without_mark(line) : line, index, json);
      if (file != nullptr) file->check_unchanged();  // before it is counted
      f(phrase);
    }
    return ++index < range.end;
  });
}

void PhraseList::visit(Range range, const std::function<void(const ListedPhrase&)>& f) const {
  for (const Part& part : parts_) {
    const Range common{std::max(range.begin, part.lines.begin), std::min(range.end, part.lines.end)};
    if (common.begin < common.end) visit_part(part, common, f);
  }
}

std::vector<std::string> PhraseList::files() const {
  std::vector<std::string> paths;
  for (const Part& part : parts_) {
    if (!part.path.empty()) paths.push_back(part.path);
  }
  return paths;
}

PhraseList::Place PhraseList::place_of(std::int64_t index) const {
  for (const Part& part : parts_) {
    if (index >= part.lines.begin && index < part.lines.end) return {part.path, index - part.lines.begin + 1};
  }
  HEADSCOPE_ASSERT(false, "phrase " + std::to_string(index) + " of " + std::to_string(size_));
  return {};
}

std::vector<std::string> whole_list(const char* option, const std::string& path, const CancelToken& cancel) {
  std::vector<std::string> phrases;
  const PhraseList list = PhraseList::open(path, cancel);
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) {
    if (!phrase.problem.empty()) {
      throw UsageError(option, fmt::format("found line {}, {}", phrase.index + 1, phrase.problem),
                       "a list whose every phrase can be read");
    }
    if (!phrase.blank) phrases.push_back(phrase.text);
  });
  if (phrases.empty()) throw UsageError(option, "found no phrase in it", "a phrase a line");
  return phrases;
}

Range shard_of(std::int64_t size, std::int64_t index, std::int64_t count) {
  // size / count whole phrases each, and one more for the first size % count places of the rounding.
  const auto before = [&](std::int64_t k) { return size / count * k + size % count * k / count; };
  return {before(index), before(index + 1)};
}

}  // namespace headscope
