// Looking into laid out figures, for their tests.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/picture/figure/figure.h"
#include "core/picture/figure/figure_views.h"
#include "tests/core/picture/pixel_count.h"

namespace headscope {

template <typename Item>
std::vector<Item> items_of(const FigurePlan& plan) {
  std::vector<Item> found;
  for (const auto& item : plan.items) {
    if (const auto* one = std::get_if<Item>(&item)) found.push_back(*one);
  }
  return found;
}

inline bool has_text(const FigurePlan& plan, const std::string& text) {
  for (const TextItem& item : items_of<TextItem>(plan)) {
    if (item.text.find(text) != std::string::npos) return true;
  }
  return false;
}

inline bool has_line(const FigurePlan& plan, const std::string& line) {
  const auto texts = items_of<TextItem>(plan);
  return std::any_of(texts.begin(), texts.end(), [&](const TextItem& item) { return item.text == line; });
}

inline std::string refusal(const Trace& trace, const ViewSpec& view) {
  try {
    draw_figure(trace, view);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

inline ViewSpec view_of(ViewKind kind, StageId stage = StageId::weights) {
  ViewSpec view;
  view.view = kind;
  view.stage = stage;
  return view;
}

}  // namespace headscope
