#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/session/model_folder.h"
#include "app/session/phrase_file.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/corpus/phrase_list.h"
#include "core/io/json_cursor.h"
#include "core/io/json_text.h"
#include "core/io/mapped_file.h"
#include "core/model/demo_checkpoints.h"
#include "core/text/tokenizer.h"
#include "core/text/unread_tokenizer.h"

namespace headscope::cli {

namespace {

struct Phrases {
  std::string first;
  std::optional<std::string> second;
};

// A line of --phrases: a JSON string, or an object with one, and perhaps a second phrase.
Phrases phrases_of_line(std::string_view line, const std::string& where) {
  JsonCursor cursor(line, where);
  const JsonValue value = cursor.read_value();
  cursor.finish();
  const JsonValue* phrase = &value;
  if (value.kind == JsonValue::Kind::object) {
    phrase = value.find("phrase") != nullptr ? value.find("phrase") : value.find("text");
  }
  if (phrase == nullptr || phrase->kind != JsonValue::Kind::string) {
    throw Error(fmt::format("{}: found {}; expected a JSON string, or an object with a string \"phrase\" or \"text\"",
                            where, phrase == nullptr ? "an object without either" : json_kind_name(phrase->kind)));
  }
  Phrases phrases{phrase->text, std::nullopt};
  const JsonValue* second = value.kind == JsonValue::Kind::object ? value.find("second_phrase") : nullptr;
  if (second == nullptr) return phrases;
  if (second->kind != JsonValue::Kind::string) {
    throw Error(fmt::format("{}: second_phrase: found {}; expected a string", where, json_kind_name(second->kind)));
  }
  phrases.second = second->text;
  return phrases;
}

bool has_json_lines(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".ndjson");
}

// f(phrases) for every line that is not blank.
template <typename F>
void each_phrase_of(const std::string& path, F&& f) {
  const auto file = MappedFile::open(path);
  std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    f(phrases_of_line(line, fmt::format("{}: line {}", path, number)));
  }
}

// f(phrases) for every line of a list that has no second phrases, as scan reads it: plain text, a folder, gzip.
template <typename F>
void each_phrase_of_list(const std::string& path, const CancelToken& cancel, F&& f) {
  const PhraseList list = PhraseList::open(path, cancel);
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) {
    if (phrase.blank) return;
    if (!phrase.problem.empty()) throw Error(fmt::format("{}: line {}: {}", path, phrase.index + 1, phrase.problem));
    f(Phrases{phrase.text, std::nullopt});
  });
}

// Written without a JSON value in between, which would take many times the memory for a million tokens.
void append_json_string(std::string& line, const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; });
  if (plain) {
    line.append(1, '"').append(text).append(1, '"');
  } else {
    line += json_dump(text);
  }
}

std::string json_line(const Tokens& tokens) {
  std::string line = "{\"ids\":[";
  const auto separate = [&](std::size_t k) {
    if (k > 0) line += ',';
  };
  const auto append_number = [&](std::int64_t number) {
    const fmt::format_int digits(number);
    line.append(digits.data(), digits.size());
  };
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
    separate(k);
    append_number(tokens.ids[k]);
  }
  line += "],\"tokens\":[";
  for (std::size_t k = 0; k < tokens.vocabulary_pieces.size(); ++k) {
    separate(k);
    append_json_string(line, tokens.vocabulary_pieces[k]);
  }
  line += "],\"offsets\":[";
  for (std::size_t k = 0; k < tokens.offsets.size(); ++k) {
    separate(k);
    line += '[';
    append_number(tokens.offsets[k].begin);
    line += ',';
    append_number(tokens.offsets[k].end);
    line += ']';
  }
  for (const auto& [name, numbers] : {std::pair{"],\"types\":[", &tokens.types}, {"],\"texts\":[", &tokens.texts}}) {
    if (numbers->empty()) continue;
    line += name;
    for (std::size_t k = 0; k < numbers->size(); ++k) {
      separate(k);
      append_number((*numbers)[k]);
    }
  }
  return line += "]}\n";
}

std::string readable_table(const Tokens& tokens) {
  std::vector<std::vector<std::string>> rows = {{"id", "token", "piece", "bytes", "word"}};
  const bool pair = !tokens.types.empty();
  if (pair) rows.front().insert(rows.front().end(), {"type", "text"});
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
    const Range range = tokens.offsets[k];
    rows.push_back({std::to_string(tokens.ids[k]), printable(tokens.vocabulary_pieces[k]),
                    fmt::format("\"{}\"", printable(tokens.pieces[k])),
                    range.size() == 0 ? "" : fmt::format("{}:{}", range.begin, range.end),
                    tokens.words[k] < 0 ? "" : std::to_string(tokens.words[k])});
    if (!pair) continue;
    rows.back().push_back(std::to_string(tokens.types[k]));
    rows.back().push_back(tokens.texts[k] < 0 ? "" : tokens.texts[k] == 0 ? "first" : "second");
  }
  return table_text({{true}, {}, {}, {true}, {true}, {true}, {}}, rows) +
         counted(static_cast<std::int64_t>(tokens.ids.size()), "token") + "\n";
}

[[noreturn]] void refuse_without_tokenizer(const std::string& folder) {
  if (const std::string unread = unread_tokenizer(folder); !unread.empty()) throw Error(unread);
  throw Error(
      folder +
      ": found no tokenizer; expected tokenizer.json, vocab.json with merges.txt, vocab.txt, or a GGUF model's");
}

void tokenize(const Arguments& given, const CancelToken& cancel) {
  if (!given.has("model")) throw UsageError("model", "found nothing", "the folder of a tokenizer");
  const int sources = given.has("phrase") + given.has("phrase-file") + given.has("phrases");
  if (sources != 1) {
    throw UsageError(
        "phrase", fmt::format("found {} of --phrase, --phrase-file and --phrases", sources == 0 ? "none" : "several"),
        "one of them");
  }
  if (given.has("second-phrase") && given.has("phrases")) {
    throw UsageError("second-phrase", "found --phrases too", "\"second_phrase\" in its lines");
  }
  const ModelPlace place = model_place(given.get("model"));
  if (!place.notice.empty()) given.notice_with_result(place.notice);
  const std::string& model = place.path;
  const std::string folder = model.starts_with("demo:") ? demo_folder(model.substr(5)) : model;
  const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(folder);
  if (tokenizer == nullptr) refuse_without_tokenizer(folder);
  std::string text;
  std::int64_t phrases = 0;
  const auto add = [&](const Phrases& phrases_given) {
    cancel.check();
    if (phrases_given.second && !tokenizer->knows_pairs()) {
      throw UsageError("second-phrase", fmt::format("the tokenizer of {} joins no pairs", model),
                       "one that reads two texts, such as BERT's");
    }
    const Tokens tokens = phrases_given.second ? tokenizer->tokenize_pair(phrases_given.first, *phrases_given.second)
                                               : tokenizer->tokenize(phrases_given.first);
    if (given.has("json")) {
      text += json_line(tokens);
    } else {
      if (phrases > 0) text += '\n';
      text += readable_table(tokens);
    }
    ++phrases;
    // A long list appears while it is worked on.
    if (text.size() > (std::size_t{1} << 20)) {
      print(text);
      text.clear();
    }
  };
  std::optional<std::string> second;
  if (given.has("second-phrase")) second = given.get("second-phrase");
  if (given.has("phrase")) add({given.get("phrase"), second});
  if (given.has("phrase-file")) add({read_phrase_file(given.get("phrase-file")), second});
  if (const std::string list = given.get("phrases"); has_json_lines(list)) {
    each_phrase_of(list, add);
  } else if (!list.empty()) {
    each_phrase_of_list(list, cancel, add);
  }
  print(text);
}

}  // namespace

Command tokenize_command() {
  CommandSpec spec;
  spec.name = "tokenize";
  spec.usage = "--model FOLDER (--phrase TEXT | --phrase-file FILE | --phrases FILE) [--second-phrase TEXT] [--json]";
  spec.summary = "Says how a model's vocabulary spells a phrase: ids, pieces, and where each lies in the phrase.";
  spec.groups = {
      {"Input",
       {{"model", "FOLDER",
         "With tokenizer.json, or vocab.json and merges.txt, or vocab.txt; a folder without weights will do. Or a GGUF "
         "model, a "
         "tokenizer.json itself, or demo:NAME."},
        {"phrase", "TEXT", "The phrase."},
        {"phrase-file", "FILE", "The same from a UTF-8 file."},
        {"second-phrase", "TEXT", "A second text in the same sequence, where the tokenizer joins pairs."},
        {"phrases", "FILE",
         "Many, a line each, as scan reads them: plain text, or .jsonl and .ndjson, whose lines are JSON strings or "
         "objects with a string \"phrase\" or \"text\", and perhaps \"second_phrase\"; with .gz behind or not; or a "
         "folder of such files."}}},
      {"Output",
       {{"json", "",
         "One line a phrase: {ids, tokens, offsets}; tokens as the vocabulary spells them, offsets in bytes of the "
         "phrase. Of two phrases also types, and texts: 0 or 1, -1 for what was added."}}}};
  spec.examples = {"headscope-cli tokenize --model gpt2 --phrase \"Hello world\"",
                   "headscope-cli tokenize --model bert --phrases phrases.jsonl --json"};
  return {spec, tokenize};
}

}  // namespace headscope::cli
