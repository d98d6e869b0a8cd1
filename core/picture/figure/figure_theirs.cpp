// A stage of other code beside ours: theirs, ours and theirs - ours, with what differs marked in each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/stage_layout.h"
#include "core/base/error.h"
#include "core/base/grouped_digits.h"
#include "core/diagnose/verdict_words.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/figure/theirs_contents.h"
#include "core/picture/figure/theirs_ranges.h"
#include "core/picture/figure/wrong_marks.h"
#include "core/request/stage_info.h"
#include "core/tensor/matrix_layout.h"

namespace headscope {
namespace {

constexpr std::size_t kSides = 3, kDifference = 2;
constexpr std::array<const char*, kSides> kNames = {"theirs", "ours", "theirs \u2212 ours"};
constexpr double kSideGap = 26, kNameHeight = 20, kNameSize = 12, kBarHeight = 34;
constexpr double kLeastBeside = 60;   // of a map that leaves room for the name of the last; else they are stacked
constexpr double kNarrowestCell = 4;  // of features side by side; narrower ones stand one above the other

// Everything that is drawn, before its place is known.
struct Sides {
  const StagePicture& stage;
  WrongCells wrong;
  std::array<MapItem, kSides> maps;
  bool framed = false;
};

std::int64_t checked_head(const ViewSpec& view, const TheirsFigure& theirs, const MatrixLayout& layout) {
  if (layout.head < 0) return 0;
  const std::int64_t heads = theirs.sides.ours.shape()[layout.head];
  if (view.head < heads && view.head >= 0) return view.head;
  if (theirs.sides.averaged) {
    throw UsageError("head", fmt::format("{} asked for, theirs is a mean over heads", view.head), "0");
  }
  throw UsageError(
      "head", fmt::format("{} asked for, {} has heads 0 to {}", view.head, stage_name(theirs.found.stage), heads - 1));
}

// Cells that the mask hides, but for those where theirs differs: a wrong number is seen.
std::shared_ptr<const Mask> mask_without(const WrongCells& wrong, const HeatmapSpec& spec) {
  if (spec.mask == nullptr || wrong.cells.empty()) return nullptr;
  const std::int64_t rows = spec.matrix.dim(0), columns = spec.matrix.dim(1);
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::uint8_t* const out = mask->hidden.mutable_row(0, 0, i);
    for (std::int64_t j = 0; j < columns; ++j) {
      out[j] = spec.mask->hidden.hidden(spec.batch, spec.head, i, j) && !wrong.at(i, j) ? 1 : 0;
    }
  }
  mask->hidden.refresh_any();
  return mask->hidden.any() ? mask : nullptr;
}

// The three maps without place and size.
Sides sides_of(const Sheet& sheet, const TheirsFigure& theirs, const StagePicture& stage) {
  const ViewSpec& view = sheet.view;
  const MatrixLayout layout = stage_layout(theirs.found.stage);
  const std::int64_t head = checked_head(view, theirs, layout);
  Sides sides{stage, wrong_cells(sheet.trace, theirs.found, theirs.sides, view.batch, head), {}, false};
  const std::array<const Tensor*, kSides> tensors = {&theirs.sides.theirs, &theirs.sides.ours,
                                                     &theirs.sides.difference};
  for (std::size_t side = 0; side < kSides; ++side) {
    HeatmapSpec spec = stage.spec(head);
    spec.matrix = matrix_of(*tensors[side], layout, view.batch, head, {0, stage.rows()}, {0, stage.columns()});
    if (side != 1) {
      spec.mask = mask_without(sides.wrong, spec);
      spec.batch = spec.head = 0;
    }
    sides.maps[side] = {0, 0, std::move(spec), side == kDifference ? CellText::values : stage.cell_text()};
  }
  set_shared_range(view, stage, sides.maps[0].spec, sides.maps[1].spec);
  set_difference_range(view, sides.maps[kDifference].spec);
  return sides;
}

// How the maps stand: side by side, or one above the other.
struct Arrangement {
  Fit fit;
  bool stacked = false;
  int step = 0;   // pixels from the left edge of a map to that of the next, side by side
  int last = 0;   // that the last map and its name take
  int width = 0;  // of the figure
};

int name_width(const Sheet& sheet, std::size_t side) {
  return static_cast<int>(std::ceil(sheet.width_of(kNames[side], FontRole::words_bold, kNameSize)));
}

// Side by side, the last map with room for its name, which is the longest.
Arrangement beside(const Sheet& sheet, const StagePicture& stage, FitRequest request) {
  const int room = marks_room(sheet), gap = sheet.px(kSideGap), longest = name_width(sheet, kDifference);
  request.fixed_room = 2 * sheet.margin() + 2 * gap + room;
  request.maps_beside = static_cast<int>(kSides);
  request.target = 300;
  Arrangement made;
  made.fit = fitted(sheet, stage.names(), request);
  const int left = sheet.view.width.value_or(0) - request.fixed_room - made.fit.gutter - (longest - room);
  if (left >= 2 * sheet.px(kLeastBeside) && made.fit.size.width + room < longest) {
    request.fixed_room += longest - room;
    request.maps_beside = static_cast<int>(kSides) - 1;
    made.fit = fitted(sheet, stage.names(), request);
  }
  made.step = std::max(made.fit.size.width, name_width(sheet, 0)) + gap;
  made.last = std::max(made.fit.size.width + room, longest);
  made.width = 2 * sheet.margin() + made.fit.gutter + 2 * made.step + made.last;
  return made;
}

Arrangement arranged(const Sheet& sheet, const StagePicture& stage) {
  FitRequest request{stage.rows(), stage.columns()};
  request.square = stage.score_like();
  Arrangement made = beside(sheet, stage, request);
  made.stacked = (!request.square && made.fit.size.cell_width < kNarrowestCell * sheet.view.scale) ||
                 (sheet.view.width && made.width > *sheet.view.width);
  if (made.stacked) {
    const int room = marks_room(sheet);
    request.fixed_room = 2 * sheet.margin() + room;
    request.target = 880;
    made.fit = fitted(sheet, stage.names(), request);
    made.width = request.fixed_room + made.fit.gutter + made.fit.size.width;
  }
  made.width = figure_width(sheet, made.width);
  return made;
}

Sheet::Title title_of(const Sheet& sheet, const TheirsFigure& theirs, const StagePicture& stage, int width) {
  Sheet::Title title;
  title.name = stage_name(theirs.found.stage);
  title.contract_name = true;
  const auto add = [&](const std::string& fact) { title.fact += (title.fact.empty() ? "" : " \u00b7 ") + fact; };
  if (stage.shape()[0] > 1) add(fmt::format("batch item {} (0 to {})", sheet.view.batch, stage.shape()[0] - 1));
  if (theirs.sides.averaged) add("the mean over heads");
  if (stage.heads() > 0 && !theirs.sides.averaged) {
    title.head = sheet.view.head;
    add(fmt::format("head {}", sheet.view.head));
  }
  add(theirs.found.verdict());
  // The heading names what is shown before how large it is.
  const std::string shape = to_string(theirs.sides.ours.shape());
  const double words = sheet.width_of(title.name, FontRole::numbers_bold, 13) +
                       sheet.width_of(shape, FontRole::numbers, 12) + sheet.width_of(title.fact, FontRole::words, 12) +
                       sheet.font(40);
  if (words < width - 2 * sheet.margin()) title.shape = shape;
  std::string file = "theirs: " + theirs.file;
  if (!theirs.sides.read_as.empty()) file += ", read as " + theirs.sides.read_as;
  if (!theirs.found.format.is_float32()) file += fmt::format(", {} numbers", theirs.found.format.name);
  title.lines = {file, "ours: " + request_facts(sheet.trace)};
  return title;
}

// The heads that the columns of a stage of three axes belong to; 0: to none.
std::int64_t heads_of_columns(const Trace& trace, StageId stage) {
  const bool of_queries = stage == StageId::query_proj || stage == StageId::concat;
  const bool of_keys = stage == StageId::key_proj || stage == StageId::value_proj;
  return of_queries ? trace.inputs->num_heads : of_keys ? trace.inputs->num_kv_heads : 0;
}

// Which batch items and heads differ; returns the y below.
int draw_where(Sheet& sheet, const TheirsFigure& theirs, const StagePicture& stage, int y, int width) {
  const Where& where = theirs.found.where;
  y += mark_numbers(sheet, {"batch items", where.batches, stage.shape()[0], sheet.view.batch}, y, width);
  if (theirs.sides.averaged) return y;
  const bool by_heads = stage.heads() > 0;
  const std::int64_t heads = by_heads ? stage.heads() : heads_of_columns(sheet.trace, stage.stage());
  return y + mark_numbers(sheet, {"heads", where.heads, heads, by_heads ? sheet.view.head : -1}, y, width);
}

// Where a map stands: its left edge, the top of its name, and whether its rows are named.
struct Place {
  int x = 0, top = 0;
  bool row_names = false;
};

// One map with its name and its labels; returns the y below its marks.
int draw_side(Sheet& sheet, Sides& sides, std::size_t side, const Arrangement& made, const Place& place) {
  const auto [x, top, row_names] = place;
  const MapSize& size = made.fit.size;
  const AxisNames& names = sides.stage.names();
  MapItem map = sides.maps[side];
  const std::string name =
      fit_text(kNames[side], FontRole::words_bold, sheet.font(kNameSize), made.width - sheet.margin() - x);
  sheet.text_middle(x, top + sheet.font(8), name, FontRole::words_bold, kNameSize, sheet.colors.text);
  const int y = top + sheet.px(kNameHeight) + made.fit.column_height;
  map.x = map.spec.hatch_x = x;
  map.y = map.spec.hatch_y = y;
  map.spec.width = size.width;
  map.spec.height = size.height;
  sheet.plan.items.emplace_back(std::move(map));
  if (row_names) {
    sheet.row_labels(names.rows, sides.stage.rows(), x, y,
                     static_cast<double>(size.height) / static_cast<double>(sides.stage.rows()));
    sheet.corner(x, y, names);
  }
  sheet.column_labels(names.columns, sides.stage.columns(), x, y,
                      static_cast<double>(size.width) / static_cast<double>(sides.stage.columns()));
  sides.framed = mark_wrong_cells(sheet, sides.wrong, x, y, size);
  return y + size.height + marks_room(sheet) + sheet.px(6);
}

// Under theirs and ours together, or under the difference.
int draw_bar(Sheet& sheet, const HeatmapSpec& spec, const Arrangement& made, int x, int y) {
  if (!sheet.view.color_bar) return y;
  const bool is_last = x > sheet.margin() + made.fit.gutter;
  const int beside = is_last ? made.last : made.step + made.fit.size.width;
  const int wide = made.stacked ? made.width - sheet.margin() - x : beside;
  sheet.level_bar(x, y, std::min(wide, sheet.px(240)), spec.map, spec.range);
  return y + sheet.px(kBarHeight);
}

// The maps with their bars: one of theirs and ours together, one of the difference. Returns the y below.
int draw_maps(Sheet& sheet, Sides& sides, const Arrangement& made, int y) {
  const int left = sheet.margin() + made.fit.gutter;
  int bottom = y;
  for (std::size_t side = 0; side < kSides; ++side) {
    const int x = made.stacked ? left : left + static_cast<int>(side) * made.step;
    const int below = draw_side(sheet, sides, side, made, {x, made.stacked ? bottom : y, made.stacked || side == 0});
    const bool has_bar = made.stacked ? side != 0 : side != 1;
    bottom = has_bar ? draw_bar(sheet, sides.maps[side].spec, made, x, below) : std::max(bottom, below);
  }
  return bottom;
}

void add_sentence(std::vector<Span>& spans, const std::string& sentence, Rgba color) {
  if (!sentence.empty()) spans.push_back({sentence + ".", color});
}

// The three answers in their order, then what colours and marks mean.
std::vector<Span> caption_of(const Sheet& sheet, const TheirsFigure& theirs, const Sides& sides, const MapSize& size) {
  const Palette& colors = sheet.colors;
  std::vector<Span> spans;
  add_sentence(spans, verdict_sentence(theirs.found), colors.text);
  add_sentence(spans, theirs.found.where.sentence, colors.text);
  add_sentence(spans, explained_sentence(theirs.found), colors.text);
  spans.push_back({"\n", {}});
  const StagePicture& stage = sides.stage;
  const std::string noun = cell_noun(stage.stage());
  for (Span& each : legend_of_axes(sheet, noun, ", one range for theirs and ours", stage.score_like())) {
    spans.push_back(std::move(each));
  }
  if (sheet.view.range == RangeKind::row) spans.push_back({"\u00b7 the same for theirs and ours", colors.text2});
  spans.push_back({fmt::format("\u00b7 theirs \u2212 ours has a {}range of its own around zero",
                               sheet.view.log_scale ? "linear " : ""),
                   colors.text2});
  const std::string pooled = pooled_note(size, stage.rows(), stage.columns(), noun);
  if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, colors.text2});
  if (sides.wrong.count > 0) {
    spans.push_back({fmt::format("\u00b7 {}: {} of the {} cells of this map differ",
                                 sides.framed ? "framed, and marked along the sides" : "marked along the sides",
                                 grouped_digits(sides.wrong.count), grouped_digits(stage.rows() * stage.columns())),
                     colors.bad});
  } else if (!theirs.found.equal && theirs.found.where.cells > 0) {
    spans.push_back({"\u00b7 no cell of this map differs", colors.text2});
  }
  const std::int64_t hidden = stage.hidden_cells(theirs.sides.averaged ? 0 : sheet.view.head);
  if (hidden > 0) spans.push_back(legend_of_hidden(sheet, size, "hidden", hidden, stage.rows() * stage.columns()));
  add_words_of_numbers(sheet, size, stage.cell_text(), spans);
  return spans;
}

}  // namespace

void plan_theirs(Sheet& sheet, const TheirsFigure& theirs) {
  if (sheet.view.stage != theirs.found.stage) {
    throw UsageError("stage", fmt::format("{} asked for, theirs is {}", stage_name(sheet.view.stage),
                                          stage_name(theirs.found.stage)));
  }
  if (sheet.view.log_scale && !is_weight_like(sheet.view.stage)) {
    throw UsageError(
        "log", fmt::format("found with {}, whose numbers below 0 have no logarithm", stage_name(sheet.view.stage)));
  }
  const StagePicture stage(sheet.trace, theirs.found.stage, sheet.view, sheet.cancel);
  Sides sides = sides_of(sheet, theirs, stage);
  const Arrangement made = arranged(sheet, stage);
  sheet.plan.width = made.width;
  int y = sheet.header(title_of(sheet, theirs, stage, made.width), made.width);
  y = draw_where(sheet, theirs, stage, y, made.width);
  y = draw_maps(sheet, sides, made, y);
  y += sheet.paragraph(sheet.margin(), y, made.width - 2 * sheet.margin(),
                       caption_of(sheet, theirs, sides, made.fit.size));
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
