#include "app/ui/recipe_check.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "app/session/background/work/executor.h"
#include "app/session/background/work/latest_work.h"
#include "app/session/documents.h"
#include "app/session/session.h"
#include "app/session/session_paths.h"
#include "app/ui/map/panel_sentences.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/export/recipe_weights.h"
#include "core/export/session_file.h"
#include "core/request/request.h"
#include "core/request/same_request.h"

namespace headscope::ui {
namespace {

struct Recipe {
  std::string name;  // of its file
  Request request;
  std::optional<Request> against;  // of the picture of a difference: A's
  RecipeWeights weights;
};

struct RecipeQuestion {
  std::shared_ptr<const Recipe> recipe;
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> against;  // A, which is pinned; null: there is none
  friend bool operator==(const RecipeQuestion&, const RecipeQuestion&) = default;
};
using RecipeWork = LatestWork<RecipeQuestion, std::string>;

constexpr double kAgain = 0.1;  // seconds until it is looked whether the weights are hashed

struct RecipeCheck {
  std::shared_ptr<const Recipe> recipe;  // null: there is nothing to ask
  std::optional<RecipeQuestion> asked;
  std::unique_ptr<RecipeWork> work;  // made with the first question
};

void note(UiState& state, Recipe recipe) {
  if (!recipe.weights.any()) return;
  state.panels.get<RecipeCheck>().recipe = std::make_shared<const Recipe>(std::move(recipe));
}

void forget(UiState& state) {
  std::erase_if(state.notices, [](const Notice& notice) { return notice.key == "recipe"; });
  RecipeCheck& check = state.panels.get<RecipeCheck>();
  check.recipe.reset();
  check.asked.reset();
  if (check.work != nullptr) check.work->forget();
}

std::string answer(const RecipeQuestion& question, const CancelToken& cancel) {
  const Recipe& recipe = *question.recipe;
  std::string said =
      as_sentence(other_weights_sentence(recipe.weights, recipe.request, recipe.name, *question.trace, cancel));
  if (question.against != nullptr && recipe.weights.against_used) {
    RecipeWeights of_a;
    of_a.used = recipe.weights.against_used;
    const std::string other =
        as_sentence(other_weights_sentence(of_a, *recipe.against, recipe.name, *question.against, cancel));
    if (other != said) said += (said.empty() || other.empty() ? "" : " ") + other;
  }
  return said;
}

// The question, once there is the result of the recipe's own request.
std::optional<RecipeQuestion> question_of(const Ui& ui, const RecipeCheck& check) {
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->preview || ui.session.stale() || ui.session.computing()) return std::nullopt;
  if (!same_request(ui.session.draft, check.recipe->request)) return std::nullopt;
  const std::shared_ptr<const Trace>& pinned = ui.session.pinned();
  const bool is_a = check.recipe->against && pinned != nullptr && same_request(pinned->request, *check.recipe->against);
  return RecipeQuestion{check.recipe, trace, is_a ? pinned : nullptr};
}

}  // namespace

void note_recipe(UiState& state, const std::string& path) {
  forget(state);
  // Of other documents reading fails, as it does of a picture without a recipe; neither has anything to compare.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return;
  try {
    const FileKind kind = file_kind(path);
    if (kind == FileKind::jpeg || kind == FileKind::npy || kind == FileKind::npz || kind == FileKind::safetensors ||
        kind == FileKind::torch || kind == FileKind::gguf) {
      return;
    }
    SessionFile file = read_session_with_paths(path);
    note(state, {std::filesystem::path(path).filename().string(), std::move(file.request), std::move(file.against),
                 read_recipe_weights(path)});
  } catch (const Error&) {
  }
}

void note_recipe_text(UiState& state, const std::string& json, const std::string& name) {
  forget(state);
  try {
    SessionFile file = parse_session(json, name);
    note(state, {name, std::move(file.request), std::move(file.against), parse_recipe_weights(json, name)});
  } catch (const Error&) {
  }
}

void check_recipe(Ui& ui) {
  RecipeCheck& check = ui.state.panels.get<RecipeCheck>();
  if (check.recipe == nullptr) return;
  if (!check.asked) check.asked = question_of(ui, check);
  if (!check.asked) return;
  if (check.work == nullptr)
    check.work = std::make_unique<RecipeWork>(
        make_thread_executor(), [] {}, answer);
  const auto found = check.work->want(*check.asked);
  if (found == nullptr || !(found->question == *check.asked)) return ui.wake_in(kAgain);
  if (found->answer && !found->answer->empty()) {
    put_notice(ui.state, {Notice::Kind::warn, "Other weights.", *found->answer, "recipe"});
  }
  // What was asked once is not asked again: the result need not be kept for it.
  check.recipe.reset();
  check.asked.reset();
  check.work->forget();
}

}  // namespace headscope::ui
