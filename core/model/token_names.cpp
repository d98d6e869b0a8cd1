#include "core/model/token_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text_lines.h"
#include "core/base/words.h"
#include "core/io/json_text.h"
#include "core/model/capture_tokens.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

constexpr const char* kHowToName =
    "Names of tokens are words, one a line, or a JSON list; an empty field takes those of the file.";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(take_line(text));
  return lines;
}

std::vector<std::string> named(const char* option, const std::string& text, std::int64_t wanted) {
  std::vector<std::string> names;
  try {
    names = token_names_in(text, wanted);
  } catch (const Error& error) {
    throw ProblemError({option, "the list of names is no JSON list of strings", error.what(), {}});
  }
  const auto given = static_cast<std::int64_t>(names.size());
  if (given == wanted) return names;
  throw ProblemError({option,
                      fmt::format("{} name{} wanted, {} given", wanted, wanted == 1 ? "" : "s", given),
                      kHowToName,
                      {{"names of the file", option, ""}}});
}

}  // namespace

std::vector<std::string> token_names_in(std::string_view text, std::int64_t wanted) {
  if (is_token_json(text)) return parse_token_list(text, "the list");
  const std::vector<std::string_view> words = words_of(text);
  std::vector<std::string> names(words.begin(), words.end());
  if (text.find('\n') == text.npos) return names;
  std::vector<std::string> lines = lines_of(text);
  const auto fits = [&](const std::vector<std::string>& list) {
    return static_cast<std::int64_t>(list.size()) == wanted;
  };
  return fits(names) && !fits(lines) ? names : lines;
}

std::string token_names_text(const std::vector<std::string>& names) {
  const bool words = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    const std::vector<std::string_view> parts = words_of(name);
    return parts.size() == 1 && parts[0].size() == name.size();
  });
  const std::string text = words ? fmt::format("{}", fmt::join(names, " ")) : "";
  // "[" before a name in quotes would begin a list.
  return words && !is_token_json(text) ? text : json_dump(nlohmann::ordered_json(names));
}

TokenNames token_names_of(const Capture& capture, const CapturedLayer& layer, const Request& request) {
  TokenNames names{capture.tokens, capture.key_tokens};
  if (layer.names) names = {layer.names->queries, layer.names->keys};
  const bool named_keys = layer.names ? layer.names->named_keys : capture.named_keys;
  const bool typed = !request.phrase.empty();
  if (typed) names.queries = named("phrase", request.phrase, layer.query_len());
  if (typed && !named_keys && layer.query_len() == layer.key_len()) names.keys = names.queries;
  if (request.key_phrase && !request.key_phrase->empty()) {
    names.keys = named("key-phrase", *request.key_phrase, layer.key_len());
  }
  return names;
}

}  // namespace headscope
