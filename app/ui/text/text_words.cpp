// The words on their colours: wrapped, scrolled, picked by mouse and keys. Only the visible lines are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text_weights_look.h"

namespace headscope::ui {
namespace {

constexpr float kPad = 6, kGap = 5, kWordsTitle = 22, kBetween = 10, kInset = 8;

// Heights of a line and of a word's box.
struct LineSizes {
  Type type;
  float box, pitch;
};

LineSizes sizes_of(const Ui& ui, const TextShown& shown) {
  if (shown.large) return {Type::words13, ui.px(24), ui.px(40)};
  return {Type::words16, ui.px(30), ui.px(50)};
}

// The text wrapped at `width`, as it was if nothing changed.
WrappedWords& wrapped(Ui& ui, const TextShown& shown, bool of_keys, float width, WrappedWords& text) {
  const bool known = text.version == shown.data.version() && text.of_keys == of_keys && text.width == width &&
                     text.scale == ui.scale && text.letters == ui.fonts.covered.size();
  if (known && !text.tokens.empty()) return text;
  const Type type = sizes_of(ui, shown).type;
  text = {shown.data.version(), of_keys, width, ui.scale, ui.fonts.covered.size(), {}, {}, {}};
  text.tokens = text_tokens(shown.data.trace(), of_keys);
  const WordLevels levels = word_levels(text.tokens);
  std::vector<FlowWord> words;
  for (std::size_t k = 0; k < text.tokens.size(); ++k) {
    const float own = std::ceil(text_width(ui, type, given(text.tokens[k].letters))) + 2 * ui.px(kPad);
    text.widths.push_back(std::min(own, width));
    words.push_back({static_cast<double>(text.widths.back()), text.tokens[k].joined, levels.levels[k]});
  }
  text.flow = text_flow(words, {static_cast<double>(width), static_cast<double>(ui.px(kGap)), levels.right_to_left});
  return text;
}

// One of the texts on screen.
struct Block {
  const WrappedWords& text;
  Rect area;      // the visible part
  float top = 0;  // of the first line
  bool shaded = true;
  float height(const LineSizes& sizes) const { return static_cast<float>(text.flow.lines.size()) * sizes.pitch; }
};

Rect box_of(const Block& block, const LineSizes& sizes, std::size_t k) {
  const FlowPlace& place = block.text.flow.places[k];
  const float x = std::round(block.area.min.x + static_cast<float>(place.x));
  const float y = std::round(block.top + static_cast<float>(place.line) * sizes.pitch);
  return {{x, y}, {x + block.text.widths[k], y + sizes.box}};
}

// Lines at 45 degrees in screen space, so that they join across words.
void hatch(Ui& ui, const Rect& rect) {
  fill(rect, ui.colors.well);
  const float spacing = ui.px(5), from = rect.min.x + rect.min.y, to = rect.max.x + rect.max.y;
  for (float sum = std::ceil(from / spacing) * spacing; sum < to; sum += spacing) {
    const float left = std::max(rect.min.x, sum - rect.max.y), right = std::min(rect.max.x, sum - rect.min.y);
    canvas().AddLine({left, sum - left}, {right, sum - right}, color32(ui.colors.hatch), std::max(1.0f, ui.px(1)));
  }
}

void draw_word(Ui& ui, const TextShown& shown, const Block& block, const LineSizes& sizes, std::size_t k) {
  const Rect box = box_of(block, sizes, k);
  const auto token = static_cast<std::int64_t>(k);
  ui.mark(fmt::format("text/{}/{}", block.shaded ? "word" : "other", k), box);
  const TextWeights* known = block.shaded ? shown.weights() : nullptr;
  Rgba ink = ui.colors.text;
  bool numbered = false;
  if (known != nullptr) {
    const WordLook look = word_look(known->values[k], known->hidden[k] != 0, word_colors(ui, *known));
    ink = look.ink;
    if (look.hatched) {
      hatch(ui, box);
    } else {
      fill(box, look.ground, block.text.tokens[k].joined ? 0 : ui.px(size::radius_inner));
    }
    numbered = std::find(known->strongest.begin(), known->strongest.end(), token) != known->strongest.end();
  } else {
    fill(box, ui.colors.raised, ui.px(size::radius_inner));
  }
  text_in(ui, box, sizes.type, ink, given(block.text.tokens[k].letters), 0.5f);
  const bool own = shown.one_text ? true : !block.shaded;
  const bool partner = block.shaded && shown.partner(ui) == token;
  const bool hovered = mouse_over(ui, box);
  if (hovered) outline(ui, box, ui.colors.text2, 1.5f, ui.px(size::radius_inner));
  if (partner) outline(ui, inset(box, -ui.px(2)), shown.partner_color(ui), 2, ui.px(size::radius_control));
  if (own && token == shown.request.token) {
    outline(ui, inset(box, partner ? ui.px(1) : -ui.px(2)), shown.own_color(ui), 2, ui.px(size::radius_control));
  }
  if (!numbered) return;
  const std::string number = cell_label(static_cast<double>(known->values[k]));
  const float half = std::ceil(text_width(ui, Type::mono11, number)) / 2 + 1;
  if (number.empty() || half * 2 > box.width() + ui.px(kGap)) return;
  text_in(ui, {{box.center().x - half, box.max.y + ui.px(1)}, {box.center().x + half, box.max.y + ui.px(17)}},
          Type::mono11, partner ? shown.partner_color(ui) : ui.colors.text2, number, 0.5f);
}

// The word under the mouse; -1: none.
std::int64_t word_at(const Block& block, const LineSizes& sizes, ImVec2 mouse) {
  if (mouse.y < block.top) return -1;
  const auto line = static_cast<std::size_t>((mouse.y - block.top) / sizes.pitch);
  if (line >= block.text.flow.lines.size()) return -1;
  for (std::size_t k = block.text.flow.lines[line]; k < block.text.flow.end_of(line); ++k) {
    if (box_of(block, sizes, k).contains(mouse)) return static_cast<std::int64_t>(k);
  }
  return -1;
}

void draw_block(Ui& ui, const TextShown& shown, const Block& block, const LineSizes& sizes, const Interaction& mouse) {
  const float above = block.area.min.y - block.top, below = block.area.max.y - block.top;
  const auto lines = static_cast<float>(block.text.flow.lines.size());
  const auto first = static_cast<std::size_t>(std::clamp(std::floor(above / sizes.pitch), 0.0f, lines));
  const auto end = static_cast<std::size_t>(std::clamp(std::ceil(below / sizes.pitch), 0.0f, lines));
  if (first >= end) return;
  for (std::size_t k = block.text.flow.lines[first]; k < block.text.flow.end_of(end - 1); ++k) {
    draw_word(ui, shown, block, sizes, k);
  }
  const std::int64_t at = mouse.hovered ? word_at(block, sizes, ImGui::GetIO().MousePos) : -1;
  if (at < 0) return;
  // Of one text a click picks the word, with Shift the pair's other end; of two each picks in its own.
  const bool partner = shown.one_text ? ui.shift_held : block.shaded;
  if (mouse.clicked) pick_word(ui, shown, at, partner);
  const bool is_key = shown.row == block.shaded;
  const std::int64_t other = block.shaded ? shown.request.token : -1;
  Hover& hover = ui.state.next_hover;
  hover.head = shown.selection.head;
  hover.query = is_key ? other : at;
  hover.key = is_key ? at : other;
}

// The nearest word of the line above or below.
std::int64_t beside(const WrappedWords& text, std::int64_t token, int lines) {
  const auto at = static_cast<std::size_t>(token);
  const auto line = static_cast<std::ptrdiff_t>(text.flow.places[at].line) + lines;
  if (line < 0 || line >= std::ssize(text.flow.lines)) return token;
  const double middle = text.flow.places[at].x + static_cast<double>(text.widths[at]) / 2;
  std::int64_t best = token;
  double least = 1e30;
  for (std::size_t k = text.flow.lines[static_cast<std::size_t>(line)];
       k < text.flow.end_of(static_cast<std::size_t>(line)); ++k) {
    const double off = std::abs(text.flow.places[k].x + static_cast<double>(text.widths[k]) / 2 - middle);
    if (off < least) {
      least = off;
      best = static_cast<std::int64_t>(k);
    }
  }
  return best;
}

// Arrows pick the word; with Shift the pair's other end.
void read_keys(Ui& ui, const TextShown& shown, const WrappedWords& of_own) {
  for (const bool partner : {false, true}) {
    const WrappedWords& text = partner ? ui.state.panels.get<TextPanelState>().shaded : of_own;
    const std::int64_t now = partner ? std::max<std::int64_t>(shown.partner(ui), 0) : shown.request.token;
    const auto last = std::ssize(text.tokens) - 1;
    if (now > last) continue;
    const auto pick = [&](KeyName key, std::int64_t to) {
      if (ui.take_key(key, false, partner)) pick_word(ui, shown, std::clamp<std::int64_t>(to, 0, last), partner);
    };
    pick(KeyName::left, now - 1);
    pick(KeyName::right, now + 1);
    pick(KeyName::up, beside(text, now, -1));
    pick(KeyName::down, beside(text, now, 1));
    pick(KeyName::home, 0);
    pick(KeyName::end, last);
  }
}

// Scrolls to the picked word when another one was picked.
void follow(Ui& ui, const TextShown& shown, const WrappedWords& text, const LineSizes& sizes, const Rect& area,
            float above) {
  TextPanelState& state = ui.state.panels.get<TextPanelState>();
  if (state.followed == shown.request.token) return;
  state.followed = shown.request.token;
  const auto at = static_cast<std::size_t>(shown.request.token);
  if (at >= text.flow.places.size()) return;
  const float top = above + static_cast<float>(text.flow.places[at].line) * sizes.pitch;
  double& offset = ui.state.panels.get<ScrollOffsets>().down["text"];
  if (static_cast<double>(top) < offset) offset = static_cast<double>(top);
  const auto lowest = static_cast<double>(top + sizes.pitch - area.height());
  if (offset < lowest) offset = lowest;
}

// Where the texts stand below each other, from the top of what is scrolled.
struct Columns {
  const WrappedWords *shaded = nullptr, *own = nullptr;
  float titles = 0, plain = 0, above = 0, height = 0;  // of a title; of the plain text; of the shaded one's first line
};

Columns columns_of(Ui& ui, const TextShown& shown, float width) {
  TextPanelState& state = ui.state.panels.get<TextPanelState>();
  const float inner = width - 2 * ui.px(kInset), pitch = sizes_of(ui, shown).pitch;
  Columns columns;
  columns.shaded = &wrapped(ui, shown, shown.row, inner, state.shaded);
  columns.own = shown.one_text ? columns.shaded : &wrapped(ui, shown, !shown.row, inner, state.plain);
  columns.above = ui.px(kInset);
  if (!shown.one_text) {
    columns.titles = ui.px(kWordsTitle);
    columns.plain = columns.titles + static_cast<float>(columns.own->flow.lines.size()) * pitch;
    columns.above += columns.plain + ui.px(kBetween) + columns.titles;
  }
  columns.height = columns.above + static_cast<float>(columns.shaded->flow.lines.size()) * pitch;
  return columns;
}

}  // namespace

float text_words_height(Ui& ui, const TextShown& shown, float width) {
  return columns_of(ui, shown, width).height;
}

void draw_text_words(Ui& ui, const TextShown& shown, const Rect& around) {
  const Rect area{{around.min.x + ui.px(kInset), around.min.y}, {around.max.x - ui.px(kInset), around.max.y}};
  const LineSizes sizes = sizes_of(ui, shown);
  const Columns columns = columns_of(ui, shown, around.width());
  const WrappedWords &shaded = *columns.shaded, *const own = columns.own;
  const float titles = columns.titles, plain = columns.plain, above = columns.above;
  follow(ui, shown, *own, sizes, area, shown.one_text ? above : titles);
  const Interaction mouse = interact_mouse(ui, kTextWords, around);
  const Rect scrolled{{around.min.x, area.min.y}, {around.max.x + ui.px(10), area.max.y}};
  const ScrollArea scroll = begin_scroll(ui, "text", scrolled, columns.height);
  const float top = area.min.y - scroll.offset;
  if (!shown.one_text) {
    text_in(ui, {{area.min.x, top}, {area.max.x, top + titles}}, Type::title12, shown.own_color(ui),
            shown.row ? "queries" : "keys");
    draw_block(ui, shown, {*own, area, top + titles, false}, sizes, mouse);
    const float second = top + plain + ui.px(kBetween);
    text_in(ui, {{area.min.x, second}, {area.max.x, second + titles}}, Type::title12, shown.partner_color(ui),
            shown.row ? "keys" : "queries");
  }
  draw_block(ui, shown, {shaded, area, top + above, true}, sizes, mouse);
  end_scroll(ui);
  if (!mouse.focused) return;
  if (ui.state.focus_by_keyboard) focus_ring(ui, inset(around, ui.px(2)), ui.px(3));
  read_keys(ui, shown, *own);
}

}  // namespace headscope::ui
