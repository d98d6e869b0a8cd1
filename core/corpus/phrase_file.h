// One file of phrases and its lines, which come one after the other: memory grows neither with the file nor with a
// line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace headscope {

class MappedFile;

constexpr std::size_t kLongestPhrase = std::size_t{1} << 24;  // bytes of a line that are read

struct TextLine {
  std::string_view text;   // without its end, "\n" or "\r\n"; at most the first kLongestPhrase bytes
  std::uint64_t size = 0;  // bytes of all of it
  bool blank = false;      // nothing but white space
};

// Gives a text piece by piece: the next one at every call, an empty one at its end.
using TextPieces = std::function<std::string_view()>;

// Calls f(line) for every line of the text, also for a last one without an end, until f returns false.
void for_each_line(const TextPieces& pieces, const std::function<bool(const TextLine&)>& f);

// The pieces of a text that lies in memory.
TextPieces pieces_of(std::string_view text);

class PhraseFile {
 public:
  // Error when it is missing or no file, when its name ends with .json, and when it ends with .gz and the file does not
  // begin as a gzip file does. Endings count in capitals, too.
  static std::shared_ptr<const PhraseFile> open(const std::string& path);

  // Whether a file of this name holds phrases: *.txt, *.jsonl or *.ndjson, also with .gz behind.
  static bool is_named_so(std::string_view name);
  // Whether it holds a JSON value a line, by its name: *.jsonl or *.ndjson, also with .gz behind.
  static bool is_json(std::string_view name);

  // Its text from the beginning, unpacked where the name ends with .gz. They throw Error as GzipReader does. The file
  // has to outlive them.
  TextPieces pieces() const;
  // Error when the file has changed since it was opened.
  void check_unchanged() const;

 private:
  std::shared_ptr<const MappedFile> file_;
};

}  // namespace headscope
