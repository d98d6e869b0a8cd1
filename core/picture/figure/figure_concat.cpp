// The merged heads: a band per head over the values, or, merged directly, where each block really comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/operation_text.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {

namespace {

constexpr double kBandRoom = 16 + 3 + 4;  // label, band, air

// "head 2" with its features where there is room, less where there is not.
void band(Sheet& sheet, std::int64_t head, std::int64_t features, int x, int bottom, int width) {
  sheet.rect(x, bottom - sheet.px(3) - sheet.px(3), width, sheet.px(3), head_color(head));
  const double middle = bottom - sheet.font(6 + 9);
  const std::string name = fmt::format("head {}", head), number = std::to_string(head);
  const std::string span = fmt::format("{}\u2013{}", head * features, (head + 1) * features - 1);
  const double name_width = sheet.width_of(name, FontRole::words, 11);
  if (name_width <= width) {
    sheet.text_middle(x, middle, name, FontRole::words, 11, sheet.colors.text2);
    const double rest = x + name_width + sheet.font(7);
    if (rest + sheet.width_of(span, FontRole::numbers, 11) <= x + width) {
      sheet.text_middle(rest, middle, span, FontRole::numbers, 11, sheet.colors.text3);
    }
  } else if (sheet.width_of(number, FontRole::numbers, 11) <= width) {
    sheet.text_middle(x, middle, number, FontRole::numbers, 11, sheet.colors.text2);
  }
}

std::string merge_sentence(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  const MergeReport report =
      merge_report(with_own_mask(trace.request, inputs), inputs.num_heads, inputs.query_len, inputs.value_head_dim);
  const auto counted = [](std::int64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  std::string sentence = fmt::format("Direct merge: a row holds up to {} of {}.",
                                     counted(report.tokens_per_row, "token"), counted(report.heads_per_row, "head"));
  if (report.future_leaks) {
    sentence += fmt::format(" The future leaks: row {} holds token {}.", report.first_leaking_row, report.leaked_token);
  }
  return sentence;
}

struct ConcatFit {
  Fit fit;
  int fixed_room = 0;  // of the figure's width: margins, colour bar and gaps
  int gap = 0;         // between two heads
};

// Gaps between heads need cells of whole pixels; a first fit tells whether there are such.
ConcatFit fit_with_gaps(Sheet& sheet, const StagePicture& stage, bool direct) {
  const std::int64_t heads = sheet.trace.num_heads();
  FitRequest request{stage.rows(), stage.columns()};
  request.square = false;
  request.column_labels = false;
  request.fixed_room = 2 * sheet.margin() + (direct ? 0 : sheet.upright_bar_room());
  const Fit fit = fitted(sheet, stage.names(), request);
  const ConcatFit without{fit, request.fixed_room, 0};
  if (direct || fit.size.cell_width < 1) return without;
  const double scale = sheet.view.scale;
  const double block = fit.size.cell_width * static_cast<double>(stage.columns() / heads);
  const int gap = block >= 24 * scale ? sheet.px(4) : block >= 6 * scale ? sheet.px(1) : 0;
  request.fixed_room += static_cast<int>(heads - 1) * gap;
  const Fit narrower = sheet.view.width ? fitted(sheet, stage.names(), request) : fit;
  if (narrower.size.cell_width < 1) return without;
  return {narrower, request.fixed_room, gap};
}

// Where the map lies: heads side by side, each `gap` pixels behind the one before it.
struct ConcatMap {
  MapSize size;  // without the gaps
  int left = 0, top = 0, gap = 0;
};

// With gaps every head is a picture of its own; without, one picture lies under all bands.
void add_heads(Sheet& sheet, const StagePicture& stage, const ConcatMap& at, const ValueRange& range, bool measure) {
  const std::int64_t heads = sheet.trace.num_heads(), features = stage.columns() / heads;
  const MapSize& size = at.size;
  HeatmapSpec spec = stage.spec(0);
  spec.height = size.height;
  spec.range = range;
  const std::int64_t pieces = at.gap > 0 ? heads : 1;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    MapItem map{at.left + static_cast<int>(piece) * (size.width / static_cast<int>(pieces) + at.gap), at.top, spec,
                stage.cell_text()};
    if (pieces > 1 && !measure) {
      map.spec.matrix = map.spec.matrix.sliced(1, piece * features, (piece + 1) * features);
    }
    map.spec.columns = static_cast<double>(stage.columns() / pieces);
    map.spec.width = size.width / static_cast<int>(pieces);
    sheet.plan.items.emplace_back(map);
  }
  for (std::int64_t head = 0; head < heads; ++head) {
    const int begin = static_cast<int>(head * size.width / heads) + static_cast<int>(head) * at.gap;
    const int end = static_cast<int>((head + 1) * size.width / heads) + static_cast<int>(head) * at.gap;
    band(sheet, head, features, at.left + begin, at.top, std::max(1, end - begin));
  }
}

// The heads side by side with their colour bar; returns what stands below.
std::vector<Span> add_values(Sheet& sheet, const StagePicture& stage, const ConcatMap& at, bool measure) {
  const MapSize& size = at.size;
  const ValueRange range = measure ? ValueRange{} : stage.range(0, 1);
  add_heads(sheet, stage, at, range, measure);
  const int map_width = size.width + static_cast<int>(sheet.trace.num_heads() - 1) * at.gap;
  sheet.upright_bar(at.left + map_width + sheet.upright_bar_gap(), at.top,
                    std::clamp(size.height, sheet.px(48), sheet.px(400)), stage.map(), range);
  std::vector<Span> words = legend(sheet, stage, ", the range centred on zero", size, 0);
  add_words_of_numbers(sheet, size, stage.cell_text(), words);
  Span& axes = words.emplace_back();
  axes.text = "rows token, columns feature";
  axes.color = sheet.colors.text2;
  return words;
}

// Of a direct merge, which head and token each cell comes from; returns what stands below.
std::vector<Span> add_provenance(Sheet& sheet, const StagePicture& stage, const ConcatMap& at) {
  sheet.plan.items.emplace_back(ProvenanceItem{at.left, at.top, at.size.width, at.size.height, sheet.trace.num_heads(),
                                               stage.rows(), sheet.view.scale, sheet.view.theme});
  return {{merge_sentence(sheet.trace), sheet.colors.text},
          {"\n", {}},
          {"Hue: head. Brightness: token, 30 % the first, 100 % the last. White corner: a token from the future.",
           sheet.colors.text2}};
}

}  // namespace

void plan_concat(Sheet& sheet, const StagePicture& stage, bool measure) {
  const ViewSpec& view = sheet.view;
  const bool direct = sheet.trace.request.merge == Merge::direct;
  const ConcatFit found = fit_with_gaps(sheet, stage, direct);
  const MapSize& size = found.fit.size;
  const int left = sheet.margin() + found.fit.gutter;
  const int width = figure_width(sheet, found.fixed_room + found.fit.gutter + size.width);
  sheet.plan.width = width;

  Sheet::Title title;
  title.name = "concat";
  title.contract_name = true;
  title.shape = to_string(stage.shape());
  title.fact = direct ? "merged without transposing back" : "heads side by side";
  if (stage.shape()[0] > 1) title.fact += fmt::format(" \u00b7 batch {} of {}", view.batch, stage.shape()[0]);
  const int top = sheet.header(title, width) + (direct ? 0 : sheet.px(kBandRoom));
  sheet.row_labels(stage.row_names(), stage.rows(), left, top,
                   static_cast<double>(size.height) / static_cast<double>(stage.rows()));

  const ConcatMap at{size, left, top, found.gap};
  const std::vector<Span> words = direct ? add_provenance(sheet, stage, at) : add_values(sheet, stage, at, measure);
  int bottom = top + std::max(size.height, !direct && view.color_bar ? sheet.px(48) : 0) + sheet.px(10);
  bottom += sheet.paragraph(sheet.margin(), bottom, width - 2 * sheet.margin(), words);
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace headscope
