// The view 'arcs': the tokens at both sides, mouse and keys, and the sentences below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/arcs_drawing.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/shown_weights_data.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/heads/showing.h"

namespace headscope::ui {
namespace {

constexpr float kHeadings = 26, kLegend = 44, kTallestRow = 72, kLowestRow = 15;
constexpr std::int64_t kMostCells = std::int64_t{1} << 24;  // heads x queries x keys that a frame may go through

struct Token {
  std::string index;  // "": not said
  std::string word;
  bool query = false, chosen = false, hovered = false;
};

// A token's box at one side: framed in its role's colour when it is chosen.
void draw_token(Ui& ui, const Rect& box, const Token& token) {
  const Rgba role = token.query ? ui.colors.query : ui.colors.key;
  const float radius = ui.px(size::radius_control);
  if (token.chosen) fill(box, ui.colors.tint, radius);
  if (token.hovered && !token.chosen) fill(box, ui.colors.hover, radius);
  if (token.chosen) outline(ui, box, role, 1.5f, radius);
  Rect words = inset(box, ui.px(8));
  words.min.y = box.min.y;
  words.max.y = box.max.y;
  if (!token.index.empty()) text_in(ui, words, Type::mono11, ui.colors.text3, token.index);
  if (!token.index.empty()) words.min.x += ui.px(30);
  const Rgba ink = token.chosen ? role : token.hovered ? ui.colors.text : ui.colors.text2;
  text_in(ui, words, token.chosen ? Type::mono_bold12 : Type::mono12, ink, token.word, token.query ? 1 : 0);
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
    if (it.hovered && drawing.computed) (query ? ui.state.next_hover.query : ui.state.next_hover.key) = i;
    if (it.clicked && drawing.computed) {
      ui.state.focus = "heads/lines";
      choose(ui, drawing, query ? std::optional(i) : std::nullopt, query ? std::nullopt : std::optional(i));
    }
    draw_token(ui, box,
               {.index = query ? std::to_string(i) : std::string(),
                .word = token_or_index(names, i),
                .query = query,
                .chosen = chosen,
                .hovered = drawing.computed && (query ? hover.query : hover.key) == i});
  }
}

// Up and Down walk through the queries, Left and Right through the keys; Home and End.
void read_keys(Ui& ui, const ArcsDrawing& drawing) {
  if (!drawing.computed) return;
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

// "head 0, 6, 7": whose lines are drawn; of more than can be read, how many.
std::string heads_words(const std::vector<std::int64_t>& heads) {
  constexpr std::size_t kMostNamed = 12;
  if (heads.empty()) return "no head";
  if (heads.size() > kMostNamed) return fmt::format("{} heads", heads.size());
  return fmt::format("head {}", fmt::join(heads, ", "));
}

void draw_legend(Ui& ui, const ArcsDrawing& drawing, const Rect& area) {
  const Rect first{area.min, {area.max.x, area.min.y + ui.px(18)}};
  const Rect second{{area.min.x, first.max.y}, {area.max.x, first.max.y + ui.px(18)}};
  text_in(ui, first, Type::words12, ui.colors.text2,
          heads_words(drawing.heads) + (drawing.focus.picked
                                            ? "   width: weight.  Bright: the chosen query.  Dim: all others."
                                            : "   width: weight.  Click a token: its lines stand out."));
  const std::string otherwise = words_of_shown(ui, StageId::weights, shown_weights_data(ui, StageId::weights));
  if (!otherwise.empty()) {
    text_in(ui, second, Type::words11, ui.colors.text2, otherwise);
    ui.mark("heads/shown", second);
    return;
  }
  const std::string hidden = mask_sentence(drawing.data.trace());
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
  std::optional<std::int64_t>& followed = ui.state.panels.get<ArcsState>().followed;
  std::optional<std::int64_t> now;
  if (drawing.focus.picked && drawing.focus.pair) now = drawing.focus.pair->row;
  if (followed == now) return;
  followed = now;
  if (!now) return;
  double& offset = ui.state.panels.get<ScrollOffsets>().down["heads/lines"];
  const double top = static_cast<double>(*now) * static_cast<double>(drawing.pitch),
               bottom = top + static_cast<double>(drawing.pitch);
  offset = std::min(top, std::max(offset, bottom - static_cast<double>(drawing.area.height())));
  ui.state.wants_frame = true;
}

// Title, the segments grid | arcs | neurons, batch.
void draw_header(Ui& ui, const ArcsDrawing& drawing, const Rect& area) {
  const std::int64_t batches = drawing.data.trace().inputs->batch;
  std::string fact = "lines, query to key";
  if (batches > 1) fact += fmt::format(", batch {} of {}", drawing.focus.selection.batch, batches);
  text_in(ui, draw_heads_title(ui, area), Type::words12, ui.colors.text2, fact);
}

// Where the tokens stand at both sides, and the arcs between them. The sides are named in `headings`, above them.
struct Sides {
  Rect query, key;
};
Sides place_sides(Ui& ui, ArcsDrawing& drawing, const Rect& headings) {
  const float longest = ui.px(130);
  // They are measured in the smaller type of axes.
  const auto words_width = [&](const std::vector<std::string>& names) {
    return std::ceil(std::max(labels_extent(ui, names, longest), ui.px(40)) * 12 / 11) + ui.px(4);
  };
  const Rect& area = drawing.area;
  const float query_width = words_width(drawing.data.rows(StageId::weights)) + ui.px(46);
  const float key_width = words_width(drawing.data.columns(StageId::weights)) + ui.px(16);
  const float room = std::floor(area.height() / static_cast<float>(std::max(drawing.queries, drawing.keys)));
  drawing.pitch = std::clamp(room, ui.px(kLowestRow), ui.px(kTallestRow));
  drawing.left = area.min.x + query_width + ui.px(6);
  drawing.right = area.max.x - key_width - ui.px(6);
  text_in(ui, {headings.min, {drawing.left - ui.px(14), headings.max.y}}, Type::title12, ui.colors.query, "query", 1);
  text_in(ui, {{drawing.right + ui.px(14), headings.min.y}, headings.max}, Type::title12, ui.colors.key, "key");
  return {{area.min, {area.min.x + query_width, area.max.y}}, {{area.max.x - key_width, area.min.y}, area.max}};
}

}  // namespace

void draw_arcs_panel(Ui& ui, const Rect& area) {
  ui.mark("heads", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  PanelData* const shown = shown_weights_data(ui, StageId::weights);
  const bool computed = shown == nullptr || !showing_of(data->trace().request).changes_tokens();
  const ArcsFocus none{selection_of(ui.session.view, data->trace()), std::nullopt, false};
  if (shown != nullptr) data = shown;
  const Trace& trace = data->trace();
  ArcsDrawing drawing{.data = *data,
                      .focus = computed ? arcs_focus(ui, *data) : none,
                      .heads = arcs_heads(ui.session.view, trace.num_heads()),
                      .region = {},
                      .computed = computed,
                      .area = {}};
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  draw_header(ui, drawing, header);
  read_arcs_keys(ui, *data);

  const float pad = ui.px(size::panel_padding);
  const float y = draw_arcs_controls(ui, *data, {{area.min.x + pad, header.max.y}, {area.max.x - pad, area.max.y}});
  drawing.queries = trace.query_len();
  drawing.keys = trace.key_len();
  const bool two_parts = second_part(trace).has_value();
  drawing.region = arc_region(trace, two_parts ? ui.session.view.arcs_sentences : SentencePair::all);
  drawing.area = {{area.min.x + pad, y + ui.px(kHeadings)}, {area.max.x - pad, area.max.y - ui.px(kLegend)}};
  if (drawing.area.height() < ui.px(40) || drawing.queries == 0 || too_many(ui, drawing, {{area.min.x, y}, area.max}))
    return;
  const Sides sides = place_sides(ui, drawing, {{drawing.area.min.x, y}, {drawing.area.max.x, drawing.area.min.y}});

  // The tokens at both sides are clicked one by one.
  const Interaction panel =
      interact_mouse(ui, "heads/lines", {{drawing.left, drawing.area.min.y}, {drawing.right, drawing.area.max.y}});
  follow_choice(ui, drawing);
  const Rect scrolled{{drawing.area.min.x, drawing.area.min.y}, {area.max.x, drawing.area.max.y}};
  const float content = drawing.pitch * static_cast<float>(std::max(drawing.queries, drawing.keys));
  drawing.offset = begin_scroll(ui, "heads/lines", scrolled, content > drawing.area.height() ? content : 0).offset;
  draw_arcs(ui, drawing);
  draw_side(ui, drawing, true, sides.query);
  draw_side(ui, drawing, false, sides.key);
  end_scroll(ui);
  if (panel.focused) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(drawing.area, ui.px(1)), ui.px(3));
    read_keys(ui, drawing);
  }
  draw_legend(ui, drawing, {{drawing.area.min.x, drawing.area.max.y + ui.px(4)}, {drawing.area.max.x, area.max.y}});
  ask_for_rest(ui);
}

}  // namespace headscope::ui
