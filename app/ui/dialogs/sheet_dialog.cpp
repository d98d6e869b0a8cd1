#include "app/ui/dialogs/sheet_dialog.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

void draw_sheet_form(Ui& ui, const std::string& name, const Rect& area, float rows,
                     const std::pair<Rgba, std::string>& facts, const std::function<void(float top)>& draw) {
  const auto& [color, words] = facts;
  const float left = area.min.x + ui.px(84);
  const float below = paragraph_height(ui, Type::words12, words, area.max.x - left);
  const float bottom = std::min(area.min.y + rows, area.max.y - below);
  // Rings around controls stand a little out of the form; the bar of the scrolling stands at its right.
  const float out = ui.px(6);
  const ScrollArea scroll =
      begin_scroll(ui, name, {{area.min.x - out, area.min.y - out}, {area.max.x + ui.px(16), bottom}}, rows + out - 1);
  draw(area.min.y - scroll.offset);
  end_scroll(ui);
  paragraph(ui, {{left, bottom}, area.max}, Type::words12, color, words);
}

void draw_sheet_preview(Ui& ui, const std::string& name, const Rect& area, std::uint64_t key, std::uint64_t version,
                        const Image& page) {
  fill(area, ui.colors.well, ui.px(size::radius_field));
  const Rect room = inset(area, ui.px(10));
  if (page.width == 0 || room.height() <= 0) return;
  const auto width = static_cast<float>(page.width), height = static_cast<float>(page.height);
  const float fit = std::min(room.width() / width, room.height() / height);
  const ImVec2 extent{std::floor(width * fit), std::floor(height * fit)};
  const ImVec2 at{std::floor(room.center().x - extent.x / 2), std::floor(room.center().y - extent.y / 2)};
  const Rect place{at, {at.x + extent.x, at.y + extent.y}};
  const TextureId id = ui.textures.image(key, version, page);
  if (id != 0) canvas().AddImage(compat::texture(id), place.min, place.max);
  outline(ui, place, ui.colors.line);
  ui.mark(name, place);
}

SheetFooter draw_sheet_footer(Ui& ui, const std::string& name, const std::string& problem, const Rect& footer) {
  SheetFooter result;
  result.rest = {{footer.min.x + ui.px(20), footer.center().y - ui.px(15)},
                 {footer.max.x - ui.px(20), footer.center().y + ui.px(15)}};
  const bool busy = ui.session.jobs.current().running;
  ControlState control;
  control.enabled = problem.empty() && !busy;
  control.tooltip = busy              ? "An export is being written; wait for it or cancel it."
                    : problem.empty() ? "Write it (Enter)."
                                      : problem.c_str();
  const bool pressed =
      button(ui, name + "/primary", take_right(result.rest, ui.px(112), ui.px(12)), "Write", control, true);
  const bool entered = control.enabled && ui.state.focus.starts_with(name + "/f") && ui.take_key(KeyName::enter);
  result.cancelled = button(ui, name + "/cancel", take_right(result.rest, ui.px(96), ui.px(12)), "Cancel");
  result.write = (pressed || entered) && !result.cancelled;
  return result;
}

}  // namespace headscope::ui
