#include "core/attention/hidden_weight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/attention/interventions.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

// exp() of less than this is 0 in float32, denormal numbers included.
constexpr double kNothing = -110;
constexpr std::int64_t kRowsLookedAt = 16;  // of each head, where weights are computed when read
constexpr std::size_t kNamedRows = 4;

// What is found while rows are gone through.
struct Found {
  const Trace& trace;
  std::int64_t batch, heads;
  double hidden = 0, all = 0;  // of the rows in which hidden cells hold weight
  std::vector<char> queries;   // 1: of such a row
  std::vector<std::uint8_t> cells;

  explicit Found(const Trace& of)
      : trace(of),
        batch(of.tensor(StageId::weights).dim(0)),
        heads(of.num_heads()),
        queries(static_cast<std::size_t>(of.query_len())),
        cells(static_cast<std::size_t>(of.key_len())) {}

  // Whether hidden cells of the row hold weight; `cells` then says which cells the mask hides.
  bool add(std::int64_t b, std::int64_t h, std::int64_t i, std::span<const float> weights) {
    const HiddenCells& mask = trace.mask->hidden;
    const std::int64_t visible = mask.visible_count(b, h, i);
    if (visible == 0 || visible == mask.key_len()) return false;
    mask.read_row(b, h, i, cells);
    double of_hidden = 0, sum = 0;
    bool any = false;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const auto weight = static_cast<double>(weights[j]);
      sum += weight;
      if (cells[j] == 0) continue;
      any = any || weight > 0 || weight < 0;
      of_hidden += weight;
    }
    if (!any || !std::isfinite(sum)) return false;
    hidden += of_hidden;
    all += sum;
    queries[static_cast<std::size_t>(i)] = 1;
    return true;
  }

  void put_into(HiddenWeight& result) const {
    result.share = all > 0 ? hidden / all : 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (queries[i] != 0) result.queries.push_back(static_cast<std::int64_t>(i));
    }
  }
};

// The mask for pictures, made from the first row on that needs it.
class ShownMask {
 public:
  explicit ShownMask(const Found& found) : found_(found) {}

  void mark(std::int64_t b, std::int64_t h, std::int64_t i, std::span<const float> weights) {
    if (mask_ == nullptr) begin();
    std::uint8_t* const hidden = mask_->hidden.mutable_row(b, h, i);
    std::uint8_t* const marked = mask_->marked.mutable_row(b, h, i);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (found_.cells[j] == 0 || !(weights[j] > 0 || weights[j] < 0)) continue;
      hidden[j] = 0;
      marked[j] = 1;
    }
  }

  std::shared_ptr<const Mask> result() {
    if (mask_ == nullptr) return nullptr;
    mask_->hidden.refresh_any();
    mask_->marked.refresh_any();
    return mask_;
  }

 private:
  void begin() {
    const HiddenCells& cells = found_.trace.mask->hidden;
    mask_ = std::make_shared<Mask>();
    mask_->hidden = HiddenCells(found_.batch, found_.heads, cells.query_len(), cells.key_len());
    mask_->marked = mask_->hidden;
    for (std::int64_t b = 0; b < found_.batch; ++b) {
      for (std::int64_t h = 0; h < found_.heads; ++h) {
        for (std::int64_t i = 0; i < cells.query_len(); ++i) {
          cells.read_row(b, h, i, {mask_->hidden.mutable_row(b, h, i), static_cast<std::size_t>(cells.key_len())});
        }
      }
    }
  }

  const Found& found_;
  std::shared_ptr<Mask> mask_;
};

double longest_row(const Tensor& tensor) {
  double longest = 0;
  for_each_row(tensor, [&](const Index&, std::int64_t, std::span<const float> row) {
    double squares = 0;
    for (const float number : row) squares += static_cast<double>(number) * static_cast<double>(number);
    longest = squares > longest || std::isnan(squares) ? squares : longest;
  });
  return std::sqrt(longest);
}

// Whether every hidden weight is 0 whatever the scores are: |q . k| is at most |q| |k|.
bool fill_is_far_below(const Trace& trace) {
  const Stage* query = trace.find(StageId::query);
  const Stage* key = trace.find(StageId::key);
  if (query == nullptr || key == nullptr) return false;
  double added = 0;
  if (!trace.mask->added.empty()) {
    for_each_row(trace.mask->added, [&](const Index&, std::int64_t, std::span<const float> row) {
      for (const float number : row) added = std::max(added, std::fabs(static_cast<double>(number)));
    });
  }
  const bool before_scale = trace.request.mask_order == MaskOrder::before_scale;
  const double scale = std::fabs(trace.scale);
  const double scores = scale * longest_row(query->tensor) * longest_row(key->tensor);
  const double largest = scores + added * (before_scale ? scale : 1);
  return trace.request.mask_fill * (before_scale ? trace.scale : 1) + largest < kNothing;
}

// Some rows of every head, read for themselves.
std::shared_ptr<const HiddenWeight> of_rows_read_alone(const Trace& trace, const CancelToken& cancel) {
  if (fill_is_far_below(trace)) return nullptr;
  const Tensor& weights = trace.tensor(StageId::weights);
  Found found(trace);
  const std::int64_t rows = trace.query_len(), step = std::max<std::int64_t>(1, rows / kRowsLookedAt);
  std::vector<float> row(static_cast<std::size_t>(trace.key_len()));
  for (std::int64_t b = 0; b < found.batch; ++b) {
    for (std::int64_t h = 0; h < found.heads; ++h) {
      for (std::int64_t i = 0; i < rows; i += step) {
        cancel.check();
        weights.read({{b, b + 1}, {h, h + 1}, {i, i + 1}, {0, trace.key_len()}}, row);
        found.add(b, h, i, row);
      }
    }
  }
  auto result = std::make_shared<HiddenWeight>();
  found.put_into(*result);
  result->of_some_rows = true;
  const HiddenCells& cells = trace.mask->hidden;
  auto shown = std::make_shared<Mask>();
  shown->hidden = HiddenCells(1, 1, cells.query_len(), cells.key_len());
  shown->marked = cells;
  result->shown = std::move(shown);
  return result;
}

// "row 3", "rows 0 to 4", "rows 1, 2 and 7", "12 rows from 3 on".
std::string rows_text(const std::vector<std::int64_t>& rows) {
  if (rows.size() == 1) return fmt::format("row {}", rows.front());
  const auto count = static_cast<std::int64_t>(rows.size());
  if (count > 2 && rows.back() - rows.front() + 1 == count) {
    return fmt::format("rows {} to {}", rows.front(), rows.back());
  }
  if (rows.size() > kNamedRows) return fmt::format("{} rows from {} on", count, rows.front());
  std::string text = "rows ";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    text += k == 0 ? "" : k + 1 == rows.size() ? " and " : ", ";
    text += std::to_string(rows[k]);
  }
  return text;
}

std::string why(const Request& request) {
  if (!std::isfinite(request.mask_fill)) return "numbers were put there";
  if (has_variant(request, Variant::softmax_over_queries)) return "the softmax over queries gives it to them";
  return fmt::format("the fill {} is not below the scores", fill_text(request.mask_fill));
}

}  // namespace

std::shared_ptr<const HiddenWeight> hidden_weight_of(const Trace& trace, const CancelToken& cancel) {
  if (trace.mask == nullptr || !trace.mask->hidden.any()) return nullptr;
  const bool finite_fill = std::isfinite(trace.request.mask_fill);
  if (!finite_fill && !intervenes(trace.request)) return nullptr;
  const Stage* stage = trace.find(StageId::weights);
  if (stage == nullptr) return nullptr;
  if (!stage->tensor.stored() && trace.on_demand != nullptr) {
    return finite_fill ? of_rows_read_alone(trace, cancel) : nullptr;
  }
  Found found(trace);
  ShownMask shown(found);
  for_each_row(stage->tensor, [&](const Index& leading, std::int64_t i, std::span<const float> row) {
    if (i % kRowsTogether == 0) cancel.check();
    if (found.add(leading[0], leading[1], i, row)) shown.mark(leading[0], leading[1], i, row);
  });
  const std::shared_ptr<const Mask> mask = shown.result();
  if (mask == nullptr) return nullptr;
  auto result = std::make_shared<HiddenWeight>();
  found.put_into(*result);
  result->shown = mask;
  return result;
}

std::string hidden_weight_sentence(const Trace& trace) {
  if (trace.hidden_weight == nullptr || trace.hidden_weight->queries.empty()) return "";
  const HiddenWeight& found = *trace.hidden_weight;
  const std::string share =
      found.share >= 0.005 ? fmt::format("{:.2f}", found.share) : fmt::format("{:.1g}", found.share);
  return fmt::format("hidden cells hold {} of the weight of {}{}: {}", share, rows_text(found.queries),
                     found.of_some_rows ? ", of those looked at" : "", why(trace.request));
}

double hidden_share(const Trace& trace, std::int64_t b, std::int64_t h, std::int64_t i,
                    std::span<const float> weights) {
  if (trace.hidden_weight == nullptr) return 0;
  Found found(trace);
  return found.add(b, h, i, weights) && found.all > 0 ? found.hidden / found.all : 0;
}

std::int64_t weighed_keys(const Trace& trace, std::int64_t b, std::int64_t h, std::int64_t i) {
  const std::int64_t visible = trace.mask->hidden.visible_count(b, h, i);
  if (visible == 0 || trace.hidden_weight == nullptr || trace.hidden_weight->queries.empty()) return visible;
  return trace.hidden_weight->shown->hidden.visible_count(b, h, i);
}

std::string fill_text(double fill) {
  std::string text = fmt::format("{:.3g}", fill);
  if (std::strtod(text.c_str(), nullptr) != fill) text = fmt::format("{}", fill);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  std::string digits = text.substr(exponent + 1);
  const bool small = digits.starts_with('-');
  digits.erase(0, digits.find_first_of("123456789"));
  return text.substr(0, exponent + 1) + (small ? "-" : "") + digits;
}

}  // namespace headscope
