#include "app/cli/recipe_words.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/model_words.h"
#include "app/session/session_paths.h"
#include "core/attention/engine.h"
#include "core/attention/trace_notices.h"
#include "core/export/recipe_weights.h"
#include "core/export/session_file.h"
#include "core/request/intervention_kinds.h"

namespace headscope::cli {
namespace {

struct Recipe {
  SessionFile session;
  RecipeWeights weights;
};

// The recipe of the session of this option; nullopt where there is none that can be read again.
std::optional<Recipe> recipe_of(const Arguments& given, const char* option) {
  if (!given.has(option)) return std::nullopt;
  const std::string path = given.get(option);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  return Recipe{read_session_with_paths(path), read_recipe_weights(path)};
}

void say(const Arguments& given, const Trace& trace) {
  for (const TraceNotice& notice : trace_notices(trace)) given.notice_with_result(notice.sentence);
}

// Says whether the weights of A, the run of --patch-from whose numbers are put into this one, have changed: A is run
// once more where its recipe holds hashes.
std::string other_weights_of_patch_source(const Arguments& given, const CancelToken& cancel) {
  const std::optional<Recipe> recipe = recipe_of(given, "patch-from");
  if (!recipe || !recipe->weights.any()) return "";
  const Request& source = recipe->session.request;
  return other_weights_sentence(recipe->weights, source, given.get("patch-from"), *Engine().run(source, cancel),
                                cancel);
}

}  // namespace

std::string other_weights_notice(const Arguments& given, const Trace& trace, const CancelToken& cancel) {
  const std::optional<Recipe> recipe = recipe_of(given, "session");
  if (!recipe) return "";
  return other_weights_sentence(recipe->weights, recipe->session.request, given.get("session"), trace, cancel);
}

std::string other_weights_of_against(const Arguments& given, const Trace& against, const CancelToken& cancel) {
  if (given.has("against")) {
    const std::optional<Recipe> recipe = recipe_of(given, "against");
    if (!recipe) return "";
    return other_weights_sentence(recipe->weights, recipe->session.request, given.get("against"), against, cancel);
  }
  const std::optional<Recipe> recipe = recipe_of(given, "session");
  if (!recipe || !recipe->session.against || !recipe->weights.against_used) return "";
  RecipeWeights of_a;
  of_a.used = recipe->weights.against_used;
  return other_weights_sentence(of_a, *recipe->session.against, given.get("session"), against, cancel);
}

std::vector<std::string> said_of_run(const Arguments& given, const Trace& trace, const CancelToken& cancel) {
  const std::string own = other_weights_notice(given, trace, cancel);
  const std::string source =
      any_on(trace.request.patches) ? other_weights_of_patch_source(given, cancel) : std::string();
  for (const std::string& other : {own, source}) {
    if (!other.empty()) given.notice_with_result(other);
  }
  say(given, trace);
  std::vector<std::string> of_manifest;
  for (const std::string& said : {model_notice(given, trace.request), own, source}) {
    if (!said.empty()) of_manifest.push_back(said);
  }
  return of_manifest;
}

void say_of_against(const Arguments& given, const Trace& against, const CancelToken& cancel) {
  const std::string other = other_weights_of_against(given, against, cancel);
  if (!other.empty()) given.notice_with_result(other);
  say(given, against);
}

}  // namespace headscope::cli
