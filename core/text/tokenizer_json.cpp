#include "core/text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {

namespace {

using Kind = JsonValue::Kind;
using Members = std::vector<JsonCursor::Member>;

const JsonCursor* find_member(const Members& members, std::string_view key) {
  for (const JsonCursor::Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue value_of(const Members& members, std::string_view key) {
  const JsonCursor* const found = find_member(members, key);
  return found == nullptr ? JsonValue{} : JsonCursor(*found).read_value();
}

// The members of a model that are short: all but its vocabulary and merges.
JsonValue short_members(const Members& members) {
  JsonValue object;
  object.kind = Kind::object;
  for (const JsonCursor::Member& member : members) {
    if (member.key == "vocab" || member.key == "merges") continue;
    object.keys.push_back(member.key);
    object.items.push_back(JsonCursor(member.value).read_value());
  }
  return object;
}

void read_merges(JsonCursor cursor, BpeModel& model, const std::string& where) {
  std::string left, right;
  for (bool more = cursor.enter('['); more; more = cursor.next(']')) {
    if (cursor.kind() == Kind::string) {
      cursor.read_string(left);
      const std::size_t blank = left.find(' ');
      if (blank == left.npos || left.find(' ', blank + 1) != left.npos) {
        cursor.fail(fmt::format("{}: found {}; expected two pieces with a blank between them", where, in_quotes(left)));
      }
      right = left.substr(blank + 1);
      left.resize(blank);
    } else {
      bool whole = cursor.enter('[');
      if (whole) cursor.read_string(left);
      whole = whole && cursor.next(']');
      if (whole) cursor.read_string(right);
      if (!whole || cursor.next(']')) cursor.fail(where + ": expected two pieces");
    }
    add_merge(model, left, right, where);
  }
}

std::optional<std::int32_t> read_unknown(const JsonPart& part, const Vocabulary& vocabulary, bool needed) {
  if (!part.present()) return std::nullopt;
  const auto id = vocabulary.find(part.text());
  if (!id && needed) part.refuse("a piece of the vocabulary");
  return id ? std::optional(static_cast<std::int32_t>(*id)) : std::nullopt;
}

UnigramModel read_unigram(const JsonPart& options, JsonCursor cursor) {
  UnigramModel model;
  std::string piece;
  for (bool more = cursor.enter('['); more; more = cursor.next(']')) {
    bool whole = cursor.enter('[');
    if (whole) cursor.read_string(piece);
    whole = whole && cursor.next(']');
    if (whole) model.scores.push_back(cursor.read_number());
    if (!whole || cursor.next(']')) cursor.fail("model.vocab: expected a piece and its score");
    model.vocabulary.add(piece, static_cast<std::int64_t>(model.scores.size()) - 1);
    if (model.scores.size() > static_cast<std::size_t>(Vocabulary::kLargestId))
      cursor.fail("model.vocab: too many pieces");
  }
  const JsonPart unknown = options.at("unk_id");
  if (unknown.present()) {
    model.unknown =
        static_cast<std::int32_t>(unknown.integer(0, std::max<std::int64_t>(model.vocabulary.size() - 1, 0)));
  }
  model.byte_fallback = options.at("byte_fallback").flag(false);
  finish(model);
  return model;
}

std::vector<AddedToken> read_added_tokens(const JsonPart& part) {
  std::vector<AddedToken> tokens;
  if (!part.present()) return tokens;
  for (const JsonPart& item : part.items()) {
    AddedToken token;
    token.id = item.at("id").integer(0, Vocabulary::kLargestId);
    token.content = item.at("content").text();
    token.special = item.at("special").flag(false);
    token.single_word = item.at("single_word").flag(false);
    token.lstrip = item.at("lstrip").flag(false);
    token.rstrip = item.at("rstrip").flag(false);
    token.normalized = item.at("normalized").flag(!token.special);
    if (token.content.size() > AddedTokens::kLongest) item.at("content").refuse("at most 1000 bytes");
    if (!token.content.empty()) tokens.push_back(std::move(token));
  }
  return tokens;
}

// Files of the first years name no type.
std::string model_type(const JsonPart& options, const JsonCursor* vocabulary, const JsonCursor* merges) {
  if (options.at("type").present()) return options.at("type").text();
  if (merges != nullptr) return "BPE";
  if (vocabulary != nullptr && JsonCursor(*vocabulary).kind() == Kind::array) return "Unigram";
  return options.at("max_input_chars_per_word").present() ? "WordPiece" : "WordLevel";
}

}  // namespace

void read_vocabulary(JsonCursor cursor, Vocabulary& vocabulary) {
  std::string piece;
  for (bool more = cursor.enter('{'); more; more = cursor.next('}')) {
    cursor.read_key(piece);
    const std::int64_t id = cursor.read_integer(0, Vocabulary::kLargestId);
    if (!vocabulary.add(piece, id)) cursor.fail(fmt::format("the piece {} stands twice", in_quotes(piece)));
  }
}

void add_merge(BpeModel& model, std::string_view left, std::string_view right, const std::string& where) {
  const std::string& prefix = model.continuing_subword_prefix;
  const bool continues = !prefix.empty() && right.starts_with(prefix);
  std::string both(left);
  both += right.substr(continues ? prefix.size() : 0);
  std::array<std::int32_t, 3> ids;
  const std::array<std::string_view, 3> pieces = {left, right, both};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto id = model.vocabulary.find(pieces[k]);
    if (!id) {
      throw Error(fmt::format("{}: found the merge of {} and {}; expected {} in the vocabulary too", where,
                              in_quotes(left), in_quotes(right), in_quotes(pieces[k])));
    }
    ids[k] = static_cast<std::int32_t>(*id);
  }
  model.merges.set(ids[0], ids[1], {model.next_rank++, ids[2]});
}

VocabularyModel read_model(JsonCursor cursor, const std::string& where) {
  const Members members = cursor.read_members();
  const JsonValue shorts = short_members(members);
  const JsonPart options(&shorts, where);
  const JsonCursor* const vocabulary = find_member(members, "vocab");
  const JsonCursor* const merges = find_member(members, "merges");
  const std::string type = model_type(options, vocabulary, merges);
  if (type != "BPE" && type != "WordPiece" && type != "Unigram" && type != "WordLevel") {
    options.at("type").refuse("BPE, Unigram, WordLevel or WordPiece");
  }
  if (vocabulary == nullptr) options.at("vocab").refuse("the vocabulary");
  if (type == "Unigram") return read_unigram(options, *vocabulary);
  if (type == "BPE") {
    BpeModel model;
    read_vocabulary(*vocabulary, model.vocabulary);
    model.continuing_subword_prefix = options.at("continuing_subword_prefix").text("");
    model.end_of_word_suffix = options.at("end_of_word_suffix").text("");
    model.unknown = read_unknown(options.at("unk_token"), model.vocabulary, false);
    model.fuse_unknown = options.at("fuse_unk").flag(false);
    model.byte_fallback = options.at("byte_fallback").flag(false);
    model.ignore_merges = options.at("ignore_merges").flag(false);
    if (merges != nullptr) read_merges(*merges, model, where + ".merges");
    finish(model);
    return model;
  }
  if (type == "WordPiece") {
    WordPieceModel model;
    read_vocabulary(*vocabulary, model.vocabulary);
    model.continuing_subword_prefix = options.at("continuing_subword_prefix").text("##");
    const JsonPart longest = options.at("max_input_chars_per_word");
    if (longest.present()) model.max_input_chars_per_word = static_cast<std::size_t>(longest.integer(0, 1'000'000'000));
    const JsonPart unknown = options.at("unk_token");
    if (!unknown.present()) unknown.refuse("the piece of unknown words");
    model.unknown = *read_unknown(unknown, model.vocabulary, true);
    finish(model);
    return model;
  }
  WordLevelModel model;
  read_vocabulary(*vocabulary, model.vocabulary);
  model.unknown = read_unknown(options.at("unk_token"), model.vocabulary, false);
  return model;
}

TokenizerParts read_tokenizer_json(std::string_view json, const std::string& file) {
  JsonCursor cursor(json, file);
  if (cursor.kind() != Kind::object) cursor.fail("expected an object with a model");
  const Members members = cursor.read_members();
  cursor.finish();
  const JsonCursor* const model = find_member(members, "model");
  if (model == nullptr)
    throw Error(file + ": found no \"model\"; expected a file of Hugging Face's tokenizers library");
  TokenizerParts parts;
  const auto read = [&](const char* key, const auto& reader, auto& target) {
    const JsonValue value = value_of(members, key);
    target = reader(JsonPart(&value, fmt::format("{}: {}", file, key)));
  };
  read("normalizer", read_normalizer, parts.normalizer);
  read("pre_tokenizer", read_pre_tokenizer, parts.pre_tokenizer);
  read("post_processor", read_post_processor, parts.post_processor);
  read("decoder", read_decoder, parts.decoder);
  read("added_tokens", read_added_tokens, parts.added_tokens);
  parts.model = read_model(*model, file + ": model");
  if (const BpeModel* const bpe = std::get_if<BpeModel>(&parts.model))
    parts.end_of_word_suffix = bpe->end_of_word_suffix;
  // The library goes by the model's id where the two disagree.
  for (AddedToken& token : parts.added_tokens) {
    if (const auto id = vocabulary_of(parts.model).find(token.content)) token.id = *id;
  }
  parts.roles.unknown = unknown_of(parts.model);
  return parts;
}

}  // namespace headscope
