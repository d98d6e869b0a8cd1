// One large map with labels on both axes: a head, or a slice of any stage.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/grouped_digits.h"
#include "core/heads/pattern.h"
#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/figure/head_look.h"
#include "core/picture/fitted_range.h"
#include "core/request/stage_info.h"

namespace headscope {

Fit fitted(const Sheet& sheet, const AxisNames& names, const FitRequest& request) {
  const ViewSpec& view = sheet.view;
  const auto fit_with = [&](double cell_height) {
    Fit fit;
    fit.gutter = sheet.row_gutter(names.rows, request.rows, cell_height);
    if (view.labels && request.column_labels) {  // the corner's two words
      const auto [row, column] = corner_words(names);
      const double widest =
          std::max(sheet.width_of(row, FontRole::words, 11), sheet.width_of(column, FontRole::words, 11));
      fit.gutter = std::max(fit.gutter, static_cast<int>(widest) + sheet.px(9));
    }
    MapRoom room;
    room.rows = request.rows;
    room.columns = request.columns;
    room.square = request.square;
    room.shortest = sheet.px(24);
    room.row_height = sheet.px(22);
    if (view.cell) room.explicit_cell = sheet.px(*view.cell);
    if (view.width) {
      room.width = (*view.width - request.fixed_room - fit.gutter) / request.maps_beside;
      room.height = 2 * std::max(room.width, 1);
      room.largest_cell = sheet.px(160);
      const int least = sheet.px(16);
      if (room.width < least && !view.cell) {
        throw UsageError("width", fmt::format("{} pixels are too few for this picture, it needs at least {}",
                                              *view.width, *view.width + (least - room.width) * request.maps_beside));
      }
    } else {
      // Up to two targets wide every cell keeps a pixel of its own.
      const int target = sheet.px(request.target);
      const auto room_for = [&](std::int64_t count) {
        return count > target && count <= 2 * target ? static_cast<int>(count) : target;
      };
      room.width = room_for(request.columns);
      room.height = room_for(request.rows);
      room.largest_cell = sheet.px(request.largest_cell);
    }
    fit.size = map_size(room);
    return fit;
  };
  const double named_from = sheet.named_from();
  Fit fit = fit_with(named_from);
  if (fit.size.cell_height < named_from) {
    const Fit with_indices = fit_with(fit.size.cell_height);
    if (with_indices.size.cell_height < named_from) fit = with_indices;
  }
  if (request.column_labels) {
    fit.column_height = sheet.column_height(names.columns, fit.size.cell_width);
    if (view.labels) fit.column_height = std::max(fit.column_height, sheet.px(36));
  }
  return fit;
}

int figure_width(const Sheet& sheet, int natural) {
  if (!sheet.view.width) return std::max(natural, sheet.px(440));
  if (*sheet.view.width < natural) {
    throw UsageError("width",
                     fmt::format("{} pixels are too few for this picture, it needs {}{}", *sheet.view.width, natural,
                                 sheet.view.cell ? fmt::format(" with --cell {}", *sheet.view.cell) : ""));
  }
  return *sheet.view.width;
}

std::vector<Span> legend_of_axes(const Sheet& sheet, const std::string& noun, const std::string& range_words,
                                 bool score_like) {
  const ViewSpec& view = sheet.view;
  const Palette& colors = sheet.colors;
  std::string what = noun;
  if (view.range == RangeKind::row) {
    what += ", each row with its own range";
  } else if (view.range == RangeKind::automatic) {
    what += range_words;
  } else if (view.range == RangeKind::fit) {
    what += ", range fitted to 98 in 100 cells";
  } else {
    what += ", range as given";
  }
  if (view.log_scale) what += ", logarithmic";
  std::vector<Span> spans = {{what + ".", colors.text2}};
  if (score_like && sheet.on_paper()) {
    const Span sides{"Rows are queries, columns keys.", colors.text2};
    spans.push_back(sides);
    return spans;
  }
  if (score_like) {
    spans.push_back({"rows", colors.query});
    spans.push_back({"query", colors.text2});
    spans.push_back({"columns", colors.key});
    spans.push_back({"key", colors.text2});
  }
  return spans;
}

Span legend_of_hidden(const Sheet& sheet, const MapSize& size, const std::string& words, std::int64_t hidden,
                      std::int64_t cells) {
  const bool hatched = std::min(size.cell_width, size.cell_height) >= 8 * sheet.view.scale;
  return {fmt::format("\u00b7 {}: {}, {} of {}", hatched ? "hatched" : "empty", words, grouped_digits(hidden),
                      grouped_digits(cells)),
          sheet.colors.text3};
}

void add_words_of_shown(const Sheet& sheet, std::vector<Span>& spans) {
  const std::string words = shown_sentence(sheet.trace);
  if (!words.empty()) spans.push_back({"\u00b7 " + words + ".", sheet.colors.text2});
}

void add_words_of_numbers(const Sheet& sheet, const MapSize& size, CellText text, std::vector<Span>& spans) {
  if (!has_cell_numbers(text, std::min(size.cell_width, size.cell_height), sheet.view.scale)) return;
  spans.push_back({"\u00b7 " + std::string(kBlankWords), sheet.colors.text3});
}

std::vector<Span> legend(const Sheet& sheet, const StagePicture& stage, const std::string& range_words,
                         const MapSize& size, std::int64_t head) {
  const Palette& colors = sheet.colors;
  const std::string noun = cell_noun(stage.stage());
  std::vector<Span> spans = legend_of_axes(sheet, noun, range_words, stage.score_like());
  const std::string pooled = pooled_note(size, stage.rows(), stage.columns(), noun);
  if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, colors.text2});
  const std::int64_t hidden = stage.hidden_cells(head);
  if (hidden > 0) spans.push_back(legend_of_hidden(sheet, size, "hidden", hidden, stage.rows() * stage.columns()));
  if (is_shown_stage(stage.stage())) add_words_of_shown(sheet, spans);
  const std::string masked = is_weight_like(stage.stage()) ? mask_sentences(sheet.trace) : "";
  if (!masked.empty()) spans.push_back({"\u00b7 " + masked, colors.warn});
  return spans;
}

namespace {

std::string range_words(const StagePicture& stage) {
  if (stage.zero_to_one()) return ", 0 to 1";
  return is_weight_like(stage.stage()) ? "" : ", the range centred on zero";
}

std::string entropy_text(double bits) {
  return std::isnan(bits) ? "entropy NaN" : fmt::format("entropy {:.2f} bit", bits);
}

void add_fact(Sheet::Title& title, const std::string& fact) {
  if (fact.empty()) return;
  title.fact += (title.fact.empty() ? "" : " \u00b7 ") + fact;
}

Sheet::Title title_of(const Sheet& sheet, const StagePicture& stage) {
  const ViewSpec& view = sheet.view;
  std::vector<std::string> facts;
  Sheet::Title title;
  if (stage.heads() > 0) title.head = view.head;
  title.name = fmt::format("Head {}", view.head);
  title.stage = stage_name(stage.stage());
  if (view.view == ViewKind::stage || stage.heads() == 0) {
    title.contract_name = true;
    std::swap(title.name, title.stage);
    title.stage.clear();
    title.shape = to_string(stage.shape());
    if (stage.heads() > 0) facts.push_back(fmt::format("head {}", view.head));
    facts.push_back(sheet.trace.find(stage.stage())->operation);
  }
  if (stage.shape()[0] > 1) facts.push_back(fmt::format("batch {} of {}", view.batch, stage.shape()[0]));
  for (const std::string& fact : facts) add_fact(title, fact);
  return title;
}

}  // namespace

void plan_map(Sheet& sheet, const StagePicture& stage, bool measure) {
  const std::int64_t head = stage.heads() > 0 ? sheet.view.head : 0;
  if (stage.heads() > 0 && (head < 0 || head >= stage.heads())) {
    throw UsageError(
        "head", fmt::format("{} asked for, {} has heads 0 to {}", head, stage_name(stage.stage()), stage.heads() - 1));
  }
  OneMap map{title_of(sheet, stage), stage.rows(), stage.columns(), stage.names(), stage.spec(head), {}, {}};
  map.spec.range = measure ? ValueRange{} : stage.range(head, head + 1);
  map.cell_text = stage.cell_text();
  map.legend = [&](const MapSize& size) { return legend(sheet, stage, range_words(stage), size, head); };
  if (sheet.view.view == ViewKind::head && stage.score_like() && !measure) {
    map.look = [&](HeatmapSpec& spec, Sheet::Title& title) {
      const HeadSummary summary = look_at_head(sheet, stage, head, spec);
      add_fact(title, entropy_text(summary.entropy_bits));
      add_fact(title, summary_label(summary, *sheet.measured));
    };
  }
  plan_one_map(sheet, map);
}

HeatmapSpec spec_of_signed(const Sheet& sheet, const Tensor& matrix, double largest) {
  const ViewSpec& view = sheet.view;
  HeatmapSpec spec;
  spec.matrix = matrix;
  spec.rows = static_cast<double>(matrix.dim(0));
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.map = view.colormap.value_or(default_color_map(true, view.theme));
  spec.theme = view.theme;
  spec.pixel_scale = view.scale;
  const double end = largest > 0 ? largest : 1;
  spec.range = {-end, end, view.log_scale, view.range == RangeKind::row};
  if (view.range == RangeKind::fixed) {
    spec.range.low = view.range_low;
    spec.range.high = view.range_high;
  } else if (view.range == RangeKind::fit) {
    SpreadCounts counts;
    add_visible(counts, matrix);
    const ValueRange own = fitted_range(counts.result(), true);
    spec.range.low = own.low;
    spec.range.high = own.high;
  }
  return spec;
}

void plan_one_map(Sheet& sheet, const OneMap& map) {
  FitRequest request{map.rows, map.columns};
  request.square = map.names.score_like || !map.names.row_word.empty();
  request.fixed_room = 2 * sheet.margin() + sheet.upright_bar_room();
  const Fit fit = fitted(sheet, map.names, request);
  const MapSize& size = fit.size;
  const int width = figure_width(sheet, request.fixed_room + fit.gutter + size.width);
  sheet.plan.width = width;

  HeatmapSpec spec = map.spec;
  spec.width = size.width;
  spec.height = size.height;
  Sheet::Title title = map.title;
  if (map.look) map.look(spec, title);

  const int x = sheet.margin() + fit.gutter;
  const int y = sheet.header(title, width) + fit.column_height;
  MapItem item{x, y, spec, map.cell_text};
  item.spec.hatch_x = x;
  item.spec.hatch_y = y;
  sheet.plan.items.emplace_back(item);
  sheet.row_labels(map.names.rows, map.rows, x, y, static_cast<double>(size.height) / static_cast<double>(map.rows));
  sheet.column_labels(map.names.columns, map.columns, x, y,
                      static_cast<double>(size.width) / static_cast<double>(map.columns));
  sheet.corner(x, y, map.names);

  const bool grid = std::min(size.cell_width, size.cell_height) >= 12 * sheet.view.scale;
  const int bar_height = std::clamp(size.height - (grid ? sheet.px(1) : 0), sheet.px(48), sheet.px(400));
  sheet.upright_bar(x + size.width + sheet.upright_bar_gap(), y, bar_height, map.spec.map, map.spec.range);

  int bottom = y + std::max(size.height, sheet.view.color_bar ? bar_height : 0) + sheet.px(10);
  std::vector<Span> words = map.legend(size);
  add_words_of_numbers(sheet, size, map.cell_text, words);
  bottom += sheet.paragraph(sheet.margin(), bottom, width - 2 * sheet.margin(), words);
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace headscope
