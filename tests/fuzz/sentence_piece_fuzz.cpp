// A SentencePiece file; behind the last 0xFF 0xFE, which no UTF-8 holds, a text that whatever is accepted spells.
#include <span>
#include <string>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/sentence_piece_tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

constexpr std::string_view kText = "\xFF\xFE";

// The first letter of the text says whose tokenizer it is.
std::string file_of(std::string_view text) {
  const auto number = text.empty() ? 0U : static_cast<unsigned char>(text.front());
  return kSentencePieceNames[number % std::size(kSentencePieceNames)];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::as_text(data, size);
  const std::size_t end = std::min(input.rfind(kText), input.size());
  const std::string_view text = end == input.size() ? "a lo  \xE2\x96\x81 <s>" : input.substr(end + kText.size());
  const JsonPart none(nullptr, "config.json");
  try {
    auto parts = read_sentence_piece_tokenizer(std::as_bytes(std::span(input.data(), end)), file_of(text), none, none);
    if (!parts) return 0;
    const auto tokenizer = make_pipeline_tokenizer(std::move(*parts));
    const Tokens tokens = tokenizer->tokenize(text);
    for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
      fuzz::require(tokens.ids[k] >= 0 && tokens.ids[k] < tokenizer->vocabulary_size(),
                    "ids are those of the vocabulary");
      fuzz::require(is_valid_utf8(tokens.pieces[k]), "a piece is text");
      fuzz::require(tokens.offsets[k].begin <= tokens.offsets[k].end &&
                        tokens.offsets[k].end <= static_cast<std::int64_t>(text.size()),
                    "a range lies in the text");
    }
    fuzz::require(is_valid_utf8(tokenizer->decode(tokens.ids)), "decoded text is text");
  } catch (const Error&) {
  }
  return 0;
}
