#include "core/text/sentence_piece_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/vocabulary_bytes.h"
#include "core/text/sentence_piece_file.h"
#include "core/text/sentence_piece_parts.h"
#include "core/text/sentence_piece_use.h"
#include "core/text/token_spelling.h"

namespace headscope {
namespace {

using Piece = SentencePieceFile::Piece;

constexpr std::string_view kLanguage = "LANGUAGE";
constexpr const char* kEnglish = "en_XX";  // of mBART's languages the one of a text that names none

std::optional<bool> flag_at(const JsonPart& file, const char* key) {
  if (!file.present() || !file.at(key).present()) return std::nullopt;
  return file.at(key).flag();
}

class SentencePieceReader {
 public:
  SentencePieceReader(SentencePieceFile read, const std::string& file, const SentencePieceUse& use,
                      const JsonPart& config)
      : read_(std::move(read)), file_(file), use_(use), config_(config) {}

  TokenizerParts parts(const std::string& model_type) {
    if (flag_at(config_, "split_by_punct").value_or(false)) config_.at("split_by_punct").refuse("false");
    settle_language();
    add_pieces();
    add_appended(model_type);
    add_listed();
    add_normalizer();
    add_decoder();
    frame();
    parts_.roles.unknown = ids_[unknown_];
    if (read_.model == SentencePieceFile::Model::bpe) {
      BpeModel model;
      model.vocabulary = std::move(vocabulary_);
      model.unknown = static_cast<std::int32_t>(ids_[unknown_]);
      model.fuse_unknown = true;
      model.byte_fallback = read_.byte_fallback;
      add_bpe_pieces(read_, ids_, file_, model);
      parts_.model = std::move(model);
    } else {
      UnigramModel model;
      model.vocabulary = std::move(vocabulary_);
      model.unknown = static_cast<std::int32_t>(ids_[unknown_]);
      model.byte_fallback = read_.byte_fallback;
      model.looks_up_unknown = false;
      add_unigram_pieces(read_, ids_, model);
      parts_.model = std::move(model);
    }
    return std::move(parts_);
  }

 private:
  [[noreturn]] void refuse(const std::string& found, std::string_view expected) const {
    throw Error(fmt::format("{}: found {}; expected {}", file_, found, expected));
  }

  // The language of texts, of a model whose frame has one.
  void settle_language() {
    if (!config_.present() || use_.pattern.find(kLanguage) == use_.pattern.npos) return;
    const JsonPart named = config_.at("src_lang");
    if (!named.present()) return;
    language_ = named.text();
    const bool known = language_ != use_.mask &&
                       std::find(use_.appended.begin(), use_.appended.end(), language_) != use_.appended.end();
    if (!known)
      named.refuse(fmt::format("one of the {} languages of the model, such as en_XX", use_.appended.size() - 1));
  }

  // The word of a frame's pattern as a piece.
  std::string_view piece_of(std::string_view word) const { return word == kLanguage ? language_ : word; }

  void add_special(const std::string& content, std::int64_t id) {
    AddedToken token;
    token.id = id;
    token.content = content;
    token.special = true;
    token.lstrip = content == use_.mask;
    parts_.added_tokens.push_back(std::move(token));
  }

  std::int64_t id_of_piece(std::size_t k) const {
    if (use_.fairseq == nullptr) return static_cast<std::int64_t>(k);
    const std::int64_t first[] = {use_.fairseq->unknown, use_.fairseq->begin, use_.fairseq->end};
    return k < 3 ? first[k] : static_cast<std::int64_t>(k) + use_.fairseq->shift;
  }

  void add_pieces() {
    std::optional<std::size_t> unknown;
    for (std::size_t k = 0; k < read_.pieces.size(); ++k) {
      const Piece& piece = read_.pieces[k];
      ids_.push_back(id_of_piece(k));
      if (!vocabulary_.add(piece.text, ids_[k])) refuse(fmt::format("the piece {:?} twice", piece.text), "once");
      const bool is_unknown = piece.type == Piece::Type::unknown;
      if (is_unknown && unknown) refuse("two unknown pieces", "one");
      if (is_unknown) unknown = k;
      const bool marked = is_unknown || piece.type == Piece::Type::control;
      if (marked && !use_.plain && piece.text.size() <= AddedTokens::kLongest) {
        add_special(piece.text, ids_[k]);
      }
    }
    if (!unknown) refuse("no unknown piece", "one, as SentencePiece's models have it");
    unknown_ = *unknown;
    if (use_.fairseq == nullptr) return;
    for (const auto& [content, id] : use_.fairseq->added) {
      if (vocabulary_.add(content, id)) add_special(std::string(content), id);
    }
  }

  void append(const std::string& content) {
    const std::int64_t id = vocabulary_.size();
    if (vocabulary_.add(content, id)) add_special(content, id);
  }

  // T5: <extra_id_0> is the last of the vocabulary. mT5's file has its own.
  void add_appended(const std::string& model_type) {
    for (const std::string_view content : use_.appended) append(std::string(content));
    if (!use_.sentinels) return;
    const bool said = config_.present() && config_.at("extra_ids").present();
    std::int64_t count = said ? config_.at("extra_ids").integer(0, 10'000) : model_type == "mt5" ? 0 : 100;
    while (count-- > 0) append(fmt::format("<extra_id_{}>", count));
  }

  // added_tokens_decoder of tokenizer_config.json: tokens by their ids.
  void add_listed() {
    if (!config_.present()) return;
    const JsonPart list = config_.at("added_tokens_decoder");
    if (!list.is(JsonValue::Kind::object)) return;
    for (const std::string& key : list.keys()) {
      const JsonPart token = list.at(key);
      std::int64_t id = -1;
      const auto end = key.data() + key.size();
      const auto parsed = std::from_chars(key.data(), end, id);
      if (parsed.ec != std::errc() || parsed.ptr != end || id < 0 || id > Vocabulary::kLargestId) {
        token.refuse("an id of the vocabulary before it");
      }
      const std::string content = token.at("content").text();
      if (content.empty() || content.size() > AddedTokens::kLongest) token.refuse("tokens of 1 to 1000 bytes");
      if (vocabulary_.find(content)) continue;
      AddedToken added;
      added.id = id;
      added.content = content;
      added.special = token.at("special").flag(false);
      added.lstrip = token.at("lstrip").flag(false);
      added.rstrip = token.at("rstrip").flag(false);
      added.single_word = token.at("single_word").flag(false);
      parts_.added_tokens.push_back(std::move(added));
    }
  }

  void add_normalizer() {
    if (use_.plain_letters) {
      for (const char* quotes : {"``", "''"}) {
        parts_.normalizer.emplace_back(ReplaceStep{quotes, std::nullopt, "\""});
      }
      if (!flag_at(config_, "keep_accents").value_or(false)) {
        parts_.normalizer.emplace_back(NormalFormStep{NormalForm::nfkd});
        parts_.normalizer.emplace_back(StripAccentsStep{});
      }
    }
    if (flag_at(config_, "do_lower_case").value_or(use_.lower_case)) parts_.normalizer.emplace_back(LowercaseStep{});
    parts_.normalizer.emplace_back(sentence_piece_step(read_, file_));
  }

  void add_decoder() {
    if (read_.escape_blanks) parts_.decoder.emplace_back(ReplaceDecoder{std::string(kMetaspace), std::nullopt, " "});
    parts_.decoder.emplace_back(ByteFallbackDecoder{});
    parts_.decoder.emplace_back(FuseDecoder{});
    if (read_.add_dummy_prefix) parts_.decoder.emplace_back(StripDecoder{" ", 1, 0});
  }

  PostProcessor::Special special(std::string_view spelling) const {
    const auto id = vocabulary_.find(spelling);
    if (!id) refuse(fmt::format("no piece {:?}", spelling), "one, which stands around a text");
    return {*id, std::string(spelling)};
  }

  static std::vector<std::string_view> words_of(std::string_view pattern) {
    std::vector<std::string_view> words;
    while (!pattern.empty()) {
      const std::size_t end = std::min(pattern.find(' '), pattern.size());
      words.push_back(pattern.substr(0, end));
      pattern.remove_prefix(std::min(end + 1, pattern.size()));
    }
    return words;
  }

  void frame() {
    bool behind = false;
    const bool begins = !use_.switches || flag_at(config_, "add_bos_token").value_or(true);
    for (const std::string_view word : words_of(use_.pattern)) {
      if (word == "A") {
        behind = true;
      } else if (behind) {
        parts_.post_processor.after.push_back(special(piece_of(word)));
      } else if (begins) {
        parts_.post_processor.before.push_back(special(piece_of(word)));
      }
    }
    if (use_.switches && flag_at(config_, "add_eos_token").value_or(false)) {
      const bool short_name = use_.pattern.starts_with("<bos>");
      parts_.post_processor.after.push_back(special(short_name ? "<eos>" : "</s>"));
    }
    std::size_t at = 0;
    for (const std::string_view word : words_of(use_.pair)) {
      PostProcessor::PairPart part;
      using Of = PostProcessor::PairPart::Of;
      part.of = word == "A" ? Of::first : word == "B" ? Of::second : Of::added;
      if (part.of == Of::added) part.special = special(piece_of(word));
      part.type = use_.pair_types[at++] - '0';
      parts_.post_processor.pair.push_back(std::move(part));
    }
  }

  const SentencePieceFile read_;
  const std::string& file_;
  const SentencePieceUse& use_;
  const JsonPart& config_;
  Vocabulary vocabulary_;
  std::vector<std::int64_t> ids_;  // of the file's pieces
  std::size_t unknown_ = 0;        // among them
  std::string language_ = kEnglish;
  TokenizerParts parts_;
};

}  // namespace

std::optional<TokenizerParts> read_sentence_piece_tokenizer(std::span<const std::byte> bytes, const std::string& file,
                                                            const JsonPart& config, const JsonPart& model_config) {
  const std::string kind = config.present() ? config.at("tokenizer_class").text("") : "";
  const std::string type = model_config.present() ? model_config.at("model_type").text("") : "";
  const SentencePieceUse* const use = sentence_piece_use(kind, type, std::filesystem::path(file).filename().string());
  if (use == nullptr || begins_like_tiktoken({reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
    return std::nullopt;
  return SentencePieceReader(read_sentence_piece_file(bytes, file), file, *use, config).parts(type);
}

TokenizerParts read_sentence_pieces_alone(std::span<const std::byte> bytes, const std::string& file) {
  const SentencePieceUse plain{.pattern = "A", .plain = true};
  const JsonValue nothing;
  return SentencePieceReader(read_sentence_piece_file(bytes, file), file, plain, JsonPart(&nothing, file)).parts("");
}

}  // namespace headscope
