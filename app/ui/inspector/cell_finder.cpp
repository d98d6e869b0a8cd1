#include "app/ui/inspector/cell_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr const char* kField = "inspector/find";
constexpr const char* kTip =
    "Numbers to go to: > 0.9, >= 0.9, < 0, <= 0, = 0.5, nan, inf, -inf, or row max, the largest of each row. Enter: "
    "next, Shift+Enter: the one before, Esc: close.";

void close_finder(Ui& ui, CellFinder& finder) {
  finder.open = false;
  ui.session.background.cell_searches.forget();
  ui.state.focus = "inspector/picture";
  ui.state.wants_frame = true;
}

void go(Ui& ui, CellFinder& finder, const CellSearchQuery& query, const CellMatches& matches, bool forward) {
  CellFrom from;
  if (const std::optional<Cell>& picked = ui.session.view.cell) from = {picked->row, picked->column};
  const std::optional<CellMatch> match = next_match(query, matches, from, forward);
  if (!match) return;
  finder.at = Cell{match->row, match->column};
  finder.number = match->number;
  finder.reveal = true;
  ui.session.view.cell = finder.at;
  ui.state.wants_frame = true;
}

// "3 of 17", "17 cells", "120 so far", "none".
std::string found_text(const Ui& ui, const CellFinder& finder, const CellSearches::Result& result) {
  if (!result.answer) return result.failure.empty() ? "searching" : "not all could be read";
  const std::string count = grouped_digits(result.answer->count);
  if (!result.whole) return count + " so far";
  if (result.answer->count == 0) return "none";
  if (finder.at && ui.session.view.cell == finder.at && finder.number < result.answer->count) {
    return fmt::format("{} of {}", grouped_digits(finder.number + 1), count);
  }
  return result.answer->count == 1 ? "1 cell" : count + " cells";
}

}  // namespace

void open_cell_finder(Ui& ui) {
  if (ui.session.trace() == nullptr) return;
  ViewState& view = ui.session.view;
  view.main_view = MainView::layer;
  view.inspector_collapsed = false;
  if (view.heads_show == HeadsShow::neurons) view.heads_show = usual_heads(ui.settings);
  // The field stands above the large picture.
  ui.state.panels.get<ShellState>().inspector_tab = view.heads_show != HeadsShow::one;
  auto& finder = ui.state.panels.get<CellFinder>();
  finder.open = true;
  finder.at.reset();
  ui.state.focus = kField;
  ui.state.focus_by_keyboard = true;
  ui.state.wants_frame = true;
}

void draw_cell_finder(Ui& ui, Inspected& inspected, const Rect& line) {
  auto& finder = ui.state.panels.get<CellFinder>();
  Rect rest = line;
  const std::optional<CellCondition> condition = cell_condition_of(finder.text);
  std::shared_ptr<const CellSearches::Result> result;
  std::optional<CellSearchQuery> query;
  if (condition) {
    query = CellSearchQuery{inspected.data.map_key(inspected.stage, inspected.batch, inspected.slice), inspected.matrix,
                            inspected.data.mask(inspected.stage), *condition};
    result = ui.session.background.cell_searches.want(*query);
    if (result && !(result->question == *query)) result.reset();
  }
  const bool any = result && result->answer && result->answer->count > 0;
  if (icon_button(ui, "inspector/find/close", take_right(rest, ui.px(26), ui.px(4)), Icon::close,
                  {true, false, "Closes the search (Esc)."})) {
    return close_finder(ui, finder);
  }
  const bool next = icon_button(ui, "inspector/find/next", take_right(rest, ui.px(26), ui.px(2)), Icon::chevron_right,
                                {any, false, "The next match (Enter)."});
  const bool previous = icon_button(ui, "inspector/find/previous", take_right(rest, ui.px(26), ui.px(8)),
                                    Icon::chevron_left, {any, false, "The match before (Shift+Enter)."});
  const std::string words = result                ? found_text(ui, finder, *result)
                            : condition           ? "searching"
                            : finder.text.empty() ? ""
                                                  : "no condition";
  const Rect count =
      take_right(rest, std::min(ui.px(140), std::ceil(text_width(ui, Type::words12, words)) + 1), ui.px(10));
  text_in(ui, count, Type::words12, ui.colors.text2, words, 1);
  ui.mark("inspector/find/count", count);
  const bool wrong = !condition && !finder.text.empty();
  if (text_field(ui, kField, rest, finder.text, "> 0.9, < 0, = 0.5, nan, inf, row max", {true, wrong, kTip})) {
    finder.at.reset();
  }
  if (ui.state.focus == kField) {
    if (ui.take_key(KeyName::escape)) return close_finder(ui, finder);
    const bool back = ui.take_key(KeyName::enter, false, true), on = ui.take_key(KeyName::enter);
    if (any && (back || on)) go(ui, finder, *query, *result->answer, on);
  }
  if (any && (next || previous)) go(ui, finder, *query, *result->answer, next);
}

}  // namespace headscope::ui
