#include "app/ui/request/intervention_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "app/ui/unfolded_rows.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/edited_row.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kShown = 6;  // more are folded

std::string fold_name(const std::string& name) {
  return name + "/all";
}

enum class Done { nothing, switched, removed };

// "layer 1, weights[0,0,8,7] = 0.5; its row now sums to 1.5"
std::string words_of(const Ui& ui, const Intervention& which) {
  const auto trace = ui.session.trace();
  const std::vector<NumberEdit>& edits = ui.session.draft.edits;
  if (trace == nullptr || which.option != "edit" || which.index >= edits.size()) return which.label;
  const std::string row = edited_row_text(*trace, edits[which.index]);
  return row.empty() ? which.label : which.label + "; " + row;
}

Done draw_line(Ui& ui, const std::string& name, Rect line, const Intervention& which, const InterventionFact& fact) {
  Done done = Done::nothing;
  const Rect cross = take_right(line, ui.px(22), ui.px(2));
  if (icon_button(ui, name + "/remove", cross, Icon::close, {true, false, "Takes it out of the request."})) {
    done = Done::removed;
  }
  if (!fact.words.empty()) {
    const float width = std::ceil(text_width(ui, Type::mono11, fact.words)) + 1;
    text_in(ui, take_right(line, width, ui.px(6)), Type::mono11, ui.colors.text2, fact.words, 1);
  }
  const std::string words = words_of(ui, which);
  std::string tip = words + ", as an option " + which.term + ".";
  if (!fact.tooltip.empty()) tip += " " + fact.tooltip;
  bool on = which.on;
  const std::string shown = cut_to_width(ui, Type::words12, words, line.width() - ui.px(26));
  if (checkbox(ui, name, line, shown, on, {true, false, tip.c_str()})) done = Done::switched;
  return done;
}

}  // namespace

std::size_t shown_interventions(const Ui& ui, const std::string& name, std::size_t count) {
  const bool unfolded = ui.state.panels.get<UnfoldedRows>().open[fold_name(name)];
  return unfolded || count <= kShown + 1 ? count : kShown;
}

void draw_intervention_rows(Ui& ui, const std::string& name, const NextRow& next_row,
                            const std::function<InterventionFact(const Intervention&)>& fact) {
  Request& draft = ui.session.draft;
  const std::vector<Intervention> all = interventions_of(draft, is_checkpoint(draft));
  const std::size_t shown = shown_interventions(ui, name, all.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const Done done =
        draw_line(ui, fmt::format("{}/{}", name, k), next_row(22), all[k], fact ? fact(all[k]) : InterventionFact{});
    if (done == Done::nothing) continue;
    ui.session.end_undo_step();
    if (done == Done::switched) switch_intervention(draft, all[k], !all[k].on);
    if (done == Done::removed) remove_intervention(draft, all[k]);
    break;
  }
  if (all.size() <= kShown + 1) return;
  const bool unfolded = shown == all.size();
  const std::string words = unfolded ? "Fewer" : fmt::format("{} more", all.size() - shown);
  if (button(ui, fold_name(name), next_row(22), words, {true, false, "Lists all of them, or only the first."})) {
    ui.state.panels.get<UnfoldedRows>().open[fold_name(name)] = !unfolded;
  }
}

void draw_intervention_buttons(Ui& ui, const std::string& name, const Rect& area) {
  Request& draft = ui.session.draft;
  const bool any_on = !active_interventions(draft, false).empty();
  Rect line = area;
  const Rect clear = take_right(line, std::floor((line.width() - ui.px(6)) / 2), ui.px(6));
  if (button(ui, name + "/switch", line, any_on ? "All off" : "All on",
             {true, false, "Switches all of them; they stay listed."})) {
    ui.session.end_undo_step();
    switch_interventions(draft, !any_on);
  }
  if (button(ui, name + "/clear", clear, "Clear", {true, false, "Takes all of them out."})) {
    ui.session.end_undo_step();
    clear_interventions(draft);
  }
}

}  // namespace headscope::ui
