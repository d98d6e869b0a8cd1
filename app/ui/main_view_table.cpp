// The rows of main_views(): each names functions of the room that draws the view, which no other file here has to know.
// Long because it is one table, with what each view needs before it can open.
#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/circuits/circuits_panel.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/explain/follow.h"
#include "app/ui/generate/generate_panel.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/lens/lens_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/mask/mask_panel.h"
#include "app/ui/panels.h"
#include "app/ui/scatter/scatter_panel.h"
#include "app/ui/score/score_panel.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/weights/weights_panel.h"
#include "core/attention/model_trace.h"
#include "core/heads/query_key_scatter.h"
#include "core/model/checkpoint.h"

namespace headscope::ui {

namespace {

using Obstacle = std::optional<ViewObstacle>;

constexpr ViewObstacle kNothingComputed{"Nothing is computed yet.", "The view opens when there is a result."};

Obstacle no_result(const Ui& ui) {
  if (ui.session.trace() != nullptr) return std::nullopt;
  return kNothingComputed;
}

Obstacle no_layers(const Ui& ui) {
  if (has_layers(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There is one layer.",
                      "All layers and heads are shown of a checkpoint: Model, weights, or File, Open folder."};
}

Obstacle no_mask(const Ui& ui) {
  if (has_mask_to_paint(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There is no mask to paint here.",
                      "Painting needs scores that are computed and kept: no capture, no text too long."};
}

Obstacle no_weights(const Ui& ui) {
  if (has_weights(ui)) return std::nullopt;
  if (ui.session.trace() == nullptr) return kNothingComputed;
  return ViewObstacle{"There are no weights.",
                      "Query, key and value came from files, or the attention from a capture: no projection makes "
                      "them."};
}

constexpr const char* kLabKeys[] = {"Space switches a mistake on or off", "D goes to the next stage that differs"};
constexpr const char* kMaskKeys[] = {"Drag paints", "Arrows pick a cell", "Space paints it"};
constexpr const char* kCompareKeys[] = {"Ctrl+Shift+D pins what is shown as A", "Ctrl+E exports"};
constexpr const char* kScriptKeys[] = {"Up Down scroll", "Ctrl+C copies the script"};
constexpr const char* kWeightsKeys[] = {"Arrows pick a number", "Enter edits it", "Ctrl+C copies it"};

constexpr const char* kTextKeys[] = {"Arrows choose a word or patch", "Shift+arrows choose its partner",
                                     "Digits switch heads"};

Obstacle no_text(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->find(StageId::weights) != nullptr && trace->query_len() > 0 && trace->key_len() > 0) return std::nullopt;
  return ViewObstacle{"There are no weights to shade a text by.", "They appear when the phrase has a word."};
}

constexpr const char* kLensKeys[] = {"Arrows pick a cell", "Enter opens that layer"};

// Of a checkpoint with its output head, whether all of its layers are computed already or not.
bool says_tokens(const Trace& trace) {
  return trace.model != nullptr && trace.model->checkpoint != nullptr &&
         trace.model->checkpoint->output_head().kind != OutputHead::Kind::none;
}

// The same of a model that is one stack of layers.
bool is_one_stack(const Trace& trace) {
  return says_tokens(trace) && !trace.model->checkpoint->architecture().of_decoder();
}

Obstacle no_lens(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (says_tokens(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model that says tokens.",
                      "The lens needs a checkpoint with its output head: Model, weights, or File, Open folder."};
}

constexpr const char* kSweepKeys[] = {"Arrows pick a cell", "Enter opens that head", "Ctrl+Shift+D pins A"};

Obstacle no_sweep(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (says_tokens(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model to patch.",
                      "A sweep needs a checkpoint with its output head: Model, weights, or File, Open folder."};
}

constexpr const char* kGradientsKeys[] = {"Arrows pick a head", "Enter opens that head"};

Obstacle no_gradients(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (is_one_stack(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model to go back through.",
                      "Gradients need a checkpoint with its output head: Model, weights, or File, Open folder."};
}

constexpr const char* kScoreKeys[] = {"Arrows pick a pair", "Enter opens the writer at the key"};

Obstacle no_score(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->model != nullptr && trace->model->checkpoint != nullptr && trace->find(StageId::scores) != nullptr) {
    return std::nullopt;
  }
  return ViewObstacle{"There is no model whose parts wrote a score.",
                      "Why a head looks there needs a checkpoint: Model, weights, or File, Open folder."};
}

constexpr const char* kCircuitsKeys[] = {"Arrows pick a pair",
                                         "Enter opens the head that reads, or asks about a token"};

Obstacle no_circuits(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (trace->model != nullptr && trace->model->checkpoint != nullptr) return std::nullopt;
  return ViewObstacle{"There are no weights of a whole model.",
                      "Circuits need a checkpoint: Model, weights, or File, Open folder."};
}

constexpr const char* kScatterKeys[] = {"Arrows pick a cell", "Digits switch heads"};

Obstacle no_scatter(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (has_query_key_scatter(*trace) && trace->query_len() > 0) return std::nullopt;
  return ViewObstacle{"There are no queries and keys.",
                      "A capture of weights alone has none; they appear when the phrase has a word."};
}

constexpr const char* kGenerateKeys[] = {"Enter appends the next token", "Ctrl+Z takes it back"};

Obstacle no_generation(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return kNothingComputed;
  if (is_one_stack(*trace)) return std::nullopt;
  return ViewObstacle{"There is no model that goes on with a text.",
                      "Open a decoder such as demo:induction, GPT-2 or Llama: Model, weights, or File, Open folder."};
}

constexpr const char* kCorpusKeys[] = {"Arrows pick a head or an example", "Space chooses a head",
                                       "Enter opens the example"};

constexpr MainViewInfo kViews[] = {
    {.view = MainView::layer,
     .title = "One layer",
     .name = "One layer",
     .command = CommandId::one_layer,
     .shortcut = "F2",
     .help = "Leaves every other view: shows pipeline, heads, concat and inspector of one layer."},
    {.view = MainView::layers,
     .title = "Layers × heads",
     .name = "Layers",
     .command = CommandId::toggle_layers,
     .shortcut = "F3",
     .help = "Shows all layers and heads of a model at once, or one layer again.",
     .draw = draw_layers_panel,
     .focus = [](const Ui&) -> std::string { return "layers/grid"; },
     .obstacle = no_layers,
     .greyed = true},
    {.view = MainView::follow,
     .title = "Follow a token",
     .name = "Follow",
     .command = CommandId::toggle_follow,
     .shortcut = "Ctrl+J",
     .help = "Steps through the stages with one token: what feeds its number at each; arrow keys step.",
     .draw = draw_follow_panel,
     .focus = [](const Ui&) -> std::string { return "follow"; },
     .obstacle = [](const Ui& ui) { return can_follow(ui) ? Obstacle() : kNothingComputed; },
     .waits = true},
    {.view = MainView::compare,
     .title = "Compare A and B",
     .name = "Compare",
     .command = CommandId::toggle_compare,
     .shortcut = "Ctrl+D",
     .help = "Shows the pinned result, the current one and their difference, or one layer again.",
     .draw = draw_compare_panel,
     .focus = [](const Ui&) -> std::string { return "compare/stage"; },
     .pair = compared_pair,
     .keys = kCompareKeys},
    {.view = MainView::sensitivity,
     .title = "Sensitivity",
     .name = "Sensitivity",
     .command = CommandId::toggle_sensitivity,
     .shortcut = "Ctrl+Shift+G",
     .help = "Shows what the picked number depends on: derivatives by tokens, scores and weights.",
     .draw = draw_sensitivity_panel,
     .focus = [](const Ui&) -> std::string { return "sensitivity/stage"; },
     .obstacle = no_result,
     .waits = true,
     .greyed = true},
    {.view = MainView::bug_lab,
     .title = "Bug lab",
     .name = "Bug lab",
     .command = CommandId::toggle_bug_lab,
     .shortcut = "Ctrl+B",
     .help = "Shows what known mistakes would change, side by side, or one layer again.",
     .draw = draw_bug_lab,
     .focus = lab_focus,
     .obstacle = no_result,
     .waits = true,
     .pair = lab_pair,
     .keys = kLabKeys},
    {.view = MainView::mask,
     .title = "Mask editor",
     .name = "Mask",
     .command = CommandId::mask_editor,
     .shortcut = "Ctrl+M",
     .help = "Paints on the mask: cells, rows, columns, rectangles; says what each row sees.",
     .draw = draw_mask_panel,
     .focus = [](const Ui&) -> std::string { return kMaskGrid; },
     .obstacle = no_mask,
     // The Request, opened by hand, would lie over the matrix.
     .before_toggle = [](Ui& ui) { ui.session.view.request_opened_by_hand = false; },
     .keys = kMaskKeys},
    {.view = MainView::weights,
     .title = "Weights of the layer",
     .name = "Weights",
     .command = CommandId::toggle_weights,
     .shortcut = "Ctrl+Shift+W",
     .help = "Shows the tensors of the layer's weights, whose numbers can be edited, or one layer again.",
     .draw = draw_weights_panel,
     .focus = [](const Ui&) -> std::string { return kWeightsPicture; },
     .obstacle = no_weights,
     .greyed = true,
     .keys = kWeightsKeys},
    {.view = MainView::text,
     .title = "Attention on the text",
     .name = "Text",
     .command = CommandId::toggle_text,
     .shortcut = "Ctrl+U",
     .help = "Shades the words by what one of them looks at, or one layer again.",
     .draw = draw_text_panel,
     .focus = [](const Ui&) -> std::string { return kTextWords; },
     .obstacle = no_text,
     .waits = true,
     .greyed = true,
     .keys = kTextKeys},
    {.view = MainView::lens,
     .title = "Logit lens, and who made a logit",
     .name = "Lens",
     .command = CommandId::toggle_lens,
     .shortcut = "Ctrl+R",
     .help = "Shows what a model would say after every layer, and what made a logit, or one layer again.",
     .draw = draw_lens_panel,
     .focus = [](const Ui&) -> std::string { return kLensGrid; },
     .obstacle = no_lens,
     .waits = true,
     .greyed = true,
     .keys = kLensKeys},
    {.view = MainView::sweep,
     .title = "Sweep of patches",
     .name = "Sweep",
     .command = CommandId::toggle_sweep,
     .shortcut = "Ctrl+Shift+R",
     .help =
         "Shows which part of a model carries the difference from the pinned result, or what the prediction needs each "
         "for, or one layer again.",
     .draw = draw_sweep_panel,
     .focus = [](const Ui& ui) -> std::string {
       const bool has_numbers = ui.session.pinned() != nullptr || ablation_of(ui.session.view.sweep);
       return has_numbers ? kSweepGrid : "sweep/pin";
     },
     .obstacle = no_sweep,
     .waits = true,
     .greyed = true,
     .keys = kSweepKeys},
    {.view = MainView::gradients,
     .title = "Gradient × weight of every head",
     .name = "Gradients",
     .command = CommandId::toggle_gradients,
     .shortcut = "Ctrl+Shift+B",
     .help = "Shows what every attention weight of every head does to a number of the prediction, or one layer again.",
     .draw = draw_gradients_panel,
     .focus = [](const Ui&) -> std::string { return kGradientsGrid; },
     .obstacle = no_gradients,
     .waits = true,
     .greyed = true,
     .let_go = let_gradients_go,
     .keys = kGradientsKeys},
    {.view = MainView::score,
     .title = "Why a head looks there",
     .name = "Score",
     .command = CommandId::toggle_score,
     .shortcut = "Ctrl+Shift+Y",
     .help = "Shows who wrote what the query and the key of the picked cell meet in, or one layer again.",
     .draw = draw_score_panel,
     .focus = [](const Ui&) -> std::string { return kScoreGrid; },
     .obstacle = no_score,
     .waits = true,
     .greyed = true,
     .keys = kScoreKeys},
    {.view = MainView::circuits,
     .title = "Circuits of heads and tokens",
     .name = "Circuits",
     .command = CommandId::toggle_circuits,
     .shortcut = "Ctrl+Shift+X",
     .help = "Shows which heads read what earlier heads write, and what a head does with tokens, from weights alone, "
             "or one "
             "layer again.",
     .draw = draw_circuits_panel,
     .focus = circuits_focus,
     .obstacle = no_circuits,
     .waits = true,
     .greyed = true,
     .keys = kCircuitsKeys},
    {.view = MainView::scatter,
     .title = "Queries and keys as points",
     .name = "Scatter",
     .command = CommandId::toggle_scatter,
     .shortcut = "Ctrl+Shift+J",
     .help = "Shows the queries and keys of a head as points of a plane, or one layer again.",
     .draw = draw_scatter_panel,
     .focus = [](const Ui&) -> std::string { return kScatterPlot; },
     .obstacle = no_scatter,
     .waits = true,
     .greyed = true,
     .let_go = let_scatter_go,
     .keys = kScatterKeys},
    {.view = MainView::generate,
     .title = "Generate, a token at a time",
     .name = "Generate",
     .command = CommandId::toggle_generate,
     .shortcut = "Ctrl+Shift+E",
     .help = "Appends the tokens that the model goes on with, one after the other, or shows one layer again.",
     .draw = draw_generate_panel,
     .focus = [](const Ui&) -> std::string { return kNextToken; },
     .obstacle = no_generation,
     .waits = true,
     .greyed = true,
     .keys = kGenerateKeys},
    {.view = MainView::corpus,
     .title = "Heads over a corpus",
     .name = "Corpus",
     .command = CommandId::toggle_corpus,
     .shortcut = "Ctrl+Shift+A",
     .help = "Shows what every head does over many phrases, from an .hsagg, or one layer again.",
     .draw = draw_corpus_panel,
     .focus = corpus_focus,
     .keys = kCorpusKeys},
    {.view = MainView::script,
     .title = "As a script",
     .name = "Script",
     .command = CommandId::toggle_script,
     .shortcut = "Ctrl+Shift+P",
     .help = "Shows the computation as PyTorch, NumPy or LaTeX, or one layer again.",
     .draw = draw_script_panel,
     .focus = [](const Ui&) -> std::string { return "script/code"; },
     .before_toggle = forget_script_place,
     .keys = kScriptKeys},
};

}  // namespace

std::span<const MainViewInfo> main_views() {
  return kViews;
}

}  // namespace headscope::ui
