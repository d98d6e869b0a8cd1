// Walking a text by code points, graphemes and words ends, in both directions, and never leaves the text.
#include <algorithm>

#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/text/tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  std::size_t first_bad = text.npos;
  std::string again;
  for (std::size_t at = 0; at < size;) {
    const CodePoint point = code_point_at(text, at);
    fuzz::require(point.bytes >= 1 && at + static_cast<std::size_t>(point.bytes) <= size, "a code point lies inside");
    if (!point.valid && first_bad == text.npos) first_bad = at;
    if (point.valid) {
      append_utf8(again, point.value);
    } else {
      again += text.substr(at, static_cast<std::size_t>(point.bytes));
    }
    at += static_cast<std::size_t>(point.bytes);
  }
  fuzz::require(again == text, "code points written again are the text");
  fuzz::require(first_invalid_byte(text) == first_bad, "the first invalid byte is the first invalid code point");
  fuzz::require(is_valid_utf8(text) == (first_bad == text.npos), "valid means no invalid byte");
  for (std::size_t at = 0; at < size;) {
    const std::size_t next = next_grapheme(text, at);
    fuzz::require(next > at && next <= size, "the caret moves right");
    at = next;
  }
  for (std::size_t at = size; at > 0;) {
    const std::size_t before = previous_grapheme(text, at);
    fuzz::require(before < at, "the caret moves left");
    at = before;
  }
  fuzz::require(is_valid_utf8(shortened(text)), "a text in a sentence is valid UTF-8");
  const Tokens tokens = make_word_tokenizer()->tokenize(text);
  fuzz::require(tokens.pieces.size() == tokens.offsets.size(), "a word has its place");
  std::int64_t end = 0;
  for (const Range& place : tokens.offsets) {
    fuzz::require(place.begin >= end && place.end > place.begin && place.end <= static_cast<std::int64_t>(size),
                  "words follow each other");
    end = place.end;
  }
  return 0;
}
