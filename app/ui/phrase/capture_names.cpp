#include "app/ui/phrase/capture_names.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/phrase/phrase_box.h"
#include "app/ui/phrase/token_chips.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/model/token_names.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostToEdit = 4096;

// The names of one side: of queries (and keys that are the same tokens), or of keys.
struct Names {
  Rect area;
  std::string name;    // of the box
  const char* option;  // of the request, whose problems are shown
  std::string& text;
  const std::vector<std::string>& tokens;  // of the result
  TokenSide side;
};

const Problem* problem_of_name(const Ui& ui, const char* option) {
  const auto& problem = ui.session.problem();
  return problem && problem->option == option ? &*problem : nullptr;
}

const char* what_of(TokenSide side) {
  return side == TokenSide::key ? "keys" : side == TokenSide::query ? "queries" : "tokens";
}

// An empty field takes the names of the file; the button makes them text that can be changed.
void draw_fill_button(Ui& ui, const Rect& place, const Names& names) {
  const bool empty = names.text.empty(), few = names.tokens.size() <= kMostToEdit;
  const std::string tip =
      empty ? fmt::format("Puts the {} names on screen into the field, to be changed.", names.tokens.size())
            : "Empties the field: the tokens have the names of the file, or numbers.";
  const ControlState state{!empty || few, false, !empty || few ? tip.c_str() : "Too many names to be edited here."};
  if (!button(ui, names.name + "/names", place, empty ? "Edit names" : "File's names", state)) return;
  ui.session.end_undo_step();
  names.text = empty ? token_names_text(names.tokens) : "";
  ui.state.edits.erase(names.name);
  ui.state.focus = names.name;
}

void draw_names(Ui& ui, const Names& names, bool by_file) {
  Rect row{names.area.min, {names.area.max.x, names.area.min.y + ui.px(34)}};
  const Rect fill_place = take_right(row, ui.px(112), ui.px(10));
  const Problem* problem = problem_of_name(ui, names.option);
  PhraseBox box;
  box.name = names.name;
  box.hint = names.tokens.empty()
                 ? fmt::format("names of the {}: words, one a line, or a JSON list", what_of(names.side))
                 : fmt::format("{} names for the {}{}: words, one a line, or a JSON list", names.tokens.size(),
                               what_of(names.side), by_file ? " instead of those of the file" : "");
  box.state = {true, problem != nullptr,
               "What the tokens of the capture are called; no number depends on it. Paste a list."};
  phrase_box(ui, row, names.text, box);
  draw_fill_button(ui, fill_place, names);
  draw_tokens_below(
      ui, {.name = names.name,
           .box = row,
           .line = {{names.area.min.x, names.area.min.y + ui.px(42)}, {names.area.max.x, names.area.min.y + ui.px(64)}},
           .tokens = names.tokens,
           .side = names.side,
           .problem = problem});
}

}  // namespace

void draw_capture_names(Ui& ui, const Rect& area) {
  Request& draft = ui.session.draft;
  const auto trace = ui.session.trace();
  static const std::vector<std::string> none;
  const bool known = trace != nullptr && trace->model != nullptr && trace->model->capture != nullptr &&
                     trace->request.model == draft.model;
  const std::vector<std::string>& queries = known ? trace->inputs->tokens : none;
  const std::vector<std::string>& keys = known ? trace->inputs->key_tokens : none;
  const bool by_file = known && trace->model->capture->named_tokens;
  const bool two = draft.key_phrase.has_value() || (known && queries != keys);
  if (!two) return draw_names(ui, {area, "phrase", "phrase", draft.phrase, queries, TokenSide::both}, by_file);
  Rect right = area;
  const Rect left = take_left(right, std::floor((area.width() - ui.px(10)) / 2), ui.px(10));
  draw_names(ui, {left, "phrase", "phrase", draft.phrase, queries, TokenSide::query}, by_file);
  std::string key_names = draft.key_phrase.value_or("");
  draw_names(ui, {right, "key_phrase", "key-phrase", key_names, keys, TokenSide::key}, by_file);
  // An empty field is no key phrase: the keys have the names of the file.
  if (key_names.empty()) {
    draft.key_phrase.reset();
  } else {
    draft.key_phrase = key_names;
  }
}

}  // namespace headscope::ui
