// Commands, carried out after the frame that pushed them.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/session/documents.h"
#include "app/session/phrase_file.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide/tour.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/layers/layers_panel.h"
#include "app/ui/layout.h"
#include "app/ui/main_view.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/mask/mask_panel.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/pipeline_cards.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/weights/weights_panel.h"
#include "core/request/request_text.h"

namespace headscope::ui {

namespace {

constexpr const char* kCopyWaits = "copy/waits";

void open_dialog(Ui& ui, DialogKind kind) {
  ui.state.open_combo.clear();
  ui.state.dialog = kind;
}

void open_document_at(Ui& ui, const std::string& path) {
  try {
    const bool words = is_phrase_file(path);
    const Document document = words ? open_phrase(path, ui.session.draft, ui.session.view)
                                    : open_document(path, ui.session.draft, ui.session.view);
    ui.session.open(document.against.value_or(document.request), document.view);
    if (document.against) pin_then_edit(ui, document.request);
    ui.state.title = document.title;
    ui.state.edits.clear();
    // A long text with the caret in it would open over the panels below.
    if (words && ui.state.focus == "phrase") ui.state.focus = "inspector/picture";
    std::erase_if(ui.state.notices, [](const Notice& n) { return n.key == "open"; });
    if (!path.starts_with("demo:")) remember_recent(ui.settings, path);
  } catch (const Error& error) {
    put_notice(ui.state, {Notice::Kind::bad, "Not opened.", error.what(), "open"});
  } catch (const UsageError& error) {
    put_notice(ui.state, {Notice::Kind::bad, "Not opened.", error.what(), "open"});
  }
}

// "heads=8", as a suggestion's button or a chosen file says it.
void set_option(Ui& ui, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return;
  const std::string name = argument.substr(0, equals), value = argument.substr(equals + 1);
  Request& draft = ui.session.draft;
  // A mask file chosen by its chip joins the other terms.
  if (name == "mask" && ui.state.text["choose_file/mode"] == "append") {
    ui.state.text.erase("choose_file/mode");
    std::erase_if(draft.mask, [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file; });
    draft.mask.push_back({MaskTerm::Kind::file, 0, value});
    return;
  }
  const RequestOption* option = find_request_option(name);
  if (option == nullptr) return;
  ui.session.end_undo_step();
  try {
    option->set(draft, value);
    if (name == "weights") draft.model = Request().model;
    // What was typed into the control gives way to the value.
    ui.state.editing.clear();
  } catch (const UsageError& error) {
    put_notice(ui.state, {Notice::Kind::bad, "--" + name + " " + value + " was not taken.", error.what(), "option"});
  } catch (const Error& error) {
    put_notice(ui.state, {Notice::Kind::bad, "--" + name + " " + value + " was not taken.", error.what(), "option"});
  }
}

void step_head(Ui& ui, std::int64_t by) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->num_heads() == 0) return;
  std::int64_t& head = ui.session.view.head;
  head = (head + by + trace->num_heads()) % trace->num_heads();
}

void step_stage(Ui& ui, int by) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->stages.empty()) return;
  const StageId shown = selection_of(ui.session.view, *trace).stage;
  select_stage(ui.session.view, neighbour_stage(*trace, shown, by));
}

void set_scale(Ui& ui, double scale) {
  const double next = std::clamp(std::round(scale * 10) / 10, 0.5, 3.0);
  ui.session.view.ui_scale = next;
  ui.settings.ui_scale = next;
}

void go_to_problem(Ui& ui) {
  const auto& problem = ui.session.problem();
  if (!problem) return;
  const std::string control = control_of_option(problem->option);
  if (control.empty()) return;
  if (control.starts_with("request/")) {
    ui.session.view.request_collapsed = false;
    ui.session.view.request_opened_by_hand = true;
    ui.state.number["request/more"] = 1;
  }
  ui.state.focus = control;
  ui.state.focus_by_keyboard = true;
  ui.state.reveal_focus = true;
}

// A checkpoint reads a second text in the same sequence; a layer of its own attends to one.
void toggle_key_phrase(Ui& ui) {
  Request& draft = ui.session.draft;
  ui.session.end_undo_step();
  if (draft.second_phrase) {
    draft.second_phrase.reset();
    if (ui.state.focus == "second_phrase") ui.state.focus = "phrase";
    return;
  }
  const auto trace = ui.session.trace();
  if (is_checkpoint(draft) && !draft.key_phrase && trace != nullptr && reads_pairs(*trace)) {
    draft.second_phrase = draft.phrase;
    ui.state.focus = "second_phrase";
    ui.state.focus_by_keyboard = true;
    return;
  }
  if (draft.key_phrase) {
    draft.key_phrase.reset();
    if (ui.state.focus == "key_phrase") ui.state.focus = "phrase";
  } else {
    draft.key_phrase = draft.phrase;
    ui.state.focus = "key_phrase";
    ui.state.focus_by_keyboard = true;
  }
}

void toggle_layers(Ui& ui) {
  if (!has_result(ui, "layers")) return;
  if (!has_layers(ui)) {
    ui.session.view.main_view = MainView::layer;
    put_notice(ui.state,
               {Notice::Kind::info, "There is one layer.",
                "All layers and heads are shown of a checkpoint: Model, weights, or File, Open folder.", "layers"});
    return;
  }
  toggle_main_view(ui, MainView::layers, "layers/grid");
}

void toggle_weights(Ui& ui) {
  if (!has_result(ui, "weights")) return;
  if (!has_weights(ui)) {
    ui.session.view.main_view = MainView::layer;
    put_notice(ui.state,
               {Notice::Kind::info, "There are no weights.",
                "Query, key and value came from files, or the attention from a capture: no projection makes them.",
                "weights"});
    return;
  }
  toggle_main_view(ui, MainView::weights, kWeightsPicture);
}

// Copies, or, of a preview, waits for the exact numbers (copy_when_exact).
void copy(Ui& ui, CopyWhat what) {
  const auto trace = ui.session.trace();
  if (trace != nullptr && trace->preview) {
    ui.state.number[kCopyWaits] = static_cast<double>(what);
    return;
  }
  ui.state.number.erase(kCopyWaits);
  const std::string text = text_at_cursor(ui, what);
  if (!text.empty() && ui.set_clipboard) ui.set_clipboard(text);
}

}  // namespace

void copy_when_exact(Ui& ui) {
  const auto waits = ui.state.number.find(kCopyWaits);
  const auto trace = ui.session.trace();
  if (waits == ui.state.number.end() || (trace != nullptr && trace->preview)) return;
  copy(ui, static_cast<CopyWhat>(static_cast<int>(waits->second)));
}

bool execute_command(Ui& ui, const Command& command) {
  ViewState& view = ui.session.view;
  switch (command.id) {
    case CommandId::none:
      return true;
    case CommandId::new_session: {
      const Document document = demo_document();
      ui.session.open(document.request, document.view);
      ui.state.title = document.title.empty() ? "untitled" : document.title;
      ui.state.edits.clear();
      return true;
    }
    case CommandId::open_file:
      return open_dialog(ui, DialogKind::open_file), true;
    case CommandId::open_folder:
      ui.state.text["choose_file/option"] = "model";
      return open_dialog(ui, DialogKind::choose_file), true;
    case CommandId::open_phrase:
      ui.state.text["choose_file/option"] = "phrase-file";
      return open_dialog(ui, DialogKind::choose_file), true;
    case CommandId::open_path:
      return open_document_at(ui, command.argument), true;
    case CommandId::save_session:
      return open_dialog(ui, DialogKind::save_session), true;
    case CommandId::export_dialog:
      return open_dialog(ui, DialogKind::export_dialog), true;
    case CommandId::palette:
      return open_dialog(ui, DialogKind::palette), true;
    case CommandId::go_to_cell:
      return open_dialog(ui, DialogKind::go_to), true;
    case CommandId::help:
      return open_dialog(ui, DialogKind::help), true;
    case CommandId::about:
      return open_dialog(ui, DialogKind::about), true;
    case CommandId::settings:
      return open_dialog(ui, DialogKind::settings), true;
    case CommandId::choose_weights:
      ui.state.text["choose_file/option"] = "weights";
      return open_dialog(ui, DialogKind::choose_file), true;
    case CommandId::undo:
      ui.session.undo();
      ui.state.editing.clear();
      return true;
    case CommandId::redo:
      ui.session.redo();
      ui.state.editing.clear();
      return true;
    case CommandId::copy_cell:
      return copy(ui, CopyWhat::cell), true;
    case CommandId::copy_row:
      return copy(ui, CopyWhat::row), true;
    case CommandId::copy_matrix:
      return copy(ui, CopyWhat::matrix), true;
    case CommandId::copy_command:
      if (ui.set_clipboard) ui.set_clipboard(shell_command_of(ui.session.draft, "headscope-cli run"));
      return true;
    case CommandId::toggle_theme:
      view.theme = view.theme == Theme::dark ? Theme::light : Theme::dark;
      ui.settings.theme = view.theme;
      return true;
    case CommandId::scale_up:
      return set_scale(ui, view.ui_scale + 0.1), true;
    case CommandId::scale_down:
      return set_scale(ui, view.ui_scale - 0.1), true;
    case CommandId::scale_reset:
      return set_scale(ui, 1), true;
    case CommandId::toggle_request: {
      // Where there is no room the rail opens by hand; elsewhere the panel collapses.
      const bool narrow = ImGui::GetIO().DisplaySize.x / ui.scale < request_from(shown_main_view(ui));
      bool& flag = narrow ? view.request_opened_by_hand : view.request_collapsed;
      flag = !flag;
      return true;
    }
    case CommandId::toggle_pipeline:
      view.pipeline_collapsed = !view.pipeline_collapsed;
      return true;
    case CommandId::toggle_concat:
      view.concat_collapsed = !view.concat_collapsed;
      return true;
    case CommandId::toggle_inspector:
      if (ImGui::GetIO().DisplaySize.x / ui.scale < 1100) {
        double& tab = ui.state.number["inspector_tab"];
        tab = tab == 0 ? 1 : 0;
      } else {
        view.inspector_collapsed = !view.inspector_collapsed;
      }
      return true;
    case CommandId::toggle_layers:
      return toggle_layers(ui), true;
    case CommandId::toggle_follow:
      return toggle_main_view(ui, MainView::follow, "follow"), true;
    case CommandId::toggle_script:
      forget_script_place(ui);
      return toggle_main_view(ui, MainView::script, "script/code"), true;
    case CommandId::tour:
      return start_tour(ui), true;
    case CommandId::examples:
      return open_dialog(ui, DialogKind::examples), true;
    case CommandId::open_example:
      return open_example(ui, command.argument), true;
    case CommandId::toggle_bug_lab:
      return open_bug_lab(ui), true;
    case CommandId::compare_tensors:
      ui.state.text["choose_file/option"] = kTheirTensors;
      return open_dialog(ui, DialogKind::choose_file), true;
    case CommandId::interventions:
      return show_interventions(ui), true;
    case CommandId::head_menu:
      return ask_for_head_menu(ui), true;
    case CommandId::mask_editor:
      return show_mask_panel(ui), true;
    case CommandId::toggle_compare:
      return toggle_main_view(ui, MainView::compare, "compare/stage"), true;
    case CommandId::toggle_sensitivity:
      return toggle_main_view(ui, MainView::sensitivity, "sensitivity/stage"), true;
    case CommandId::toggle_weights:
      return toggle_weights(ui), true;
    case CommandId::pin:
      return pin_result(ui), true;
    case CommandId::unpin:
      return unpin_result(ui), true;
    case CommandId::next_problem:
      return go_to_problem(ui), true;
    case CommandId::focus_phrase:
      ui.state.focus = "phrase";
      ui.state.focus_by_keyboard = true;
      return true;
    case CommandId::recompute:
      return ui.session.recompute(), true;
    case CommandId::compare_backends:
      return ui.session.compare_backends(), true;
    case CommandId::fit_heatmap:
      view.viewport = {};
      view.stage_viewport = {};
      view.weights.viewport = {};
      return true;
    case CommandId::next_head:
      return step_head(ui, 1), true;
    case CommandId::previous_head:
      return step_head(ui, -1), true;
    case CommandId::select_head: {
      const auto trace = ui.session.trace();
      const std::int64_t head = std::atoll(command.argument.c_str());
      if (trace != nullptr && head >= 0 && head < trace->num_heads()) view.head = head;
      return true;
    }
    case CommandId::explain_back:
      return go_back_or_forward(ui, true), true;
    case CommandId::explain_forward:
      return go_back_or_forward(ui, false), true;
    case CommandId::next_stage:
      return step_stage(ui, 1), true;
    case CommandId::previous_stage:
      return step_stage(ui, -1), true;
    case CommandId::set_option:
      return set_option(ui, command.argument), true;
    case CommandId::toggle_key_phrase:
      return toggle_key_phrase(ui), true;
    case CommandId::quit:
    case CommandId::show_window_picture:
      return false;
  }
  return true;
}

}  // namespace headscope::ui
