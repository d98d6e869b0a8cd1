// A list of phrases: a line each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/corpus/phrase_file.h"
#include "core/model/folder_stamp.h"
#include "core/tensor/shape.h"

namespace headscope {

// One line of the list.
struct ListedPhrase {
  std::int64_t index = 0;  // of the line, from 0
  std::string text;        // UTF-8
  bool blank = false;      // nothing but white space stands there
  std::string problem;     // why it cannot be read; "" when it can
};

class PhraseList {
 public:
  // A file whose name ends with .jsonl or .ndjson has a JSON string a line, or an object with a string "text" or
  // "phrase"; every other one is plain text, but .json is refused. Where .gz follows, it is unpacked as it is read. Of
  // a folder its own files named *.txt,
  // *.jsonl and *.ndjson, with .gz behind or not, are one list, sorted by name byte by byte; those whose name begins
  // with a dot are left out. All of it is read once. Error when there is no such file, and when packed bytes are
  // damaged or break off; Cancelled.
  static PhraseList open(const std::string& path, const CancelToken& cancel = {});
  // Plain text from elsewhere.
  static PhraseList of_text(std::string text);

  std::int64_t size() const { return size_; }  // lines, blank ones too
  // Of all bytes as they are unpacked, with a line's end between files where the first has none: the same for a file,
  // for what gzip makes of it, and for a folder with its parts.
  const std::string& sha256() const { return sha256_; }
  // Calls f(phrase) for the lines of the range in order. Error when a file has changed.
  void visit(Range range, const std::function<void(const ListedPhrase&)>& f) const;

  // The files that it is read from, in order; none of text from elsewhere.
  std::vector<std::string> files() const;
  // What a folder holds besides: files of other kinds, and folders; without those whose name begins with a dot.
  struct LeftOut {
    std::int64_t files = 0, folders = 0;
  };
  const LeftOut& left_out() const { return left_out_; }
  // Where a phrase stands: the file ("" for text from elsewhere) and the line in it, from 1.
  struct Place {
    std::string file;
    std::int64_t line = 0;
  };
  Place place_of(std::int64_t index) const;

 private:
  struct Part {
    std::string path;                        // "" of text from elsewhere
    std::shared_ptr<const PhraseFile> file;  // of a list that is one file, which stays open; null in a folder
    FileStamp stamp;                         // of the file when it was read first
    Range lines;                             // of the list
  };
  void look_through(const CancelToken& cancel);
  void visit_part(const Part& part, Range range, const std::function<void(const ListedPhrase&)>& f) const;

  std::string text_;
  std::vector<Part> parts_;
  std::int64_t size_ = 0;
  std::string sha256_;
  LeftOut left_out_;
};

// All phrases of a list that are not blank, for an option that needs every one of them. UsageError, which names the
// option, for a line that cannot be read and for a list without phrases; else as PhraseList::open().
std::vector<std::string> whole_list(const char* option, const std::string& path, const CancelToken& cancel = {});

// Block `index` of `count` blocks that follow one another and differ by one phrase at most: the indices from
// floor(size index / count) to floor(size (index + 1) / count).
Range shard_of(std::int64_t size, std::int64_t index, std::int64_t count);

}  // namespace headscope
