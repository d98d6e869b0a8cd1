#include "core/text/token_spelling.h"

#include <algorithm>
#include <variant>

#include "core/base/utf8.h"
#include "core/text/byte_alphabet.h"
#include "core/text/unicode.h"

namespace headscope {
namespace {

template <typename Step, typename Steps>
bool has_step(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return std::holds_alternative<Step>(step); });
}

}  // namespace

Spelling spelling_of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const Decoder& decoder) {
  if (has_step<ByteLevelDecoder>(decoder) || has_step<ByteLevelSplit>(pre_tokenizer) ||
      has_step<ByteLevelStep>(normalizer)) {
    return Spelling::bytes;
  }
  if (has_step<MetaspaceDecoder>(decoder) || has_step<MetaspaceSplit>(pre_tokenizer)) {
    return Spelling::metaspace;
  }
  for (const NormalizerStep& step : normalizer) {
    const auto* pieces = std::get_if<SentencePieceStep>(&step);
    if (pieces != nullptr && pieces->escape_blanks) return Spelling::metaspace;
    const auto* replace = std::get_if<ReplaceStep>(&step);
    if (replace != nullptr && replace->content == kMetaspace) return Spelling::metaspace;
  }
  return Spelling::plain;
}

std::string with_blanks(std::string_view piece) {
  std::string text;
  for (std::size_t at = 0; at < piece.size();) {
    const bool blank = piece.substr(at).starts_with(kMetaspace);
    text.push_back(blank ? ' ' : piece[at]);
    at += blank ? kMetaspace.size() : 1;
  }
  return text;
}

Range trimmed(std::string_view text, std::string_view spelling, Range range, bool keep_leading) {
  const auto is_blank = [](std::uint32_t code_point) {
    return code_point == letter_of_byte(' ') || is_space(code_point);
  };
  std::int64_t leading = 0, trailing = 0, count = 0;
  for_each_code_point(spelling, [&](std::uint32_t code_point, std::size_t, std::size_t) {
    ++count;
    trailing = is_blank(code_point) ? trailing + 1 : 0;
    if (trailing == count) leading = count;
  });
  if (keep_leading && leading == 1) leading = 0;
  for (; leading > 0 && range.begin < range.end; --leading) {
    range.begin += code_point_at(text, static_cast<std::size_t>(range.begin)).bytes;
  }
  for (; trailing > 0 && range.end > range.begin; --trailing) {
    do {
      --range.end;
    } while (range.end > range.begin &&
             (static_cast<unsigned char>(text[static_cast<std::size_t>(range.end)]) & 0xC0) == 0x80);
  }
  return {range.begin, std::max(range.begin, range.end)};
}

}  // namespace headscope
