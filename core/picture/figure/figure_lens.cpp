// The logit lens: what a model would say after every layer, after its attention or of one head alone, at every
// position.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/explain/logit_lens.h"
#include "core/model/checkpoint.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {
namespace {

constexpr double kTarget = 880, kWidestCell = 84, kHighestCell = 34;  // units
constexpr double kWordSize = 11, kNumberSize = 10, kTwoLinesFrom = 28, kOneLineFrom = 14;

// The largest cells that fit, as wide as words are; a map of more positions than pixels is pooled.
MapSize lens_size(const Sheet& sheet, std::int64_t rows, std::int64_t columns, int fixed) {
  MapSize size;
  if (sheet.view.cell) {
    const std::int64_t cell = sheet.px(*sheet.view.cell);
    size.width = static_cast<int>(std::min<std::int64_t>(cell * columns, 1 << 15));
    size.height = static_cast<int>(std::min<std::int64_t>(cell * rows, 1 << 15));
  } else {
    const int room = std::max(1, (sheet.view.width ? *sheet.view.width : sheet.px(kTarget)) - fixed);
    const auto each = static_cast<std::int64_t>(room) / columns;
    size.width = each == 0 ? room : static_cast<int>(std::min<std::int64_t>(each, sheet.px(kWidestCell)) * columns);
    const std::int64_t high = std::clamp<std::int64_t>(sheet.px(kTarget) / rows, 1, sheet.px(kHighestCell));
    size.height = static_cast<int>(high * rows);
  }
  size.cell_width = size.width / static_cast<double>(columns);
  size.cell_height = size.height / static_cast<double>(rows);
  return size;
}

// The probability of the most probable token, [rows, len].
Tensor probabilities_of(const LogitLens& lens) {
  const auto rows = static_cast<std::int64_t>(lens.rows.size());
  const auto columns = static_cast<std::int64_t>(lens.rows.front().positions.size());
  std::vector<float> values;
  for (const LensRow& row : lens.rows) {
    for (const Prediction& at : row.positions) values.push_back(static_cast<float>(at.top.front().probability));
  }
  return Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
}

// A map at its place.
struct Placed {
  int x = 0, y = 0;
  MapSize size;
};

// The token and its probability in every cell where they have room.
void add_words(Sheet& sheet, const LogitLens& lens, const HeatmapSpec& spec, const Placed& map) {
  const double line = spec.grid ? sheet.font(1) : 0;
  const double width = map.size.cell_width - line, height = map.size.cell_height - line;
  if (height < sheet.font(kOneLineFrom) || width < 3 * sheet.width_of("0", FontRole::numbers, kWordSize)) return;
  const bool two = height >= sheet.font(kTwoLinesFrom);
  const std::vector<ValueScale> by_row =
      spec.range.per_row ? row_scales(spec, 0, static_cast<std::int64_t>(lens.rows.size())) : std::vector<ValueScale>();
  const ValueScale shared = value_scale(spec.range);
  for (std::size_t l = 0; l < lens.rows.size(); ++l) {
    for (std::size_t i = 0; i < lens.rows[l].positions.size(); ++i) {
      const TokenProbability& token = lens.rows[l].positions[i].top.front();
      const auto probability = static_cast<float>(token.probability);
      if (!std::isfinite(probability)) continue;
      const ValueScale& scale = by_row.empty() ? shared : by_row[l];
      const Rgba ink = ink_on(color_table(spec.map)[static_cast<std::size_t>(scale.entry(probability))]);
      const double center = map.x + static_cast<double>(i) * map.size.cell_width + width / 2;
      const double middle = map.y + static_cast<double>(l) * map.size.cell_height + height / 2;
      const std::string word = fit_text(token.piece, FontRole::numbers, sheet.font(kWordSize), width - sheet.font(2));
      sheet.text_centred(center, two ? middle - sheet.font(6.5) : middle, word, FontRole::numbers, kWordSize, ink);
      if (!two) continue;
      sheet.text_centred(center, middle + sheet.font(7), weight_text(probability), FontRole::numbers, kNumberSize, ink);
    }
  }
}

HeatmapSpec spec_of(const Sheet& sheet, const MapSize& size, std::int64_t rows, std::int64_t columns) {
  const ViewSpec& view = sheet.view;
  HeatmapSpec spec;
  spec.matrix = Tensor::zeros({rows, columns}, {Axis::query, Axis::key});
  spec.rows = static_cast<double>(rows);
  spec.columns = static_cast<double>(columns);
  spec.width = size.width;
  spec.height = size.height;
  spec.map = view.colormap.value_or(default_color_map(false, view.theme));
  spec.theme = view.theme;
  spec.pixel_scale = view.scale;
  spec.range = {0, 1, view.log_scale, view.range == RangeKind::row};
  if (view.range == RangeKind::fixed) {
    spec.range.low = view.range_low;
    spec.range.high = view.range_high;
  }
  return spec;
}

// A probability below 1 of the most probable token is what `--range fit` shows best.
void fit_range(const Sheet& sheet, HeatmapSpec& spec) {
  if (sheet.view.range != RangeKind::fit) return;
  const ValueRange found = automatic_range(spec.matrix, false, false);
  spec.range.low = found.low;
  spec.range.high = found.high;
}

Sheet::Title title_of(const Sheet& sheet, const LogitLens& lens) {
  Sheet::Title title;
  const LensKind& kind = lens_kind(sheet.view.question.lens_of);
  title.name = kind.title;
  title.fact = fmt::format("what {} {}", sheet.trace.model->name, kind.says(sheet.trace.inputs->layer));
  if (lens.model.empty()) return title;
  const Prediction& last = lens.model.back();
  const std::string here = !lens.next_token           ? ", at the last position: "
                           : lens.of == LensOf::heads ? "; the whole model: "
                                                      : ", in the end: ";
  title.fact += here + last.top.front().piece + " " + weight_text(static_cast<float>(last.top.front().probability));
  return title;
}

std::vector<Span> legend_of(const Sheet& sheet, const MapSize& size, std::int64_t rows, std::int64_t columns) {
  const bool next_token = sheet.trace.model->checkpoint->output_head().kind == OutputHead::Kind::next_token;
  std::vector<Span> spans = legend_of_axes(sheet, "probability of the most probable token", ", 0 to 1", false);
  spans.push_back({fmt::format("Columns: the tokens of the text, {}; rows: {}",
                               next_token ? "of which the next one is predicted" : "each predicted at its own place",
                               lens_legend(sheet.trace, sheet.view.question.lens_of)),
                   sheet.colors.text2});
  const std::string pooled = pooled_note(size, rows, columns, "probability");
  if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, sheet.colors.text2});
  // Where there is room for two lines, the second is the number.
  const CellText text = size.cell_height >= sheet.font(kTwoLinesFrom) ? CellText::weights : CellText::none;
  add_words_of_numbers(sheet, size, text, spans);
  return spans;
}

}  // namespace

void plan_lens(Sheet& sheet, bool measure, const CancelToken& cancel) {
  const LensOf of = sheet.view.question.lens_of;
  const std::vector<LensRow> named = lens_rows("view", sheet.trace, of);
  if (sheet.trace.model->final_hidden.empty()) {
    throw UsageError("view", "lens needs all layers, and not all of them were computed");
  }
  const LogitLens lens = measure ? LogitLens() : logit_lens("view", sheet.trace, {of, sheet.view.batch, 1}, cancel);
  const auto rows = static_cast<std::int64_t>(named.size());
  const std::int64_t columns = sheet.trace.query_len();
  const std::vector<std::string> tokens = sheet.trace.query_labels();
  std::vector<std::string> names;
  for (const LensRow& row : named) names.push_back(lens_kind(of).row_name(row));

  const int gutter = sheet.row_gutter(names, rows, sheet.px(kHighestCell));
  const int fixed = 2 * sheet.margin() + sheet.upright_bar_room() + gutter;
  const MapSize size = lens_size(sheet, rows, columns, fixed);
  const int width = figure_width(sheet, fixed + size.width);
  sheet.plan.width = width;
  int above = sheet.column_height(tokens, size.cell_width);
  if (sheet.view.labels) above = std::max(above, sheet.px(36));
  const Placed map{sheet.margin() + gutter, sheet.header(title_of(sheet, lens), width) + above, size};

  HeatmapSpec spec = spec_of(sheet, size, rows, columns);
  spec.hatch_x = map.x;
  spec.hatch_y = map.y;
  if (!measure) {
    spec.matrix = probabilities_of(lens);
    fit_range(sheet, spec);
  }
  sheet.plan.items.emplace_back(MapItem{map.x, map.y, spec, CellText::none});
  if (!measure) add_words(sheet, lens, spec, map);
  sheet.row_labels(names, rows, map.x, map.y, size.cell_height);
  sheet.column_labels(tokens, columns, map.x, map.y, size.cell_width);
  sheet.corner(map.x, map.y, {.score_like = false, .row_word = lens_kind(of).row_word, .column_word = "token"});
  const int bar = std::clamp(size.height, sheet.px(48), sheet.px(400));
  sheet.upright_bar(map.x + size.width + sheet.upright_bar_gap(), map.y, bar, spec.map, spec.range);
  int bottom = map.y + std::max(size.height, sheet.view.color_bar ? bar : 0) + sheet.px(10);
  bottom += sheet.paragraph(sheet.margin(), bottom, width - 2 * sheet.margin(), legend_of(sheet, size, rows, columns));
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace headscope
