// Attention on the text itself: every word on the colour of its weight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/heads/image_patches.h"
#include "core/picture/figure/figure_text.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/text_weights_look.h"

namespace headscope {

namespace {

constexpr double kWords = 14, kWidth = 880;                      // units: the words' size, the figure without --width
constexpr double kBox = 26, kPitch = 48, kPad = 5, kGap = 6;     // of a word
constexpr double kBandRow = 12, kBandNames = 64, kBandEnd = 52;  // of the same row head by head

TextWeightsRequest request_of(const Sheet& sheet, const StagePicture& weights) {
  const ViewSpec& view = sheet.view;
  const std::int64_t heads = sheet.trace.num_heads();
  const bool row = view.along == TextAlong::row;
  const std::int64_t tokens = row ? weights.rows() : weights.columns();
  if (tokens == 0 || weights.columns() == 0) throw UsageError("view", "found 'text'; the text has no tokens");
  if (view.token && *view.token >= tokens) {
    throw UsageError(
        "token", fmt::format("{} asked for, the {} are 0 to {}", *view.token, row ? "queries" : "keys", tokens - 1));
  }
  if (view.heads_shown) {
    for (const std::int64_t head : *view.heads_shown) {
      if (head >= heads) {
        throw UsageError("heads-shown", fmt::format("{} asked for, the heads are 0 to {}", head, heads - 1));
      }
    }
    if (view.heads_shown->empty()) {
      throw UsageError("heads-shown", "found 'none'; a text is shaded by at least one head");
    }
  }
  return {view.batch, combined_heads(view.heads_shown, heads), view.token.value_or(tokens - 1), view.along,
          view.combined};
}

void place_words(TextDrawing& drawn, int width) {
  Sheet& sheet = drawn.sheet;
  const WordLevels levels = word_levels(drawn.tokens);
  const double most = width - 2 * sheet.margin();
  std::vector<FlowWord> words;
  for (std::size_t k = 0; k < drawn.tokens.size(); ++k) {
    TextToken& token = drawn.tokens[k];
    token.letters = fit_text(token.letters, FontRole::words, sheet.font(kWords), most - 2 * sheet.font(kPad));
    const double own = std::ceil(sheet.width_of(token.letters, FontRole::words, kWords)) + 2 * sheet.px(kPad);
    drawn.widths.push_back(own);
    words.push_back({own, token.joined, levels.levels[k]});
  }
  drawn.flow = text_flow(words, {most, static_cast<double>(sheet.px(kGap)), levels.right_to_left});
}

void add_hatch(Sheet& sheet, int x, int y, int width, int height) {
  sheet.plan.items.emplace_back(
      HatchItem{x, y, width, height, sheet.colors.well, sheet.colors.hatch, std::max(2, sheet.px(5)), sheet.px(1)});
}

// A word on its colour, its number below where it is one of the strongest.
void add_word(const TextDrawing& drawn, std::size_t k, int top) {
  Sheet& sheet = drawn.sheet;
  const int x = sheet.margin() + static_cast<int>(std::lround(drawn.flow.places[k].x));
  const int y = top + static_cast<int>(drawn.flow.places[k].line) * sheet.px(kPitch) + sheet.px(2);
  const int width = static_cast<int>(drawn.widths[k]), height = sheet.px(kBox);
  const TextWeights& weights = drawn.weights;
  const WordLook look =
      word_look(weights.values[k], weights.hidden[k] != 0, {drawn.map, drawn.range, sheet.view.theme});
  // Pieces of one word touch; a thin line of the ground parts other words.
  if (look.hatched) {
    add_hatch(sheet, x, y, width, height);
  } else {
    sheet.rect(x, y, width, height, look.ground);
  }
  const auto token = static_cast<std::int64_t>(k);
  const bool row = drawn.request.along == TextAlong::row;
  const bool same_text = sheet.trace.inputs->key_tokens == sheet.trace.inputs->tokens;
  if (!weights.strongest.empty() && weights.strongest.front() == token) {
    add_frame(sheet, x, y, width, height, row ? sheet.colors.key : sheet.colors.query);
  }
  if (same_text && token == drawn.request.token) {
    add_frame(sheet, x, y, width, height, row ? sheet.colors.query : sheet.colors.key);
  }
  sheet.text_centred(x + width / 2.0, y + height / 2.0, drawn.tokens[k].letters, FontRole::words, kWords, look.ink);
  const bool strong = std::find(weights.strongest.begin(), weights.strongest.end(), token) != weights.strongest.end();
  const std::string number = strong ? weight_text(weights.values[k]) : "";
  if (!number.empty() && sheet.width_of(number, FontRole::numbers, 11) <= width + sheet.px(kGap)) {
    sheet.text_centred(x + width / 2.0, y + height + sheet.px(10), number, FontRole::numbers, 11, sheet.colors.text2);
  }
}

// The same weights of every head by itself: a row a head.
int add_bands(const TextDrawing& drawn, int y, int width) {
  Sheet& sheet = drawn.sheet;
  const std::int64_t heads = sheet.trace.num_heads(), tokens = std::ssize(drawn.tokens);
  if (heads < 2) return 0;
  const int row = sheet.px(kBandRow), left = sheet.margin() + sheet.px(kBandNames);
  const int room = width - sheet.margin() - sheet.px(kBandEnd) - left;
  if (room < sheet.px(40)) return 0;
  const int cell = static_cast<int>(std::min<std::int64_t>(room / tokens, sheet.px(34)));
  const int extent = cell >= 1 ? cell * static_cast<int>(tokens) : room;
  const int height = row * static_cast<int>(heads), title = sheet.px(24);
  if (drawn.weights.values.empty()) return title + height + sheet.px(14);
  sheet.text_middle(sheet.margin(), y + sheet.font(7), "Head by head", FontRole::words_bold, 12, sheet.colors.text);
  const double most = head_range(drawn.weights).high;
  sheet.text_middle(sheet.margin() + sheet.width_of("Head by head", FontRole::words_bold, 12) + sheet.px(10),
                    y + sheet.font(7), fmt::format("range 0\u2013{}", tick_text(most, most)), FontRole::words, 11,
                    sheet.colors.text2);
  sheet.text_right(left + extent + sheet.px(kBandEnd), y + sheet.font(7), "strongest", FontRole::words, 11,
                   sheet.colors.text3);
  MapItem map;
  map.x = left;
  map.y = y + title;
  map.spec.matrix = drawn.weights.by_head;
  map.spec.rows = static_cast<double>(heads);
  map.spec.columns = static_cast<double>(tokens);
  map.spec.width = extent;
  map.spec.height = height;
  map.spec.map = drawn.map;
  map.spec.range = head_range(drawn.weights);
  map.spec.theme = sheet.view.theme;
  map.spec.pixel_scale = sheet.view.scale;
  sheet.plan.items.emplace_back(map);
  for (std::int64_t k = 0; k < tokens; ++k) {
    if (drawn.weights.hidden[static_cast<std::size_t>(k)] == 0) continue;
    const int from = static_cast<int>(k * extent / tokens), to = static_cast<int>((k + 1) * extent / tokens);
    if (cell >= sheet.px(8)) {
      add_hatch(sheet, left + from, y + title, to - from, height);
    } else if (to > from) {
      sheet.rect(left + from, y + title, to - from, height, sheet.colors.well);
    }
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    const int top = y + title + static_cast<int>(head) * row;
    const bool chosen =
        std::find(drawn.request.heads.begin(), drawn.request.heads.end(), head) != drawn.request.heads.end();
    const Rgba ink = chosen ? sheet.colors.text : sheet.colors.text3;
    sheet.rect(sheet.margin(), top + sheet.px(2), sheet.px(8), row - sheet.px(4), head_color(head));
    sheet.text_middle(sheet.margin() + sheet.px(14), top + row / 2.0, fmt::format("head {}", head), FontRole::words, 11,
                      ink);
    const float largest = drawn.weights.largest_by_head[static_cast<std::size_t>(head)];
    sheet.text_right(left + extent + sheet.px(kBandEnd), top + row / 2.0, weight_text(largest), FontRole::numbers, 11,
                     ink);
  }
  return title + height + sheet.px(14);
}

std::vector<Span> legend_of(const TextDrawing& drawn) {
  const Sheet& sheet = drawn.sheet;
  const Palette& colors = sheet.colors;
  const bool row = drawn.request.along == TextAlong::row;
  std::vector<Span> spans = {
      {text_weights_words(drawn.request, sheet.trace.num_heads()) + ", one range for all tokens.", colors.text2}};
  const auto named = [&](std::int64_t token, Rgba color) {
    spans.push_back({drawn.tokens[static_cast<std::size_t>(token)].letters, color});
  };
  const std::int64_t most = 6;
  const std::vector<std::int64_t>& strongest = drawn.weights.strongest;
  if (!strongest.empty()) spans.push_back({row ? "Strongest keys:" : "Strongest queries:", colors.text2});
  for (std::size_t k = 0; k < strongest.size() && std::ssize(spans) < 2 + 2 * most; ++k) {
    named(strongest[k], row ? colors.key : colors.query);
    spans.push_back({fmt::format("{:.4f}", drawn.weights.values[static_cast<std::size_t>(strongest[k])]), colors.text});
  }
  add_words_of_shown(sheet, spans);
  const auto hidden = std::count(drawn.weights.hidden.begin(), drawn.weights.hidden.end(), 1);
  if (hidden > 0) {
    spans.push_back({fmt::format("\u00b7 hatched: hidden, {} of {}", hidden, drawn.tokens.size()), colors.text3});
  }
  return spans;
}

Sheet::Title title_of(const TextDrawing& drawn, const StagePicture& weights, bool of_image) {
  const Sheet& sheet = drawn.sheet;
  const bool row = drawn.request.along == TextAlong::row;
  const std::vector<std::string>& names = row ? weights.row_names() : weights.column_names();
  const std::string name = names[static_cast<std::size_t>(drawn.request.token)];
  Sheet::Title title;
  title.name = of_image ? "Image" : "Text";
  title.fact = row ? fmt::format("what query {} \u201c{}\u201d looks at", drawn.request.token, name)
                   : fmt::format("which queries look at key {} \u201c{}\u201d", drawn.request.token, name);
  if (sheet.trace.model != nullptr) title.fact += fmt::format(", layer {}", sheet.trace.inputs->layer);
  const std::int64_t batch = sheet.trace.inputs->batch;
  if (batch > 1) title.fact += fmt::format(" \u00b7 batch {} of {}", sheet.view.batch, batch);
  return title;
}

}  // namespace

void add_frame(Sheet& sheet, int x, int y, int width, int height, Rgba color) {
  const int line = sheet.px(2);
  sheet.rect(x - line, y - line, width + 2 * line, line, color);
  sheet.rect(x - line, y + height, width + 2 * line, line, color);
  sheet.rect(x - line, y, line, height, color);
  sheet.rect(x + width, y, line, height, color);
}

void plan_text(Sheet& sheet, const StagePicture& weights, bool measure, const CancelToken& cancel) {
  const ViewSpec& view = sheet.view;
  TextDrawing drawn{sheet, request_of(sheet, weights), {}, {}, {}, {}, {}, {}};
  drawn.tokens = text_tokens(sheet.trace, drawn.request.along == TextAlong::row);
  const int width = view.width ? figure_width(sheet, sheet.px(200)) : sheet.px(kWidth);
  sheet.plan.width = width;
  const auto patches = image_patches(sheet.trace, drawn.request.along == TextAlong::row);
  place_words(drawn, width);
  drawn.map = weights.map();
  if (!measure) {
    drawn.weights = text_weights(sheet.trace, drawn.request, cancel);
    drawn.range = word_range(drawn.weights, view);
  }
  const bool of_image = patches && std::ssize(drawn.tokens) == patches->tokens();
  int y = sheet.header(title_of(drawn, weights, of_image), width);
  if (of_image) {
    y += add_patches(drawn, *patches, y, width);
  } else {
    for (std::size_t k = 0; k < drawn.tokens.size() && !measure; ++k) add_word(drawn, k, y);
    y += static_cast<int>(std::min<std::size_t>(drawn.flow.lines.size() * static_cast<std::size_t>(sheet.px(kPitch)),
                                                std::size_t{1} << 20));
    y += add_bands(drawn, y + sheet.px(4), width);
  }
  if (view.color_bar) {
    if (!measure) sheet.level_bar(sheet.margin(), y + sheet.px(4), sheet.px(220), drawn.map, drawn.range);
    y += sheet.px(40);
  }
  const int room = width - 2 * sheet.margin();
  if (!measure) sheet.paragraph(sheet.margin(), y, room, legend_of(drawn));
  // Which words are strongest is not known while measuring: there is room for three lines.
  sheet.plan.height = y + sheet.px(3 * 16 + 10);
}

}  // namespace headscope
