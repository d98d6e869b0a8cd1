// A - B of one matrix: what two results do differently, centred on zero.
#include <fmt/format.h>

#include "core/compare/comparison.h"
#include "core/picture/figure/figure_views.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

// The matrix that the view asks for; says why there is none.
MatrixDifference difference_for(const Trace& a, const Trace& b, const ViewSpec& view) {
  const std::string stage(stage_name(view.stage));
  for (const Trace* trace : {&a, &b}) {
    if (trace->find(view.stage) == nullptr) {
      throw UsageError("stage",
                       fmt::format("only {} has {}, a difference needs it in both", trace == &a ? "B" : "A", stage));
    }
  }
  const Tensor& tensor = b.tensor(view.stage);
  const std::int64_t heads = tensor.rank() == 4 && shown_by_heads(view.stage) == view.stage ? tensor.dim(1) : 1;
  if (view.batch < 0 || view.batch >= tensor.dim(0)) {
    throw UsageError("batch", fmt::format("{} asked for, the batches are 0 to {}", view.batch, tensor.dim(0) - 1));
  }
  if (heads > 1 && (view.head < 0 || view.head >= heads)) {
    throw UsageError("head", fmt::format("{} asked for, {} has heads 0 to {}", view.head, stage, heads - 1));
  }
  std::optional<MatrixDifference> difference =
      difference_matrix(a, b, view.stage, view.batch, heads > 1 ? view.head : 0);
  if (!difference) {
    throw UsageError("stage", fmt::format("{} {} of A and {} of B cannot be subtracted", stage,
                                          to_string(a.tensor(view.stage).shape()), to_string(tensor.shape())));
  }
  return std::move(*difference);
}

}  // namespace

void plan_difference(Sheet& sheet, const Trace* against) {
  const ViewSpec& view = sheet.view;
  if (against == nullptr) {
    throw UsageError("against", "found nothing; a difference needs the session or picture of the other result");
  }
  if (view.log_scale) {
    throw UsageError("log", "found with the difference of two results, whose numbers below 0 have no logarithm");
  }
  const Trace& a = *against;
  const Trace& b = sheet.trace;
  MatrixDifference difference = difference_for(a, b, view);
  OneMap map;
  map.rows = difference.matrix.dim(0);
  map.columns = difference.matrix.dim(1);
  map.names.rows = std::move(difference.row_labels);
  map.names.score_like = is_score_like(view.stage);
  if (map.names.score_like) map.names.columns = std::move(difference.column_labels);
  map.title.name = "A \u2212 B";
  map.title.stage = stage_name(view.stage);
  map.title.fact = difference.largest == 0 ? "no difference"
                                           : "largest difference " + tick_text(difference.largest, difference.largest);
  if (b.tensor(view.stage).rank() == 4) {
    map.title.head = view.head;
    map.title.fact = fmt::format("head {} \u00b7 {}", view.head, map.title.fact);
  }
  map.title.lines = facts_of_two(a, b);
  map.spec = spec_of_signed(sheet, difference.matrix, difference.largest);
  map.spec.mask = difference.hidden;
  const std::int64_t hidden = difference.hidden == nullptr ? 0 : difference.hidden->hidden.hidden_count(0, 0);
  const std::string noun = cell_noun(view.stage);
  map.legend = [&](const MapSize& size) {
    std::vector<Span> spans =
        legend_of_axes(sheet, noun + " of A less that of B", ", the range centred on zero", map.names.score_like);
    const std::string pooled = pooled_note(size, map.rows, map.columns, "difference");
    if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, sheet.colors.text2});
    if (hidden > 0) {
      spans.push_back(legend_of_hidden(sheet, size, "hidden in both", hidden, map.rows * map.columns));
    }
    return spans;
  };
  plan_one_map(sheet, map);
}

}  // namespace headscope
