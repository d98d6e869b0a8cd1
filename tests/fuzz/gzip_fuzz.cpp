// What is packed is unpacked in pieces, and its lines are those of the whole text.
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/corpus/phrase_file.h"
#include "core/io/gzip.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

std::vector<std::string> lines_of(const TextPieces& pieces) {
  std::vector<std::string> lines;
  for_each_line(pieces, [&](const TextLine& line) {
    fuzz::require(line.text.size() <= kLongestPhrase && line.text.size() <= line.size, "a line is as long as it says");
    lines.emplace_back(line.text);
    return true;
  });
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    GzipReader reader(fuzz::as_bytes(data, size), "fuzz.gz");
    std::string text;
    for (std::string_view piece = reader.next(); !piece.empty(); piece = reader.next()) {
      fuzz::require(piece.size() <= GzipReader::kPiece, "a piece is no larger than it may be");
      text += piece;
    }
    fuzz::require(reader.next().empty(), "nothing comes behind the end");
    GzipReader again(fuzz::as_bytes(data, size), "fuzz.gz");
    bool whole = false;
    const auto once = [&] { return std::string_view(text).substr(0, std::exchange(whole, true) ? 0 : text.size()); };
    fuzz::require(lines_of([&] { return again.next(); }) == lines_of(once), "lines do not depend on the pieces");
  } catch (const Error&) {
  }
  return 0;
}
