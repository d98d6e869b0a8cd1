// vocab.txt alone; or vocab.json, NUL, merges.txt; then NUL and a text, which whatever is accepted spells.
#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/vocabulary_files.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

std::string_view take_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

TokenizerParts parts_of(std::string_view first, std::string_view& rest) {
  const JsonPart none(nullptr, "tokenizer_config.json");
  if (!first.starts_with('{')) return read_word_piece_file(first, "vocab.txt", none);
  TokenizerParts parts = read_byte_level_files(first, "vocab.json", take_part(rest), "merges.txt", none);
  check_merges_are_whole(parts, none, "merges.txt");
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::as_text(data, size);
  const std::string_view first = take_part(rest);
  try {
    const auto tokenizer = make_pipeline_tokenizer(parts_of(first, rest));
    const Tokens tokens = tokenizer->tokenize(rest);
    for (const std::int64_t id : tokens.ids) {
      fuzz::require(id >= 0 && id < tokenizer->vocabulary_size(), "ids are those of the vocabulary");
    }
    fuzz::require(is_valid_utf8(tokenizer->decode(tokens.ids)), "decoded text is text");
    for (const std::string& piece : tokens.vocabulary_pieces) {
      fuzz::require(tokenizer->id_of(piece).has_value(), "a piece is one of the vocabulary");
    }
  } catch (const Error&) {
  }
  return 0;
}
