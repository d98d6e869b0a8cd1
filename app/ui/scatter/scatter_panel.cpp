// The view 'scatter': what is asked of the background, its controls, and where its parts stand.
#include "app/ui/scatter/scatter_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/heads/arcs.h"

namespace headscope::ui {
namespace {

constexpr float kBesideFrom = 820, kTall = 1.15f, kNarrowest = 320, kWidest = 620, kSentenceLine = 22;

void draw_scatter_sentence(Ui& ui, const Rect& area, Rgba color, const std::string& sentence) {
  const float pad = ui.px(size::panel_padding);
  ui.mark("scatter/sentence: " + sentence, area);
  paragraph(ui, {{area.min.x + pad, area.min.y + pad}, {std::min(area.max.x - pad, area.min.x + ui.px(640)), 0}},
            Type::words13, color, sentence);
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Scatters::Result> known_scatter(Ui& ui, const ScatterQuery& query) {
  std::shared_ptr<const Scatters::Result>& last = ui.state.panels.get<ScatterPanelState>().last;
  const auto result = ui.session.background.scatters.want(query);
  if (result != nullptr) last = result;
  return last;
}

ScatterPair inside(const Trace& trace, ScatterPair pair) {
  if (pair.query >= trace.query_len()) pair.query = -1;
  if (pair.key >= trace.key_len()) pair.key = -1;
  return pair;
}

void draw_switch(Ui& ui, const char* name, const char* label, bool& on, Rect& line, const char* tip) {
  const float width = std::ceil(text_width(ui, Type::words12, label)) + ui.px(28);
  checkbox(ui, name, take_right(line, width, ui.px(8)), label, on, {true, false, tip});
}

void draw_controls(Ui& ui, Rect& line) {
  ScatterView& view = ui.session.view.scatter;
  color_map_combo(ui, "scatter/colormap", take_right(line, ui.px(92), ui.px(10)), true);
  draw_switch(ui, "scatter/names", "names", view.names, line, "Tokens beside their marks, where there is room.");
  draw_switch(ui, "scatter/keys", "keys", view.keys, line, "The keys: triangles.");
  draw_switch(ui, "scatter/queries", "queries", view.queries, line, "The queries: squares.");
}

void draw_head_stepper(Ui& ui, const Trace& trace, Rect& line) {
  std::int64_t head = selection_of(ui.session.view, trace).head;
  if (index_stepper(ui, "scatter/head", take_right(line, ui.px(92), ui.px(12)), head, trace.num_heads(),
                    {true, false, "The head whose queries and keys are shown (keys 1 to 9)."})) {
    ui.session.view.head = head;
  }
}

// 1 ... 9 switch heads while the plot or the map has the focus.
void read_scatter_digits(Ui& ui, const Trace& trace) {
  const std::string& focus = ui.state.focus;
  if (!ui.on_top() || !(focus.empty() || focus == kScatterPlot || focus == kScatterMap)) return;
  for (std::int64_t head = 0; head < std::min<std::int64_t>(trace.num_heads(), 9); ++head) {
    if (ui.take_key(static_cast<KeyName>(static_cast<int>(KeyName::one) + static_cast<int>(head)))) {
      ui.session.view.head = head;
    }
  }
}

void draw_scatter_header(Ui& ui, const Trace& trace, const ScatterShown* shown, const Rect& area) {
  Rect all = area;
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  draw_controls(ui, line);
  draw_head_stepper(ui, trace, line);
  all.max.x = line.max.x;
  const std::int64_t head = selection_of(ui.session.view, trace).head;
  std::string fact = "queries and keys";
  if (shown != nullptr && !shown->current) {
    fact = fmt::format("points of head {}, computing …", shown->result->question.head);
  } else if (shown != nullptr) {
    const QueryKeyScatter& scatter = shown->scatter();
    const std::string shares =
        fmt::format("component 1: {:.1f} %, 2: {:.1f} %", 100 * scatter.share[0], 100 * scatter.share[1]);
    const std::string of = fmt::format(" of {} queries and {} keys", grouped_digits(std::ssize(scatter.queries)),
                                       grouped_digits(std::ssize(scatter.keys)));
    fact = fitting_words(ui, Type::words12, all.width() - ui.px(120),
                         {shares + " of the variance" + of, shares + " of the variance", shares, std::string()});
  }
  ui.mark("scatter/fact: " + fact, all);
  panel_header(ui, all, fmt::format("Head {}", head), fact, static_cast<int>(head));
  if (shown == nullptr || !shown->current) return;
  say_finding(ui, MainView::scatter,
              fmt::format("Two directions hold {:.0f} % of how the queries and keys of head {} vary.",
                          100 * (shown->scatter().share[0] + shown->scatter().share[1]), head));
}

// What cannot be seen in the plot; "" where everything can.
std::string missing_words(Ui& ui, const ScatterShown& shown) {
  const std::int64_t out = shown.scatter().left_out;
  std::string words;
  if (out > 0) {
    words = fmt::format("{} {} left out: {} a number that is not finite.", grouped_digits(out),
                        out == 1 ? "vector is" : "vectors are", out == 1 ? "it holds" : "each holds");
  }
  const ScatterLayout& layout = ui.state.panels.get<ScatterPanelState>().layout;
  if (layout.of == shown.result && layout.without > 0) {
    words = fmt::format("{}{}Names without room: {}.", words, words.empty() ? "" : " ",
                        grouped_digits(static_cast<std::int64_t>(layout.without)));
  }
  return words;
}

// What the marks are; vectors that are missing are more urgent.
void draw_legend_line(Ui& ui, const ScatterShown& shown, const Rect& line) {
  const bool warns = shown.scatter().left_out > 0;
  const std::string missing = missing_words(ui, shown);
  const char* const marks = "Squares are queries, triangles keys, as they are multiplied; one scale for both axes.";
  const std::string words = warns ? missing : fmt::format("{}{}{}", marks, missing.empty() ? "" : " ", missing);
  text_in(ui, line, Type::words12, warns ? ui.colors.warn : ui.colors.text2, words);
  ui.mark("scatter/legend: " + words, line);
}

void draw_scatter_body(Ui& ui, const ScatterShown& shown, Rect body) {
  const float pad = ui.px(size::panel_padding);
  const float readout = scatter_readout_height(ui, body.width() - 2 * pad);
  const Rect box{{body.min.x + pad, body.max.y - readout - ui.px(8)}, {body.max.x - pad, body.max.y - ui.px(8)}};
  const Rect legend{{box.min.x, box.min.y - ui.px(kSentenceLine + 2)}, {box.max.x, box.min.y - ui.px(2)}};
  body.max.y = legend.min.y - ui.px(2);
  if (shown.data.trace().find(StageId::weights) != nullptr) {
    Rect map;
    if ((body.width() >= ui.px(kBesideFrom) && body.height() <= kTall * body.width()) || has_low_halves(ui, body)) {
      const float wanted = std::clamp(std::round(body.width() * 0.4f), ui.px(kNarrowest), ui.px(kWidest));
      map = take_right(body, std::min(wanted, std::round(body.width() / 2)), 0);
    } else {
      map = {{body.min.x, std::round(body.min.y + body.height() * 0.55f)}, body.max};
      body.max.y = map.min.y;
    }
    draw_scatter_map(ui, shown, map);
  }
  draw_scatter_plot(ui, shown, {{body.min.x + pad, body.min.y}, {body.max.x - pad, body.max.y}});
  draw_legend_line(ui, shown, legend);
  if (shown.current) draw_scatter_readout(ui, shown, box);
}

}  // namespace

void pick_scatter_point(Ui& ui, const ScatterShown& shown, bool query, std::int64_t index) {
  const Trace& trace = shown.data.trace();
  Cell cell{shown.picked.query, shown.picked.key};
  (query ? cell.row : cell.column) = index;
  if (cell.row < 0) cell.row = trace.query_len() - 1;
  if (cell.column < 0) {
    const bool weighs = trace.find(StageId::weights) != nullptr;
    cell.column = weighs ? strongest_key(trace, shown.selection.batch, shown.selection.head, cell.row) : 0;
  }
  if (!is_score_like(ui.session.view.stage)) select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = cell;
}

void let_scatter_go(Ui& ui) {
  ui.state.panels.forget<ScatterPanelState>();
  ui.session.background.scatters.forget();
}

void draw_scatter_panel(Ui& ui, const Rect& area) {
  ui.mark("scatter", area);
  PanelData* const data = panel_data(ui);
  if (data == nullptr || !has_query_key_scatter(data->trace())) return;
  const Trace& trace = data->trace();
  if (trace.query_len() == 0 || trace.key_len() == 0) return;
  read_scatter_digits(ui, trace);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  const Rect body{{area.min.x, header.max.y}, area.max};
  const ViewState& view = ui.session.view;
  const Selection selection = selection_of(view, trace);
  const ScatterQuery query{data->shared_trace(), selection.batch, selection.head};
  const auto result = known_scatter(ui, query);
  if (result == nullptr || !result->answer) {
    draw_scatter_header(ui, trace, nullptr, header);
    const bool failed = result != nullptr;
    return draw_scatter_sentence(ui, body, failed ? ui.colors.text : ui.colors.text2,
                                 failed ? control_words(result->failure) : "Computing …");
  }
  ScatterShown shown{*data, selection, result, result->question == query, {}, {}};
  shown.hovered = inside(trace, {ui.state.hover.query, ui.state.hover.key});
  if (selection.cell && is_score_like(view.stage)) {
    shown.picked = inside(trace, {selection.cell->row, selection.cell->column});
  }
  draw_scatter_header(ui, trace, &shown, header);
  draw_scatter_body(ui, shown, body);
  ask_for_rest(ui);
}

}  // namespace headscope::ui
