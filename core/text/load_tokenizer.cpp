#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/gguf.h"
#include "core/io/json_cursor.h"
#include "core/io/mapped_file.h"
#include "core/io/python_json.h"
#include "core/io/vocabulary_bytes.h"
#include "core/text/gguf_tokenizer.h"
#include "core/text/json_part.h"
#include "core/text/marian_tokenizer.h"
#include "core/text/pipeline_tokenizer.h"
#include "core/text/sentence_piece_tokenizer.h"
#include "core/text/tiktoken_file.h"
#include "core/text/tokenizer_json.h"
#include "core/text/transcript_frame.h"
#include "core/text/unread_tokenizer.h"
#include "core/text/vocabulary_files.h"

namespace headscope {

namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;
  std::shared_ptr<const MappedFile> mapped;
  std::string_view text() const {
    const auto bytes = mapped->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Whatever it is: a link that leads nowhere or a device is refused when it is opened, and not taken for absent.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

File open_file(const fs::path& path) {
  File file = {path.string(), MappedFile::open(path.string())};
  const std::string other = describe_bytes(file.mapped->bytes());
  const bool is_json = other == "JSON text" && path.extension() == ".json";
  if (!other.empty() && !is_json) throw Error(file.path + ": found " + other + "; expected a vocabulary");
  return file;
}

// The value of a JSON file beside the vocabulary, or null when there is none.
JsonValue read_side_file(const fs::path& path) {
  if (!is_there(path)) return {};
  const File file = open_file(path);
  const std::string json = without_python_numbers(file.text());
  JsonCursor cursor(json, file.path);
  JsonValue value = cursor.read_value();
  cursor.finish();
  file.mapped->check_unchanged();
  if (value.kind != JsonValue::Kind::object) throw Error(file.path + ": found no object; expected one");
  return value;
}

using Role = std::optional<std::int64_t> SpecialTokens::*;
struct NamedRole {
  const char* key;  // in tokenizer_config.json and special_tokens_map.json
  Role role;
  std::vector<const char*> usual;  // spellings where no file names one
};

const std::vector<NamedRole>& named_roles() {
  static const std::vector<NamedRole> roles = {
      {"unk_token", &SpecialTokens::unknown, {"[UNK]", "<unk>"}},
      {"mask_token", &SpecialTokens::mask, {"[MASK]", "<mask>"}},
      {"bos_token", &SpecialTokens::begin, {"<s>", "<bos>", "<|begin_of_text|>", "<|endoftext|>"}},
      {"eos_token", &SpecialTokens::end, {"</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>"}},
      {"pad_token", &SpecialTokens::pad, {"[PAD]", "<pad>"}},
      {"sep_token", &SpecialTokens::separator, {"[SEP]"}},
      {"cls_token", &SpecialTokens::classifier, {"[CLS]"}},
  };
  return roles;
}

std::optional<std::int64_t> id_in(const TokenizerParts& parts, const std::string& content) {
  for (const AddedToken& token : parts.added_tokens) {
    if (token.content == content) return token.id;
  }
  return vocabulary_of(parts.model).find(content);
}

// "[MASK]", or an object with its "content".
std::optional<std::int64_t> named_id(const TokenizerParts& parts, const JsonPart& file, const char* key) {
  if (!file.present()) return std::nullopt;
  const JsonPart part = file.at(key);
  if (!part.present()) return std::nullopt;
  return id_in(parts, part.is(JsonValue::Kind::object) ? part.at("content").text() : part.text());
}

void find_roles(TokenizerParts& parts, const JsonPart& config, const JsonPart& map) {
  for (const NamedRole& named : named_roles()) {
    std::optional<std::int64_t>& role = parts.roles.*named.role;
    if (!role) role = named_id(parts, config, named.key);
    if (!role) role = named_id(parts, map, named.key);
    for (const char* content : named.usual) {
      if (!role) role = id_in(parts, content);
    }
  }
}

// added_tokens.json: tokens and their ids, beside a vocabulary that does not have them (Whisper's
// <|startoftranscript|>).
void add_listed_tokens(const fs::path& path, TokenizerParts& parts) {
  const JsonValue value = read_side_file(path);
  const JsonPart list(&value, path.string());
  if (!list.present()) return;
  for (const std::string& content : list.keys()) {
    if (content.empty() || id_in(parts, content)) continue;
    if (content.size() > AddedTokens::kLongest) list.refuse("tokens of at most 1000 bytes");
    AddedToken token;
    token.id = list.at(content).integer(0, Vocabulary::kLargestId);
    token.content = content;
    token.special = true;
    parts.added_tokens.push_back(std::move(token));
  }
}

// Marian's files of one side; nullopt where the folder holds none.
std::optional<TokenizerParts> read_marian(const fs::path& place, TextSide side) {
  const fs::path model = place / (side == TextSide::source ? "source.spm" : "target.spm");
  const fs::path own = place / "target_vocab.json";
  const fs::path list = side == TextSide::target && is_there(own) ? own : place / "vocab.json";
  if (!is_there(model) || !is_there(list)) return std::nullopt;
  const auto pieces = MappedFile::open(model.string());
  const File vocabulary = open_file(list);
  TokenizerParts parts = read_marian_files(pieces->bytes(), model.string(), vocabulary.text(), vocabulary.path);
  pieces->check_unchanged();
  vocabulary.mapped->check_unchanged();
  return parts;
}

bool is_tiktoken_list(const fs::path& path) {
  if (!is_file(path)) return false;
  const File file{path.string(), MappedFile::open(path.string())};
  return begins_like_tiktoken(file.text());
}

// A list of tiktoken; the text between its line ends is checked as it is read.
TokenizerParts read_tiktoken(const std::string& path, bool framed) {
  const File file{path, MappedFile::open(path)};
  TokenizerParts parts = read_tiktoken_file(file.text(), path, framed);
  file.mapped->check_unchanged();
  return parts;
}

// A file of pieces by itself: what stands around a text is not in it. nullopt for a file of another kind.
std::optional<TokenizerParts> read_pieces_alone(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  const bool list = extension == ".tiktoken" || is_tiktoken_list(path);
  if (!list && extension != ".model" && extension != ".spm") return std::nullopt;
  const auto pieces = MappedFile::open(path);
  TokenizerParts parts = list ? read_tiktoken(path, false) : read_sentence_pieces_alone(pieces->bytes(), path);
  pieces->check_unchanged();
  const JsonValue nothing;
  find_roles(parts, JsonPart(&nothing, path), JsonPart(&nothing, path));
  return parts;
}

// The list of tiktoken that the folder holds: under its usual name in Meta's folders, or by its ending. "" without one.
std::string tiktoken_in(const fs::path& place) {
  if (is_tiktoken_list(place / "tokenizer.model")) return (place / "tokenizer.model").string();
  std::vector<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator at(place, ignored), end; !ignored && at != end; at.increment(ignored)) {
    if (at->path().extension() == ".tiktoken" && is_tiktoken_list(at->path())) found.push_back(at->path().string());
  }
  return found.size() == 1 ? found.front() : "";
}

// Of the SentencePiece file that the folder holds; nullopt without one.
std::optional<TokenizerParts> read_sentence_pieces(const fs::path& place, const JsonPart& config) {
  for (const char* name : kSentencePieceNames) {
    const fs::path path = place / name;
    if (!is_there(path)) continue;
    const fs::path model_path = place / "config.json";
    const JsonValue model_value = read_side_file(model_path);
    const auto pieces = MappedFile::open(path.string());
    std::optional<TokenizerParts> parts = read_sentence_piece_tokenizer(pieces->bytes(), path.string(), config,
                                                                        JsonPart(&model_value, model_path.string()));
    pieces->check_unchanged();
    return parts;
  }
  return std::nullopt;
}

}  // namespace

bool has_target_vocabulary(const std::string& folder) {
  return is_there(fs::path(folder) / "target.spm");
}

std::string unread_tokenizer(const std::string& folder) {
  for (const char* name : kSentencePieceNames) {
    const fs::path path = fs::path(folder) / name;
    if (!is_there(path) || is_tiktoken_list(path)) continue;
    return fmt::format(
        "{}: found {}, which is read where config.json names a family whose tokenizer is known; expected such a "
        "family, or tokenizer.json (AutoTokenizer's save_pretrained writes it)",
        folder, name);
  }
  return "";
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& folder, TextSide side) {
  if (const std::string gguf = gguf_path_of(folder); !gguf.empty()) {
    std::optional<TokenizerParts> parts = read_gguf_tokenizer(*GgufFile::open(gguf));
    if (!parts) return nullptr;
    const JsonValue nothing;
    find_roles(*parts, JsonPart(&nothing, gguf), JsonPart(&nothing, gguf));
    return make_pipeline_tokenizer(std::move(*parts));
  }
  const bool names_the_file = is_file(folder);
  if (std::optional<TokenizerParts> alone = names_the_file ? read_pieces_alone(folder) : std::nullopt) {
    return make_pipeline_tokenizer(std::move(*alone));
  }
  const fs::path place = names_the_file ? fs::path(folder).parent_path() : fs::path(folder);
  const fs::path json = names_the_file ? fs::path(folder) : place / "tokenizer.json";
  const fs::path pieces = place / "vocab.json", merges = place / "merges.txt", lines = place / "vocab.txt";
  const bool is_json = is_there(json), is_byte_level = is_there(pieces) && is_there(merges);
  std::optional<TokenizerParts> marian;
  if (!is_json || side == TextSide::target) marian = read_marian(place, side);

  const fs::path config_path = place / "tokenizer_config.json", map_path = place / "special_tokens_map.json";
  const JsonValue config_value = read_side_file(config_path), map_value = read_side_file(map_path);
  const JsonPart config(&config_value, config_path.string()), map(&map_value, map_path.string());

  std::optional<TokenizerParts> in_pieces;
  if (!marian && !is_json && !is_byte_level) in_pieces = read_sentence_pieces(place, config);
  const bool other = marian || is_json || is_byte_level || in_pieces || is_there(lines);
  if (const std::string list = other ? "" : tiktoken_in(place); !list.empty()) in_pieces = read_tiktoken(list, true);
  if (!marian && !is_json && !is_byte_level && !in_pieces && !is_there(lines)) return nullptr;

  TokenizerParts parts;
  if (marian) {
    parts = std::move(*marian);
  } else if (in_pieces) {
    parts = std::move(*in_pieces);
    add_listed_tokens(place / "added_tokens.json", parts);
  } else if (is_json) {
    const File file = open_file(json);
    parts = read_tokenizer_json(file.text(), file.path);
    file.mapped->check_unchanged();
  } else if (is_byte_level) {
    const File vocabulary = open_file(pieces), rules = open_file(merges);
    parts = read_byte_level_files(vocabulary.text(), vocabulary.path, rules.text(), rules.path, config);
    vocabulary.mapped->check_unchanged();
    rules.mapped->check_unchanged();
    check_merges_are_whole(parts, config, rules.path);
    add_listed_tokens(place / "added_tokens.json", parts);
    add_transcript_frame(config, parts);
  } else {
    const File file = open_file(lines);
    parts = read_word_piece_file(file.text(), file.path, config);
    file.mapped->check_unchanged();
    const JsonValue model_value = read_side_file(place / "config.json");
    check_pieces_are_whole(parts, JsonPart(&model_value, (place / "config.json").string()), file.path);
  }
  find_roles(parts, config, map);
  return make_pipeline_tokenizer(std::move(parts));
}

}  // namespace headscope
