#include "core/text/pre_tokenizer.h"

#include <algorithm>

#include "core/text/byte_alphabet.h"
#include "core/text/unicode.h"

namespace headscope {

namespace {

// A part of a piece: what matched, or what lies between.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool matched = false;
};

// Joins `parts`, which cover a piece, and appends the words that remain.
void append_words(const std::vector<Part>& parts, SplitBehavior behavior, std::vector<TextPiece>& words) {
  const std::size_t first = words.size();
  const auto push = [&](const Part& part) { words.push_back({part.begin, part.end, -1}); };
  bool previous = false;
  switch (behavior) {
    case SplitBehavior::isolated:
      for (const Part& part : parts) push(part);
      return;
    case SplitBehavior::removed:
      for (const Part& part : parts) {
        if (!part.matched) push(part);
      }
      return;
    case SplitBehavior::contiguous:
    case SplitBehavior::merged_with_previous:
      for (const Part& part : parts) {
        const bool joins = behavior == SplitBehavior::contiguous ? part.matched == previous : part.matched && !previous;
        previous = part.matched;
        if (joins && words.size() > first) {
          words.back().end = part.end;
        } else {
          push(part);
        }
      }
      return;
    case SplitBehavior::merged_with_next:
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (part->matched && !previous && words.size() > first) {
          words.back().begin = part->begin;
        } else {
          push(*part);
        }
        previous = part->matched;
      }
      std::reverse(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
      return;
  }
}

// f(text, piece, matches) finds what a step looks for, ascending.
template <typename F>
void split(PieceList& list, SplitBehavior behavior, bool invert, F&& find) {
  std::vector<TextPiece> words;
  words.reserve(list.pieces.size());
  std::vector<Match> matches;
  std::vector<Part> parts;
  for (const TextPiece& piece : list.pieces) {
    if (piece.id >= 0) {
      words.push_back(piece);
      continue;
    }
    matches.clear();
    find(std::string_view(list.text.bytes), piece, matches);
    parts.clear();
    std::size_t done = piece.begin;
    for (const Match& match : matches) {
      if (match.begin > done) parts.push_back({done, match.begin, invert});
      parts.push_back({match.begin, match.end, !invert});
      done = match.end;
    }
    if (piece.end > done) parts.push_back({done, piece.end, invert});
    append_words(parts, behavior, words);
  }
  list.pieces = std::move(words);
}

// Every character that `wanted` is true for is a match of its own.
template <typename F>
void split_characters(PieceList& list, SplitBehavior behavior, F&& wanted) {
  split(list, behavior, false, [&](std::string_view text, const TextPiece& piece, std::vector<Match>& matches) {
    for_each_code_point(text.substr(piece.begin, piece.end - piece.begin),
                        [&](std::uint32_t code_point, std::size_t at, std::size_t bytes) {
                          if (wanted(code_point)) matches.push_back({piece.begin + at, piece.begin + at + bytes});
                        });
  });
}

void split_pattern(PieceList& list, const PatternSplit& step) {
  split(list, step.behavior, step.invert,
        [&](std::string_view text, const TextPiece& piece, std::vector<Match>& matches) {
          if (step.pattern) return step.pattern->find(text, piece.begin, piece.end, matches);
          const std::string_view part = text.substr(0, piece.end);
          if (step.text.empty()) return;
          for (std::size_t at = part.find(step.text, piece.begin); at != part.npos;
               at = part.find(step.text, at + step.text.size())) {
            matches.push_back({at, at + step.text.size()});
          }
        });
}

// f(piece, result) appends what a piece that is no added token becomes.
template <typename F>
void rewrite(PieceList& list, F&& f) {
  AlignedText result;
  result.reserve(list.text.size());
  for (TextPiece& piece : list.pieces) {
    const std::size_t begin = result.size();
    if (piece.id >= 0) {
      result.append(list.text, piece.begin, piece.end);
    } else if (piece.begin < piece.end) {
      f(piece, result);
    }
    piece.begin = begin;
    piece.end = result.size();
  }
  list.text = std::move(result);
}

void apply(PieceList& list, const ByteLevelSplit& step) {
  if (step.add_prefix_space) {
    rewrite(list, [&](const TextPiece& piece, AlignedText& result) {
      if (list.text.bytes[piece.begin] != ' ') result.append(' ', list.text.source[piece.begin]);
      result.append(list.text, piece.begin, piece.end);
    });
  }
  if (step.pattern) {
    PatternSplit words;
    words.pattern = step.pattern;
    split_pattern(list, words);
  }
  rewrite(list, [&](const TextPiece& piece, AlignedText& result) {
    for (std::size_t at = piece.begin; at < piece.end; ++at) {
      result.append(letter_of_byte(static_cast<unsigned char>(list.text.bytes[at])), list.text.source[at]);
    }
  });
}

void apply(PieceList& list, const PatternSplit& step) {
  split_pattern(list, step);
}

void apply(PieceList& list, const WhitespaceSplit&) {
  split_characters(list, SplitBehavior::removed, is_space);
}

void apply(PieceList& list, const BertSplit&) {
  split_characters(list, SplitBehavior::removed, is_space);
  split_characters(list, SplitBehavior::isolated, is_punctuation);
}

void apply(PieceList& list, const PunctuationSplit& step) {
  split_characters(list, step.behavior, is_punctuation);
}

void apply(PieceList& list, const DigitsSplit& step) {
  split_characters(list, step.individual ? SplitBehavior::isolated : SplitBehavior::contiguous, is_numeric);
}

void apply(PieceList& list, const MetaspaceSplit& step) {
  using Prepend = MetaspaceSplit::Prepend;
  rewrite(list, [&](const TextPiece& piece, AlignedText& result) {
    const std::string_view text = std::string_view(list.text.bytes).substr(piece.begin, piece.end - piece.begin);
    const SourceRange first = list.text.source[piece.begin];
    const bool begins_so = text.starts_with(' ') || text.starts_with(step.replacement);
    const bool wanted =
        step.prepend == Prepend::always || (step.prepend == Prepend::first && (piece.begin == 0 || first.begin == 0));
    if (wanted && !begins_so) result.append(step.replacement, first);
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == ' ') {
        result.append(step.replacement, list.text.source[piece.begin + at]);
      } else {
        result.append(list.text, piece.begin + at, piece.begin + at + 1);
      }
    }
  });
  if (step.split) {
    PatternSplit words;
    words.text = step.replacement;
    words.behavior = SplitBehavior::merged_with_next;
    split_pattern(list, words);
  }
}

}  // namespace

void pre_tokenize(PieceList& list, const PreTokenizer& steps) {
  for (const PreTokenizerStep& step : steps) {
    std::visit([&](const auto& one) { apply(list, one); }, step);
  }
  std::erase_if(list.pieces, [](const TextPiece& piece) { return piece.id < 0 && piece.begin == piece.end; });
}

}  // namespace headscope
