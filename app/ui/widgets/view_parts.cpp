#include "app/ui/widgets/view_parts.h"

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLowHalves = 420, kNarrowHalves = 560;

}  // namespace

void view_sentence(Ui& ui, const std::string& view, const Rect& area, Rgba color, const std::string& sentence) {
  const float pad = ui.px(size::panel_padding);
  const std::string said = control_words(sentence);
  ui.mark(view + "/sentence: " + said, area);
  paragraph(ui, {{area.min.x + pad, area.min.y + pad}, {std::min(area.max.x - pad, area.min.x + ui.px(640)), 0}},
            Type::words13, color, said);
}

bool has_low_halves(Ui& ui, const Rect& area) {
  return area.height() < ui.px(kLowHalves) && area.width() >= ui.px(kNarrowHalves);
}

Rect take_detail(Ui& ui, Rect& area, const DetailSize& size) {
  if (area.width() >= ui.px(size.beside_from) || has_low_halves(ui, area)) {
    const float wanted = std::clamp(std::round(area.width() * size.share), ui.px(size.narrowest), ui.px(size.widest));
    const float width = std::min(wanted, std::round(area.width() / 2));
    const Rect detail = take_right(area, width, 0);
    vertical_line(ui, detail.min.x, detail.min.y, detail.max.y, ui.colors.line);
    return detail;
  }
  const Rect detail{{area.min.x, std::round(area.min.y + area.height() * 0.5f)}, area.max};
  area.max.y = detail.min.y;
  horizontal_line(ui, detail.min.x, detail.max.x, detail.min.y, ui.colors.line);
  return detail;
}

void draw_scrolled_rows(Ui& ui, const std::string& name, const Rect& list, std::size_t count, float height,
                        const std::function<void(std::size_t at, const Rect& line)>& draw) {
  const float content = height * static_cast<float>(count);
  const ScrollArea scroll = begin_scroll(ui, name, list, content);
  float top = list.min.y - scroll.offset;
  const Rect inner{list.min, {list.max.x - ui.px(content > list.height() + 1 ? 10 : 0), list.max.y}};
  for (std::size_t k = 0; k < count; ++k) {
    const Rect line = row(inner, top, height);
    if (line.max.y >= list.min.y && line.min.y <= list.max.y) draw(k, line);
  }
  end_scroll(ui);
}

}  // namespace headscope::ui
