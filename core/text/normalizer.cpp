#include "core/text/normalizer.h"

#include <algorithm>
#include <utility>

#include "core/text/byte_alphabet.h"

namespace headscope {

namespace {

// f(code point, source, result) appends what one code point becomes.
template <typename F>
AlignedText each_rewritten(const AlignedText& text, F&& f) {
  AlignedText result;
  result.reserve(text.size());
  for_each_code_point(text.bytes, [&](std::uint32_t code_point, std::size_t at, std::size_t) {
    f(code_point, text.source[at], result);
  });
  return result;
}

AlignedText without_marks(const AlignedText& text, bool (*is_unwanted)(std::uint32_t)) {
  return each_rewritten(text, [&](std::uint32_t code_point, SourceRange source, AlignedText& result) {
    if (code_point < 0x80 || !is_unwanted(code_point)) result.append(code_point, source);
  });
}

AlignedText lower_case(const AlignedText& text) {
  return each_rewritten(text, [](std::uint32_t code_point, SourceRange source, AlignedText& result) {
    append_lower_case(result, code_point, source);
  });
}

AlignedText apply(const AlignedText& text, const LowercaseStep&) {
  return lower_case(text);
}

AlignedText apply(const AlignedText& text, const StripAccentsStep&) {
  return without_marks(text, is_mark);
}

AlignedText apply(const AlignedText& text, const ByteLevelStep&) {
  AlignedText result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result.append(letter_of_byte(static_cast<unsigned char>(text.bytes[at])), text.source[at]);
  }
  return result;
}

// SentencePiece's nmt_nfkc rule: which control characters go, and which become blanks.
AlignedText apply(const AlignedText& text, const NmtStep&) {
  return each_rewritten(text, [](std::uint32_t c, SourceRange source, AlignedText& result) {
    const bool removed =
        (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
    const bool blank = c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                       c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
    if (!removed) result.append(blank ? ' ' : c, source);
  });
}

AlignedText apply(const AlignedText& text, const NormalFormStep& step) {
  return normal_form(text, step.form);
}

AlignedText apply(const AlignedText& text, const StripStep& step) {
  std::size_t begin = text.size(), end = 0;
  for_each_code_point(text.bytes, [&](std::uint32_t code_point, std::size_t at, std::size_t bytes) {
    if (is_space(code_point)) return;
    begin = std::min(begin, at);
    end = at + bytes;
  });
  if (!step.left) begin = 0;
  if (!step.right) end = text.size();
  AlignedText result;
  if (begin < end) result.append(text, begin, end);
  return result;
}

AlignedText apply(const AlignedText& text, const PrependStep& step) {
  if (text.size() == 0) return text;
  AlignedText result;
  result.append(step.text, text.source.front());
  result.append(text, 0, text.size());
  return result;
}

AlignedText apply(const AlignedText& text, const ReplaceStep& step) {
  std::vector<Match> matches;
  if (step.pattern) {
    step.pattern->find(text.bytes, 0, text.size(), matches);
  } else if (!step.text.empty()) {
    for (std::size_t at = text.bytes.find(step.text); at != std::string::npos;
         at = text.bytes.find(step.text, at + step.text.size())) {
      matches.push_back({at, at + step.text.size()});
    }
  }
  AlignedText result;
  result.reserve(text.size() + matches.size() * step.content.size());
  std::size_t done = 0;
  for (const Match& match : matches) {
    result.append(text, done, match.begin);
    result.append(step.content, text.source[match.end - 1]);
    done = match.end;
  }
  result.append(text, done, text.size());
  return result;
}

AlignedText cleaned(const AlignedText& text, const BertStep& step) {
  return each_rewritten(text, [&](std::uint32_t c, SourceRange source, AlignedText& result) {
    const bool blank = is_space(c);
    if (step.clean_text) {
      const bool kept_control = c == '\t' || c == '\n' || c == '\r';
      if (c == 0 || c == 0xFFFD || (!kept_control && is_control_or_private(c))) return;
      if (blank) c = ' ';
    }
    const bool apart = step.handle_chinese_chars && is_chinese(c);
    if (apart) result.append(' ', source);
    result.append(c, source);
    if (apart) result.append(' ', source);
  });
}

AlignedText apply(const AlignedText& text, const BertStep& step) {
  AlignedText result = cleaned(text, step);
  if (step.strip_accents) result = without_marks(normal_form(result, NormalForm::nfd), is_nonspacing_mark);
  return step.lowercase ? lower_case(result) : result;
}

AlignedText apply(const AlignedText& text, const PrecompiledMap& map) {
  return map.applied(text);
}

AlignedText apply(const AlignedText& text, const SentencePieceStep& step) {
  return step.applied(text);
}

}  // namespace

AlignedText normalized(AlignedText text, const Normalizer& normalizer) {
  for (const NormalizerStep& step : normalizer) {
    text = std::visit([&](const auto& one) { return apply(text, one); }, step);
  }
  return text;
}

}  // namespace headscope
