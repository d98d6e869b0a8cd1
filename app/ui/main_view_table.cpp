// The rows of main_views(): each names functions of the room that draws the view, which no other file here has to know.
// Long because it is one table.
#include "app/session/background/corpora.h"
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
#include "app/ui/main_view_obstacles.h"
#include "app/ui/mask/mask_panel.h"
#include "app/ui/panels.h"
#include "app/ui/scatter/scatter_panel.h"
#include "app/ui/score/score_panel.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/weights/weights_panel.h"

namespace headscope::ui {

namespace {

constexpr const char* kLabKeys[] = {"Space switches a mistake on or off", "D goes to the next stage that differs"};
constexpr const char* kMaskKeys[] = {"Drag paints", "Arrows pick a cell", "Space paints it"};
constexpr const char* kCompareKeys[] = {"Ctrl+Shift+D pins what is shown as A", "Ctrl+E exports"};
constexpr const char* kScriptKeys[] = {"Up Down scroll", "Ctrl+C copies the script"};
constexpr const char* kWeightsKeys[] = {"Arrows pick a number", "Enter edits it", "Ctrl+C copies it"};
constexpr const char* kTextKeys[] = {"Arrows choose a word or patch", "Shift+arrows choose its partner",
                                     "Digits switch heads"};
constexpr const char* kLensKeys[] = {"Arrows pick a cell", "Enter opens that layer"};
constexpr const char* kSweepKeys[] = {"Arrows pick a cell", "Enter opens that head", "Ctrl+Shift+D pins A"};
constexpr const char* kGradientsKeys[] = {"Arrows pick a head", "Enter opens that head"};
constexpr const char* kScoreKeys[] = {"Arrows pick a pair", "Enter opens the writer at the key"};
constexpr const char* kCircuitsKeys[] = {"Arrows pick a pair",
                                         "Enter opens the head that reads, or asks about a token"};
constexpr const char* kScatterKeys[] = {"Arrows pick a cell", "Digits switch heads"};
constexpr const char* kGenerateKeys[] = {"Enter appends the next token", "Ctrl+Z takes it back"};
constexpr const char* kCorpusKeys[] = {"Arrows pick a head or an example", "Space chooses a head",
                                       "Enter opens the example"};

// A sweep opens without a choice: where no result is pinned, each part is set to zeros.
void choose_sweep(Ui& ui) {
  SweepView& sweep = ui.session.view.sweep;
  if (ui.session.pinned() == nullptr && !ablation_of(sweep)) sweep.numbers = SweepNumbers::zeros;
}

// Likewise the corpus that is shipped, of the model that it was counted with.
void choose_corpus(Ui& ui) {
  std::string& file = ui.session.view.corpus.file;
  if (file.empty() && ui.session.draft.model == "demo:stories") file = shipped_corpus();
}

constexpr MainViewInfo kViews[] = {
    {.view = MainView::layer,
     .group = ViewGroup::look,
     .name = "Layer",
     .also = "one layer microscope",
     .how = "each row is a word that looks (query), each column a word it may look at (key); a row adds up to 1.",
     .guide = "01-first-look",
     .command = CommandId::one_layer,
     .shortcut = "F2",
     .help = "Leaves every other view: shows pipeline, heads, concat and inspector of one layer."},
    {.view = MainView::layers,
     .group = ViewGroup::look,
     .name = "Layers",
     .also = "layers × heads, all layers",
     .how =
         "a map is a head and a row a layer; X switches the picked head off, and the prediction says what that costs.",
     .guide = "03-my-checkpoint",
     .command = CommandId::toggle_layers,
     .shortcut = "F3",
     .help = "Shows all layers and heads of a model at once, or one layer again.",
     .draw = draw_layers_panel,
     .focus = [](const Ui&) -> std::string { return "layers/grid"; },
     .obstacle = no_layers,
     .greyed = true},
    {.view = MainView::follow,
     .group = ViewGroup::look,
     .name = "Follow",
     .also = "follow a token",
     .how = "one token walks through the stages; in each, the numbers that feed it are ringed.",
     .guide = "05-why-this-number",
     .command = CommandId::toggle_follow,
     .shortcut = "Ctrl+J",
     .help = "Steps through the stages with one token: what feeds its number at each; arrow keys step.",
     .draw = draw_follow_panel,
     .focus = [](const Ui&) -> std::string { return "follow"; },
     .obstacle = no_token_to_follow,
     .waits = true},
    {.view = MainView::text,
     .group = ViewGroup::look,
     .name = "Text",
     .also = "attention on the text",
     .how = "the brighter a word is, the more the picked word looks at it.",
     .guide = "06-why-this-head",
     .command = CommandId::toggle_text,
     .shortcut = "Ctrl+U",
     .help = "Shades the words by what one of them looks at, or one layer again.",
     .draw = draw_text_panel,
     .focus = [](const Ui&) -> std::string { return kTextWords; },
     .obstacle = no_text,
     .waits = true,
     .greyed = true,
     .keys = kTextKeys},
    {.view = MainView::mask,
     .group = ViewGroup::change,
     .name = "Mask",
     .also = "mask editor",
     .how = "a hatched cell may not be looked at; paint to hide or show it, and each row says how many it sees.",
     .guide = "05-why-this-number",
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
     .group = ViewGroup::change,
     .name = "Weights",
     .also = "weights of the layer",
     .how = "a map is one tensor of the layer, and each of its numbers can be edited.",
     .guide = "05-why-this-number",
     .command = CommandId::toggle_weights,
     .shortcut = "Ctrl+Shift+W",
     .help = "Shows the tensors of the layer's weights, whose numbers can be edited, or one layer again.",
     .draw = draw_weights_panel,
     .focus = [](const Ui&) -> std::string { return kWeightsPicture; },
     .obstacle = no_weights,
     .greyed = true,
     .keys = kWeightsKeys},
    {.view = MainView::compare,
     .group = ViewGroup::change,
     .name = "Compare",
     .also = "compare A and B",
     .how = "A is the pinned result, or else this run without the picked head; B is this run; A − B shows where they "
            "part.",
     .guide = "08-a-paper-figure",
     .command = CommandId::toggle_compare,
     .shortcut = "Ctrl+D",
     .help = "Shows the pinned result, the current one and their difference, or one layer again.",
     .draw = draw_compare_panel,
     .focus = [](const Ui&) -> std::string { return "compare/stage"; },
     .pair = compared_pair,
     .keys = kCompareKeys},
    {.view = MainView::bug_lab,
     .group = ViewGroup::change,
     .name = "Bug lab",
     .also = "mistakes, debug",
     .how = "one side is right, the other is what a known mistake gives; the list says which numbers would betray it.",
     .guide = "04-find-my-bug",
     .command = CommandId::toggle_bug_lab,
     .shortcut = "Ctrl+B",
     .help = "Shows what known mistakes would change, side by side, or one layer again.",
     .draw = draw_bug_lab,
     .focus = lab_focus,
     .obstacle = no_result,
     .waits = true,
     .pair = lab_pair,
     .keys = kLabKeys},
    {.view = MainView::lens,
     .group = ViewGroup::why,
     .name = "Lens",
     .also = "logit lens, who made a logit",
     .how = "a row is a layer; a cell holds the word that the model would say if it ended there.",
     .guide = "06-why-this-head",
     .command = CommandId::toggle_lens,
     .shortcut = "Ctrl+R",
     .help = "Shows what a model would say after every layer, and what made a logit, or one layer again.",
     .draw = draw_lens_panel,
     .focus = [](const Ui&) -> std::string { return kLensGrid; },
     .obstacle = no_lens,
     .waits = true,
     .greyed = true,
     .keys = kLensKeys},
    {.view = MainView::score,
     .group = ViewGroup::why,
     .name = "Score",
     .also = "why a head looks there, why it looks there",
     .how = "each row is a part that wrote at the word that looks, each column one that wrote at the word looked at; "
            "all cells together are the score.",
     .guide = "06-why-this-head",
     .command = CommandId::toggle_score,
     .shortcut = "Ctrl+Shift+Y",
     .help = "Shows who wrote what the query and the key of the picked cell meet in, or one layer again.",
     .draw = draw_score_panel,
     .focus = [](const Ui&) -> std::string { return kScoreGrid; },
     .obstacle = no_score,
     .waits = true,
     .greyed = true,
     .keys = kScoreKeys},
    {.view = MainView::sweep,
     .group = ViewGroup::why,
     .name = "Sweep",
     .also = "sweep of patches",
     .how = "a cell is a run in which that part takes other numbers; its number is what is left of the prediction.",
     .guide = "06-why-this-head",
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
     .before_toggle = choose_sweep,
     .keys = kSweepKeys},
    {.view = MainView::circuits,
     .group = ViewGroup::why,
     .name = "Circuits",
     .also = "circuits of heads and tokens",
     .how = "a row is a head that reads, a column an earlier head that writes; the brighter, the more of it is read.",
     .guide = "06-why-this-head",
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
    {.view = MainView::gradients,
     .group = ViewGroup::why,
     .name = "Gradients",
     .also = "gradient × weight of every head",
     .how = "each row is a head, each column a word it looks at; gradient × weight, added over the words that "
            "look: orange adds, blue takes away.",
     .guide = "06-why-this-head",
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
    {.view = MainView::sensitivity,
     .group = ViewGroup::why,
     .name = "Sensitivity",
     .also = "what a number depends on",
     .how = "the stronger a colour, the more the picked number moves when that number moves a little.",
     .guide = "05-why-this-number",
     .command = CommandId::toggle_sensitivity,
     .shortcut = "Ctrl+Shift+G",
     .help = "Shows what the picked number depends on: derivatives by tokens, scores and weights.",
     .draw = draw_sensitivity_panel,
     .focus = [](const Ui&) -> std::string { return "sensitivity/stage"; },
     .obstacle = no_result,
     .waits = true,
     .greyed = true},
    {.view = MainView::scatter,
     .group = ViewGroup::why,
     .name = "Points",
     .also = "scatter, queries and keys as points",
     .how = "squares are queries and triangles keys; a query looks at the keys far out in its own direction.",
     .guide = "06-why-this-head",
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
     .group = ViewGroup::beyond,
     .name = "Generate",
     .also = "generate a token at a time",
     .how = "the tokens that may follow stand with the most probable first; Enter appends it.",
     .guide = "06-why-this-head",
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
     .group = ViewGroup::beyond,
     .name = "Corpus",
     .also = "heads over a corpus",
     .how = "a point is a head, placed by what it does in all phrases; its strongest examples stand beside it.",
     .guide = "07-a-corpus",
     .command = CommandId::toggle_corpus,
     .shortcut = "Ctrl+Shift+A",
     .help = "Shows what every head does over many phrases, from an .hsagg, or one layer again.",
     .draw = draw_corpus_panel,
     .focus = corpus_focus,
     .before_toggle = choose_corpus,
     .keys = kCorpusKeys},
    {.view = MainView::script,
     .group = ViewGroup::beyond,
     .name = "Script",
     .also = "as a script",
     .how = "the lines compute what is shown; the numbers of the line that the mouse is on stand beside it.",
     .guide = "10-command-line",
     .command = CommandId::toggle_script,
     .shortcut = "Ctrl+Shift+P",
     .help = "Shows the computation as PyTorch, NumPy or LaTeX, or one layer again.",
     .draw = draw_script_panel,
     .focus = [](const Ui&) -> std::string { return "script/code"; },
     .before_toggle = forget_script_place,
     .keys = kScriptKeys},
};

constexpr ViewGroupInfo kGroups[] = {
    {ViewGroup::look, "Look", "What the model does with this text."},
    {ViewGroup::change, "Change", "What becomes of it when something is different."},
    {ViewGroup::why, "Why", "Where a number, a look or a word of the model comes from."},
    {ViewGroup::beyond, "Beyond", "What lies beyond this text: what follows it, other texts, code."},
};

}  // namespace

std::span<const ViewGroupInfo> view_groups() {
  return kGroups;
}

std::span<const MainViewInfo> main_views() {
  return kViews;
}

}  // namespace headscope::ui
