#include "core/text/aligned_text.h"

#include <algorithm>

#include "core/base/error.h"

namespace headscope {

void AlignedText::check_size(std::size_t more) const {
  constexpr std::size_t most = std::size_t{128} << 20;
  if (more > most || bytes.size() > most - more) {
    throw Error("the text is too long for its tokenizer: found more than 128 MiB after normalization");
  }
}

void AlignedText::reserve(std::size_t size) {
  if (size > bytes.size()) check_size(size - bytes.size());
  bytes.reserve(size);
  source.reserve(size);
}

void AlignedText::append(std::uint32_t code_point, SourceRange from) {
  check_size(4);
  append_utf8(bytes, code_point);
  source.resize(bytes.size(), from);
}

void AlignedText::append(std::string_view text, SourceRange from) {
  check_size(text.size());
  bytes.append(text);
  source.resize(bytes.size(), from);
}

void AlignedText::append(const AlignedText& text, std::size_t begin, std::size_t end) {
  check_size(end - begin);
  bytes.append(text.bytes, begin, end - begin);
  source.insert(source.end(), text.source.begin() + static_cast<std::ptrdiff_t>(begin),
                text.source.begin() + static_cast<std::ptrdiff_t>(end));
}

SourceRange AlignedText::source_of(std::size_t begin, std::size_t end) const {
  if (begin >= end) {
    const std::uint32_t at = begin < source.size() ? source[begin].begin : source.empty() ? 0 : source.back().end;
    return {at, at};
  }
  return {source[begin].begin, std::max(source[begin].begin, source[end - 1].end)};
}

AlignedText aligned(std::string_view text, std::size_t offset) {
  AlignedText result;
  result.reserve(text.size());
  for_each_code_point(text, [&](std::uint32_t code_point, std::size_t at, std::size_t bytes) {
    const auto begin = static_cast<std::uint32_t>(offset + at);
    result.append(code_point, {begin, begin + static_cast<std::uint32_t>(bytes)});
  });
  return result;
}

AlignedText rewritten(const AlignedText& text, const std::vector<Change>& changes) {
  AlignedText result;
  result.reserve(text.size());
  std::size_t at = 0;  // of the next code point that was not taken yet
  const auto take = [&] {
    if (at < text.size()) at += static_cast<std::size_t>(code_point_at(text.bytes, at).bytes);
  };
  for (const Change& one : changes) {
    const std::size_t from = one.change > 0 && at > 0 ? at - 1 : at;
    SourceRange source;
    if (from < text.size()) {
      source = text.source[from];
    } else if (!text.source.empty()) {
      source = text.source.back();
    }
    result.append(one.code_point, source);
    for (int taken = one.change; taken <= 0; ++taken) take();
  }
  return result;
}

}  // namespace headscope
