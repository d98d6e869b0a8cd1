#include "core/text/decoder.h"

#include <array>
#include <utility>

#include "core/text/byte_alphabet.h"

namespace headscope {

namespace {

using Pieces = std::vector<std::string>;

void replace_all(std::string& text, std::string_view wanted, std::string_view content) {
  std::size_t found = wanted.empty() ? std::string::npos : text.find(wanted);
  if (found == std::string::npos) return;
  std::string result;
  std::size_t done = 0;
  for (; found != std::string::npos; found = text.find(wanted, done)) {
    result.append(text, done, found - done).append(content);
    done = found + wanted.size();
  }
  text = result.append(text, done, std::string::npos);
}

void apply(Pieces& pieces, const FuseDecoder&) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  pieces = {std::move(all)};
}

void apply(Pieces& pieces, const ByteLevelDecoder&) {
  std::string bytes;
  for (const std::string& piece : pieces) bytes += bytes_of_spelling(piece);
  pieces = {replaced_invalid(bytes)};
}

void apply(Pieces& pieces, const ByteFallbackDecoder&) {
  Pieces result;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (is_valid_utf8(bytes)) {
      result.push_back(bytes);
    } else {
      result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& piece : pieces) {
    if (const auto byte = byte_piece(piece)) {
      bytes.push_back(static_cast<char>(*byte));
    } else {
      flush();
      result.push_back(std::move(piece));
    }
  }
  flush();
  pieces = std::move(result);
}

void apply(Pieces& pieces, const WordPieceDecoder& step) {
  static constexpr std::array<std::pair<const char*, const char*>, 11> tidy = {{{" .", "."},
                                                                                {" ?", "?"},
                                                                                {" !", "!"},
                                                                                {" ,", ","},
                                                                                {" ' ", "'"},
                                                                                {" n't", "n't"},
                                                                                {" 'm", "'m"},
                                                                                {" do not", " don't"},
                                                                                {" 's", "'s"},
                                                                                {" 've", "'ve"},
                                                                                {" 're", "'re"}}};
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    std::string& piece = pieces[k];
    if (k > 0 && piece.starts_with(step.prefix)) {
      piece.erase(0, step.prefix.size());
    } else if (k > 0) {
      piece.insert(piece.begin(), ' ');
    }
    if (!step.cleanup) continue;
    for (const auto& [from, to] : tidy) replace_all(piece, from, to);
  }
}

void apply(Pieces& pieces, const MetaspaceDecoder& step) {
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    replace_all(pieces[k], step.replacement, k == 0 && !step.leading_blank ? "" : " ");
  }
}

void apply(Pieces& pieces, const ReplaceDecoder& step) {
  std::vector<Match> matches;
  for (std::string& piece : pieces) {
    if (!step.pattern) {
      replace_all(piece, step.text, step.content);
      continue;
    }
    step.pattern->find(piece, 0, piece.size(), matches);
    std::string result;
    std::size_t done = 0;
    for (const Match& match : matches) {
      result.append(piece, done, match.begin - done).append(step.content);
      done = match.end;
    }
    piece = result.append(piece, done, std::string::npos);
  }
}

void apply(Pieces& pieces, const StripDecoder& step) {
  for (std::string& piece : pieces) {
    std::string_view rest = piece;
    for (std::int64_t k = 0; k < step.start && rest.starts_with(step.content); ++k) {
      rest.remove_prefix(step.content.size());
    }
    for (std::int64_t k = 0; k < step.stop && rest.ends_with(step.content); ++k) {
      rest.remove_suffix(step.content.size());
    }
    piece = std::string(rest);
  }
}

void apply(Pieces& pieces, const SuffixDecoder& step) {
  for (std::size_t k = 0; k < pieces.size(); ++k)
    replace_all(pieces[k], step.suffix, k + 1 == pieces.size() ? "" : " ");
}

}  // namespace

std::string decoded(std::vector<std::string> pieces, const Decoder& decoder) {
  for (const DecoderStep& step : decoder) {
    std::visit([&](const auto& one) { apply(pieces, one); }, step);
  }
  std::string text;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (decoder.empty() && k > 0) text += ' ';
    text += pieces[k];
  }
  return text;
}

}  // namespace headscope
