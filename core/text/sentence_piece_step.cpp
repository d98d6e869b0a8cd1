#include "core/text/sentence_piece_step.h"

#include <string>

#include "core/base/utf8.h"
#include "core/text/metaspace.h"

namespace headscope {
namespace {

void append_part(std::string_view part, std::string_view blank, SourceRange source, AlignedText& result) {
  for_each_code_point(part, [&](std::uint32_t code_point, std::size_t, std::size_t) {
    if (code_point == ' ') {
      result.append(blank, source);
    } else {
      result.append(code_point, source);
    }
  });
}

void drop_blanks_behind(std::string_view blank, AlignedText& text) {
  while (text.bytes.ends_with(blank)) {
    text.bytes.resize(text.bytes.size() - blank.size());
    text.source.resize(text.bytes.size());
  }
}

}  // namespace

SentencePieceStep::Part SentencePieceStep::part_at(std::string_view bytes, std::size_t at) const {
  const std::string_view rest = bytes.substr(at);
  const std::size_t whole = kept.longest_prefix(rest).first;
  if (whole > 0) return {rest.substr(0, whole), whole};
  if (map) {
    if (const auto found = map->longest(rest)) return {found->replacement, found->bytes};
  }
  const auto size = static_cast<std::size_t>(code_point_at(bytes, at).bytes);
  return {rest.substr(0, size), size};
}

AlignedText SentencePieceStep::applied(const AlignedText& text) const {
  const std::string_view bytes = text.bytes, blank = escape_blanks ? kMetaspace : std::string_view(" ");
  AlignedText result;
  result.reserve(text.size() + 3);
  std::size_t at = 0;
  while (remove_extra_blanks && at < bytes.size()) {
    const Part part = part_at(bytes, at);
    if (part.text != " ") break;
    at += part.bytes;
  }
  if (at == bytes.size()) return result;
  if (add_dummy_prefix) result.append(blank, text.source[at]);
  bool after_blank = remove_extra_blanks;
  while (at < bytes.size()) {
    Part part = part_at(bytes, at);
    while (after_blank && part.text.starts_with(' ')) part.text.remove_prefix(1);
    append_part(part.text, blank, text.source_of(at, at + part.bytes), result);
    if (!part.text.empty()) after_blank = remove_extra_blanks && part.text.ends_with(' ');
    at += part.bytes;
  }
  if (remove_extra_blanks) drop_blanks_behind(blank, result);
  return result;
}

}  // namespace headscope
