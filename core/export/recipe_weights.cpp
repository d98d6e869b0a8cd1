#include "core/export/recipe_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/export/session_text.h"
#include "core/io/json_text.h"
#include "core/model/weights_sha256.h"
#include "core/request/model_kind.h"
#include "core/request/request_text.h"
#include "core/request/same_request.h"

namespace headscope {
namespace {

using Kind = JsonValue::Kind;

[[noreturn]] void refuse(const std::string& what, const std::string& name, const std::string& detail) {
  throw Error(fmt::format("{}: {}: {}", what, in_quotes(name), detail));
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string sentence_of(const std::string& what, const std::string& name, const std::string& now,
                        const std::string& then) {
  constexpr std::size_t kShown = 12;
  if (now == then || !is_hash(then)) return "";
  return fmt::format("{} are not those that {} was made with: SHA-256 {}... now, {}... then", what, name,
                     now.substr(0, kShown), then.substr(0, kShown));
}

// Where the weights come from, in a sentence.
std::string source_of(const Request& request) {
  if (!request.weights.empty()) return request.weights;
  return is_seeded(request) ? fmt::format("seed {}", request.seed) : request.model;
}

bool same_options(const Request& a, const Request& b, std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
    const RequestOption* option = find_request_option(std::string(name));
    return option != nullptr && option->get(a) == option->get(b);
  });
}

// Whether both ask for the same list of layers of the same model.
bool same_model(const Request& a, const Request& b) {
  return a.model == b.model && a.weights == b.weights && a.image.empty() == b.image.empty() &&
         a.features.empty() == b.features.empty() && attention_list(a) == attention_list(b) &&
         shows_decoder(a) == shows_decoder(b);
}

bool same_text(const Request& a, const Request& b) {
  return same_options(a, b, {"phrase", "second-phrase", "token-ids", "decoder-phrase", "decoder-ids"});
}

// Of a recipe that holds the hash of the weights of the shown layer's attention, with edits.
std::string of_shown_layer(const RecipeWeights& recipe, const Request& then, const std::string& name,
                           const Trace& trace, const CancelToken& cancel) {
  const Request& now = trace.request;
  const LayerWeights& weights = trace.inputs->weights;
  if (weights.empty() || !same_model(then, now)) return "";
  if (is_seeded(now) && !same_request(then, now)) return "";
  if (!same_options(then, now, {"layer", "qkv-layout", "heads", "kv-heads", "edit"})) return "";
  return sentence_of(fmt::format("the weights of {}", source_of(now)), name, sha256_of(weights, cancel), recipe.sha256);
}

}  // namespace

UsedWeights used_weights_from(const JsonValue& value, const std::string& what, const std::string& name) {
  if (value.kind != Kind::object) {
    refuse(what, name, fmt::format("found {}; expected an object", json_kind_name(value.kind)));
  }
  const auto text = [&](const char* key, Kind kind) {
    const JsonValue* found = value.find(key);
    if (found == nullptr || found->kind != kind) refuse(what, name, fmt::format("has no {} of the right kind", key));
    return found->text;
  };
  UsedWeights used;
  const std::string layers = text("layers", Kind::number);
  const auto [end, error] = std::from_chars(layers.data(), layers.data() + layers.size(), used.layers);
  if (error != std::errc() || end != layers.data() + layers.size() || used.layers < 0) {
    refuse(what, name, fmt::format("found {} layers; expected a whole number", layers));
  }
  text("whole", Kind::boolean);
  used.whole = value.find("whole")->truth;
  used.sha256 = text("sha256", Kind::string);
  used.words_sha256 = text("words_sha256", Kind::string);
  return used;
}

RecipeWeights parse_recipe_weights(const std::string& json, const std::string& what) {
  const JsonValue root = parse_strict_json(json, what);
  RecipeWeights weights;
  if (root.kind != Kind::object) return weights;
  for (const char* key : {"sha256", "weights_sha256"}) {
    const JsonValue* found = root.find(key);
    if (found != nullptr && found->kind == Kind::string) weights.sha256 = found->text;
  }
  if (const JsonValue* found = root.find("used_weights")) {
    weights.used = used_weights_from(*found, what, "used_weights");
  }
  if (const JsonValue* found = root.find("against_used_weights")) {
    weights.against_used = used_weights_from(*found, what, "against_used_weights");
  }
  return weights;
}

RecipeWeights read_recipe_weights(const std::string& path) {
  const SessionText text = read_session_text(path);
  return parse_recipe_weights(text.json, text.what);
}

std::string other_weights_sentence(const RecipeWeights& recipe, const Request& then, const std::string& name,
                                   const Trace& trace, const CancelToken& cancel) {
  if (!recipe.used) return of_shown_layer(recipe, then, name, trace, cancel);
  const Request& now = trace.request;
  if (trace.inputs->checkpoint == nullptr || !same_model(then, now)) return "";
  const UsedWeights& used = *recipe.used;
  const std::string said =
      sentence_of(fmt::format("the weights of {}", source_of(now)), name, used_hash(trace, used, cancel), used.sha256);
  if (!said.empty() || used.words_sha256.empty() || !same_text(then, now)) return said;
  return sentence_of(fmt::format("the vectors of the words in {}", source_of(now)), name, words_hash(trace, cancel),
                     used.words_sha256);
}

}  // namespace headscope
