// Ctrl+G: to a cell by its query and key, each an index or the beginning of a token.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

// The position that `typed` names among `labels`: an index, else the first token that begins with it.
std::optional<std::int64_t> position_of(const std::string& typed, const std::vector<std::string>& labels) {
  std::int64_t index = -1;
  const char* end = typed.data() + typed.size();
  const auto [stop, error] = std::from_chars(typed.data(), end, index);
  if (error == std::errc() && stop == end) {
    if (index >= 0 && index < std::ssize(labels)) return index;
    return std::nullopt;
  }
  for (std::size_t i = 0; i < labels.size() && !typed.empty(); ++i) {
    if (labels[i].rfind(typed, 0) == 0) return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

}  // namespace

void draw_go_to_dialog(Ui& ui, const Rect& window) {
  GoToState& state = ui.state.dialogs.go_to;
  const auto trace = ui.session.trace();
  if (trace == nullptr) return close_dialog(ui);
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::go_to)) {
    state = GoToState();
    ui.state.edits.erase("go_to/query");
    ui.state.edits.erase("go_to/key");
    ui.state.focus = "go_to/query";
  }
  const DialogFrame dialog = draw_dialog_frame(ui, window, "go_to", "Go to cell", 420, 230, true);
  if (ui.state.dialog == DialogKind::none) return;
  const std::vector<std::string> queries = trace->query_labels(), keys = trace->key_labels();
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const bool entered = ui.take_key(KeyName::enter);
  const auto field = [&](const char* label, const char* name, Rgba color, std::string& value,
                         const std::vector<std::string>& labels) {
    const auto found = position_of(value, labels);
    text_in(ui, {{area.min.x, y}, {area.min.x + ui.px(56), y + ui.px(26)}}, Type::words12, color, label);
    ControlState control;
    control.problem = !value.empty() && !found;
    control.tooltip = "An index from 0, or the beginning of a token.";
    text_field(ui, name, {{area.min.x + ui.px(56), y}, {area.min.x + ui.px(210), y + ui.px(26)}}, value,
               fmt::format("0 to {}", labels.size() - 1), control);
    text_in(ui, {{area.min.x + ui.px(222), y}, {area.max.x, y + ui.px(26)}}, Type::mono12, ui.colors.text2,
            found           ? fmt::format("{} {}", *found, labels[static_cast<std::size_t>(*found)])
            : value.empty() ? ""
                            : "no such token");
    y += ui.px(36);
    return found;
  };
  const auto query = field("query", "go_to/query", ui.colors.query, state.query, queries);
  const auto key = field("key", "go_to/key", ui.colors.key, state.key, keys);
  Rect footer{{dialog.footer.min.x + ui.px(20), dialog.footer.center().y - ui.px(15)},
              {dialog.footer.max.x - ui.px(20), dialog.footer.center().y + ui.px(15)}};
  ControlState control;
  control.enabled = query && key;
  control.tooltip = "Pick that cell (Enter).";
  const bool pressed = button(ui, "go_to/primary", take_right(footer, ui.px(112), ui.px(12)), "Go", control, true);
  if (button(ui, "go_to/cancel", take_right(footer, ui.px(96), ui.px(12)), "Cancel")) return close_dialog(ui);
  if (!control.enabled || !(pressed || entered)) return;
  ViewState& view = ui.session.view;
  if (!is_score_like(view.stage)) view.stage = view.quantity;
  view.cell = Cell{*query, *key};
  // A zoomed picture moves so that the cell is in its middle.
  if (!view.viewport.fitted()) {
    view.viewport.row0 = static_cast<double>(*query) + 0.5 - view.viewport.rows / 2;
    view.viewport.column0 = static_cast<double>(*key) + 0.5 - view.viewport.columns / 2;
  }
  close_dialog(ui);
}

}  // namespace headscope::ui
