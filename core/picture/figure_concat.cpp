// The merged heads: a band per head over the values, or, merged directly, where each block really comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/operation_text.h"
#include "core/picture/figure_views.h"

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

}  // namespace

void plan_concat(Sheet& sheet, const StagePicture& stage, bool measure) {
  const ViewSpec& view = sheet.view;
  const Trace& trace = sheet.trace;
  const bool direct = trace.request.merge == Merge::direct;
  const std::int64_t heads = trace.num_heads(), features = stage.columns() / heads;
  FitRequest request{stage.rows(), stage.columns()};
  request.square = false;
  request.column_labels = false;
  request.fixed_room = 2 * sheet.margin() + (direct ? 0 : sheet.upright_bar_room());
  // Gaps between heads need cells of whole pixels; a first fit tells whether there are such.
  Fit fit = fitted(sheet, stage.names(), request);
  int gap = 0;
  if (!direct && fit.size.cell_width >= 1) {
    const double block = fit.size.cell_width * static_cast<double>(features);
    gap = block >= 24 * view.scale ? sheet.px(4) : block >= 6 * view.scale ? sheet.px(1) : 0;
    FitRequest with_gaps = request;
    with_gaps.fixed_room += static_cast<int>(heads - 1) * gap;
    const Fit narrower = view.width ? fitted(sheet, stage.names(), with_gaps) : fit;
    if (narrower.size.cell_width >= 1) {
      fit = narrower;
      request = with_gaps;
    } else {
      gap = 0;
    }
  }
  const MapSize& size = fit.size;
  const int left = sheet.margin() + fit.gutter;
  const int width = figure_width(sheet, request.fixed_room + fit.gutter + size.width);
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

  std::vector<Span> words;
  if (direct) {
    sheet.plan.items.emplace_back(
        ProvenanceItem{left, top, size.width, size.height, heads, stage.rows(), view.scale, view.theme});
    words = {{merge_sentence(trace), sheet.colors.text},
             {"\n", {}},
             {"Hue: head. Brightness: token, 30 % the first, 100 % the last. White corner: a token from the future.",
              sheet.colors.text2}};
  } else {
    const ValueRange range = measure ? ValueRange{} : stage.range(0, 1);
    HeatmapSpec spec = stage.spec(0);
    spec.height = size.height;
    spec.range = range;
    // With gaps every head is a picture of its own; without, one picture lies under all bands.
    const std::int64_t pieces = gap > 0 ? heads : 1;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      MapItem map{left + static_cast<int>(piece) * (size.width / static_cast<int>(pieces) + gap), top, spec,
                  stage.cell_text()};
      if (pieces > 1 && !measure) {
        map.spec.matrix = map.spec.matrix.sliced(1, piece * features, (piece + 1) * features);
      }
      map.spec.columns = static_cast<double>(stage.columns() / pieces);
      map.spec.width = size.width / static_cast<int>(pieces);
      sheet.plan.items.emplace_back(map);
    }
    for (std::int64_t head = 0; head < heads; ++head) {
      const int begin = static_cast<int>(head * size.width / heads) + static_cast<int>(head) * gap;
      const int end = static_cast<int>((head + 1) * size.width / heads) + static_cast<int>(head) * gap;
      band(sheet, head, features, left + begin, top, std::max(1, end - begin));
    }
    const int map_width = size.width + static_cast<int>(heads - 1) * gap;
    sheet.upright_bar(left + map_width + sheet.px(14), top, std::clamp(size.height, sheet.px(48), sheet.px(400)),
                      stage.map(), range);
    words = legend(sheet, stage, ", the range centred on zero", size, 0);
    Span& axes = words.emplace_back();
    axes.text = "rows token, columns feature";
    axes.color = sheet.colors.text2;
  }
  int bottom = top + std::max(size.height, !direct && view.color_bar ? sheet.px(48) : 0) + sheet.px(10);
  bottom += sheet.paragraph(sheet.margin(), bottom, width - 2 * sheet.margin(), words);
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace headscope
