#include "app/ui/map/map_colors.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "app/session/session.h"
#include "app/ui/map/range_choice.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {
namespace {

const char* const kMapTip = "Colours of the numbers. A choice made here holds for every theme.";

}  // namespace

std::string spelled_range(const ValueRange& range) {
  if (range.low == -range.high && range.high > 0) return "±" + short_number(range.high);
  return short_number(range.low) + "–" + short_number(range.high);
}

std::string short_number(double value) {
  std::string text = std::isnan(value)   ? "nan"
                     : std::isinf(value) ? (value > 0 ? "inf" : "-inf")
                                         : fmt::format("{:.3g}", value);
  if (text == "-0") text = "0";
  return with_minus_signs(text);
}

std::string range_label(const ViewState& view, const ValueRange& shown, bool weight_like) {
  const std::string log = view.log_scale && weight_like ? ", log" : "";
  switch (range_choice(view)) {
    case RangeChoice::per_head:
      return "range: per head" + log;
    case RangeChoice::per_row:
      return "range: per row" + log;
    case RangeChoice::fit:
      return "range: fit " + spelled_range(shown) + log;
    case RangeChoice::fixed:
      return "range: fixed " + spelled_range({view.range_low, view.range_high, false, false}) + log;
    case RangeChoice::shared:
      break;
  }
  return "range: shared " + spelled_range(shown) + log;
}

std::string range_sentence(const ViewState& view) {
  switch (range_choice(view)) {
    case RangeChoice::per_head:
      return "each head has its own range";
    case RangeChoice::per_row:
      return "each row has its own range";
    case RangeChoice::fit:
      return "the range fitted to 98 in 100 cells of all heads";
    case RangeChoice::fixed:
      return "the range that you typed";
    default:
      return "one range for all heads";
  }
}

void color_map_combo(Ui& ui, const std::string& name, const Rect& rect, bool weight_like) {
  ViewState& view = ui.session.view;
  std::vector<std::string> items;
  const ColorMap current = color_map_of(ui, weight_like);
  int selected = 0;
  for (const ColorMap map : all_color_maps()) {
    if (map == current) selected = static_cast<int>(items.size());
    items.emplace_back(color_map_name(map));
  }
  const auto maps = static_cast<int>(items.size());
  items.emplace_back("by theme");
  if (!combo(ui, name, rect, items, selected, {{true, false, kMapTip}, Type::words12})) return;
  std::optional<ColorMap>& chosen = weight_like ? view.weight_map : view.signed_map;
  if (selected >= 0 && selected < maps) {
    chosen = all_color_maps()[static_cast<std::size_t>(selected)];
  } else {
    chosen.reset();
  }
}

}  // namespace headscope::ui
