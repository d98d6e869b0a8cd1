#include "core/picture/text/text_flow.h"

#include <algorithm>
#include <string>

#include "core/base/utf8.h"
#include "core/text/visual_order.h"

namespace headscope {

namespace {

using Words = std::span<const FlowWord>;

// Where the word that begins at `first` ends: behind the pieces that are joined to it.
std::size_t end_of_word(Words words, std::size_t first) {
  std::size_t end = first + 1;
  while (end < words.size() && words[end].joined) ++end;
  return end;
}

double width_of(Words words, std::size_t begin, std::size_t end) {
  double width = 0;
  for (std::size_t k = begin; k < end; ++k) width += words[k].width;
  return width;
}

// Breaks the text into lines.
std::vector<std::size_t> line_starts(Words words, const FlowRoom& room) {
  std::vector<std::size_t> lines;
  double pen = 0;
  const auto place = [&](std::size_t begin, std::size_t end, double gap) {
    const double width = width_of(words, begin, end);
    if (lines.empty() || pen + gap + width > room.width) {
      lines.push_back(begin);
      pen = width;
    } else {
      pen += gap + width;
    }
  };
  for (std::size_t first = 0; first < words.size();) {
    const std::size_t end = end_of_word(words, first);
    if (width_of(words, first, end) <= room.width) {
      place(first, end, room.gap);
    } else {
      for (std::size_t k = first; k < end; ++k) place(k, k + 1, k == first ? room.gap : 0);
    }
    first = end;
  }
  return lines;
}

}  // namespace

TextFlow text_flow(std::span<const FlowWord> words, const FlowRoom& room) {
  TextFlow flow;
  flow.places.resize(words.size());
  flow.lines = line_starts(words, room);
  for (std::size_t line = 0; line < flow.lines.size(); ++line) {
    const std::size_t begin = flow.lines[line], end = flow.end_of(line);
    std::vector<std::int8_t> levels;
    for (std::size_t k = begin; k < end; ++k) levels.push_back(words[k].level);
    double pen = 0;
    std::size_t before = end;  // the word that was placed last
    for (const std::size_t at : visual_order(levels)) {
      const std::size_t k = begin + at;
      // Pieces of a word stand together in either direction.
      const bool together =
          before != end && words[std::max(k, before)].joined && std::max(k, before) - std::min(k, before) == 1;
      if (before != end && !together) pen += room.gap;
      flow.places[k] = {pen, line};
      pen += words[k].width;
      before = k;
    }
    if (!room.right_to_left) continue;
    for (std::size_t k = begin; k < end; ++k) flow.places[k].x += room.width - pen;
  }
  return flow;
}

WordLevels word_levels(std::span<const TextToken> words) {
  std::u32string text;
  std::vector<std::size_t> starts;
  bool turns = false;
  for (const TextToken& word : words) {
    if (!word.joined && !text.empty()) text += U' ';
    starts.push_back(text.size());
    for (std::size_t at = 0; at < word.letters.size();) {
      const CodePoint point = code_point_at(word.letters, at);
      // A separator of paragraphs inside a token ends no paragraph here.
      text += point.value < 32 ? U' ' : static_cast<char32_t>(point.value);
      turns = turns || turns_the_line(point.value);
      at += static_cast<std::size_t>(point.bytes);
    }
  }
  WordLevels result;
  if (!turns) {
    result.levels.assign(words.size(), 0);
    return result;
  }
  text += U' ';  // has the level of the paragraph
  const std::vector<std::int8_t> levels = embedding_levels(text, LineDirection::from_text);
  for (const std::size_t start : starts) result.levels.push_back(levels[start]);
  result.right_to_left = levels.back() % 2 == 1;
  return result;
}

}  // namespace headscope
