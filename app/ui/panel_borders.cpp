#include "app/ui/panel_borders.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings_values.h"
#include "app/ui/guide/example_cards.h"
#include "app/ui/widgets/splitter.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr float kGrip = 6;

// Whether the heads end at concat: not where lines, neurons or the examples take the room of both.
bool has_concat_below(const Ui& ui, const Layout& layout) {
  return layout.show_heads && shows_concat(ui.session.view.heads_show) && !offers_examples(ui);
}

Rect upright_grip(const Ui& ui, float x, const Rect& beside) {
  const float half = ui.px(kGrip) / 2;
  return {{x - half, beside.min.y}, {x + half, beside.max.y}};
}

void draw_request_border(Ui& ui, const Layout& layout) {
  ViewState& view = ui.session.view;
  if (layout.request_folded) return;
  panel_border(ui, "split/request", upright_grip(ui, layout.request.max.x, layout.request), view.request_width,
               {.vertical = true,
                .low = kLeastRequest,
                .high = kMostRequest,
                .direction = 1,
                .usual = ViewState().request_width});
}

// From what is seen, which may be another width than what is kept.
void draw_inspector_border(Ui& ui, const Layout& layout) {
  if (layout.tabs || layout.inspector_rail || !layout.show_heads || !layout.show_inspector) return;
  float width = std::round(layout.inspector.width() / ui.scale);
  const float room = (layout.inspector.max.x - layout.heads.min.x) / ui.scale;
  if (panel_border(ui, "split/inspector", upright_grip(ui, layout.inspector.min.x, layout.inspector), width,
                   {.vertical = true,
                    .low = kLeastInspector,
                    .high = std::min(kLargestPanel, std::floor(room - kLeastHeadsWidth)),
                    .direction = -1,
                    .usual = ViewState().inspector_width})) {
    ui.session.view.inspector_width = width;
  }
}

void draw_concat_border(Ui& ui, const Layout& layout) {
  if (!has_concat_below(ui, layout) || layout.concat_header_only) return;
  float height = std::round(layout.concat.height() / ui.scale);
  const float room = (layout.concat.max.y - layout.heads.min.y) / ui.scale;
  const float half = ui.px(kGrip) / 2;
  const Rect grip{{layout.concat.min.x, layout.concat.min.y - half}, {layout.concat.max.x, layout.concat.min.y + half}};
  if (panel_border(ui, "split/concat", grip, height,
                   {.vertical = false,
                    .low = kLeastConcat,
                    .high = std::min(kLargestPanel, std::floor(room - kLeastHeadsHeight)),
                    .direction = -1,
                    .usual = ViewState().concat_height})) {
    ui.session.view.concat_height = height;
  }
}

// At the right end of the cards, which have no header; the line of names has its own.
void draw_pipeline_control(Ui& ui, const Layout& layout) {
  if (layout.pipeline_fixed || layout.pipeline_hidden || layout.pipeline_small) return;
  const Rect& strip = layout.pipeline;
  const float wide = ui.px(size::panel_padding), high = ui.px(size::control_height);
  const float top = std::round(strip.center().y - high / 2);
  const ControlState state{true, false, "Shows the stages by their names (F6)."};
  if (icon_button(ui, "pipeline_size", {{strip.max.x - wide, top}, {strip.max.x, top + high}}, Icon::chevron_down,
                  state)) {
    ui.push(CommandId::toggle_pipeline);
  }
}

// Between the row of heads, the large one and its words.
void draw_one_head_dividers(Ui& ui, const Layout& layout) {
  if (!layout.show_heads || ui.session.view.heads_show != HeadsShow::one || offers_examples(ui)) return;
  const float one = std::max(1.0f, ui.px(1));
  const Rect &strip = layout.strip, &words = layout.words;
  divider(ui, {strip.min.x, strip.max.y - one}, {strip.max.x, strip.max.y - one});
  divider(ui, {words.min.x, words.min.y}, {words.min.x, layout.concat.max.y});
}

}  // namespace

void draw_dividers(Ui& ui, const Layout& layout) {
  const float one = std::max(1.0f, ui.px(1));
  const auto below = [&](const Rect& r) { divider(ui, {r.min.x, r.max.y - one}, {r.max.x, r.max.y - one}); };
  below({layout.menu.min, {layout.menu.max.x, layout.views.max.y}});
  below(layout.phrase);
  divider(ui, {layout.status.min.x, layout.status.min.y}, {layout.status.max.x, layout.status.min.y});
  if (!layout.one_layer()) return;
  below(layout.pipeline);
  // Above concat, whatever it lies below.
  const Rect& concat = layout.concat;
  if (has_concat_below(ui, layout)) below({concat.min, {concat.max.x, concat.min.y}});
  draw_one_head_dividers(ui, layout);
  if (!layout.tabs)
    divider(ui, {layout.inspector.min.x, layout.inspector.min.y}, {layout.inspector.min.x, layout.inspector.max.y});
  if (layout.tabs) below(layout.tab_bar);
}

void draw_panel_borders(Ui& ui, const Layout& layout) {
  draw_request_border(ui, layout);
  if (!layout.one_layer()) return;
  draw_pipeline_control(ui, layout);
  draw_inspector_border(ui, layout);
  draw_concat_border(ui, layout);
}

}  // namespace headscope::ui
