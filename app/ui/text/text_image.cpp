// The image whose patches are the tokens, under their weights: of the chosen heads together, and of each by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/text/text_panel.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/patch_picture.h"

namespace headscope::ui {
namespace {

constexpr float kLeading = 46, kChip = 24, kGap = 18, kName = 18, kLargestSmall = 320, kLeastSmall = 56, kNumbered = 30;
constexpr float kLargestImage = 640;  // pixels of a painted picture; a larger one is stretched

// A picture on screen, and which tokens lie where in it.
struct Placed {
  const ImagePatches& patches;
  Rect rect;

  Rect patch(std::int64_t token) const {
    const std::int64_t at = token - patches.leading;
    const auto edge = [](float from, float extent, std::int64_t k, std::int64_t parts) {
      return std::round(from + extent * static_cast<float>(k) / static_cast<float>(parts));
    };
    const std::int64_t row = at / patches.grid.columns, column = at % patches.grid.columns;
    return {{edge(rect.min.x, rect.width(), column, patches.grid.columns),
             edge(rect.min.y, rect.height(), row, patches.grid.rows)},
            {edge(rect.min.x, rect.width(), column + 1, patches.grid.columns),
             edge(rect.min.y, rect.height(), row + 1, patches.grid.rows)}};
  }
  std::int64_t token_at(ImVec2 mouse) const {
    const auto part = [](float from, float extent, float at, std::int64_t parts) {
      const auto k = static_cast<std::int64_t>((at - from) / extent * static_cast<float>(parts));
      return std::clamp<std::int64_t>(k, 0, parts - 1);
    };
    return patches.leading + part(rect.min.y, rect.height(), mouse.y, patches.grid.rows) * patches.grid.columns +
           part(rect.min.x, rect.width(), mouse.x, patches.grid.columns);
  }
};

// The largest rectangle of the image's shape at the upper left of `room`, in whole pixels.
Rect fitted(const ImageGrid& grid, const Rect& room) {
  const float cell =
      std::min(room.width() / static_cast<float>(grid.columns), room.height() / static_cast<float>(grid.rows));
  const float left = std::round(room.min.x), top = std::round(room.min.y);
  return {{left, top},
          {left + std::max(1.0f, std::floor(cell * static_cast<float>(grid.columns))),
           top + std::max(1.0f, std::floor(cell * static_cast<float>(grid.rows)))}};
}

// Numbers that change with anything that a painted picture depends on.
class Version {
 public:
  template <typename T>
  Version& with(const T& value) {
    seed_ ^= std::hash<T>{}(value) + 0x9e3779b97f4a7c15u + (seed_ << 6) + (seed_ >> 2);
    return *this;
  }
  std::uint64_t number() const { return seed_; }

 private:
  std::uint64_t seed_ = 1;
};

// Draws the weights of one head, or of the chosen ones together (-1).
void draw_painted(Ui& ui, const TextShown& shown, const Placed& placed, std::int64_t head) {
  const TextWeights& known = *shown.weights();
  const ValueRange range = head < 0 ? word_colors(ui, known).range : head_range(known);
  const float shrink = std::min(1.0f, kLargestImage / std::max(placed.rect.width(), placed.rect.height()));
  const int width = std::max(1, static_cast<int>(placed.rect.width() * shrink));
  const int height = std::max(1, static_cast<int>(placed.rect.height() * shrink));
  const TextWeightsRequest& asked = shown.result->question.request;
  Version version;
  version.with(shown.data.version()).with(asked.batch).with(asked.token).with(static_cast<int>(asked.along));
  version.with(static_cast<int>(asked.combined)).with(range.low).with(range.high).with(width).with(height);
  version.with(static_cast<int>(color_map_of(ui, true))).with(static_cast<int>(ui.settings.theme));
  for (const std::int64_t each : asked.heads) version.with(each);
  const std::string name = fmt::format("text/painted/{}", head);
  PanelData::Picture& picture = shown.data.picture(name);
  if (picture.version != version.number()) {
    std::vector<float> values = known.values;
    if (head >= 0) known.by_head.read(Region{{head, head + 1}, {0, std::ssize(values)}}, values);
    picture.version = version.number();
    picture.pixels = painted_patches(placed.patches, {values, known.hidden},
                                     {color_map_of(ui, true), range, ui.settings.theme}, width, height);
  }
  const TextureId id = ui.textures.image(std::hash<std::string>{}(name), picture.version, picture.pixels);
  if (id != 0) canvas().AddImage(compat::texture(id), placed.rect.min, placed.rect.max);
}

void ring(Ui& ui, const TextShown& shown, const Rect& box, std::int64_t token) {
  const bool partner = shown.partner(ui) == token;
  if (partner) outline(ui, inset(box, -ui.px(1)), shown.partner_color(ui), 2);
  if (shown.one_text && token == shown.request.token)
    outline(ui, inset(box, partner ? ui.px(1) : -ui.px(1)), shown.own_color(ui), 2);
}

// Where the picked token is none of the image, as a learned query, every pick is one of the pair's other end.
void read_mouse(Ui& ui, const TextShown& shown, std::int64_t token, const Interaction& mouse) {
  if (!mouse.hovered || token < 0) return;
  if (mouse.clicked) pick_word(ui, shown, token, ui.shift_held || !shown.one_text);
  Hover& hover = ui.state.next_hover;
  hover.head = shown.selection.head;
  hover.query = shown.row ? shown.request.token : token;
  hover.key = shown.row ? token : shown.request.token;
}

// The tokens before the patches, each a word on the colour of its weight. Returns the one under the mouse, or -1.
std::int64_t draw_leading(Ui& ui, const TextShown& shown, const ImagePatches& patches, const Rect& area) {
  const TextWeights& known = *shown.weights();
  const std::vector<std::string>& names =
      shown.row ? shown.data.columns(StageId::weights) : shown.data.rows(StageId::weights);
  const WordColors colors = word_colors(ui, known);
  std::int64_t under = -1;
  float x = area.min.x;
  for (std::int64_t token = 0; token < patches.leading; ++token) {
    const auto k = static_cast<std::size_t>(token);
    const std::string name = token_or_index(names, token);
    const float width = std::ceil(text_width(ui, Type::words13, given(name))) + 2 * ui.px(6);
    if (x + width > area.max.x) break;
    const Rect box{{x, area.min.y}, {x + width, area.min.y + ui.px(kChip)}};
    const WordLook look = word_look(known.values[k], known.hidden[k] != 0, colors);
    fill(box, look.ground, ui.px(size::radius_inner));
    text_in(ui, box, Type::words13, look.ink, given(name), 0.5f);
    ui.mark(fmt::format("text/leading/{}", token), box);
    ring(ui, shown, box, token);
    text_in(ui, {{box.min.x, box.max.y + ui.px(2)}, {box.max.x + ui.px(8), box.max.y + ui.px(18)}}, Type::mono11,
            ui.colors.text2, cell_label(static_cast<double>(known.values[k])));
    if (mouse_over(ui, box)) {
      outline(ui, box, ui.colors.text2, 1.5f, ui.px(size::radius_inner));
      under = token;
    }
    x += width + ui.px(8);
  }
  return under;
}

// The chosen heads together, with the numbers of the strongest patches where they have room.
void draw_together(Ui& ui, const TextShown& shown, const Placed& placed) {
  const TextWeights& known = *shown.weights();
  draw_painted(ui, shown, placed, -1);
  ui.mark("text/picture", placed.rect);
  for (const std::int64_t token : known.strongest) {
    if (token < placed.patches.leading) continue;
    const Rect box = placed.patch(token);
    if (box.width() < ui.px(kNumbered) || box.height() < ui.px(14)) break;
    const float value = known.values[static_cast<std::size_t>(token)];
    const WordLook look = word_look(value, false, word_colors(ui, known));
    text_in(ui, box, Type::mono11, look.ink, cell_label(static_cast<double>(value)), 0.5f);
  }
  const std::int64_t partner = shown.partner(ui);
  for (const std::int64_t token : {shown.one_text ? shown.request.token : partner, partner}) {
    if (token >= placed.patches.leading) ring(ui, shown, placed.patch(token), token);
  }
}

// One head by itself: its name and strongest weight above it. A click picks the head and the pair's other end.
void draw_head(Ui& ui, const TextShown& shown, const Placed& placed, const Rect& name, std::int64_t head) {
  const std::vector<std::int64_t>& heads = shown.request.heads;
  const bool chosen = std::binary_search(heads.begin(), heads.end(), head);
  const Rgba ink = chosen ? ui.colors.text : ui.colors.text3;
  const float side = ui.px(9), top = std::round(name.center().y - side / 2);
  fill({{name.min.x, top}, {name.min.x + side, top + side}}, head_color(head));
  text_in(ui, {{name.min.x + side + ui.px(5), name.min.y}, name.max}, chosen ? Type::mono_bold11 : Type::mono11, ink,
          std::to_string(head));
  const float largest = shown.weights()->largest_by_head[static_cast<std::size_t>(head)];
  text_in(ui, name, Type::mono11, ink, cell_label(static_cast<double>(largest)), 1);
  draw_painted(ui, shown, placed, head);
  if (head == ui.session.view.head) outline(ui, inset(placed.rect, -ui.px(1)), ui.colors.accent, 1.5f);
  const Interaction mouse = interact_mouse(ui, fmt::format("text/picture/{}", head), placed.rect, {}, false);
  if (!mouse.hovered) return;
  const std::int64_t token = placed.token_at(ImGui::GetIO().MousePos);
  outline(ui, placed.patch(token), ui.colors.text2, 1.5f);
  ui.state.next_hover = {
      shown.row ? shown.request.token : token, shown.row ? token : shown.request.token, head, -1, {}};
  if (!mouse.clicked) return;
  ui.session.view.head = head;
  pick_word(ui, shown, token, true);
}

// All heads in rows, as large as they fit, scrolled where that would be too small.
void draw_heads(Ui& ui, const TextShown& shown, const ImagePatches& patches, const Rect& area) {
  const std::int64_t heads = shown.data.trace().num_heads();
  const float gap = ui.px(10), name = ui.px(kName);
  const float shape = static_cast<float>(patches.grid.rows) / static_cast<float>(patches.grid.columns);
  const auto columns_for = [&](float width) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>((area.width() + gap) / (width + gap)));
  };
  const auto height_for = [&](float width) {
    const std::int64_t rows = (heads + columns_for(width) - 1) / columns_for(width);
    return static_cast<float>(rows) * (std::floor(width * shape) + name + ui.px(6));
  };
  float width = std::min(ui.px(kLargestSmall), area.width());
  while (width > ui.px(kLeastSmall) && height_for(width) > area.height()) width -= 1;
  width = std::floor(width);
  const float row_height = std::floor(width * shape) + name + ui.px(6);
  const Rect around{area.min, {area.max.x + ui.px(10), area.max.y}};
  const ScrollArea scroll = begin_scroll(ui, "text/pictures", around, height_for(width));
  for (std::int64_t head = 0; head < heads; ++head) {
    const float x = std::round(area.min.x + static_cast<float>(head % columns_for(width)) * (width + gap));
    const float y = std::round(area.min.y - scroll.offset + static_cast<float>(head / columns_for(width)) * row_height);
    if (y + row_height < area.min.y || y > area.max.y) continue;
    const Rect box{{x, y + name}, {x + width, y + name + std::floor(width * shape)}};
    draw_head(ui, shown, {patches, fitted(patches.grid, box)}, {{x, y}, {x + width, y + name}}, head);
  }
  end_scroll(ui);
}

// Arrows pick the patch beside, above or below; with Shift, or where the picked token is none of the image, the pair's
// other end. Above the patches are the tokens before them.
void read_keys(Ui& ui, const TextShown& shown, const ImagePatches& patches) {
  const std::int64_t last = patches.tokens() - 1, below = patches.grid.columns;
  for (const bool shift : {false, true}) {
    const bool partner = shift || !shown.one_text;
    const std::int64_t now = partner ? std::max<std::int64_t>(shown.partner(ui), 0) : shown.request.token;
    const auto pick = [&](KeyName key, std::int64_t to) {
      if (ui.take_key(key, false, shift)) pick_word(ui, shown, std::clamp<std::int64_t>(to, 0, last), partner);
    };
    const bool leads = now < patches.leading;
    pick(KeyName::left, now - 1);
    pick(KeyName::right, now + 1);
    pick(KeyName::up, leads ? now : now - below < patches.leading ? (patches.leading > 0 ? 0 : now) : now - below);
    pick(KeyName::down, leads ? patches.leading : now + below > last ? now : now + below);
    pick(KeyName::home, 0);
    pick(KeyName::end, last);
  }
}

}  // namespace

void draw_text_image(Ui& ui, const TextShown& shown, const ImagePatches& patches, const Rect& area) {
  const bool alone = shown.data.trace().num_heads() < 2;
  Rect rest{area.min, {area.min.x + area.width() * (alone ? 1.0f : 0.6f), area.max.y}};
  const Rect line{rest.min, {rest.max.x, rest.min.y + (patches.leading > 0 ? ui.px(kLeading) : 0)}};
  rest.min.y = line.max.y;
  const Placed large{patches, fitted(patches.grid, rest)};
  const Rect own{area.min, {large.rect.max.x, rest.max.y}};
  const Interaction mouse = interact_mouse(ui, kTextWords, own);
  if (mouse.focused) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(own, -ui.px(4)), ui.px(3));
    read_keys(ui, shown, patches);
  }
  if (shown.weights() == nullptr) return;
  read_mouse(ui, shown, draw_leading(ui, shown, patches, {line.min, {large.rect.max.x, line.max.y}}), mouse);
  draw_together(ui, shown, large);
  if (mouse_over(ui, large.rect)) {
    const std::int64_t token = large.token_at(ImGui::GetIO().MousePos);
    outline(ui, large.patch(token), ui.colors.text2, 1.5f);
    read_mouse(ui, shown, token, mouse);
  }
  const Rect heads{{large.rect.max.x + ui.px(kGap), rest.min.y}, {area.max.x - ui.px(10), rest.max.y}};
  if (!alone && heads.width() >= ui.px(kLeastSmall)) draw_heads(ui, shown, patches, heads);
}

}  // namespace headscope::ui
