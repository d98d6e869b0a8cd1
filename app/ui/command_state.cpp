#include "app/ui/command_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/shortcuts.h"

namespace headscope::ui {

namespace {

// What commands need, and what is said where it is missing.
struct Need {
  bool (*met)(const Ui& ui);
  const char* refusal;
};
constexpr Need kResult{[](const Ui& ui) { return ui.session.trace() != nullptr; }, "Nothing is computed yet."};
constexpr Need kCell{[](const Ui& ui) { return ui.session.trace() != nullptr && ui.session.view.cell.has_value(); },
                     "No number is picked: click a cell first."};
constexpr Need kMatrix{[](const Ui& ui) { return matrix_fits_clipboard(ui.session); },
                       "There is no matrix that fits: one of more than 4 million numbers is exported (Ctrl+E)."};
constexpr Need kSummary{
    [](const Ui& ui) { return summary_fits_clipboard(ui.session); },
    "There are no weights, or more than 4 million in a head: headscope-cli run --summary has no limit."};
constexpr Need kVoice{[](const Ui& ui) { return ui.say && summary_fits_clipboard(ui.session); },
                      "Needs spd-say (the package speech-dispatcher), and a head of 4 million weights at most."};
constexpr Need kSound{
    [](const Ui& ui) { return ui.play && ui.session.trace() != nullptr && ui.session.view.cell.has_value(); },
    "Needs a picked cell of weights, and pw-play, paplay or aplay."};
constexpr Need kUndo{[](const Ui& ui) { return ui.session.can_undo(); }, "Nothing was changed yet."};
constexpr Need kRedo{[](const Ui& ui) { return ui.session.can_redo(); }, "Nothing was undone."};
constexpr Need kPinned{[](const Ui& ui) { return ui.session.pinned() != nullptr; }, "No result is pinned."};
constexpr Need kLesson{
    [](const Ui& ui) { return !ui.session.view.lesson.empty(); },
    "There is no lesson yet: Ctrl+Shift+K keeps what is shown as a stop, with words that you write."};
constexpr Need kUpdates{
    [](const Ui& ui) { return ui.session.updates.kept().size() > 1; },
    "No file is followed that has changed: headscope --watch FILE, or update() of the Python package."};
constexpr Need kProblem{[](const Ui& ui) { return ui.session.problem().has_value(); }, "There is no problem."};

constexpr Need kCorpus{[](const Ui& ui) { return !ui.session.view.corpus.file.empty(); },
                       "No corpus is open: File, Open, an .hsagg."};

constexpr Need kPipeline{[](const Ui& ui) { return shown_of(ui).pipeline || shown_of(ui).pipeline_names; },
                         "This view has no pipeline."};
constexpr Need kConcat{[](const Ui& ui) { return shown_of(ui).has_concat; }, "There is no concat here."};
constexpr Need kInspector{[](const Ui& ui) { return shown_of(ui).has_inspector; }, "This view has no inspector."};

struct CommandNeed {
  CommandId id;
  const Need* need;
};
constexpr CommandNeed kNeeds[] = {
    {CommandId::undo, &kUndo},
    {CommandId::redo, &kRedo},
    {CommandId::copy_cell, &kCell},
    {CommandId::copy_row, &kCell},
    {CommandId::copy_matrix, &kMatrix},
    {CommandId::copy_summary, &kSummary},
    {CommandId::say_head, &kVoice},
    {CommandId::play_row, &kSound},
    {CommandId::export_dialog, &kResult},
    {CommandId::go_to_cell, &kResult},
    {CommandId::next_head, &kResult},
    {CommandId::previous_head, &kResult},
    {CommandId::next_stage, &kResult},
    {CommandId::previous_stage, &kResult},
    {CommandId::fit_heatmap, &kResult},
    {CommandId::find_cell, &kResult},
    {CommandId::pin, &kResult},
    {CommandId::unpin, &kPinned},
    {CommandId::corpus_list, &kCorpus},
    {CommandId::corpus_table, &kCorpus},
    {CommandId::next_problem, &kProblem},
    {CommandId::play_lesson, &kLesson},
    {CommandId::lesson_pictures, &kLesson},
    {CommandId::handout, &kLesson},
    {CommandId::update_before, &kUpdates},
    {CommandId::next_update, &kUpdates},
    {CommandId::newest_update, &kUpdates},
    {CommandId::play_updates, &kUpdates},
    {CommandId::update_frames, &kUpdates},
    {CommandId::toggle_pipeline, &kPipeline},
    {CommandId::toggle_concat, &kConcat},
    {CommandId::toggle_inspector, &kInspector},
};

}  // namespace

OnScreen shown_of(const Ui& ui) {
  const ShellState* shell = ui.state.panels.find<ShellState>();
  return shell == nullptr ? OnScreen() : shell->on_screen;
}

std::string command_refusal(const Ui& ui, CommandId id) {
  if (const MainViewInfo* view = main_view_of(id)) {
    const std::optional<ViewObstacle> obstacle = view->greyed ? obstacle_of(ui, *view) : std::nullopt;
    return obstacle ? fmt::format("{} {}", obstacle->fact, obstacle->advice) : "";
  }
  const auto* found =
      std::find_if(std::begin(kNeeds), std::end(kNeeds), [id](const CommandNeed& row) { return row.id == id; });
  return found == std::end(kNeeds) || found->need->met(ui) ? "" : found->need->refusal;
}

}  // namespace headscope::ui
