#include "core/text/tiktoken_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/text/byte_alphabet.h"
#include "core/text/gguf_pre_tokenizers.h"
#include "core/text/vocabulary_model.h"

namespace headscope {
namespace {

// The bytes of a text in base64; nullopt for one that is none.
std::optional<std::string> bytes_of_base64(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const bool padded = at + k >= text.size() - padding;
      const std::size_t value = padded ? 0 : letters.find(text[at + k]);
      if (value == letters.npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 0xFF);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

class TiktokenReader {
 public:
  TiktokenReader(std::string_view text, const std::string& file) : file_(file) { read_lines(text); }

  TokenizerParts parts(bool framed) {
    const TiktokenEncoding& encoding = encoding_of_ranks();
    join_neighbours();
    model_.ignore_merges = true;
    TokenizerParts parts;
    if (encoding.nfc) parts.normalizer = {NormalFormStep{NormalForm::nfc}};
    ByteLevelSplit split;
    split.add_prefix_space = false;
    split.pattern.emplace(pattern_of(encoding), file_);
    parts.pre_tokenizer = {std::move(split)};
    parts.decoder = {ByteLevelDecoder{}};
    for (const PostProcessor::Special& special : encoding.special) {
      if (!model_.vocabulary.add(special.spelling, special.id)) continue;
      AddedToken token;
      token.id = special.id;
      token.content = special.spelling;
      token.special = true;
      parts.added_tokens.push_back(std::move(token));
    }
    if (framed && encoding.begins) parts.post_processor.before = {encoding.special.front()};
    finish(model_);
    parts.model = std::move(model_);
    return parts;
  }

 private:
  void read_lines(std::string_view text) {
    for (std::int64_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) add_line(line, number);
    }
  }

  void add_line(std::string_view line, std::int64_t number) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::optional<std::string> bytes = bytes_of_base64(line.substr(0, blank));
    const std::string_view digits = line.substr(std::min(blank + 1, line.size()));
    std::int64_t rank = -1;
    const auto [at, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    const bool whole = failure == std::errc() && at == digits.data() + digits.size();
    if (!bytes || !whole || rank < 0 || rank > Vocabulary::kLargestId) {
      throw Error(fmt::format("{}: line {} is {}; expected a piece in base64, a blank and its rank", file_, number,
                              in_quotes(shortened(line))));
    }
    std::string spelling = spelled_in_bytes(*bytes);
    if (model_.vocabulary.has(rank) || !model_.vocabulary.add(spelling, rank)) {
      throw Error(fmt::format("{}: line {} has a piece or a rank that stands before", file_, number));
    }
    ++ranks_;
  }

  const TiktokenEncoding& encoding_of_ranks() const {
    std::vector<std::string> known;
    for (const TiktokenEncoding& row : tiktoken_encodings()) {
      if (row.ranks == ranks_) return row;
      known.push_back(fmt::format("{} ({})", row.name, row.ranks));
    }
    throw UnknownTokenizer(
        fmt::format("{}: a list of tiktoken of {} pieces, which says nothing of how texts are split before; expected "
                    "that of {}, or "
                    "tokenizer.json (AutoTokenizer's save_pretrained writes it)",
                    file_, ranks_, fmt::join(known, ", ")));
  }

  const char* pattern_of(const TiktokenEncoding& encoding) const {
    const auto rows = gguf_pre_tokenizers();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const GgufPreTokenizer& each) { return each.name == encoding.splits; });
    return row->patterns.back();
  }

  // Every two pieces that are a piece together join, by the rank of that.
  void join_neighbours() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::string letter = spelled_in_bytes(std::string(1, static_cast<char>(byte)));
      if (!model_.vocabulary.find(letter)) throw Error(fmt::format("{}: has no piece of the byte {}", file_, byte));
    }
    std::vector<std::pair<std::string, std::int64_t>> pieces;
    model_.vocabulary.each([&](std::string_view piece, std::int64_t id) { pieces.emplace_back(piece, id); });
    for (const auto& each : pieces) {
      const std::string_view piece = each.first;
      const auto merged = static_cast<std::int32_t>(each.second);
      for (std::size_t at = 1; at < piece.size(); ++at) {
        if ((static_cast<unsigned char>(piece[at]) & 0xC0U) == 0x80U) continue;  // within a letter of the alphabet
        const auto left = model_.vocabulary.find(piece.substr(0, at)), right = model_.vocabulary.find(piece.substr(at));
        if (!left || !right) continue;
        model_.merges.set(static_cast<std::int32_t>(*left), static_cast<std::int32_t>(*right),
                          {static_cast<std::uint32_t>(merged), merged});
        model_.next_rank = std::max(model_.next_rank, static_cast<std::uint32_t>(merged) + 1);
      }
    }
  }

  const std::string& file_;
  BpeModel model_;
  std::int64_t ranks_ = 0;
};

}  // namespace

const std::vector<TiktokenEncoding>& tiktoken_encodings() {
  static const std::vector<TiktokenEncoding> rows = {
      {"r50k_base", 50256, "gpt-2", false, {{50256, "<|endoftext|>"}}},
      {"p50k_base", 50280, "gpt-2", false, {{50256, "<|endoftext|>"}}},
      {"cl100k_base",
       100256,
       "llama-bpe",
       false,
       {{100257, "<|endoftext|>"},
        {100258, "<|fim_prefix|>"},
        {100259, "<|fim_middle|>"},
        {100260, "<|fim_suffix|>"},
        {100276, "<|endofprompt|>"}}},
      {"o200k_base", 199998, "gpt-4o", false, {{199999, "<|endoftext|>"}, {200018, "<|endofprompt|>"}}},
      // Meta's tokenizer.py; ids between these stand for reserved tokens, which differ from version to version.
      {"Llama 3",
       128000,
       "llama-bpe",
       false,
       {{128000, "<|begin_of_text|>"},
        {128001, "<|end_of_text|>"},
        {128006, "<|start_header_id|>"},
        {128007, "<|end_header_id|>"},
        {128009, "<|eot_id|>"}},
       true},
      {"Qwen", 151643, "qwen2", true, {{151643, "<|endoftext|>"}, {151644, "<|im_start|>"}, {151645, "<|im_end|>"}}},
  };
  return rows;
}

TokenizerParts read_tiktoken_file(std::string_view text, const std::string& file, bool framed) {
  return TiktokenReader(text, file).parts(framed);
}

}  // namespace headscope
