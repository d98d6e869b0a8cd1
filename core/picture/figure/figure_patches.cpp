// Attention on an image: the weights of one patch painted over the picture that the model reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/picture/figure/figure_text.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/patch_picture.h"

namespace headscope {

namespace {

// Units: the longer side of the image, of a head's; the room between them, a head's name, a row of leading tokens.
constexpr double kLarge = 420, kSmall = 96, kBetween = 18, kName = 18, kChipRow = 46, kChip = 24;

// Pixels of an image whose longer side is `longer`, as its grid of patches has it.
struct Extent {
  int width = 1, height = 1;
};

Extent extent_of(const ImageGrid& grid, int longer) {
  const double rows = static_cast<double>(grid.rows), columns = static_cast<double>(grid.columns);
  const double most = std::max(rows, columns);
  const auto side = [&](double parts) { return std::max(1, static_cast<int>(std::lround(longer * parts / most))); };
  return {side(columns), side(rows)};
}

// Rings around the picked token and the strongest one, where they are; `rect_of` gives false for tokens elsewhere.
template <typename RectOf>
void add_rings(const TextDrawing& drawn, const RectOf& rect_of) {
  Sheet& sheet = drawn.sheet;
  const bool row = drawn.request.along == TextAlong::row;
  RectItem rect;
  if (!drawn.weights.strongest.empty() && rect_of(drawn.weights.strongest.front(), rect)) {
    add_frame(sheet, rect.x, rect.y, rect.width, rect.height, row ? sheet.colors.key : sheet.colors.query);
  }
  const bool same = sheet.trace.inputs->key_tokens == sheet.trace.inputs->tokens;
  if (same && rect_of(drawn.request.token, rect)) {
    add_frame(sheet, rect.x, rect.y, rect.width, rect.height, row ? sheet.colors.query : sheet.colors.key);
  }
}

// The tokens before the patches, on the colours of their weights. Returns the height.
int add_leading(const TextDrawing& drawn, const ImagePatches& patches, int y) {
  if (patches.leading == 0) return 0;
  Sheet& sheet = drawn.sheet;
  if (!drawn.weights.values.empty()) {
    const int height = sheet.px(kChip);
    int x = sheet.margin();
    for (std::int64_t token = 0; token < patches.leading; ++token) {
      const auto k = static_cast<std::size_t>(token);
      const int width = static_cast<int>(drawn.widths[k]);
      if (x + width > sheet.plan.width - sheet.margin()) break;
      const WordLook look =
          word_look(drawn.weights.values[k], drawn.weights.hidden[k] != 0, {drawn.map, drawn.range, sheet.view.theme});
      sheet.rect(x, y, width, height, look.ground);
      sheet.text_centred(x + width / 2.0, y + height / 2.0, drawn.tokens[k].letters, FontRole::words, 14, look.ink);
      add_rings(drawn, [&](std::int64_t of, RectItem& rect) {
        rect = {x, y, width, height, {}};
        return of == token;
      });
      sheet.text_centred(x + width / 2.0, y + height + sheet.px(10), weight_text(drawn.weights.values[k]),
                         FontRole::numbers, 11, sheet.colors.text2);
      x += width + sheet.px(8);
    }
  }
  return sheet.px(kChipRow);
}

void add_painted(const TextDrawing& drawn, const ImagePatches& patches, const PatchValues& weights, ValueRange range,
                 const RectItem& at) {
  const Sheet& sheet = drawn.sheet;
  auto pixels = std::make_shared<Image>(
      painted_patches(patches, weights, {drawn.map, range, sheet.view.theme}, at.width, at.height, sheet.px(1)));
  drawn.sheet.plan.items.emplace_back(ImageItem{at.x, at.y, std::move(pixels)});
}

// The picture of the chosen heads together.
void add_together(const TextDrawing& drawn, const ImagePatches& patches, const RectItem& at) {
  add_painted(drawn, patches, {drawn.weights.values, drawn.weights.hidden}, drawn.range, at);
  add_rings(drawn, [&](std::int64_t token, RectItem& rect) {
    const std::int64_t patch = token - patches.leading;
    if (patch < 0) return false;
    const std::int64_t row = patch / patches.grid.columns, column = patch % patches.grid.columns;
    const auto edge = [](std::int64_t k, std::int64_t parts, int pixels) {
      return static_cast<int>((k * pixels + parts - 1) / parts);
    };
    rect.x = at.x + edge(column, patches.grid.columns, at.width);
    rect.y = at.y + edge(row, patches.grid.rows, at.height);
    rect.width = at.x + edge(column + 1, patches.grid.columns, at.width) - rect.x;
    rect.height = at.y + edge(row + 1, patches.grid.rows, at.height) - rect.y;
    return true;
  });
}

// One head by itself, with its name and largest weight above.
void add_head(const TextDrawing& drawn, const ImagePatches& patches, std::int64_t head, const RectItem& at) {
  Sheet& sheet = drawn.sheet;
  const bool chosen = std::binary_search(drawn.request.heads.begin(), drawn.request.heads.end(), head);
  const Rgba ink = chosen ? sheet.colors.text : sheet.colors.text3;
  const double middle = at.y - sheet.px(kName) / 2.0;
  sheet.rect(at.x, static_cast<int>(middle) - sheet.px(4), sheet.px(8), sheet.px(8), head_color(head));
  sheet.text_middle(at.x + sheet.px(13), middle, std::to_string(head), FontRole::numbers, 11, ink);
  const float largest = drawn.weights.largest_by_head[static_cast<std::size_t>(head)];
  sheet.text_right(at.x + at.width, middle, weight_text(largest), FontRole::numbers, 11, ink);
  std::vector<float> values(static_cast<std::size_t>(patches.tokens()));
  drawn.weights.by_head.read(Region{{head, head + 1}, {0, patches.tokens()}}, values);
  add_painted(drawn, patches, {values, drawn.weights.hidden}, head_range(drawn.weights), at);
}

}  // namespace

int add_patches(const TextDrawing& drawn, const ImagePatches& patches, int y, int width) {
  Sheet& sheet = drawn.sheet;
  const int top = y, left = sheet.margin(), room = width - 2 * sheet.margin(), gap = sheet.px(kBetween);
  y += sheet.px(4) + add_leading(drawn, patches, y + sheet.px(4));
  const Extent large = extent_of(patches.grid, std::min(sheet.px(kLarge), room));
  const bool measured = !drawn.weights.values.empty();
  if (measured) add_together(drawn, patches, {left, y, large.width, large.height, {}});
  const std::int64_t heads = sheet.trace.num_heads();
  if (heads < 2) return y + large.height + gap - top;
  const Extent small = extent_of(patches.grid, sheet.px(kSmall));
  const bool beside = room - large.width - gap >= small.width;
  const int from = beside ? left + large.width + gap : left, head_top = beside ? y : y + large.height + gap;
  const int pitch = small.width + sheet.px(10);
  const auto columns = std::max<std::int64_t>(1, (left + room - from + sheet.px(10)) / pitch);
  const int row_height = small.height + sheet.px(kName) + sheet.px(6);
  for (std::int64_t head = 0; head < heads && measured; ++head) {
    add_head(drawn, patches, head,
             {from + static_cast<int>(head % columns) * pitch,
              head_top + static_cast<int>(head / columns) * row_height + sheet.px(kName),
              small.width,
              small.height,
              {}});
  }
  const int all_heads = static_cast<int>((heads + columns - 1) / columns) * row_height;
  const int end = beside ? y + std::max(large.height, all_heads) : head_top + all_heads;
  return end + gap - top;
}

}  // namespace headscope
