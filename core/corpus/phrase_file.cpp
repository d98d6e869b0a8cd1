#include "core/corpus/phrase_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/io/gzip.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr std::string_view kPacked = ".gz";
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string_view unpacked_name(std::string_view name) {
  if (has_ending(name, kPacked)) name.remove_suffix(kPacked.size());
  return name;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f") == text.npos;
}

// A line whose beginning stood in an earlier piece.
class BegunLine {
 public:
  bool empty() const { return size_ == 0; }

  void add(std::string_view more) {
    held_.append(more.substr(0, kLongestPhrase - std::min(held_.size(), kLongestPhrase)));
    size_ += more.size();
    blank_ = blank_ && is_blank(more);
    if (!more.empty()) last_ = more.back();
  }

  // Valid until the next add().
  TextLine line() const {
    TextLine line{held_, size_, blank_};
    if (size_ > 0 && last_ == '\r') {
      --line.size;
      if (line.text.size() > line.size) line.text.remove_suffix(1);
    }
    return line;
  }

  void clear() {
    held_.clear();
    if (held_.capacity() > kPiece) held_.shrink_to_fit();
    size_ = 0;
    blank_ = true;
  }

 private:
  std::string held_;
  std::uint64_t size_ = 0;
  bool blank_ = true;
  char last_ = 0;
};

TextLine whole_line(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return {text.substr(0, kLongestPhrase), text.size(), is_blank(text)};
}

}  // namespace

void for_each_line(const TextPieces& pieces, const std::function<bool(const TextLine&)>& f) {
  BegunLine begun;
  for (std::string_view piece = pieces(); !piece.empty(); piece = pieces()) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      const std::string_view part = piece.substr(0, end);
      piece.remove_prefix(std::min(part.size() + 1, piece.size()));
      if (end == part.npos || !begun.empty()) begun.add(part);
      if (end == part.npos) break;
      if (!f(begun.empty() ? whole_line(part) : begun.line())) return;
      begun.clear();
    }
  }
  if (!begun.empty()) f(begun.line());
}

TextPieces pieces_of(std::string_view text) {
  return [text]() mutable {
    const std::string_view piece = text.substr(0, kPiece);
    text.remove_prefix(piece.size());
    return piece;
  };
}

bool PhraseFile::is_named_so(std::string_view name) {
  return has_ending(unpacked_name(name), ".txt") || is_json(name);
}

bool PhraseFile::is_json(std::string_view name) {
  const std::string_view plain = unpacked_name(name);
  return has_ending(plain, ".jsonl") || has_ending(plain, ".ndjson");
}

std::shared_ptr<const PhraseFile> PhraseFile::open(const std::string& path) {
  if (has_ending(unpacked_name(path), ".json")) {
    throw Error(
        path +
        ": a .json file is one value, not a phrase a line; expected .txt, or .jsonl or .ndjson, which have a JSON "
        "string or an object with a string \"text\" on each line (a file that is so, and is called .json, may be "
        "renamed)");
  }
  const auto file = std::make_shared<PhraseFile>();
  file->file_ = MappedFile::open(path);
  file->pieces();  // refuses what is no gzip file
  return file;
}

TextPieces PhraseFile::pieces() const {
  if (!has_ending(file_->path(), kPacked)) {
    return pieces_of({reinterpret_cast<const char*>(file_->bytes().data()), file_->bytes().size()});
  }
  // A std::function is copied, a reader is not.
  const auto reader = std::make_shared<GzipReader>(file_->bytes(), file_->path());
  return [reader] { return reader->next(); };
}

void PhraseFile::check_unchanged() const {
  file_->check_unchanged();
}

}  // namespace headscope
