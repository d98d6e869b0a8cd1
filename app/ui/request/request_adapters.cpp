#include "app/ui/request/request_adapters.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/model_text.h"

namespace headscope::ui {
namespace {

constexpr float kScaleWidth = 58;

std::string name_of_folder(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder.substr(folder.rfind('/') + 1);
}

// What a line did to its adapter.
enum class Change { none, edited, removed };

Change draw_adapter(RequestRows& rows, const std::string& name, AdapterUse& adapter) {
  Ui& ui = rows.ui;
  Rect line = rows.full();
  Change change = Change::none;
  const Rect cross = take_right(line, ui.px(22), ui.px(2));
  if (icon_button(ui, name + "/remove", cross, Icon::close, {true, false, "Takes the adapter out of the request."})) {
    ui.session.end_undo_step();
    change = Change::removed;
  }
  const Rect scale = take_right(line, ui.px(kScaleWidth), ui.px(6));
  const char* scale_tip = "What the adapter's change is multiplied by before it is added to the weights (1).";
  double typed = adapter.scale;
  if (number_field(ui, name + "/scale", scale, typed, false, rows.state("adapter", scale_tip)) &&
      std::isfinite(typed)) {
    adapter.scale = typed;
    change = Change::edited;
  }
  const std::string words = name_of_folder(adapter.folder);
  const std::string tip =
      fmt::format("{}: its low-rank change is added to the weights before anything is computed.", adapter.folder);
  const std::string shown = cut_to_width(ui, Type::words12, words, line.width() - ui.px(26));
  if (checkbox(ui, name, line, shown, adapter.on, {true, false, tip.c_str()})) {
    ui.session.end_undo_step();
    change = Change::edited;
  }
  return change;
}

}  // namespace

void draw_adapters(RequestRows& rows) {
  Request& draft = rows.ui.session.draft;
  ModelText model = model_text_of(draft.model);
  if (model.adapters.empty()) return;
  for (std::size_t k = 0; k < model.adapters.size(); ++k) {
    const Change change = draw_adapter(rows, fmt::format("request/adapter/{}", k), model.adapters[k]);
    if (change == Change::none) continue;
    if (change == Change::removed) model.adapters.erase(model.adapters.begin() + static_cast<std::ptrdiff_t>(k));
    draft.model = text_of(model);
    break;
  }
  rows.problem("adapter");
}

}  // namespace headscope::ui
