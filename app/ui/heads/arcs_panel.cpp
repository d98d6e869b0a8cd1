// Arcs from every query to its keys, a colour a head.
#include "app/ui/heads/arcs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/arcs.h"
#include "core/heads/sentences.h"
#include "core/picture/arc_style.h"

namespace headscope::ui {
namespace {

constexpr float kHeadings = 26, kLegend = 44, kTallestRow = 72, kLowestRow = 15;
constexpr std::int64_t kMostPieces = 16000;                 // of all curves together
constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // heads x queries x keys that a frame may go through

struct ArcsDrawing {
  PanelData& data;
  ArcsFocus focus;
  std::vector<std::int64_t> heads;
  LinkRegion region;
  std::int64_t queries = 0, keys = 0;
  Rect area;                  // of the rows, as far as it is seen
  float left = 0, right = 0;  // ends of the lines
  float pitch = 0, offset = 0;
  int most_parts = 8;  // straight pieces of a curve

  float middle(std::int64_t token) const { return area.min.y - offset + (static_cast<float>(token) + 0.5f) * pitch; }
};

ArcRequest request_of(const Ui& ui, const ArcsDrawing& drawing) {
  ArcRequest request;
  request.batch = drawing.focus.selection.batch;
  request.heads = drawing.heads;
  request.queries = drawing.region.queries;
  request.keys = drawing.region.keys;
  request.hide_below = ui.session.view.arcs_hide_below;
  request.most = kMostArcs;
  return request;
}

// The token whose arcs are bright: the one under the mouse, else the chosen query.
struct Bright {
  std::int64_t query = -1, key = -1;
  bool touches(const Arc& arc) const { return query >= 0 ? arc.query == query : arc.key == key; }
  bool any() const { return query >= 0 || key >= 0; }
};

Bright bright_of(const Ui& ui, const ArcsDrawing& drawing) {
  const Hover& hover = ui.state.hover;
  if (hover.query >= 0 && hover.query < drawing.queries) return {hover.query, -1};
  if (hover.key >= 0 && hover.key < drawing.keys) return {-1, hover.key};
  if (drawing.focus.picked && drawing.focus.pair) return {drawing.focus.pair->row, -1};
  return {};
}

void draw_arc(Ui& ui, const ArcsDrawing& drawing, const Arc& arc, ArcTone tone) {
  const auto k = std::lower_bound(drawing.heads.begin(), drawing.heads.end(), arc.head) - drawing.heads.begin();
  const auto scale = static_cast<double>(ui.scale);
  const auto shift =
      static_cast<float>(arc_offset(k, std::ssize(drawing.heads), static_cast<double>(drawing.pitch) / scale) * scale);
  const float y0 = drawing.middle(arc.query) + shift, y1 = drawing.middle(arc.key) + shift;
  // Where the rows scroll, arcs between tokens that are both out of sight would only cross the picture.
  const float reach = drawing.pitch / 2;
  const auto seen = [&](float y) { return y > drawing.area.min.y - reach && y < drawing.area.max.y + reach; };
  if (!seen(y0) && !seen(y1)) return;
  const ArcStyle style = arc_style(static_cast<double>(arc.weight), tone, static_cast<double>(drawing.pitch) / scale);
  const ImU32 color = color32(head_color(arc.head), static_cast<float>(style.opacity));
  const float width = std::max(1.0f, static_cast<float>(style.width) * ui.scale);
  if (y0 == y1) {
    canvas().AddLine({drawing.left, y0}, {drawing.right, y1}, color, width);
    return;
  }
  const float middle = (drawing.left + drawing.right) / 2;
  const int parts = std::clamp(static_cast<int>(std::abs(y1 - y0) / ui.px(10)) + 6, 8, drawing.most_parts);
  canvas().AddBezierCubic({drawing.left, y0}, {middle, y0}, {middle, y1}, {drawing.right, y1}, color, width, parts);
}

// Weak arcs first. Those of the bright token come whole, also where the others are cut to the strongest.
void draw_arcs(Ui& ui, ArcsDrawing& drawing, const Bright& bright) {
  const ArcRequest all = request_of(ui, drawing);
  const Arcs& arcs = drawing.data.arcs(all);
  // Few arcs are drawn smoothly, many within what a frame of a software driver can take.
  drawing.most_parts = static_cast<int>(std::clamp<std::int64_t>(kMostPieces / (std::ssize(arcs.arcs) + 1), 8, 40));
  for (auto arc = arcs.arcs.rbegin(); arc != arcs.arcs.rend(); ++arc) {
    if (bright.any() && bright.touches(*arc)) continue;
    draw_arc(ui, drawing, *arc, bright.any() ? ArcTone::dim : ArcTone::plain);
  }
  if (!bright.any()) return;
  ArcRequest own = all;
  const auto narrowed = [](Range range, std::int64_t at) {
    return at >= range.begin && at < range.end ? Range{at, at + 1} : Range{at, at};
  };
  if (bright.query >= 0) own.queries = narrowed(own.queries, bright.query);
  if (bright.key >= 0) own.keys = narrowed(own.keys, bright.key);
  const Arcs& strong = drawing.data.arcs(own);
  drawing.most_parts = strong.arcs.size() <= 200 ? 40 : 12;
  for (auto arc = strong.arcs.rbegin(); arc != strong.arcs.rend(); ++arc) {
    draw_arc(ui, drawing, *arc, ArcTone::bright);
  }
}

// A token's box at one side: framed in its role's colour when it is chosen.
void draw_token(Ui& ui, const Rect& box, const std::string& index, const std::string& word, bool query, bool chosen,
                bool hovered) {
  const Rgba role = query ? ui.colors.query : ui.colors.key;
  const float radius = ui.px(size::radius_control);
  if (chosen) fill(box, ui.colors.tint, radius);
  if (hovered && !chosen) fill(box, ui.colors.hover, radius);
  if (chosen) outline(ui, box, role, 1.5f, radius);
  Rect words = inset(box, ui.px(8));
  words.min.y = box.min.y;
  words.max.y = box.max.y;
  if (!index.empty()) text_in(ui, words, Type::mono11, ui.colors.text3, index);
  if (!index.empty()) words.min.x += ui.px(30);
  text_in(ui, words, chosen ? Type::mono_bold12 : Type::mono12,
          chosen    ? role
          : hovered ? ui.colors.text
                    : ui.colors.text2,
          word, query ? 1 : 0);
}

void choose(Ui& ui, const ArcsDrawing& drawing, std::optional<std::int64_t> query, std::optional<std::int64_t> key) {
  ViewState& view = ui.session.view;
  Cell pair = drawing.focus.pair.value_or(Cell{0, 0});
  if (query) {
    // A click on the chosen one lets it go.
    if (drawing.focus.picked && pair.row == *query && !key) {
      view.cell.reset();
      return;
    }
    pair.row = *query;
    pair.column =
        strongest_key(drawing.data.trace(), drawing.focus.selection.batch, drawing.focus.selection.head, *query);
  }
  if (key) pair.column = *key;
  select_stage(view, StageId::weights);
  view.cell = pair;
}

void draw_side(Ui& ui, const ArcsDrawing& drawing, bool query, const Rect& side) {
  const std::vector<std::string>& names =
      query ? drawing.data.rows(StageId::weights) : drawing.data.columns(StageId::weights);
  const std::int64_t count = query ? drawing.queries : drawing.keys;
  const float box_height = std::min(drawing.pitch - 1, ui.px(24));
  const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(drawing.offset / drawing.pitch));
  const Hover& hover = ui.state.hover;
  for (std::int64_t i = first; i < count; ++i) {
    const float middle = drawing.middle(i);
    if (middle - box_height / 2 > drawing.area.max.y) break;
    const Rect box{{side.min.x, std::round(middle - box_height / 2)},
                   {side.max.x, std::round(middle - box_height / 2) + std::round(box_height)}};
    const Rect row{{side.min.x, middle - drawing.pitch / 2}, {side.max.x, middle + drawing.pitch / 2}};
    const std::string name = fmt::format("heads/{}/{}", query ? "query" : "key", i);
    const Interaction it = interact_mouse(ui, name, row, {}, false);
    const bool chosen = drawing.focus.pair && drawing.focus.picked &&
                        (query ? drawing.focus.pair->row : drawing.focus.pair->column) == i;
    if (it.hovered) (query ? ui.state.next_hover.query : ui.state.next_hover.key) = i;
    if (it.clicked) {
      ui.state.focus = "heads/lines";
      choose(ui, drawing, query ? std::optional(i) : std::nullopt, query ? std::nullopt : std::optional(i));
    }
    draw_token(ui, box, query ? std::to_string(i) : "", token_or_index(names, i), query, chosen,
               (query ? hover.query : hover.key) == i);
  }
}

// Up and Down walk through the queries, Left and Right through the keys; Home and End.
void read_keys(Ui& ui, const ArcsDrawing& drawing) {
  const Cell now = drawing.focus.pair.value_or(Cell{0, 0});
  const auto moved = [&](std::int64_t row) {
    if (row >= 0 && row < drawing.queries && !(drawing.focus.picked && row == now.row))
      choose(ui, drawing, row, std::nullopt);
  };
  if (ui.take_key(KeyName::up)) moved(now.row - 1);
  if (ui.take_key(KeyName::down)) moved(drawing.focus.picked ? now.row + 1 : now.row);
  if (ui.take_key(KeyName::home)) moved(0);
  if (ui.take_key(KeyName::end)) moved(drawing.queries - 1);
  const auto key = [&](std::int64_t column) {
    if (column >= 0 && column < drawing.keys) choose(ui, drawing, std::nullopt, column);
  };
  if (ui.take_key(KeyName::left)) key(now.column - 1);
  if (ui.take_key(KeyName::right)) key(now.column + 1);
  if (ui.take_key(KeyName::enter)) ui.state.focus = "inspector/neurons";
}

void draw_legend(Ui& ui, const ArcsDrawing& drawing, const Rect& area) {
  const Rect first{area.min, {area.max.x, area.min.y + ui.px(18)}};
  const Rect second{{area.min.x, first.max.y}, {area.max.x, first.max.y + ui.px(18)}};
  text_in(ui, first, Type::words12, ui.colors.text2,
          drawing.focus.picked ? "width and opacity: weight.  Bright: the chosen query.  Dim: all others."
                               : "width and opacity: weight.  Click a token: its lines stand out.");
  const std::string hidden = fully_masked_sentence(drawing.data.trace());
  if (!hidden.empty()) {
    draw_icon(ui, Icon::warning, {second.min.x + ui.px(6), std::round(second.center().y)}, ui.px(12), ui.colors.warn);
    text_in(ui, {{second.min.x + ui.px(16), second.min.y}, second.max}, Type::words11, ui.colors.text2, hidden);
    return;
  }
  const Arcs& arcs = drawing.data.arcs(request_of(ui, drawing));
  const auto listed = std::ssize(arcs.arcs);
  const double least = ui.session.view.arcs_hide_below;
  const std::string of = least > 0 ? fmt::format(" of at least {:.2f}", least) : std::string(" above 0");
  std::string count = fmt::format("{} link{}{}", grouped_digits(arcs.found), arcs.found == 1 ? "" : "s", of);
  if (arcs.found > listed) {
    count = fmt::format("the {} strongest of {} links{}", grouped_digits(listed), grouped_digits(arcs.found), of);
  } else if (drawing.heads.empty()) {
    count = "No head is shown: switch one on above.";
  } else if (arcs.found == 0) {
    count = fmt::format("No weight of these heads reaches {:.2f}: lower 'hide below'.", least);
  }
  const bool scrolls =
      drawing.pitch * static_cast<float>(std::max(drawing.queries, drawing.keys)) > drawing.area.height();
  if (scrolls && arcs.found > 0) count += ", drawn where an end is in sight";
  text_in(ui, second, Type::words11, ui.colors.text3, count);
  ui.mark("heads/links", second);
}

// A phrase whose weights are too many to go through while one types: it says so.
bool too_many(Ui& ui, const ArcsDrawing& drawing, const Rect& area) {
  const bool large = drawing.data.is_large(StageId::weights);
  const std::int64_t cells = drawing.data.trace().num_heads() * drawing.queries * drawing.keys;
  if (!large && cells <= kMostCells) return false;
  ui.mark("heads/too_many", area);
  paragraph(ui, inset(area, ui.px(size::panel_padding)), Type::words13, ui.colors.text2,
            fmt::format("Lines are drawn for up to {} weights of all heads; this phrase has {}. The grid shows it.",
                        grouped_digits(kMostCells), grouped_digits(cells)));
  return true;
}

// The row of the chosen query comes into sight when it changed.
void follow_choice(Ui& ui, const ArcsDrawing& drawing) {
  double& followed = ui.state.number["heads/lines/followed"];
  const double now = drawing.focus.picked && drawing.focus.pair ? static_cast<double>(drawing.focus.pair->row) + 1 : 0;
  if (followed == now) return;
  followed = now;
  if (now == 0) return;
  double& offset = ui.state.number["heads/lines/scroll"];
  const double top = (now - 1) * static_cast<double>(drawing.pitch), bottom = top + static_cast<double>(drawing.pitch);
  offset = std::min(top, std::max(offset, bottom - static_cast<double>(drawing.area.height())));
  ui.state.wants_frame = true;
}

}  // namespace

void draw_arcs_panel(Ui& ui, const Rect& area) {
  ui.mark("heads", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  const Trace& trace = data->trace();
  ArcsDrawing drawing{*data, arcs_focus(ui, *data), arcs_heads(ui.session.view, trace.num_heads()), {}, 0, 0, {}};
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  std::string fact = "query to key";
  if (trace.inputs->batch > 1)
    fact += fmt::format(", batch {} of {}", drawing.focus.selection.batch, trace.inputs->batch);
  Rect controls = panel_header(ui, header, "Lines", fact);
  const float top = std::round(controls.center().y - ui.px(12));
  controls = {{controls.min.x, top}, {controls.max.x, top + ui.px(size::control_height)}};
  draw_heads_show(ui, controls);
  read_arcs_keys(ui, *data);

  const float pad = ui.px(size::panel_padding);
  const float y = draw_arcs_controls(ui, *data, {{area.min.x + pad, header.max.y}, {area.max.x - pad, area.max.y}});
  drawing.queries = trace.query_len();
  drawing.keys = trace.key_len();
  const bool two_parts = second_part(trace).has_value();
  drawing.region = link_region(trace, two_parts ? ui.session.view.arcs_sentences : SentencePair::all);
  drawing.area = {{area.min.x + pad, y + ui.px(kHeadings)}, {area.max.x - pad, area.max.y - ui.px(kLegend)}};
  if (drawing.area.height() < ui.px(40) || drawing.queries == 0 || too_many(ui, drawing, {{area.min.x, y}, area.max}))
    return;

  const float longest = ui.px(130);
  // They are measured in the smaller type of axes.
  const auto words_width = [&](const std::vector<std::string>& names) {
    return std::ceil(std::max(labels_extent(ui, names, longest), ui.px(40)) * 12 / 11) + ui.px(4);
  };
  const float query_width = words_width(data->rows(StageId::weights)) + ui.px(46);
  const float key_width = words_width(data->columns(StageId::weights)) + ui.px(16);
  const std::int64_t rows = std::max(drawing.queries, drawing.keys);
  const float room = std::floor(drawing.area.height() / static_cast<float>(rows));
  drawing.pitch = std::clamp(room, ui.px(kLowestRow), ui.px(kTallestRow));
  const float content = drawing.pitch * static_cast<float>(rows);
  drawing.left = drawing.area.min.x + query_width + ui.px(6);
  drawing.right = drawing.area.max.x - key_width - ui.px(6);
  const Rect headings{{drawing.area.min.x, y}, {drawing.area.max.x, drawing.area.min.y}};
  text_in(ui, {headings.min, {drawing.left - ui.px(14), headings.max.y}}, Type::title12, ui.colors.query, "query", 1);
  text_in(ui, {{drawing.right + ui.px(14), headings.min.y}, headings.max}, Type::title12, ui.colors.key, "key");

  // The tokens at both sides are clicked one by one.
  const Interaction panel =
      interact_mouse(ui, "heads/lines", {{drawing.left, drawing.area.min.y}, {drawing.right, drawing.area.max.y}});
  follow_choice(ui, drawing);
  const Rect scrolled{{drawing.area.min.x, drawing.area.min.y}, {area.max.x, drawing.area.max.y}};
  drawing.offset = begin_scroll(ui, "heads/lines", scrolled, content > drawing.area.height() ? content : 0).offset;
  draw_arcs(ui, drawing, bright_of(ui, drawing));
  draw_side(ui, drawing, true,
            {{drawing.area.min.x, drawing.area.min.y}, {drawing.area.min.x + query_width, drawing.area.max.y}});
  draw_side(ui, drawing, false, {{drawing.area.max.x - key_width, drawing.area.min.y}, drawing.area.max});
  end_scroll(ui);
  if (panel.focused) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(drawing.area, ui.px(1)), ui.px(3));
    read_keys(ui, drawing);
  }
  draw_legend(ui, drawing, {{drawing.area.min.x, drawing.area.max.y + ui.px(4)}, {drawing.area.max.x, area.max.y}});
  ask_for_rest(ui);
}

}  // namespace headscope::ui
