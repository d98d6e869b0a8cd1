// All heads of the layer in a row, each named by what it does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/heads/head_thumbnail.h"
#include "app/ui/heads/one_head.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/shown_weights_data.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/head_habit.h"

namespace headscope::ui {
namespace {

constexpr float kMapItem = 90, kNameItem = 132, kAroundName = 6 + 10 + 5 + 5 + 4 + 4, kNarrowName = 24,
                kWidestItem = 150, kName = 18;

// The first head in sight, and the one that was brought there.
struct StripState {
  std::int64_t first = 0;
  std::optional<std::int64_t> followed;
};

// Which heads stand in the row, and how far apart.
struct StripPlaces {
  Rect area;
  std::int64_t first = 0, count = 0;
  float pitch = 0;
  std::vector<float> own = {};  // where each begins, and the last one ends, when they are as wide as their names
  float begin_of(std::int64_t head) const {
    if (!own.empty()) return area.min.x + own[static_cast<std::size_t>(head)];
    return std::round(area.min.x + static_cast<float>(head - first) * pitch);
  }
};

// "after same", ".50"; of a head that does not do what it learned that alone.
std::pair<std::string, std::string> words_of(const Ui& ui, HeadsGrid& grid, std::int64_t head) {
  const LayerHead place{shown_layer(ui), head};
  if (is_off(ui, place)) return {"off", ""};
  if (const auto changed = changed_words(ui, place)) return {*changed, ""};
  const HeadHabit* known = grid.data.habit(grid.selection.batch, head);
  if (known == nullptr) return {grid.data.is_large(StageId::weights) ? "" : "…", ""};
  std::string share = known->habit == Habit::mixed ? "" : fmt::format("{:.2f}", known->share);
  if (share.starts_with("0.")) share.erase(0, 1);
  return {habit_word(known->habit), share};
}

std::string tip_of(HeadsGrid& grid, std::int64_t head) {
  const HeadHabit* known = grid.data.habit(grid.selection.batch, head);
  const std::string habit = known != nullptr ? std::string(habit_sentence(known->habit)) + " " : "";
  return habit + "Shows this head large. " + kHeadMenuHint;
}

void draw_name(Ui& ui, HeadsGrid& grid, std::int64_t head, Rect line) {
  const bool selected = head == grid.selection.head;
  const auto [word, share] = words_of(ui, grid, head);
  const Type type = selected ? Type::title12 : Type::words12;
  const Rgba ink = selected ? ui.colors.text : ui.colors.text2;
  const float share_width = share.empty() ? 0 : std::ceil(text_width(ui, Type::mono11, share)) + 1;
  const float width = std::ceil(text_width(ui, type, word)) + 1;
  const float gap = share.empty() ? 0 : ui.px(5);
  if (width <= line.width()) text_in(ui, take_left(line, width, gap), type, ink, word);
  if (!share.empty() && share_width <= line.width()) {
    text_in(ui, take_left(line, share_width, 0), selected ? Type::mono_bold11 : Type::mono11, ink, share);
  }
}

// The buttons to the heads on both sides, and which are seen; returns what is left.
Rect draw_turns(Ui& ui, StripState& state, const StripPlaces& places, std::int64_t heads, Rect line) {
  const float side = ui.px(size::control_height);
  const Rect row = take_right(line, 2 * side + ui.px(2), ui.px(8));
  const float top = std::round(row.center().y - side / 2);
  const Rect left{{row.min.x, top}, {row.min.x + side, top + side}};
  const Rect right{{row.max.x - side, top}, {row.max.x, top + side}};
  const std::int64_t last = places.first + places.count;
  const std::string tip = fmt::format("Heads {} to {} of {} are in sight.", places.first, last - 1, heads);
  if (icon_button(ui, "heads/strip/back", left, Icon::chevron_left, {places.first > 0, false, tip.c_str()})) {
    state.first -= places.count;
  }
  if (icon_button(ui, "heads/strip/forward", right, Icon::chevron_right, {last < heads, false, tip.c_str()})) {
    state.first += places.count;
  }
  return line;
}

StripPlaces places_of(Ui& ui, std::int64_t heads, std::int64_t selected, const Rect& area, float item) {
  StripState& state = ui.state.panels.get<StripState>();
  StripPlaces places{area};
  const auto fitting = [&](float width) { return std::max<std::int64_t>(1, static_cast<std::int64_t>(width / item)); };
  places.count = std::min(heads, fitting(area.width()));
  if (places.count < heads) {
    places.count = std::min(heads, fitting(area.width() - 2 * ui.px(size::control_height) - ui.px(10)));
    if (state.followed != selected) {
      // By whatever control it was picked.
      if (selected < state.first) state.first = selected;
      if (selected >= state.first + places.count) state.first = selected - places.count + 1;
    }
    places.first = state.first = std::clamp<std::int64_t>(state.first, 0, heads - places.count);
    places.area = draw_turns(ui, state, places, heads, area);
    places.first = state.first = std::clamp<std::int64_t>(state.first, 0, heads - places.count);
  }
  state.followed = selected;
  places.pitch = std::min(places.area.width() / static_cast<float>(places.count), ui.px(kWidestItem));
  return places;
}

// How wide the item of a name is, and where it begins when all stand in one row: what lies around its words is the
// square, the number and the padding.
std::vector<float> name_places(Ui& ui, HeadsGrid& grid, std::int64_t heads) {
  std::vector<float> begins = {0};
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto [word, share] = words_of(ui, grid, head);
    const bool selected = head == grid.selection.head;
    const auto width = [&](Type type, const std::string& words) { return std::ceil(text_width(ui, type, words)) + 1; };
    const float number = width(Type::mono_bold12, fmt::format("{}", head));
    const float behind = share.empty() ? 0 : ui.px(5) + width(selected ? Type::mono_bold11 : Type::mono11, share);
    const float words = width(selected ? Type::title12 : Type::words12, word);
    begins.push_back(begins.back() + words + number + behind + ui.px(kAroundName));
  }
  return begins;
}

void draw_map_item(Ui& ui, HeadsGrid& grid, std::int64_t head, ImVec2 at, float pitch) {
  const ImVec2 corner{at.x + ui.px(4), at.y + ui.px(kHeadLabel)};
  draw_thumbnail(ui, grid, head, corner);
  const float top = corner.y + grid.layout.height + ui.px(5);
  draw_name(ui, grid, head, {{corner.x, top}, {at.x + pitch - ui.px(2), top + ui.px(kName)}});
}

void draw_name_item(Ui& ui, HeadsGrid& grid, std::int64_t head, const Rect& place) {
  const bool selected = head == grid.selection.head;
  const std::string tip = tip_of(grid, head);
  const Interaction mouse = interact_mouse(ui, head_name(head), place, {true, false, tip.c_str()}, selected);
  if (mouse.clicked) {
    choose_head(ui, grid, head);
    ui.state.focus = head_name(head);
  }
  if (mouse.right_clicked) open_head_menu(ui, {shown_layer(ui), head});
  if (selected) {
    answer_head_menu(ui, {shown_layer(ui), head}, place);
    fill(place, ui.colors.tint, ui.px(size::radius_control));
    outline(ui, place, ui.colors.accent, 1.5f, ui.px(size::radius_control));
  } else if (mouse.hovered) {
    fill(place, ui.colors.hover, ui.px(size::radius_control));
  }
  Rect line{{place.min.x + ui.px(6), place.min.y}, {place.max.x - ui.px(4), place.max.y}};
  const float side = ui.px(10), top = std::round(line.center().y - side / 2);
  const Rect square = take_left(line, side, ui.px(5));
  fill({{square.min.x, top}, {square.max.x, top + side}}, head_color(head));
  const std::string number = fmt::format("{}", head);
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::mono_bold12, number)) + 1, ui.px(5)), Type::mono_bold12,
          ui.colors.text, number);
  if (line.width() > ui.px(kNarrowName)) draw_name(ui, grid, head, line);
  if (mouse.focused && selected) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, place, ui.px(size::radius_control));
    read_head_keys(ui, grid);
  }
}

// The title, how heads are shown, and below what the maps are of; returns what is left for the heads.
Rect draw_title(Ui& ui, const HeadsGrid& grid, const Rect& area, bool names_only) {
  const float width = ui.px(size::panel_padding) + ui.px(60) + ui.px(kHeadsShowWidth);
  const float line = names_only ? area.height() : ui.px(size::panel_header);
  draw_heads_title(ui, {area.min, {area.min.x + width + ui.px(30), area.min.y + line}});
  const float left = area.min.x + width + ui.px(names_only ? 14 : 24);
  if (!names_only) {
    const Trace& trace = grid.data.trace();
    const std::string of = trace.model != nullptr
                               ? fmt::format("The {} heads of layer {}.", trace.num_heads(), trace.model->layer)
                               : fmt::format("The {} heads.", trace.num_heads());
    const std::string words = fmt::format(
        "{} Below each: what it mostly looks at, and with what share. At the right above: entropy in bits.", of);
    paragraph(ui, {{area.min.x + ui.px(size::panel_padding), area.min.y + line}, {left - ui.px(24), area.max.y}},
              Type::words12, ui.colors.text2, words);
  }
  return {{left, area.min.y}, {area.max.x - ui.px(size::panel_padding), area.max.y}};
}

}  // namespace

void draw_head_strip(Ui& ui, PanelData& data, const Rect& area, bool names_only) {
  ui.mark("heads", area);
  const Trace& trace = data.trace();
  if (trace.find(StageId::weights) == nullptr || trace.num_heads() == 0) return;
  const Selection selection = selection_of(ui.session.view, trace);
  PanelData* const shown = shown_weights_data(ui, selection.quantity);
  HeadsGrid grid{.data = shown != nullptr ? *shown : data,
                 .selection = selection,
                 .layout = {},
                 .area = {},
                 .in_strip = true,
                 .computed = shown == nullptr,
                 .seen = {}};
  const Rect row = draw_title(ui, grid, area, names_only);
  const Tensor& first = grid.data.matrix(selection.quantity, selection.batch, 0);
  grid.rows = first.dim(0);
  grid.columns = first.dim(1);
  if (grid.rows == 0 || grid.columns == 0) return;
  grid.large = grid.data.is_large(selection.quantity);
  StripPlaces places{row, 0, trace.num_heads(), 0};
  if (names_only) places.own = name_places(ui, grid, trace.num_heads());
  if (places.own.empty() || places.own.back() > row.width()) {
    places = places_of(ui, trace.num_heads(), selection.head, row, ui.px(names_only ? kNameItem : kMapItem));
  }
  const float side = area.height() - ui.px(kHeadLabel) - ui.px(kName) - ui.px(14);
  const CellGrid fitted =
      fitted_square({0, 0}, std::min(side, places.pitch - ui.px(14)), side, grid.rows, grid.columns);
  grid.area = {row.min, {places.area.max.x, row.max.y}};
  grid.layout.columns = static_cast<int>(trace.num_heads());
  grid.layout.width = fitted.area.width();
  grid.layout.height = fitted.area.height();
  for (std::int64_t head = 0; head < trace.num_heads(); ++head) {
    if (head < places.first || head >= places.first + places.count) {
      // Out of sight, but the selected one keeps its place in the Tab order.
      if (head == selection.head && interact_mouse(ui, head_name(head), {row.min, row.min}).focused) {
        read_head_keys(ui, grid);
      }
    } else if (names_only) {
      const float top = std::round(row.center().y - ui.px(13)), begin = places.begin_of(head);
      const float end = places.own.empty() ? begin + places.pitch : places.begin_of(head + 1);
      draw_name_item(ui, grid, head, {{begin, top}, {end - ui.px(4), top + ui.px(26)}});
    } else {
      draw_map_item(ui, grid, head, {places.begin_of(head), row.min.y + ui.px(2)}, places.pitch);
    }
  }
}

}  // namespace headscope::ui
