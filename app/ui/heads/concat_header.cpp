#include "app/ui/heads/concat_header.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/collapse.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/operation_text.h"

namespace headscope::ui {
namespace {

std::string name_of(StageId stage) {
  return std::string(stage_name(stage));
}

void draw_inline_bar(Ui& ui, Rect& rest, ColorMap map, const ValueRange& range) {
  const std::string low = short_number(std::round(range.low * 100) / 100);
  const std::string high = '+' + short_number(std::round(range.high * 100) / 100);
  const float low_width = std::ceil(text_width(ui, Type::mono11, low));
  const float high_width = std::ceil(text_width(ui, Type::mono11, high));
  if (rest.width() < low_width + high_width + ui.px(120)) return;
  text_in(ui, take_right(rest, high_width + 1, ui.px(5)), Type::mono11, ui.colors.text2, high, 1);
  Rect bar = take_right(rest, ui.px(80), ui.px(5));
  bar.min.y = std::round(bar.center().y - ui.px(5));
  bar.max.y = bar.min.y + ui.px(10);
  canvas().PushClipRect(bar.min, bar.max, true);
  color_bar(ui, bar, map, range, true);
  canvas().PopClipRect();
  ui.mark("concat/color_bar", bar);
  text_in(ui, take_right(rest, low_width + 1, ui.px(12)), Type::mono11, ui.colors.text2, low, 1);
}

}  // namespace

void draw_concat_folded(Ui& ui, const ConcatPanel& panel, const Rect& area) {
  const Interaction it =
      interact(ui, "concat/collapse", area, {true, false, "Opens the picture of concat and output (F7)."});
  const Rgba ink = it.hovered ? ui.colors.text : ui.colors.text2;
  Rect line{{area.min.x + ui.px(size::panel_padding), area.min.y},
            {area.max.x - ui.px(size::panel_padding), area.max.y}};
  const Rect caret = take_left(line, ui.px(10), ui.px(8));
  draw_icon(ui, Icon::chevron_right, {caret.center().x, std::round(caret.center().y)}, ui.px(10), ink);
  const auto word = [&](Type type, Rgba color, const Words& words) {
    text_in(ui, take_left(line, std::ceil(text_width(ui, type, words)) + 1, ui.px(10)), type, color, words);
  };
  text_in(ui, take_right(line, ui.px(20), ui.px(8)), Type::mono11, ui.colors.text2, "F7", 1);
  const Trace& trace = panel.data.trace();
  word(Type::mono_bold12, ui.colors.text, name_of(StageId::concat));
  if (trace.find(StageId::output) != nullptr)
    word(Type::mono12, ui.colors.text2, ours("and " + name_of(StageId::output)));
  word(Type::mono12, ui.colors.text2, to_string(trace.tensor(StageId::concat).shape()));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(area, ui.px(2)), ui.px(size::radius_control));
  if (it.clicked) ui.push(CommandId::toggle_concat);
}

void draw_concat_header(Ui& ui, const ConcatPanel& panel, const Rect& area) {
  ViewState& view = ui.session.view;
  const Trace& trace = panel.data.trace();
  const bool has_output = trace.find(StageId::output) != nullptr;
  const StageId shown = view.concat_shows == ConcatShows::output && has_output ? StageId::output : StageId::concat;
  Rect line{{area.min.x, std::round(area.min.y + (ui.px(size::panel_header) - ui.px(24)) / 2)},
            {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  const float left = area.min.x + ui.px(size::panel_padding) +
                     std::ceil(text_width(ui, Type::mono_bold12, name_of(shown))) + ui.px(12);
  Rect rest{{left, line.min.y}, line.max};
  rest.max.x += ui.px(4);
  const bool closed = ui.state.panels.get<ShellState>().concat_header_only;
  collapse_button(
      ui, rest, "concat/collapse", closed ? Icon::chevron_right : Icon::chevron_down,
      closed ? "Opens the picture of concat and output (F7)." : "Closes the picture of concat and output (F7).",
      CommandId::toggle_concat);

  int shows = static_cast<int>(view.concat_shows);
  const ControlState state{has_output, false,
                           has_output ? "concat = the heads' contexts side by side; output = concat · Wo + b; or both."
                                      : "output needs an output projection: there is none when attention runs alone."};
  if (segments(ui, "concat/shows", take_right(rest, ui.px(176), ui.px(6)), {"concat", "output", "both"}, shows,
               state)) {
    view.concat_shows = static_cast<ConcatShows>(std::clamp(shows, 0, 2));
  }
  color_map_combo(ui, "concat/colormap", take_right(rest, ui.px(92), ui.px(12)), false);
  if (panel.direct && shown == StageId::concat) {
    int by = panel.provenance ? 0 : 1;
    if (segments(ui, "concat/provenance", take_right(rest, ui.px(164), ui.px(12)), {"provenance", "values"}, by,
                 {true, false, "Colour each cell by the head and token that it really came from, or by its value."})) {
      show_provenance(ui, by == 0);
    }
  }
  if (!panel.provenance || view.concat_shows == ConcatShows::output) {
    draw_inline_bar(ui, rest, color_map_of(ui, false), panel.data.range(view, shown, panel.selection.batch, 0));
  }
  const std::string shape = to_string(trace.tensor(shown).shape());
  const std::string hovered = panel.hovered.empty() ? shape : shape + "  " + panel.hovered;
  const std::string fact = fitting_words(ui, Type::mono12, rest.max.x - left, {hovered, shape, std::string()});
  panel_header(ui, {area.min, {std::max(rest.max.x, left) + ui.px(size::panel_padding), area.max.y}}, name_of(shown),
               fact, -1, true);
}

void draw_merge_report(Ui& ui, const ConcatPanel& panel, const Rect& line) {
  const Trace& trace = panel.data.trace();
  const MergeReport report = merge_report(with_own_mask(trace.request, *trace.inputs), trace.num_heads(),
                                          trace.query_len(), trace.inputs->value_head_dim);
  ui.mark("concat/report", line);
  Rect rest = line;
  const bool bad = report.tokens_per_row > 1 || report.future_leaks;
  if (bad) {
    draw_icon(ui, Icon::warning, {rest.min.x + ui.px(6), std::round(rest.center().y)}, ui.px(12), ui.colors.warn);
    rest.min.x += ui.px(18);
  }
  const std::string sentence = merge_sentence(report, trace.num_heads());
  text_in(ui, rest, Type::words12, ui.colors.text, sentence);
  rest.min.x += std::ceil(text_width(ui, Type::words12, sentence)) + ui.px(16);
  if (panel.provenance && rest.width() > ui.px(150)) {
    const float side = ui.px(6);
    const float y = std::round(rest.center().y - ui.px(3));
    canvas().AddTriangleFilled({rest.min.x, y}, {rest.min.x + side, y}, {rest.min.x + side, y + side},
                               color32(ui.colors.text));
    rest.min.x += ui.px(11);
    text_in(ui, rest, Type::words11, ui.colors.text2, "from a later token");
  }
}

}  // namespace headscope::ui
