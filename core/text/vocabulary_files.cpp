#include "core/text/vocabulary_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/json_cursor.h"
#include "core/text/tokenizer_json.h"
#include "core/text/unicode.h"

namespace headscope {

namespace {

// f(line, its number from 0), without line ends; a last line without end counts.
template <typename F>
void each_line(std::string_view text, F&& f) {
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    f(line, number++);
  }
}

void check_text(std::string_view text, const std::string& file) {
  if (const std::size_t bad = first_invalid_byte(text); bad != text.npos) {
    throw Error(fmt::format("{}: byte {} (0x{:02X}) is not UTF-8; expected a vocabulary as text", file, bad,
                            static_cast<unsigned char>(text[bad])));
  }
}

void add_special(const Vocabulary& vocabulary, std::string_view content, bool lstrip, TokenizerParts& parts) {
  const auto id = vocabulary.find(content);
  if (!id) return;
  AddedToken token;
  token.id = *id;
  token.content = content;
  token.special = true;
  token.lstrip = lstrip;
  parts.added_tokens.push_back(std::move(token));
}

enum class Family { gpt2, roberta, qwen2 };

// By the class that tokenizer_config.json names, else by whether the vocabulary has RoBERTa's marks.
Family family_of(const Vocabulary& vocabulary, const JsonPart& config) {
  const std::string name = config.present() ? config.at("tokenizer_class").text("") : "";
  if (name.starts_with("Qwen2")) return Family::qwen2;
  if (name.starts_with("GPT2")) return Family::gpt2;
  return vocabulary.find("<s>") && vocabulary.find("</s>") ? Family::roberta : Family::gpt2;
}

bool has_capitals(const Vocabulary& vocabulary) {
  bool found = false;
  vocabulary.each([&](std::string_view piece, std::int64_t) {
    if (!piece.starts_with('[')) found = found || (!piece.empty() && piece[0] >= 'A' && piece[0] <= 'Z');
  });
  return found;
}

// OPT's tokenizer_config.json: GPT-2's pieces, and a token before every text.
void add_first_token(const Vocabulary& vocabulary, const JsonPart& config, TokenizerParts& parts) {
  if (!config.present() || !config.at("add_bos_token").flag(false)) return;
  const JsonPart named = config.at("bos_token");
  const std::string content =
      named.is(JsonValue::Kind::object) ? named.at("content").text() : named.text("<|endoftext|>");
  const auto id = vocabulary.find(content);
  if (!id) named.refuse("a piece of the vocabulary");
  add_special(vocabulary, content, false, parts);
  parts.post_processor.before = {{*id, content}};
}

}  // namespace

TokenizerParts read_byte_level_files(std::string_view vocabulary, const std::string& vocabulary_file,
                                     std::string_view merges, const std::string& merges_file, const JsonPart& config) {
  BpeModel model;
  JsonCursor cursor(vocabulary, vocabulary_file);
  if (cursor.kind() != JsonValue::Kind::object) cursor.fail("expected an object of pieces and their ids");
  JsonCursor rest = cursor;
  rest.skip_value();
  rest.finish();
  read_vocabulary(cursor, model.vocabulary);
  if (model.vocabulary.find("a</w>")) {
    throw Error(vocabulary_file +
                ": found pieces that end in \"</w>\"; expected GPT-2's or RoBERTa's byte-level pieces");
  }
  check_text(merges, merges_file);
  each_line(merges, [&](std::string_view line, std::int64_t number) {
    if (line.empty() || line.starts_with("#version")) return;
    const std::size_t blank = line.find(' ');
    const std::string where = fmt::format("{}: line {}", merges_file, number + 1);
    if (blank == line.npos || line.find(' ', blank + 1) != line.npos) {
      throw Error(fmt::format("{}: found {}; expected two pieces with a blank between them", where, in_quotes(line)));
    }
    add_merge(model, line.substr(0, blank), line.substr(blank + 1), where);
  });

  TokenizerParts parts;
  ByteLevelSplit split;
  split.add_prefix_space = config.present() && config.at("add_prefix_space").flag(false);
  const Family family = family_of(model.vocabulary, config);
  split.pattern.emplace(family == Family::qwen2 ? kQwen2Pattern : kGpt2Pattern, merges_file);
  if (family == Family::qwen2) parts.normalizer = {NormalFormStep{NormalForm::nfc}};
  const auto begin = model.vocabulary.find("<s>"), end = model.vocabulary.find("</s>");
  if (family == Family::roberta && begin && end) {
    parts.post_processor.trim_offsets = true;
    parts.post_processor.add_prefix_space = split.add_prefix_space;
    parts.post_processor.before = {{*begin, "<s>"}};
    parts.post_processor.after = {{*end, "</s>"}};
    parts.post_processor.pair = roberta_pair({*begin, "<s>"}, {*end, "</s>"});
    for (const char* content : {"<s>", "</s>", "<unk>", "<pad>", "<mask>"}) {
      add_special(model.vocabulary, content, std::string_view(content) == "<mask>", parts);
    }
  } else {
    add_special(model.vocabulary, "<|endoftext|>", false, parts);
    if (family == Family::gpt2) add_first_token(model.vocabulary, config, parts);
  }
  parts.pre_tokenizer = {std::move(split)};
  parts.decoder = {ByteLevelDecoder{}};
  finish(model);
  parts.model = std::move(model);
  return parts;
}

namespace {

bool is_mark(std::string_view piece) {
  const bool angled = piece.starts_with('<') && piece.ends_with('>');
  const bool squared = piece.starts_with('[') && piece.ends_with(']');
  return angled || squared || piece.starts_with("madeupword");
}

std::set<std::string> added_contents(const JsonPart& config) {
  std::set<std::string> contents;
  if (!config.present()) return contents;
  const JsonPart added = config.at("added_tokens_decoder");
  if (!added.is(JsonValue::Kind::object)) return contents;
  for (const std::string& id : added.keys()) {
    const JsonPart token = added.at(id);
    if (token.is(JsonValue::Kind::object)) contents.insert(token.at("content").text(""));
  }
  return contents;
}

}  // namespace

void check_merges_are_whole(const TokenizerParts& parts, const JsonPart& config, const std::string& merges_file) {
  const auto& model = std::get<BpeModel>(parts.model);
  std::vector<bool> made(static_cast<std::size_t>(model.vocabulary.size()), false);
  model.merges.each([&](std::int32_t merged) { made[static_cast<std::size_t>(merged)] = true; });
  const std::set<std::string> added = added_contents(config);
  model.vocabulary.each([&](std::string_view piece, std::int64_t id) {
    if (made[static_cast<std::size_t>(id)] || is_mark(piece) || added.contains(std::string(piece))) return;
    if (piece.size() <= static_cast<std::size_t>(code_point_at(piece, 0).bytes)) return;
    throw Error(
        fmt::format("{}: no line makes the piece {} of the vocabulary; expected a rule for each (is the file cut "
                    "short?)",
                    merges_file, in_quotes(piece)));
  });
}

void check_pieces_are_whole(const TokenizerParts& parts, const JsonPart& model_config, const std::string& file) {
  if (!model_config.present() || !model_config.at("vocab_size").is(JsonValue::Kind::number)) return;
  const std::int64_t rows = model_config.at("vocab_size").integer(0, Vocabulary::kLargestId);
  const std::int64_t pieces = vocabulary_of(parts.model).size();
  constexpr std::int64_t kMostPadding = 128;
  const bool is_padding = rows % 8 == 0 && rows - pieces < kMostPadding;
  if (pieces >= rows || is_padding) return;
  throw Error(fmt::format("{}: found {} pieces; expected {}, the vocab_size of config.json (is the file cut short?)",
                          file, pieces, rows));
}

TokenizerParts read_word_piece_file(std::string_view vocabulary, const std::string& file, const JsonPart& config) {
  check_text(vocabulary, file);
  WordPieceModel model;
  each_line(vocabulary, [&](std::string_view line, std::int64_t number) {
    if (number > Vocabulary::kLargestId)
      throw Error(file + ": found more than ten million lines; expected a piece a line");
    model.vocabulary.add(line, number);
  });
  const auto unknown = model.vocabulary.find("[UNK]");
  if (!unknown) throw Error(file + ": found no line \"[UNK]\"; expected BERT's vocabulary, a piece a line");
  model.unknown = static_cast<std::int32_t>(*unknown);

  TokenizerParts parts;
  BertStep bert;
  bert.lowercase = !has_capitals(model.vocabulary);
  if (config.present()) {
    bert.lowercase = config.at("do_lower_case").flag(bert.lowercase);
    bert.handle_chinese_chars = config.at("tokenize_chinese_chars").flag(true);
    bert.strip_accents = config.at("strip_accents").flag(bert.lowercase);
  } else {
    bert.strip_accents = bert.lowercase;
  }
  for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    add_special(model.vocabulary, content, false, parts);
  }
  const auto classifier = model.vocabulary.find("[CLS]"), separator = model.vocabulary.find("[SEP]");
  if (classifier && separator) {
    parts.post_processor.before = {{*classifier, "[CLS]"}};
    parts.post_processor.after = {{*separator, "[SEP]"}};
    parts.post_processor.pair = bert_pair({*classifier, "[CLS]"}, {*separator, "[SEP]"});
  }
  finish(model);
  parts.normalizer = {bert};
  parts.pre_tokenizer = {BertSplit{}};
  parts.decoder = {WordPieceDecoder{}};
  parts.roles.unknown = *unknown;
  parts.model = std::move(model);
  return parts;
}

}  // namespace headscope
