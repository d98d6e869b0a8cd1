#include "core/text/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/text/gguf_pre_tokenizers.h"
#include "core/text/sentence_piece_parts.h"
#include "core/text/token_spelling.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_json.h"
#include "core/text/vocabulary_files.h"
#include "core/text/vocabulary_model.h"

namespace headscope {

namespace {

// What tokenizer.ggml.token_type says of a piece.
enum class PieceType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

constexpr const char* kModel = "tokenizer.ggml.model";
constexpr const char* kPre = "tokenizer.ggml.pre";
constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kScores = "tokenizer.ggml.scores";
constexpr const char* kMerges = "tokenizer.ggml.merges";

struct RoleKey {
  const char* key;
  std::optional<std::int64_t> SpecialTokens::*role;
};
constexpr std::array kRoles = {
    RoleKey{"tokenizer.ggml.bos_token_id", &SpecialTokens::begin},
    RoleKey{"tokenizer.ggml.eos_token_id", &SpecialTokens::end},
    RoleKey{"tokenizer.ggml.unknown_token_id", &SpecialTokens::unknown},
    RoleKey{"tokenizer.ggml.padding_token_id", &SpecialTokens::pad},
    RoleKey{"tokenizer.ggml.seperator_token_id", &SpecialTokens::separator},  // so spelled
    RoleKey{"tokenizer.ggml.cls_token_id", &SpecialTokens::classifier},
    RoleKey{"tokenizer.ggml.mask_token_id", &SpecialTokens::mask},
};

class TokenizerReader {
 public:
  explicit TokenizerReader(const GgufFile& file) : file_(file) {}

  TokenizerParts read() {
    const std::string_view model = *file_.text(kModel);
    if (model != "gpt2" && model != "llama" && model != "bert") {
      refuse_unknown(kModel, fmt::format("is {}; expected gpt2, llama or bert", in_quotes(model)));
    }
    read_pieces();
    read_roles();
    if (model == "bert") {
      read_word_piece();
    } else {
      model == "gpt2" ? read_byte_level() : read_sentence_piece();
    }
    return std::move(parts_);
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(pieces_.size()); }

  [[noreturn]] void refuse_unknown(std::string_view key, const std::string& sentence) const {
    throw UnknownTokenizer(fmt::format("{}: the key {} {}", file_.path(), in_quotes(key), sentence));
  }

  PieceType type_of(std::size_t id) const { return types_.empty() ? PieceType::normal : types_[id]; }

  void read_pieces() {
    const bool there = file_.each_text(kTokens, [this](std::string_view piece) {
      if (size() > Vocabulary::kLargestId) file_.refuse(kTokens, "holds more than ten million pieces");
      if (first_invalid_byte(piece) != piece.npos) {
        file_.refuse(kTokens, fmt::format("holds piece {}, which is no UTF-8", pieces_.size()));
      }
      pieces_.push_back(piece);
    });
    if (!there || pieces_.empty()) throw Error(fmt::format("{}: found no pieces in {}", file_.path(), kTokens));
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      if (!pieces_[id].empty()) bpe_.vocabulary.add(pieces_[id], static_cast<std::int64_t>(id));
    }
    const std::optional<std::vector<double>> types = file_.numbers(kTypes);
    if (!types) return;
    if (types->size() != pieces_.size()) {
      file_.refuse(kTypes, fmt::format("has {} items; expected {}, one a piece", types->size(), pieces_.size()));
    }
    for (const double type : *types) {
      if (!(type >= 1 && type <= 6)) file_.refuse(kTypes, fmt::format("holds {}; expected 1 to 6", type));
      types_.push_back(static_cast<PieceType>(static_cast<int>(type)));
    }
    for (std::size_t id = 0; id < pieces_.size(); ++id) add_token(id);
  }

  // Control tokens and those that users defined are found in a text by their spelling.
  void add_token(std::size_t id) {
    const PieceType type = type_of(id);
    const bool special = type == PieceType::control || type == PieceType::unknown;
    if (!special && type != PieceType::user_defined) return;
    if (pieces_[id].empty() || pieces_[id].size() > AddedTokens::kLongest) return;
    AddedToken token;
    token.id = static_cast<std::int64_t>(id);
    token.content = pieces_[id];
    token.special = special;
    parts_.added_tokens.push_back(std::move(token));
  }

  void read_roles() {
    for (const RoleKey& named : kRoles) {
      const std::optional<std::int64_t> id = file_.whole(named.key);
      if (id && *id < size()) parts_.roles.*named.role = id;
    }
  }

  PostProcessor::Special special(const std::optional<std::int64_t>& id, const char* wanted_by, const char* key) const {
    if (!id) file_.refuse(wanted_by, fmt::format("asks for {}, which is not there or no piece", in_quotes(key)));
    return {*id, std::string(pieces_[static_cast<std::size_t>(*id)])};
  }

  void frame(bool begins) {
    constexpr const char* kBegins = "tokenizer.ggml.add_bos_token";
    constexpr const char* kEnds = "tokenizer.ggml.add_eos_token";
    if (file_.truth(kBegins).value_or(begins)) {
      parts_.post_processor.before = {special(parts_.roles.begin, kBegins, kRoles[0].key)};
    }
    if (file_.truth(kEnds).value_or(false)) {
      parts_.post_processor.after = {special(parts_.roles.end, kEnds, kRoles[1].key)};
    }
  }

  const GgufPreTokenizer& pre_tokenizer() const {
    const std::optional<std::string_view> name = file_.text(kPre);
    std::string known;
    for (const GgufPreTokenizer& row : gguf_pre_tokenizers()) {
      if (name == row.name) return row;
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    if (name) {
      refuse_unknown(kPre, fmt::format("is {}, a pre-tokenizer that is not known here; expected one of {}",
                                       in_quotes(*name), known));
    }
    throw UnknownTokenizer(
        fmt::format("{}: found no key {}, which says how a text is split; expected one of {} (convert the "
                    "model again)",
                    file_.path(), kPre, known));
  }

  void read_byte_level() {
    const GgufPreTokenizer& pre = pre_tokenizer();
    const std::string where = fmt::format("{}: {}", file_.path(), kMerges);
    const bool there = file_.each_text(kMerges, [&](std::string_view merge) {
      const std::size_t blank = merge.find(' ', 1);
      if (blank == merge.npos || blank + 1 == merge.size() || first_invalid_byte(merge) != merge.npos) {
        throw Error(
            fmt::format("{}: found {}; expected two pieces with a blank between them", where, in_quotes(merge)));
      }
      add_merge(bpe_, merge.substr(0, blank), merge.substr(blank + 1), where);
    });
    if (!there)
      throw Error(fmt::format("{}: found no key {}; expected the merges of a gpt2 tokenizer", file_.path(), kMerges));
    bpe_.ignore_merges = pre.ignore_merges;
    if (pre.nfc) parts_.normalizer = {NormalFormStep{NormalForm::nfc}};
    if (pre.single_digits) parts_.pre_tokenizer.emplace_back(std::in_place_type<DigitsSplit>, DigitsSplit{true});
    auto& steps = parts_.pre_tokenizer;
    for (std::size_t k = 0; k + 1 < pre.patterns.size(); ++k) {
      auto& first = std::get<PatternSplit>(steps.emplace_back(std::in_place_type<PatternSplit>));
      first.pattern.emplace(pre.patterns[k], file_.path());
    }
    auto& split = std::get<ByteLevelSplit>(steps.emplace_back(std::in_place_type<ByteLevelSplit>));
    split.add_prefix_space = file_.truth("tokenizer.ggml.add_space_prefix").value_or(false);
    split.pattern.emplace(pre.patterns.back(), file_.path());
    parts_.decoder = {ByteLevelDecoder{}};
    frame(pre.begins);
    finish(bpe_);
    parts_.model = std::move(bpe_);
  }

  // BERT's pieces, which the file keeps with a mark before those that begin a word, where vocab.txt marks the others by
  // "##"; spellings in brackets stay as they are. That texts are made lower case is in no key: they are unless the
  // vocabulary has words with capitals, as of vocab.txt.
  void read_word_piece() {
    std::string lines;
    for (const std::string_view piece : pieces_) {
      const bool begins = piece.starts_with(kMetaspace), bracketed = piece.starts_with('[') && piece.ends_with(']');
      lines += begins ? piece.substr(kMetaspace.size()) : bracketed ? piece : std::string("##").append(piece);
      lines += '\n';
    }
    const JsonValue nothing;
    const SpecialTokens roles = parts_.roles;
    parts_ =
        read_word_piece_file(lines, fmt::format("{}: {}", file_.path(), kTokens), JsonPart(&nothing, file_.path()));
    parts_.roles = roles;
    if (!parts_.roles.unknown) parts_.roles.unknown = std::get<WordPieceModel>(parts_.model).unknown;
  }

  // Pieces of text join, whoever defined them.
  std::vector<bool> joining() const {
    std::vector<bool> joins(pieces_.size());
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      const PieceType type = type_of(id);
      joins[id] = !pieces_[id].empty() &&
                  (type == PieceType::normal || type == PieceType::user_defined || type == PieceType::unused);
    }
    return joins;
  }

  void read_sentence_piece() {
    for (const char* key : {"tokenizer.ggml.remove_extra_whitespaces"}) {
      if (file_.truth(key).value_or(false)) refuse_unknown(key, "is true, which is not read; expected false");
    }
    if (const GgufField* map = file_.header().find("tokenizer.ggml.precompiled_charsmap"); map != nullptr) {
      if (map->count > 0) refuse_unknown(map->key, "is there, which is not read; expected none");
    }
    const std::optional<std::vector<double>> scores = file_.numbers(kScores);
    if (!scores || scores->size() != pieces_.size()) {
      throw Error(fmt::format("{}: {} has {} items; expected {}, one a piece", file_.path(), kScores,
                              scores ? scores->size() : 0, pieces_.size()));
    }
    if (std::any_of(scores->begin(), scores->end(), [](double score) { return std::isnan(score); })) {
      file_.refuse(kScores, "holds nan; expected numbers");
    }
    add_scored_merges(*scores, joining(), bpe_);
    bpe_.byte_fallback = true;
    bpe_.fuse_unknown = true;
    // SentencePiece's usual places.
    if (!parts_.roles.unknown && size() > 0) parts_.roles.unknown = 0;
    if (!parts_.roles.begin && size() > 1) parts_.roles.begin = 1;
    if (!parts_.roles.end && size() > 2) parts_.roles.end = 2;
    bpe_.unknown = static_cast<std::int32_t>(*parts_.roles.unknown);
    const bool prefix = file_.truth("tokenizer.ggml.add_space_prefix").value_or(true);
    const std::string blank(kMetaspace);
    if (prefix) parts_.normalizer.emplace_back(PrependStep{blank});
    parts_.normalizer.emplace_back(ReplaceStep{" ", std::nullopt, blank});
    parts_.decoder = {ReplaceDecoder{blank, std::nullopt, " "}, ByteFallbackDecoder{}, FuseDecoder{}};
    if (prefix) parts_.decoder.emplace_back(StripDecoder{" ", 1, 0});
    frame(true);
    finish(bpe_);
    parts_.model = std::move(bpe_);
  }

  const GgufFile& file_;
  std::vector<std::string_view> pieces_;  // of the mapped file
  std::vector<PieceType> types_;
  BpeModel bpe_;
  TokenizerParts parts_;
};

}  // namespace

std::optional<TokenizerParts> read_gguf_tokenizer(const GgufFile& file) {
  const std::optional<std::string_view> model = file.text(kModel);
  if (!model || *model == "none" || *model == "no_vocab") return std::nullopt;
  TokenizerParts parts = TokenizerReader(file).read();
  file.check_unchanged();
  return parts;
}

}  // namespace headscope
