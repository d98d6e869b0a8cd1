#include "app/ui/heads/head_thumbnail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

LayerHead place_of_head(const Ui& ui, std::int64_t head) {
  return {shown_layer(ui), head};
}

}  // namespace

std::optional<std::string> changed_words(const Ui& ui, const LayerHead& place) {
  if (is_off(ui, place)) return "off: context = 0";
  const auto held = held_as(ui, place);
  if (!held) return std::nullopt;
  return *held == FrozenHead::As::uniform ? "held uniform" : "held identity";
}

void choose_head(Ui& ui, const HeadsGrid& grid, std::int64_t head) {
  ui.session.view.head = head;
  // The inspector shows what was clicked.
  select_stage(ui.session.view, grid.selection.quantity);
}

namespace {

struct LabelLook {
  Type type{};
  Rgba color;
};

// The tokens of a label are the user's.
Words words_of(const LabelPiece& piece) {
  using Role = LabelPiece::Role;
  return piece.role == Role::query || piece.role == Role::key ? given(piece.text) : Words(piece.text);
}

// The pieces whose own words have room: all, without the score, or the score alone. Tokens may be cut.
std::vector<LabelPiece> fitting_pieces(Ui& ui, const LabelLook& look, std::vector<LabelPiece> pieces, float room) {
  using Role = LabelPiece::Role;
  const float space = std::ceil(text_width(ui, look.type, " "));
  const auto own_width = [&] {
    float width = 0;
    for (const LabelPiece& piece : pieces) {
      const bool token = piece.role == Role::query || piece.role == Role::key;
      width += space + (token ? 0 : std::ceil(text_width(ui, look.type, words_of(piece))) + 1);
    }
    return width;
  };
  if (own_width() <= room) return pieces;
  const std::vector<LabelPiece> all = pieces;
  std::erase_if(pieces, [](const LabelPiece& piece) { return piece.role == Role::score; });
  if (own_width() <= room) return pieces;
  pieces = all;
  std::erase_if(pieces, [](const LabelPiece& piece) { return piece.role != Role::score; });
  return own_width() <= room ? pieces : std::vector<LabelPiece>();
}

// Pieces beside each other, tokens in the colours of query and key. When room is short, tokens are cut, so that the
// score stays.
void draw_pieces_of_label(Ui& ui, const Rect& line, const LabelLook& look, const std::vector<LabelPiece>& pieces) {
  using Role = LabelPiece::Role;
  const float space = std::ceil(text_width(ui, look.type, " "));
  const auto is_fixed = [](const LabelPiece& piece) { return piece.role == Role::score || piece.text == "→"; };
  std::vector<float> widths;
  float room = line.width();
  std::size_t cut = 0;  // pieces that may be cut
  for (const LabelPiece& piece : pieces) {
    widths.push_back(std::ceil(text_width(ui, look.type, words_of(piece))) + 1);
    room -= space + (is_fixed(piece) ? widths.back() : 0);
    cut += is_fixed(piece) ? 0 : 1;
  }
  // What the narrow ones leave goes to the others.
  for (std::size_t left = cut, k = 0; k < pieces.size(); ++k) {
    if (is_fixed(pieces[k])) continue;
    float others = 0;
    for (std::size_t other = k + 1; other < pieces.size(); ++other) {
      if (!is_fixed(pieces[other])) others += widths[other];
    }
    const float share = std::max(room / static_cast<float>(left), room - others);
    widths[k] = std::clamp(widths[k], 0.0f, std::max(0.0f, share));
    room -= widths[k];
    --left;
  }
  Rect rest = line;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Role role = pieces[k].role;
    const Rgba color = role == Role::query ? ui.colors.query : role == Role::key ? ui.colors.key : look.color;
    text_in(ui, take_left(rest, std::min(widths[k], std::max(0.0f, rest.width())), space), look.type, color,
            words_of(pieces[k]));
  }
}

// The line above a thumbnail: square, number, pattern and its score; entropy at the right.
void draw_label(Ui& ui, HeadsGrid& grid, std::int64_t head, const Rect& line) {
  const bool selected = head == grid.selection.head;
  const HeadSummary* summary = grid.data.summary(grid.selection.batch, head);
  const std::string tip = std::string(summary != nullptr ? pattern_formula(summary->pattern) : "") +
                          " At the right: entropy, the mean over rows of −Σ w · log₂ w, in bits, "
                          "with a learned sink's share as one w more. " +
                          kHeadMenuHint;
  const Interaction mouse = interact_mouse(ui, head_name(head) + "/label", line, {true, false, tip.c_str()}, false);
  if (mouse.clicked) choose_head(ui, grid, head);
  if (mouse.right_clicked) open_head_menu(ui, place_of_head(ui, head));
  const float side = ui.px(10);
  const float top = std::round(line.center().y - side / 2);
  fill({{line.min.x, top}, {line.min.x + side, top + side}}, head_color(head));
  const std::string number = fmt::format("{}", head);
  const float number_width = text_width(ui, Type::mono_bold12, number);
  Rect rest{{line.min.x + ui.px(16), line.min.y}, line.max};
  text_in(ui, rest, Type::mono_bold12, ui.colors.text, number);
  rest.min.x += number_width + ui.px(7);
  const bool asked_for = grid.data.is_large(StageId::weights);  // read only when the user asks
  const std::string entropy = summary != nullptr ? number_label(summary->entropy_bits, 2) : asked_for ? "" : "…";
  const float entropy_width = text_width(ui, Type::mono11, entropy);
  if (rest.width() > entropy_width) {
    text_in(ui, rest, Type::mono11, ui.colors.text2, entropy, 1);
    rest.max.x -= entropy_width + ui.px(6);
  }
  if (rest.width() <= ui.px(16) || grid.in_strip) return;
  const LabelLook look{selected ? Type::title12 : Type::words12, selected ? ui.colors.text : ui.colors.text2};
  if (const auto changed = changed_words(ui, place_of_head(ui, head))) {
    text_in(ui, rest, look.type, look.color, *changed);
  } else {
    draw_pieces_of_label(ui, rest, look,
                         fitting_pieces(ui, look, grid.data.summary_pieces(grid.selection.batch, head), rest.width()));
  }
}

// The part that the inspector shows of this head when it is zoomed in.
void draw_seen_part(Ui& ui, const HeadsGrid& grid, const HeatmapView& view) {
  const Viewport& seen = ui.session.view.viewport;
  if (seen.fitted() || grid.selection.stage != grid.selection.quantity) return;
  const auto at = [&](double row, double column) {
    const auto inside = [](double value, float extent) {
      return static_cast<float>(std::clamp(std::round(value), 0.0, static_cast<double>(extent)));
    };
    return ImVec2{view.grid.area.min.x + inside(column * view.grid.cell_width, view.grid.area.width()),
                  view.grid.area.min.y + inside(row * view.grid.cell_height, view.grid.area.height())};
  };
  const Rect part{at(seen.row0, seen.column0), at(seen.row0 + seen.rows, seen.column0 + seen.columns)};
  if (part.width() < 2 || part.height() < 2) return;
  outline(ui, inset(part, -ui.px(1)), Rgba{0, 0, 0, 255}, 1);
  outline(ui, part, Rgba{255, 255, 255, 255}, 1);
}

void draw_frames(Ui& ui, HeadsGrid& grid, std::int64_t head, const HeatmapView& view) {
  const bool selected = head == grid.selection.head;
  const Hover& hover = ui.state.hover;
  const bool linked =
      grid.computed && hover.query >= 0 && hover.key >= 0 && hover.query < grid.rows && hover.key < grid.columns;
  if (linked && view.grid.cell_width >= 6) {
    draw_link_ring(ui, view.grid.cell_rect(hover.query, hover.key));
  } else if (grid.computed) {
    draw_linked(ui, grid.data, grid.selection.quantity, grid.selection.batch, head, view.grid);
  }
  if (selected) {
    if (grid.computed) draw_seen_part(ui, grid, view);
    if (grid.computed && grid.selection.cell && is_score_like(grid.selection.stage)) {
      draw_pick_frame(ui, view.grid.cell_rect(grid.selection.cell->row, grid.selection.cell->column), view.grid.area);
    }
    outline(ui, inset(view.grid.area, -ui.px(4)), ui.colors.accent, 2, ui.px(4));
  }
  if (is_off(ui, place_of_head(ui, head))) {
    const Rect frame = view.grid.area;
    outline(ui, frame, ui.colors.bad, 2);
    canvas().AddLine(frame.min, frame.max, color32(ui.colors.bad), ui.px(2));
    canvas().AddLine({frame.min.x, frame.max.y}, {frame.max.x, frame.min.y}, color32(ui.colors.bad), ui.px(2));
  }
}

}  // namespace

std::string head_name(std::int64_t head) {
  return fmt::format("heads/{}", head);
}

HeatmapView head_view(Ui& ui, HeadsGrid& grid, std::int64_t head, ImVec2 at) {
  const StageId quantity = grid.selection.quantity;
  const std::int64_t batch = grid.selection.batch;
  HeatmapView view;
  view.grid = grid.cells_at(at);
  view.matrix = grid.data.matrix(quantity, batch, head);
  view.mask = grid.data.mask(quantity);
  view.batch = batch;
  view.head = head;
  view.weight_like = is_weight_like(quantity);
  view.map = color_map_of(ui, view.weight_like);
  view.range = grid.data.range(ui.session.view, quantity, batch, head);
  view.large = large_map_of(grid.data, quantity, batch, head, ui.session.view.pooling);
  if (view.large) {
    // The inspector's comes first, then the selected head's.
    look_at_map(ui, *view.large, view.grid, view.grid, head == grid.selection.head ? 2 : 3);
  } else if (view.range.per_row)
    view.row_scale = &grid.data.row_scale(quantity, batch, head, view.map, view.range.log_scale);
  view.small_numbers = true;
  return view;
}

void read_head_keys(Ui& ui, HeadsGrid& grid) {
  const std::int64_t heads = grid.data.trace().num_heads();
  std::int64_t next = grid.selection.head;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const std::int64_t moved = next + step->column + step->row * grid.layout.columns;
    if (moved >= 0 && moved < heads) next = moved;
  } else if (ui.take_key(KeyName::home)) {
    next = 0;
  } else if (ui.take_key(KeyName::end)) {
    next = heads - 1;
  } else if (ui.take_key(KeyName::enter)) {
    choose_head(ui, grid, next);
    ui.state.focus = "inspector/picture";
  } else if (ui.take_key(KeyName::x)) {
    switch_head(ui, place_of_head(ui, next));
  }
  if (next != grid.selection.head) {
    choose_head(ui, grid, next);
    ui.state.focus = head_name(next);
  }
}

void draw_thumbnail(Ui& ui, HeadsGrid& grid, std::int64_t head, ImVec2 at) {
  const HeatmapView view = head_view(ui, grid, head, at);
  // A narrow thumbnail's label may use the gap beside it.
  const float beside = grid.layout.width < ui.px(150) ? std::max(0.0f, grid.layout.gap - ui.px(12)) : 0;
  const float label = std::min({grid.layout.width + beside, std::max(grid.layout.width, ui.px(190)),
                                std::max(grid.layout.width, grid.area.max.x - at.x)});
  draw_label(ui, grid, head, {{at.x, at.y - ui.px(kHeadLabel)}, {at.x + label, at.y}});
  const bool selected = head == grid.selection.head;
  const Interaction mouse = interact_mouse(ui, head_name(head), view.grid.area, {}, selected);
  if (selected) answer_head_menu(ui, place_of_head(ui, head), view.grid.area);
  draw_heatmap_view(ui, view);
  if (view.large) grid.seen.push_back(*view.large);
  if (mouse.hovered && !grid.computed) {
    if (mouse.clicked) choose_head(ui, grid, head);
    if (mouse.right_clicked) open_head_menu(ui, place_of_head(ui, head));
  } else if (mouse.hovered) {
    if (const std::optional<Cell> cell = shown_cell(ui, view, ImGui::GetIO().MousePos)) {
      ui.state.next_hover.query = cell->row;
      ui.state.next_hover.key = cell->column;
      ui.state.next_hover.head = head;
      ui.state.next_hover.cell =
          place_of(grid.data.trace(), grid.selection.quantity, grid.selection.batch, head, *cell);
      if (mouse.clicked) {
        choose_head(ui, grid, head);
        if (!grid.in_strip) ui.session.view.cell = cell;
        ui.state.focus = head_name(head);
      }
    }
    const std::optional<Cell> edited = mouse.double_clicked && !grid.in_strip ? ui.session.view.cell : std::nullopt;
    if (edited && view.grid.cell_width >= 4 && edited->row < grid.rows && edited->column < grid.columns) {
      edit_cell(ui, grid.data.trace(), grid.selection.quantity, {grid.selection.batch, head, *edited},
                view.grid.cell_rect(edited->row, edited->column));
    }
    if (mouse.right_clicked) open_head_menu(ui, place_of_head(ui, head));
  }
  if (grid.computed)
    draw_edited_corners(ui, grid.data.trace(), grid.selection.quantity, grid.selection.batch, head, view.grid);
  draw_frames(ui, grid, head, view);
  if (mouse.focused && selected) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(view.grid.area, -ui.px(4)), ui.px(6));
    read_head_keys(ui, grid);
  }
}

}  // namespace headscope::ui
