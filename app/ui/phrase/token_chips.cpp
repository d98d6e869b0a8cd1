#include "app/ui/phrase/token_chips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/session/session.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/shown_name.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/request/model_kind.h"

namespace headscope::ui {
namespace {

constexpr float kChipGap = 4;

// How far a row is scrolled.
struct ChipsPlace {
  std::int64_t first = 0;    // the chip at the left
  std::int64_t picked = -1;  // the token that was picked in the last frame; -1: none
  std::int64_t edited = -1;  // that had the caret then; -1: none
};
struct ChipsState {
  std::map<std::string, ChipsPlace> by_name;
};

struct Row {
  const std::string& name;
  Rect area;
  const ChipRow& chips;
  TokenSide side;
  std::int64_t edited = -1;           // the one with the caret; -1: none
  std::int64_t query = -1, key = -1;  // marked; -1: none
  Interaction mouse;

  std::int64_t count() const { return std::ssize(*chips.tokens); }
  std::int64_t inside(std::int64_t at) const {
    return std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(0, count() - 1));
  }
};

struct Chip {
  std::string index;
  std::string token;
  bool is_query = false, is_key = false, hovered = false;
  bool unknown = false;  // the vocabulary does not have it
};

void pick(Ui& ui, std::int64_t index, bool as_key) {
  ViewState& view = ui.session.view;
  Cell cell = view.cell.value_or(Cell{0, 0});
  (as_key ? cell.column : cell.row) = index;
  view.cell = cell;
}

// The token gives way to [MASK], in a model that fills such gaps.
void mask_token(Ui& ui, std::int64_t index) {
  const auto trace = ui.session.trace();
  Request& draft = ui.session.draft;
  if (trace == nullptr || trace->request.phrase != draft.phrase ||
      trace->request.second_phrase != draft.second_phrase) {
    return;
  }
  const bool second = draft.second_phrase && index >= trace->inputs->second_begin;
  std::string& phrase = second ? *draft.second_phrase : draft.phrase;
  const std::string masked = masked_phrase(*trace, phrase, index);
  if (masked.empty()) return;
  ui.session.end_undo_step();
  phrase = masked;
}

float chip_width(Ui& ui, const std::string& index, std::string_view token) {
  return std::ceil(text_width(ui, Type::mono11, index) +
                   std::min(text_width(ui, Type::mono12, given(token)), ui.px(160)) + ui.px(21));
}

void draw_chip(Ui& ui, const Rect& place, const Chip& chip) {
  const Palette& c = ui.colors;
  const bool marked = chip.is_query || chip.is_key;
  const float radius = ui.px(size::radius_control);
  fill(place, marked ? c.tint : chip.hovered ? c.hover : c.raised, radius);
  outline(ui, place, chip.is_query ? c.query : chip.is_key ? c.key : c.line, marked ? 1.5f : 1, radius);
  Rect words{{place.min.x + ui.px(7), place.min.y}, {place.max.x - ui.px(5), place.max.y}};
  const float index_width = std::ceil(text_width(ui, Type::mono11, chip.index));
  text_in(ui, take_left(words, index_width + 1, ui.px(6)), Type::mono11, c.text3, chip.index);
  const Rgba ink = chip.is_key ? c.key : chip.is_query ? c.query : chip.unknown ? c.warn : c.text;
  text_in(ui, words, Type::mono12, ink, given(chip.token));
}

const char* tip_of(TokenSide side, bool can_mask) {
  if (side == TokenSide::none) return "The attention that is shown has no rows or columns of these tokens.";
  if (side == TokenSide::key) return "Click picks the key: the column of every map.";
  return can_mask ? "Click picks the query (row), right click the key (column); a double click masks the token."
                  : "Click picks the query (row), right click the key (column); arrows and Shift+arrows too.";
}

// The wheel moves three chips a notch.
std::int64_t turned(Ui& ui, const Row& row, std::int64_t first) {
  ImGuiIO& io = ImGui::GetIO();
  if ((io.MouseWheel == 0 && io.MouseWheelH == 0) || !mouse_over(ui, row.area)) return first;
  const float turn = io.MouseWheel - io.MouseWheelH;
  io.MouseWheel = io.MouseWheelH = 0;
  return row.inside(first - static_cast<std::int64_t>(std::round(turn * 3)));
}

// Arrows pick the query, with Shift the key.
void read_keys(Ui& ui, const Row& row) {
  if (row.side == TokenSide::none) return;
  for (const bool shift : {false, true}) {
    const bool as_key = row.side == TokenSide::key || (shift && row.side == TokenSide::both);
    std::int64_t at = as_key ? row.key : row.query;
    const std::int64_t before = at;
    if (ui.take_key(KeyName::right, false, shift)) at = std::min(row.count() - 1, at + 1);
    if (ui.take_key(KeyName::left, false, shift)) at = std::max<std::int64_t>(0, at - 1);
    if (at != before && row.count() > 0) pick(ui, at, as_key);
  }
}

// The room at the right for how many more there are.
float more_room(const Ui& ui) {
  return ui.px(84);
}

// Said at the left of the chips before `first`; "" where there are none.
std::string before_words(std::int64_t first) {
  return first > 0 ? fmt::format("{} \xE2\x80\xB9", first) : "";
}

float before_room(Ui& ui, std::int64_t first) {
  return first > 0 ? std::ceil(text_width(ui, Type::words12, before_words(first))) + ui.px(8) : 0;
}

// How far the chips up to `last` reach from where the row begins, and whether that is all that there is.
float room_up_to(const Ui& ui, const Row& row, std::int64_t last) {
  return row.area.width() - (last + 1 < row.count() ? more_room(ui) : 0);
}

// The leftmost chip from which on those up to `last` are in view: `last` itself where no other has room beside it.
std::int64_t first_with(Ui& ui, const Row& row, std::int64_t last) {
  const float room = room_up_to(ui, row, last);
  std::int64_t first = last;
  float used = -ui.px(kChipGap);
  for (std::int64_t at = last; at >= 0; --at) {
    used += chip_width(ui, std::to_string(at), row.chips.piece(at)) + ui.px(kChipGap);
    if (used > room) break;
    if (before_room(ui, at) + used <= room) first = at;
  }
  return first;
}

// The chip at the left: a token that is newly picked, or that the caret comes to, is in view, and the row is never
// scrolled further than its last token needs, so that no room stays empty while tokens are out of sight.
std::int64_t revealing(Ui& ui, const Row& row, ChipsPlace& place, std::int64_t first) {
  if (row.count() == 0) return 0;
  const std::optional<Cell>& cell = ui.session.view.cell;
  const std::int64_t picked = !cell || row.side == TokenSide::none ? -1
                              : row.side == TokenSide::key         ? cell->column
                                                                   : cell->row;
  const bool is_picked = picked != place.picked && picked >= 0;
  // A caret that comes into the box scrolls nothing, one that moves in it does.
  const bool is_edited = row.edited != place.edited && place.edited >= 0 && row.edited >= 0;
  const std::int64_t shown = is_picked ? picked : is_edited ? row.edited : -1;
  place.picked = picked;
  place.edited = row.edited;
  if (shown >= 0 && shown < row.count()) {
    first = shown < first ? shown : std::max(first, first_with(ui, row, shown));
  }
  return std::min(first, first_with(ui, row, row.count() - 1));
}

void read_chip_mouse(Ui& ui, const Row& row, std::int64_t i) {
  if (row.side == TokenSide::none) return;
  const bool as_key = row.side == TokenSide::key || (row.side == TokenSide::both && ui.shift_held);
  (as_key ? ui.state.next_hover.key : ui.state.next_hover.query) = i;
  if (row.mouse.clicked) pick(ui, i, as_key);
  if (row.mouse.right_clicked) pick(ui, i, row.side != TokenSide::query);
  if (row.mouse.double_clicked && row.chips.can_mask) mask_token(ui, i);
}

// From the chip `first` on, as many as have room; and how many there are before and behind.
void draw_row(Ui& ui, const Row& row, std::int64_t first) {
  const Rect& area = row.area;
  const std::int64_t count = row.count();
  float x = area.min.x;
  if (first > 0) {
    const float w = before_room(ui, first);
    text_in(ui, {{x, area.min.y}, {x + w, area.max.y}}, Type::words12, ui.colors.text3, before_words(first));
    x += w;
  }
  const bool all = first == first_with(ui, row, count - 1);  // then nothing is said of more
  std::int64_t i = first;
  for (; i < count; ++i) {
    Chip chip{std::to_string(i), row.chips.piece(i), i == row.query, i == row.key};
    const float w = chip_width(ui, chip.index, chip.token);
    const float room = area.max.x - (i + 1 < count && !all ? more_room(ui) : 0);
    if (x + w > room && i > first) break;
    const Rect place{{x, area.min.y}, {std::min(x + w, area.max.x), area.max.y}};
    x += w + ui.px(kChipGap);
    ui.mark(row.name + "/" + chip.index, place);
    chip.hovered = row.mouse.hovered && place.contains(ImGui::GetIO().MousePos);
    chip.unknown = std::binary_search(row.chips.fact.unknown.begin(), row.chips.fact.unknown.end(), i);
    draw_chip(ui, place, chip);
    if (chip.hovered) read_chip_mouse(ui, row, i);
  }
  if (i < count) {
    text_in(ui, {{x + ui.px(4), area.min.y}, area.max}, Type::words12, ui.colors.text3,
            fmt::format("+ {} more", count - i));
  }
}

}  // namespace

std::string ChipRow::piece(std::int64_t index) const {
  const std::string token = shown_name((*tokens)[static_cast<std::size_t>(index)]);
  return by_pieces ? visible_piece(token) : token;
}

ChipRow chip_row(const Trace* trace, const std::vector<std::string>& tokens) {
  ChipRow chips{&tokens, {}, false, false};
  if (trace == nullptr) {
    chips.fact.words = fmt::format("{} tokens", grouped_digits(std::ssize(tokens)));
    return chips;
  }
  chips.fact = tokens_fact(*trace);
  const auto tokenizer = tokenizer_of(*trace);
  if (tokenizer == nullptr) return chips;
  chips.by_pieces = true;
  chips.can_mask = tokenizer->special().mask.has_value();
  return chips;
}

void draw_chips(Ui& ui, const std::string& name, const Rect& area, const ChipRow& chips, const ChipsOf& of) {
  const TokenSide side = of.side;
  Row row{name, area, chips, side, of.edited, -1, -1, {}};
  if (side == TokenSide::query || side == TokenSide::both) row.query = marked_tokens(ui).query;
  if (side == TokenSide::key || side == TokenSide::both) row.key = marked_tokens(ui).key;
  const std::int64_t over = std::max(ui.state.hover.query, ui.state.hover.key);
  const std::string tip = byte_fact(*chips.tokens, over) + tip_of(side, chips.can_mask);
  row.mouse = interact_mouse(ui, name, area, {true, false, tip.c_str()});
  ChipsPlace& place = ui.state.panels.get<ChipsState>().by_name[name];
  const std::int64_t first = turned(ui, row, row.inside(place.first));
  if (row.mouse.focused) read_keys(ui, row);
  place.first = revealing(ui, row, place, first);
  draw_row(ui, row, place.first);
  if (row.mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, area, ui.px(size::radius_control));
}

void draw_tokens_fact(Ui& ui, Rect& line, const std::string& label, const Problem* problem, bool warns) {
  const std::string& words = problem != nullptr ? problem->title : label;
  const float width = std::min(std::ceil(text_width(ui, Type::words12, words)) + 1, line.width() * 0.6f);
  const Rect place = take_right(line, width, ui.px(14));
  const Rgba ink = problem != nullptr ? ui.colors.bad : warns ? ui.colors.warn : ui.colors.text2;
  text_in(ui, place, Type::words12, ink, words, 1);
  if (problem == nullptr) interact_mouse(ui, "tokens_fact", place, {}, false);
  if (problem != nullptr || warns) {
    draw_icon(ui, Icon::warning, {place.min.x - ui.px(12), std::round(place.center().y)}, ui.px(13), ink);
    line.max.x -= ui.px(18);
  }
}

std::int64_t edited_token(const Ui& ui, const std::string& name, const std::vector<Range>* cuts) {
  const auto edit = ui.state.edits.find(name);
  if (cuts == nullptr || ui.state.focus != name || edit == ui.state.edits.end()) return -1;
  const auto caret = static_cast<std::int64_t>(edit->second.caret);
  const auto behind = std::upper_bound(cuts->begin(), cuts->end(), caret,
                                       [](std::int64_t at, const Range& cut) { return at < cut.begin; });
  return behind - cuts->begin() - 1;
}

void draw_tokens_below(Ui& ui, const TokensBelow& row) {
  const auto trace = ui.session.trace();
  ChipRow chips = chip_row(trace.get(), row.tokens);
  if (row.side == TokenSide::key) {
    const bool captured = runs_capture(ui.session.draft);
    const char* words = runs_checkpoint(ui.session.draft) ? "tokens" : "tokens, split on blanks";
    chips.fact.words = fmt::format("{} {}", grouped_digits(std::ssize(row.tokens)), captured ? "keys" : words);
  }
  const std::string& label = chips.fact.words;
  Rect line = row.line;
  for (const Rect& grown : ui.state.covered) {
    if (grown.min.x != row.box.min.x || grown.min.y != row.box.min.y) continue;
    line.min.x = grown.max.x + ui.px(8);
    const std::string count = label.substr(0, label.find(','));
    if (line.width() > ui.px(40)) text_in(ui, line, Type::words12, ui.colors.text2, count, 1);
    return;
  }
  draw_tokens_fact(ui, line, label, row.problem, !chips.fact.unknown.empty());
  if (line.width() > ui.px(40)) draw_chips(ui, row.name + "/tokens", line, chips, {row.side, row.edited});
}

}  // namespace headscope::ui
