// Request, Interventions: what is changed by hand, each with its switch, and controls for the selected head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/layout.h"
#include "app/ui/main_view.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/request/intervention_rows.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/unfolded_rows.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_list.h"
#include "core/request/request_text.h"

namespace headscope::ui {
namespace {

constexpr const char* kList = "request/interventions";
constexpr const char* kAdd = "request/interventions/add";
constexpr const char* kControls = "request/interventions/controls";

void draw_factor(RequestRows& rows, StageId stage, const LayerHead& place) {
  Ui& ui = rows.ui;
  const auto& kind = *factor_kind(stage);
  const std::string name = fmt::format("request/interventions/scale_{}", stage_name(stage));
  const std::string label = fmt::format("{} ×", stage_name(stage));
  const std::string tooltip = fmt::format(
      fmt::runtime(kind.of_key_heads ? "Multiplies the {} that the selected head reads; heads of a group share it."
                                     : "Multiplies the {} of the selected head."),
      stage_name(stage));
  double factor = head_factor(ui, stage, place);
  if (number_field(ui, name, rows.control(label.c_str()), factor, false,
                   rows.state(kind.option.name, tooltip.c_str()))) {
    multiply_head(ui, stage, place, factor);
  }
}

// What is done to the selected head: one choice for its weights, a factor each for its query and key.
void draw_head_controls(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  if (!computes_heads(ui)) return;
  const std::int64_t last = ui.session.trace()->num_heads() - 1;
  const LayerHead place{shown_layer(ui), std::clamp<std::int64_t>(ui.session.view.head, 0, last)};
  const auto held = held_as(ui, place);
  int choice = is_off(ui, place) ? 3 : !held ? 0 : *held == FrozenHead::As::uniform ? 1 : 2;
  const std::string label = fmt::format("head {}", place.head);
  if (combo(
          ui, "request/interventions/head", rows.control(label.c_str()),
          {"as computed", "weights uniform", "weights identity", "context = 0"}, choice,
          {rows.state("freeze",
                      "Holds the selected head: 1/n for its n visible keys; 1 for the key at the query's own place; or "
                      "its context at zero (X)."),
           Type::words12})) {
    hold_head(ui, place,
              choice == 1   ? std::optional(FrozenHead::As::uniform)
              : choice == 2 ? std::optional(FrozenHead::As::identity)
                            : std::nullopt);
    if (choice == 3) put_ablated(draft, place, true);
  }
  for (const StageId stage : multiplied_stages()) draw_factor(rows, stage, place);
  std::string& typed = ui.state.panels.get<RequestPanelState>().typed_edit;
  const bool focused = ui.state.focus == kAdd;
  text_field(ui, kAdd, rows.full(), typed, "STAGE:B,H,I,J=VALUE, Enter",
             rows.state("edit",
                        "Adds the edit of one number, as --edit spells it: scores:0,2,3,1=0.5, or a tensor of the "
                        "weights by its name. A double click on a cell does the same."));
  if (!focused || typed.empty() || !ui.take_key(KeyName::enter)) return;
  try {
    Request parsed;
    find_request_option("edit")->set(parsed, typed);
    ui.session.end_undo_step();
    for (const NumberEdit& edit : parsed.edits) put_edit(draft, edit);
    typed.clear();
  } catch (const UsageError& error) {
    put_notice(ui.state, {Notice::Kind::bad, "The edit was not taken.", control_words(error.what()), "option"});
  }
}

void draw_variants(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  for (const Variant variant : draft.variants) {
    const std::string label(variant_name(variant));
    bool on = true;
    if (chip(ui, "request/interventions/" + label, rows.full(), label, on,
             {true, false, "A known mistake that is switched on; click switches it off."})) {
      ui.session.end_undo_step();
      std::erase(draft.variants, variant);
      break;
    }
  }
}

}  // namespace

void show_interventions(Ui& ui) {
  // Where there is no room beside the view the panel opens over it.
  const bool narrow = ImGui::GetIO().DisplaySize.x / ui.scale < request_from(shown_main_view(ui));
  if (narrow) ui.session.view.request_opened_by_hand = true;
  ui.session.view.request_collapsed = false;
  ui.state.panels.get<UnfoldedRows>().open[kControls] = true;
  ui.state.focus = interventions_of(ui.session.draft, false).empty() ? kAdd : "request/interventions/0";
  ui.state.focus_by_keyboard = true;
  ui.state.panels.get<RequestPanelState>().reveal_frames = 3;
  ui.state.wants_frame = true;
}

void draw_interventions_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::vector<Intervention> all = interventions_of(draft, false);
  const auto on =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Intervention& each) { return each.on; }));
  const std::size_t active = on + draft.variants.size(), off = all.size() - on;
  if (int& frames = ui.state.panels.get<RequestPanelState>().reveal_frames; frames > 0) {
    --frames;
    ui.state.reveal_focus = ui.state.wants_frame = true;
  }
  rows.section("Interventions", active + off == 0 ? "none"
                                : off == 0        ? fmt::format("{} on", active)
                                                  : fmt::format("{} on, {} off", active, off));
  if (ui.state.focus == kList) ui.state.focus = all.empty() ? kAdd : "request/interventions/0";
  draw_intervention_rows(ui, kList, [&](float height) { return rows.full(height); });
  draw_variants(rows);
  if (!interventions_of(draft, false).empty()) {
    draw_intervention_buttons(ui, kList, rows.full());
  } else if (draft.variants.empty()) {
    const bool edits = rows.lock({"edit"}) == nullptr;
    const char* words = edits ? "Double-click a number to edit it; right-click a head for its menu."
                        : rows.lock({"ablate"}) == nullptr
                            ? "Heads can be switched off (X); all else of a capture stays."
                            : "A capture's numbers stay as they are.";
    const float width = rows.area.width() - 2 * ui.px(size::panel_padding);
    const float height = paragraph_height(ui, Type::words12, words, width) / ui.scale;
    paragraph(ui, rows.full(std::max(34.0f, height)), Type::words12, ui.colors.text3, words);
  }
  const auto& problem = ui.session.problem();
  bool at_fault = false;
  for_each_kind([&](const auto& kind) {
    const bool here = problem && problem->option == kind.option.name;
    at_fault = at_fault || (here && kind.effect == InterventionEffect::numbers);
  });
  const bool locked = rows.lock({"edit", "freeze"}) != nullptr;
  if (!locked && disclosure(rows, kControls, "hold or scale a head, edit a number", at_fault)) draw_head_controls(rows);
  rows.problem("variant");
  rows.problem("patch-from");
  for_each_kind([&](const auto& kind) { rows.problem(kind.option.name); });
  rows.end_section();
}

}  // namespace headscope::ui
