// A list of phrases: a line each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/cancel.h"
#include "core/tensor/shape.h"

namespace headscope {

class MappedFile;

// One line of the list.
struct ListedPhrase {
  std::int64_t index = 0;  // of the line, from 0
  std::string text;        // UTF-8
  bool blank = false;      // nothing but white space stands there
  std::string problem;     // why it cannot be read; "" when it can
};

class PhraseList {
 public:
  // A file whose name ends with .jsonl has a JSON string a line, or an object with a string "text" or "phrase"; every
  // other one is plain text. Error when it is missing or no file.
  static PhraseList open(const std::string& path);
  // Plain text from elsewhere.
  static PhraseList of_text(std::string text);

  std::int64_t size() const { return size_; }            // lines, blank ones too
  const std::string& sha256() const { return sha256_; }  // of all bytes
  // Calls f(phrase) for the lines of the range in order. Error when the file has changed.
  void visit(Range range, const std::function<void(const ListedPhrase&)>& f) const;

 private:
  void look_through();
  std::string_view text() const;
  std::shared_ptr<const MappedFile> file_;  // null for text from elsewhere
  std::string text_;
  bool json_ = false;
  std::int64_t size_ = 0;
  std::string sha256_;
};

// Block `index` of `count` blocks that follow one another and differ by one phrase at most: the indices from
// floor(size index / count) to floor(size (index + 1) / count).
Range shard_of(std::int64_t size, std::int64_t index, std::int64_t count);

}  // namespace headscope
