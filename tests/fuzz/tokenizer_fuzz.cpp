// A tokenizer.json, a NUL, a text: whatever is accepted spells the text so that everything fits together.
#include <algorithm>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/tokenizer_json.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::as_text(data, size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  try {
    const auto tokenizer = make_pipeline_tokenizer(read_tokenizer_json(input.substr(0, end), "fuzz.json"));
    const Tokens tokens = tokenizer->tokenize(text);
    const std::size_t count = tokens.ids.size();
    fuzz::require(tokens.pieces.size() == count && tokens.vocabulary_pieces.size() == count &&
                      tokens.offsets.size() == count && tokens.words.size() == count,
                  "every list has an entry a token");
    for (std::size_t k = 0; k < count; ++k) {
      const Range range = tokens.offsets[k];
      fuzz::require(range.begin >= 0 && range.begin <= range.end && range.end <= static_cast<std::int64_t>(text.size()),
                    "a range lies in the text");
      fuzz::require(is_valid_utf8(tokens.pieces[k]) && is_valid_utf8(tokens.vocabulary_pieces[k]), "pieces are text");
    }
    fuzz::require(is_valid_utf8(tokenizer->decode(tokens.ids)), "decoded text is text");
    suggestions(*tokenizer, text);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
