// Ctrl+G: to a cell by its query and key, each an index or words of the text; Up and Down walk through the places.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/session/session.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/go_to_cell.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/panel_data.h"
#include "app/ui/phrase/token_search.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

struct Field {
  const char* label;
  std::string name;  // of the control
  Rgba color;
  GoToState::Side& side;
  const std::vector<std::string>& tokens;
};

void search(Field& field) {
  GoToState::Side& side = field.side;
  if (side.searched == side.typed) return;
  side.searched = side.typed;
  side.matches = positions_named(side.typed, field.tokens);
  side.at = 0;
}

void step(GoToState::Side& side, int by) {
  if (side.matches.empty()) return;
  const auto count = std::ssize(side.matches);
  side.at = static_cast<std::size_t>((static_cast<std::ptrdiff_t>(side.at) + by + count) % count);
}

// The token with some of what stands around it: "the great white whale and his jaw".
std::string with_neighbours(const std::vector<std::string>& tokens, std::int64_t at) {
  constexpr std::int64_t kAround = 3;
  std::string words = at > kAround ? "…" : "";
  for (std::int64_t i = std::max<std::int64_t>(0, at - kAround);
       i <= std::min<std::int64_t>(std::ssize(tokens) - 1, at + kAround); ++i) {
    words += (words.empty() ? "" : " ") + tokens[static_cast<std::size_t>(i)];
  }
  return words;
}

// Two lines: the field with its matches, and where the chosen one stands. Returns the position.
std::optional<std::int64_t> draw_field(Ui& ui, Field field, const Rect& area, float& y) {
  const float left = area.min.x + ui.px(56);
  GoToState::Side& side = field.side;
  if (ui.state.focus == field.name) {
    if (ui.take_key(KeyName::down)) step(side, 1);
    if (ui.take_key(KeyName::up)) step(side, -1);
  }
  const Rect line{{area.min.x, y}, {area.max.x, y + ui.px(26)}};
  text_in(ui, line, Type::words12, field.color, field.label);
  ControlState control;
  control.problem = !side.typed.empty() && side.searched == side.typed && side.matches.empty();
  control.tooltip = "An index from 0, or words of the text; Up and Down go through the places where they stand.";
  text_field(ui, field.name, {{left, y}, {left + ui.px(170), line.max.y}}, side.typed,
             fmt::format("0 to {}", grouped_digits(std::ssize(field.tokens) - 1)), control);
  search(field);
  Rect rest{{left + ui.px(180), y}, line.max};
  std::string found = side.typed.empty() ? "" : "no such token";
  if (side.matches.size() == 1) found = "1 place";
  if (side.matches.size() > 1) {
    found = fmt::format("{} of {}", grouped_digits(static_cast<std::int64_t>(side.at) + 1),
                        grouped_digits(std::ssize(side.matches)));
    const auto arrow = [&](const char* which, Icon icon, int by, const char* tip) {
      const Rect place = take_left(rest, ui.px(26), ui.px(4));
      if (icon_button(ui, field.name + "/" + which, {place.min, {place.max.x, place.max.y}}, icon,
                      {true, false, tip})) {
        step(side, by);
      }
    };
    arrow("previous", Icon::chevron_left, -1, "The place before (Up).");
    arrow("next", Icon::chevron_right, 1, "The next place (Down).");
  }
  text_in(ui, rest, Type::words12, ui.colors.text2, found);
  y += ui.px(30);
  std::optional<std::int64_t> position;
  if (!side.matches.empty()) {
    position = side.matches[side.at];
    const std::string index = grouped_digits(*position);
    const float width = text_width(ui, Type::mono12, index) + ui.px(10);
    text_in(ui, {{left, y}, {area.max.x, y + ui.px(18)}}, Type::mono12, field.color, index);
    text_in(
        ui, {{left + width, y}, {area.max.x, y + ui.px(18)}}, Type::words12, ui.colors.text2,
        given(shortened_to(ui, Type::words12, with_neighbours(field.tokens, *position), area.max.x - left - width)));
  }
  y += ui.px(28);
  return position;
}

}  // namespace

void go_to_cell(Ui& ui, const Cell& cell) {
  PanelData* data = panel_data(ui);
  if (data == nullptr) return;
  ViewState& view = ui.session.view;
  if (!is_score_like(view.stage)) view.stage = view.quantity;
  view.cell = cell;
  // A large map is looked at from near enough to see single cells.
  constexpr double kSeen = 32;
  if (view.viewport.fitted() && data->is_large(view.stage)) view.viewport.rows = view.viewport.columns = kSeen;
  // A zoomed picture moves so that the cell is in its middle.
  if (!view.viewport.fitted()) {
    view.viewport.row0 = static_cast<double>(cell.row) + 0.5 - view.viewport.rows / 2;
    view.viewport.column0 = static_cast<double>(cell.column) + 0.5 - view.viewport.columns / 2;
  }
}

void draw_go_to_dialog(Ui& ui, const Rect& window) {
  GoToState& state = ui.state.dialogs.go_to;
  PanelData* data = panel_data(ui);
  if (data == nullptr) return close_dialog(ui);
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::go_to)) {
    state = GoToState();
    ui.state.edits.erase("go_to/query");
    ui.state.edits.erase("go_to/key");
    ui.state.focus = "go_to/query";
  }
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "go_to", .title = "Go to cell", .width = 460, .height = 260, .has_footer = true});
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const bool entered = ui.take_key(KeyName::enter);
  const std::vector<std::string>& queries = data->rows(StageId::weights);
  const std::vector<std::string>& keys = data->columns(StageId::weights);
  const auto query = draw_field(ui, {"query", "go_to/query", ui.colors.query, state.query, queries}, area, y);
  const auto key = draw_field(ui, {"key", "go_to/key", ui.colors.key, state.key, keys}, area, y);
  Rect footer{{dialog.footer.min.x + ui.px(20), dialog.footer.center().y - ui.px(15)},
              {dialog.footer.max.x - ui.px(20), dialog.footer.center().y + ui.px(15)}};
  ControlState control;
  control.enabled = query && key;
  control.tooltip = "Pick that cell (Enter).";
  const bool pressed = button(ui, "go_to/primary", take_right(footer, ui.px(112), ui.px(12)), "Go", control, true);
  if (button(ui, "go_to/cancel", take_right(footer, ui.px(96), ui.px(12)), "Cancel")) return close_dialog(ui);
  if (!control.enabled || !(pressed || entered)) return;
  go_to_cell(ui, {*query, *key});
  close_dialog(ui);
}

}  // namespace headscope::ui
