#include "core/explain/cell_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/explain/typeset_formula.h"

namespace headscope {
namespace {

// About half a millisecond: a term costs two operands with their names.
constexpr std::int64_t kQuickTerms = 4096;

// The one cell that `origin`'s cell comes from, if there is one: itself in the stage before, or a moved copy. `why` is
// the explanation of the cell.
std::optional<CellPlace> single_source(const CellOrigin& origin, const Index& index, const Explanation& why) {
  if (origin.sources.empty() || !origin.sources[0].stage) return std::nullopt;
  const CellSource& from = origin.sources[0];
  if (origin.step == CellStep::formula && origin.sources.size() > 1) return std::nullopt;
  switch (origin.step) {
    case CellStep::softmax:
      return CellPlace{*from.stage, index};
    case CellStep::copied:
    case CellStep::scaled:
    case CellStep::formula:
    case CellStep::masked:
    case CellStep::dropped: {
      CellPlace place{*from.stage, {}};
      for (const Range& range : from.region) place.index.push_back(range.begin);
      return place;
    }
    case CellStep::rotated: {
      if (why.turn) return std::nullopt;  // it comes from two
      CellPlace place{*from.stage, {}};
      for (const Range& range : from.region) place.index.push_back(range.begin);
      place.index[place.index.count - 1] += origin.at;
      return place;
    }
    default:
      return std::nullopt;
  }
}

// Of a cell that rotary positions turn: where both features of its pair come from.
std::vector<ReportFeature> turned_features(const Trace& trace, const Explanation& root) {
  std::vector<ReportFeature> features;
  if (!root.turn) return features;
  for (const ExplainTurn::Feature* each : {&root.turn->own, &root.turn->other}) {
    const CellPlace place{stage_named(each->cell.stage).value(), each->cell.index};
    features.push_back({place, report_of(trace, place.stage, place.index)});
  }
  return features;
}

// "weights[0, 2, 7, j]": the axis that the terms lie along as a letter.
std::string row_text(const CellSource& source, char letter) {
  std::string text = source.name + "[";
  for (int axis = 0; axis < source.region.count; ++axis) {
    if (axis > 0) text += ", ";
    const Range& range = source.region[axis];
    text += range.size() > 1 ? std::string(1, letter) : std::to_string(range.begin);
  }
  return text + "]";
}

void add_terms(CellReport& report, const CellOrigin& origin) {
  const Explanation& root = report.root();
  double largest = 0;
  for (const ExplainTerm& term : root.terms) {
    const double size = std::abs(term.product());
    largest = std::isnan(size) || std::isnan(largest) ? std::nan("") : std::max(largest, size);
    report.sum += term.product();
  }
  const bool comparable = std::isfinite(largest) && largest > 0;
  for (std::size_t at = 0; at < root.terms.size(); ++at) {
    const ExplainTerm& term = root.terms[at];
    const double product = term.product();
    report.terms.push_back(
        {term.k, term.left, term.right, product, comparable ? static_cast<float>(product / largest) : 0.0F, 2 * at});
  }
  const auto size = [](const ReportTerm& term) {
    const double product = std::abs(term.product);
    return std::isnan(product) ? std::numeric_limits<double>::infinity() : product;
  };
  std::stable_sort(report.terms.begin(), report.terms.end(),
                   [&](const ReportTerm& a, const ReportTerm& b) { return size(a) > size(b); });
  for (std::size_t at = kShownTerms; at < report.terms.size(); ++at) {
    report.rest += report.terms[at].product;
    report.rest_largest = larger_size(report.rest_largest, report.terms[at].product);
  }
  if (!origin.not_read.empty()) {
    report.not_read =
        std::count_if(origin.not_read.begin(), origin.not_read.end(), [](auto each) { return each != 0; });
  }
}

}  // namespace

bool is_copy(const Explanation& why) {
  return why.steps.size() == 1 && why.steps.front().name == "copy";
}

int factor_decimals(const CellReport& report, int decimals) {
  double largest = 0;
  for (const ReportTerm& term : report.terms) {
    const double both = std::abs(term.left) + std::abs(term.right);
    if (std::isfinite(both)) largest = std::max(largest, both);
  }
  int more = 0;
  for (double limit = 2; largest > limit && more < 4; limit *= 10) ++more;
  return decimals + more;
}

CellReport report_of(const Trace& trace, StageId stage, const Index& index) {
  CellReport report;
  CellPlace at{stage, index};
  CellOrigin origin = origin_of(trace, at.stage, at.index);
  for (;;) {
    const bool only_copies = std::all_of(report.chain.begin(), report.chain.end(), is_copy);
    report.chain.push_back(explain(trace, at.stage, at.index));
    if (only_copies) report.formulas.push_back(typeset_formula(trace, report.chain.back(), origin));
    const std::optional<CellPlace> from = single_source(origin, at.index, report.chain.back());
    if (!from) break;
    at = *from;
    origin = origin_of(trace, at.stage, at.index);
  }
  report.over_keys = at.stage == StageId::context;
  if (origin.step == CellStep::products) {
    const char letter = report.over_keys ? 'j' : 'd';
    report.left_row = row_text(origin.sources[0], letter);
    report.right_row = row_text(origin.sources[1], letter);
  }
  add_terms(report, origin);
  report.turned = turned_features(trace, report.root());
  for (auto why = report.chain.rbegin(); why != report.chain.rend(); ++why) {
    for (const ExplainStep& step : why->steps) {
      const bool is_sum = &*why == &report.root() && !report.left_row.empty() && &step == &why->steps.front();
      if (!is_sum && !is_copy(*why)) report.steps.push_back({{why->stage, why->index}, step});
    }
  }
  if (!report.terms.empty() && report.over_keys) {
    const Operand& weight = report.root().operands[report.terms.front().left_operand];
    if (const auto of = stage_named(weight.stage)) {
      report.weight = std::make_shared<const CellReport>(report_of(trace, *of, weight.index));
    }
  }
  return report;
}

bool report_is_quick(const Trace& trace) {
  if (trace.on_demand || trace.preview) return false;
  for (const Stage& stage : trace.stages) {
    const Shape& shape = stage.tensor.shape();
    if (shape[shape.count - 1] > kQuickTerms || shape[shape.count - 2] > kQuickTerms) return false;
  }
  return true;
}

}  // namespace headscope
