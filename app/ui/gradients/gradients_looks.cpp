// The heads whose single looks do most: one query at one key, with a bar to either side of zero.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMost = 6;
constexpr float kTitle = 26, kRow = 26;

// The heads with the largest single products, at most `most`.
std::vector<const HeadWeightGradients*> strongest_looks(const WeightGradients& found, std::size_t most) {
  std::vector<const HeadWeightGradients*> looks;
  for (const HeadWeightGradients& head : found.heads) {
    if (std::isfinite(head.largest) && head.largest != 0) looks.push_back(&head);
  }
  most = std::min(most, looks.size());
  std::partial_sort(looks.begin(), looks.begin() + static_cast<std::ptrdiff_t>(most), looks.end(),
                    [](const auto* a, const auto* b) { return std::fabs(a->largest) > std::fabs(b->largest); });
  looks.resize(most);
  return looks;
}

void draw_look(Ui& ui, const GradientsShown& shown, const HeadWeightGradients& look, double most, const Rect& line) {
  const std::string name = fmt::format("gradients/look/{}.{}", look.layer, look.head);
  const Interaction it = interact(ui, name, line, {true, false, "Picks this head, and this look of it."});
  if (it.hovered) fill(line, ui.colors.hover);
  Rect rest = line;
  const std::string number = number_label(look.largest, 2);
  text_in(ui, take_right(rest, ui.px(64), ui.px(8)), Type::mono12, ui.colors.text, number, 1);
  text_in(ui, take_left(rest, ui.px(40), ui.px(6)), Type::mono12, ui.colors.text2,
          fmt::format("{}.{}", look.layer, look.head));
  const float bars = std::round(rest.width() * 0.45f);
  const Rect bar = take_right(rest, bars, ui.px(8));
  text_in(ui, rest, Type::words12, ui.colors.text, gradient_look_words(shown, look));
  const float middle = std::round(bar.center().x), top = std::round(line.center().y - ui.px(5));
  fill({{bar.min.x, top}, {bar.max.x, top + ui.px(10)}}, ui.colors.well);
  const float end = middle + static_cast<float>(look.largest / most) * bar.width() / 2;
  fill({{std::min(middle, end), top}, {std::max(middle, end), top + ui.px(10)}},
       look.largest > 0 ? ui.colors.bar_positive : ui.colors.bar_negative);
  vertical_line(ui, middle, top - ui.px(2), top + ui.px(12), ui.colors.text3);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(line, ui.px(1)), ui.px(size::radius_control));
  if (!it.clicked) return;
  ui.session.view.gradients.head = LayerHead{look.layer, look.head};
  ui.session.view.cell = Cell{look.query, look.key};
}

}  // namespace

std::string gradient_word(const std::vector<std::string>& names, std::int64_t at) {
  std::string name = token_or_index(names, at);
  if (name.size() > 1 && name.starts_with(' ')) name.erase(0, 1);
  return visible_piece(name);
}

std::string gradient_look_words(const GradientsShown& shown, const HeadWeightGradients& look) {
  const Trace& layer = *shown.found.trace->model->layers[static_cast<std::size_t>(look.layer)];
  const std::string query = gradient_word(layer.query_labels(), look.query);
  if (look.query == look.key) return query + " at itself";
  return fmt::format("{} at {}", query, gradient_word(layer.key_labels(), look.key));
}

void draw_strongest_looks(Ui& ui, const GradientsShown& shown, const Rect& area) {
  const float room = area.height() - ui.px(kTitle);
  const auto rows = static_cast<std::size_t>(std::max(0.0f, std::floor(room / ui.px(kRow))));
  const std::vector<const HeadWeightGradients*> looks = strongest_looks(shown.found, std::min(kMost, rows));
  if (looks.size() < 2) return;  // with less there is nothing to compare
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y}};
  float y = inner.min.y;
  text_in(ui, row(inner, y, ui.px(kTitle)), Type::title13, ui.colors.text, "The strongest looks of all heads");
  const double most = std::fabs(looks.front()->largest);
  for (const HeadWeightGradients* look : looks) draw_look(ui, shown, *look, most, row(inner, y, ui.px(kRow)));
}

}  // namespace headscope::ui
