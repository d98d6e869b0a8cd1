// Request, Weights as shown: by pieces or words, without hidden tokens, by value norms, the largest, renormalised.
#include <algorithm>
#include <array>
#include <string>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/heads/showing.h"

namespace headscope::ui {
namespace {

void draw_tokens(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  int words = draft.groups == GroupBy::words ? 1 : 0;
  if (segments(ui, "request/groups", rows.control("groups"), {"pieces", "words"}, words,
               rows.state("groups", "Pieces of a word as one token: sum over keys, mean over queries."))) {
    draft.groups = words == 1 ? GroupBy::words : GroupBy::pieces;
  }
  rows.problem("groups");
  constexpr std::array kHidden = {HideTokens::none, HideTokens::special, HideTokens::first};
  int hidden = static_cast<int>(std::find(kHidden.begin(), kHidden.end(), draft.hide_tokens) - kHidden.begin());
  if (combo(ui, "request/hide_tokens", rows.control("hide tokens"), {"none", "special", "first"}, hidden,
            {rows.state("hide-tokens",
                        "Keys whose columns are left out: [CLS], [SEP], <s> and the like, an image's class token and "
                        "registers, or the first."),
             Type::words12})) {
    draft.hide_tokens = kHidden[static_cast<std::size_t>(hidden)];
  }
  rows.problem("hide-tokens");
}

void draw_numbers(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  int norms = draft.weighting == Weighting::value_norm ? 1 : 0;
  if (combo(ui, "request/weighting", rows.control("weighting"), {"weights", "value-norm"}, norms,
            {rows.state("weighting", "A weight as it is, or times the length of its key's value, before W_O."),
             Type::words12})) {
    draft.weighting = norms == 1 ? Weighting::value_norm : Weighting::weights;
  }
  rows.problem("weighting");
  number_field(ui, "request/top_p", rows.control("top p"), draft.top_p, false,
               rows.state("top-p", "Of each row the largest weights that hold this share of it; the others are 0."));
  rows.problem("top-p");
  if (checkbox(ui, "request/renormalise", rows.full(), "rows divided by their sums", draft.renormalise,
               rows.state("renormalise", "Rows sum to 1 again, whatever was hidden or left out."))) {
    ui.session.end_undo_step();
  }
  rows.problem("renormalise");
}

}  // namespace

void draw_shown_section(RequestRows& rows) {
  const Showing showing = showing_of(rows.ui.session.draft);
  bool at_fault = false;
  for (const char* option : {"groups", "hide-tokens", "weighting", "top-p", "renormalise"}) {
    at_fault = at_fault || rows.has_problem(option);
  }
  rows.section("Weights as shown", showing.changes_something() ? "changed" : "");
  rows.y -= rows.ui.px(4);
  if (disclosure(rows, "request/shown", "words, hidden tokens, top p", showing.changes_something() || at_fault)) {
    draw_tokens(rows);
    draw_numbers(rows);
  }
  rows.end_section();
}

}  // namespace headscope::ui
