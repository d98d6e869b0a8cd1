// Request, Interventions: what is changed by hand, each with its switch, and controls for the selected head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/layers_panel.h"
#include "app/ui/layout.h"
#include "app/ui/main_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/request_panel.h"
#include "app/ui/text_pieces.h"
#include "core/attention/intervention_list.h"
#include "core/attention/intervention_text.h"
#include "core/attention/model_trace.h"
#include "core/attention/request_text.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kShown = 6;  // more are folded
constexpr const char* kAll = "request/interventions/all";
constexpr const char* kAdd = "request/interventions/add";
// Frames in which the focus is brought into sight: a panel that just opened knows its height only after the first.
constexpr const char* kReveal = "request/interventions/reveal";
constexpr const char* kControls = "request/interventions/controls";

// A switch with its words, and a cross that takes the line away. 1: switched, 2: removed.
int draw_line(RequestRows& rows, const std::string& name, const std::string& label, bool on, bool has_switch,
              const char* tooltip) {
  Ui& ui = rows.ui;
  Rect line = rows.full(22);
  const Rect cross = take_right(line, ui.px(22), ui.px(2));
  int done = 0;
  const std::string shown = cut_to_width(ui, Type::words12, label, line.width() - ui.px(26));
  if (has_switch) {
    if (checkbox(ui, name, line, shown, on, {true, false, tooltip})) done = 1;
  } else {
    text_in(ui, {{line.min.x + ui.px(22), line.min.y}, line.max}, Type::mono12, ui.colors.text, shown);
  }
  if (icon_button(ui, name + "/remove", cross, Icon::close, {true, false, "Takes it out of the request."})) done = 2;
  return done;
}

// The layer of the head that the panels show, as the options count.
std::int64_t shown_layer(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->model != nullptr ? trace->model->layer : 0;
}

double factor_of(const std::vector<HeadFactor>& factors, const LayerHead& place) {
  for (const HeadFactor& head : factors) {
    if (head.on && head.place == place) return head.factor;
  }
  return 1.0;
}

// What is done to the selected head: one choice for its weights, a factor each for its query and key.
void draw_head_controls(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->num_heads() < 1 || (trace->model != nullptr && trace->model->captured)) return;
  const std::int64_t head = std::clamp<std::int64_t>(ui.session.view.head, 0, trace->num_heads() - 1);
  const LayerHead place{shown_layer(ui), head};
  const auto frozen = std::find_if(draft.freeze.begin(), draft.freeze.end(),
                                   [&](const FrozenHead& each) { return each.on && each.place == place; });
  int choice = is_off(ui, place.layer, head)           ? 3
               : frozen == draft.freeze.end()          ? 0
               : frozen->as == FrozenHead::As::uniform ? 1
                                                       : 2;
  const std::string label = fmt::format("head {}", head);
  if (combo(
          ui, "request/interventions/head", rows.control(label.c_str()),
          {"as computed", "weights uniform", "weights identity", "context = 0"}, choice,
          rows.state("freeze",
                     "Holds the selected head: 1/n for its n visible keys; 1 for the key at the query's own place; or "
                     "its context at zero (X)."),
          Type::words12)) {
    ui.session.end_undo_step();
    put_freeze(draft, place, std::nullopt);
    std::erase(draft.ablate, place);
    std::erase(draft.ablate_off, place);
    if (choice == 1) put_freeze(draft, place, FrozenHead::As::uniform);
    if (choice == 2) put_freeze(draft, place, FrozenHead::As::identity);
    if (choice == 3) draft.ablate.push_back(place);
  }
  double query = factor_of(draft.scale_query, place);
  if (number_field(ui, "request/interventions/scale_query", rows.control("query ×"), query, false,
                   rows.state("scale-query", "Multiplies the query of the selected head."))) {
    put_factor(draft.scale_query, place, query);
  }
  const std::int64_t group = trace->num_heads() / std::max<std::int64_t>(1, trace->inputs->num_kv_heads);
  const LayerHead kv_place{place.layer, head / group};
  double key = factor_of(draft.scale_key, kv_place);
  if (number_field(
          ui, "request/interventions/scale_key", rows.control("key ×"), key, false,
          rows.state("scale-key", "Multiplies the key that the selected head reads; heads of a group share it."))) {
    put_factor(draft.scale_key, kv_place, key);
  }
  std::string& typed = ui.state.text[kAdd];
  const bool focused = ui.state.focus == kAdd;
  text_field(ui, kAdd, rows.full(), typed, "STAGE:B,H,I,J=VALUE, Enter",
             rows.state("edit",
                        "Adds the edit of one number, as --edit spells it: scores:0,2,3,1=0.5, or a tensor of the "
                        "weights by its name. A double click on a cell does the same."));
  if (!focused || typed.empty() || !ui.take_key(KeyName::enter)) return;
  try {
    Request parsed;
    set_edits(parsed, typed);
    ui.session.end_undo_step();
    for (const NumberEdit& edit : parsed.edits) put_edit(draft, edit);
    typed.clear();
  } catch (const UsageError& error) {
    std::erase_if(ui.state.notices, [](const Notice& old) { return old.key == "option"; });
    ui.state.notices.push_back({Notice::Kind::bad, "The edit was not taken.", error.what(), "option"});
  }
}

bool draw_all(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::vector<Intervention> all = interventions_of(draft, is_checkpoint(draft));
  const bool unfolded = ui.state.number[kAll] != 0;
  const std::size_t shown = unfolded || all.size() <= kShown + 1 ? all.size() : kShown;
  for (std::size_t k = 0; k < shown; ++k) {
    const std::string name = fmt::format("request/interventions/{}", k);
    const int done = draw_line(rows, name, all[k].label, all[k].on, true, all[k].term.c_str());
    if (done == 0) continue;
    ui.session.end_undo_step();
    if (done == 1) switch_intervention(draft, all[k], !all[k].on);
    if (done == 2) remove_intervention(draft, all[k]);
    break;
  }
  if (all.size() > kShown + 1) {
    const std::string words = unfolded ? "Fewer" : fmt::format("{} more", all.size() - shown);
    if (button(ui, kAll, rows.full(22), words, {true, false, "Lists all of them, or only the first."})) {
      ui.state.number[kAll] = unfolded ? 0 : 1;
    }
  }
  return !all.empty();
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
  ui.state.number[kControls] = 1;
  ui.state.focus = interventions_of(ui.session.draft, false).empty() ? kAdd : "request/interventions/0";
  ui.state.focus_by_keyboard = true;
  ui.state.number[kReveal] = 3;
  ui.state.wants_frame = true;
}

void draw_interventions_section(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::vector<Intervention> all = interventions_of(draft, false);
  const auto on =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Intervention& each) { return each.on; }));
  const std::size_t active = on + draft.variants.size(), off = all.size() - on;
  if (double& frames = ui.state.number[kReveal]; frames > 0) {
    --frames;
    ui.state.reveal_focus = ui.state.wants_frame = true;
  }
  rows.section("Interventions", active + off == 0 ? "none"
                                : off == 0        ? fmt::format("{} on", active)
                                                  : fmt::format("{} on, {} off", active, off));
  if (ui.state.focus == "request/interventions") ui.state.focus = all.empty() ? kAdd : "request/interventions/0";
  const bool any = draw_all(rows);
  draw_variants(rows);
  if (any) {
    Rect line = rows.full();
    const Rect clear = take_right(line, std::floor((line.width() - ui.px(6)) / 2), ui.px(6));
    if (button(ui, "request/interventions/switch", line, on > 0 ? "All off" : "All on",
               {true, false, "Switches all of them; they stay listed."})) {
      ui.session.end_undo_step();
      // Switching one moves heads that are off between two lists: each time the first that is to be switched.
      for (bool again = true; again;) {
        again = false;
        for (const Intervention& each : interventions_of(draft, false)) {
          if (each.on != (on > 0)) continue;
          switch_intervention(draft, each, on == 0);
          again = true;
          break;
        }
      }
    }
    if (button(ui, "request/interventions/clear", clear, "Clear", {true, false, "Takes all of them out."})) {
      ui.session.end_undo_step();
      clear_interventions(draft);
    }
  } else if (draft.variants.empty()) {
    const Rect line = rows.full(34);
    paragraph(ui, line, Type::words12, ui.colors.text3,
              "Double-click a number to edit it, right-click a head to switch it off.");
  }
  const auto& problem = ui.session.problem();
  const bool at_fault = problem && (problem->option == "freeze" || problem->option == "scale-query" ||
                                    problem->option == "scale-key" || problem->option == "edit");
  if (disclosure(rows, kControls, "hold or scale a head, edit a number", at_fault)) draw_head_controls(rows);
  for (const char* option : {"variant", "ablate", "freeze", "scale-query", "scale-key", "edit", "paint"}) {
    rows.problem(option);
  }
  rows.end_section();
}

}  // namespace headscope::ui
