#include "core/picture/figure/figure_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "core/attention/hidden_weight.h"
#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"
#include "core/base/assert.h"
#include "core/base/grouped_digits.h"
#include "core/base/utf8.h"
#include "core/heads/shown_weights.h"
#include "core/io/tensor_blocks.h"
#include "core/picture/fitted_range.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"
#include "core/text/text_difference.h"

namespace headscope {

namespace {

// Some stages have more rows than tokens (the key of bias_k): those are named by their index.
std::vector<std::string> names_for(std::vector<std::string> names, std::int64_t count) {
  for (auto k = static_cast<std::int64_t>(names.size()); k < count; ++k) names.push_back(std::to_string(k));
  names.resize(static_cast<std::size_t>(count));
  return names;
}

const Stage& stage_of(const Trace& trace, StageId id) {
  const Stage* stage = trace.find(id);
  if (stage != nullptr) return *stage;
  std::string names;
  for (const Stage& present : trace.stages) names += (names.empty() ? "" : ", ") + std::string(stage_name(present.id));
  throw UsageError("stage", fmt::format("this request has no stage {}; it has {}", stage_name(id), names));
}

bool nan_when_fully_masked(const Request& request) {
  return request.fully_masked == FullyMasked::as_computed && !std::isfinite(request.mask_fill);
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string one_line(const std::string& text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool blank = is_space(point.value) || point.value < 0x20;
    if (!blank) line.append(text, at, static_cast<std::size_t>(point.bytes));
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
    at += static_cast<std::size_t>(point.bytes);
  }
  return line;
}

std::vector<std::string> fact_list(const Trace& trace, const std::string& phrase) {
  const Request& request = trace.request;
  const Inputs& inputs = *trace.inputs;
  std::vector<std::string> facts;
  facts.push_back(inputs.weights.empty() ? "query, key and value from files" : file_name(inputs.weights.source));
  if (inputs.d_model > 0) facts.push_back(fmt::format("d_model {}", inputs.d_model));
  facts.push_back(inputs.num_heads == 1 ? "1 head" : fmt::format("{} heads", inputs.num_heads));
  if (inputs.num_kv_heads != inputs.num_heads) facts.push_back(fmt::format("{} kv_heads", inputs.num_kv_heads));
  const std::vector<MaskTerm> mask = mask_terms_of(request, inputs);
  if (mask.empty()) {
    facts.emplace_back(asks_for_mask(request, inputs) ? "mask painted" : "no mask");
  } else {
    facts.push_back("mask " + mask_text(mask) + (any_painted(request) ? ", painted" : ""));
  }
  if (request.mask_order == MaskOrder::before_scale) facts.emplace_back("mask before scale");
  if (request.scale) facts.push_back(fmt::format("scale {}", *request.scale));
  const std::optional<double>& softcap = trace.as_computed().softcap;
  if (softcap) facts.push_back(fmt::format("softcap {}", *softcap));
  if (request.dropout > 0) facts.push_back(fmt::format("dropout {}", request.dropout));
  if (request.merge == Merge::direct) facts.emplace_back("direct merge");
  if (!request.variants.empty()) facts.emplace_back("with known mistakes");
  if (any_on(request.ablate)) facts.emplace_back("heads ablated");
  if (intervenes(request)) facts.emplace_back("changed by hand");
  if (inputs.query_len == trace.key_len()) {
    facts.push_back(inputs.query_len == 1 ? "1 token" : fmt::format("{} tokens", grouped_digits(inputs.query_len)));
  } else {
    facts.push_back(
        fmt::format("{} queries, {} keys", grouped_digits(inputs.query_len), grouped_digits(trace.key_len())));
  }
  if (!phrase.empty()) facts.push_back("\u201c" + phrase + "\u201d");
  return facts;
}

std::string joined(const std::vector<std::string>& facts) {
  std::string line;
  for (const std::string& fact : facts) line += (line.empty() ? "" : " \u00b7 ") + fact;
  return line;
}

}  // namespace

StagePicture::StagePicture(const Trace& trace, StageId stage, const ViewSpec& view, const CancelToken& cancel)
    : trace_(trace),
      stage_(stage),
      view_(view),
      tensor_(heads_first(stage, stage_of(trace, stage).tensor)),
      mask_(shown_mask(trace, stage)),
      map_(view.colormap.value_or(default_color_map(!is_weight_like(stage), view.theme))) {
  if (!tensor_.stored()) tensor_ = watched(tensor_, [cancel](std::span<const float>) { cancel.check(); });
  const int rank = tensor_.rank();
  HEADSCOPE_ASSERT(rank == 3 || rank == 4, "a stage of " + to_string(tensor_.shape()));
  if (view.batch < 0 || view.batch >= tensor_.dim(0)) {
    throw UsageError("batch", fmt::format("{} asked for, the batches are 0 to {}", view.batch, tensor_.dim(0) - 1));
  }
  heads_ = rank == 4 ? tensor_.dim(1) : 0;
  rows_ = tensor_.dim(rank - 2);
  columns_ = tensor_.dim(rank - 1);
  names_.score_like = is_score_like(stage);
  names_.rows = names_for(row_tokens(trace, stage), rows_);
  if (names_.score_like) names_.columns = names_for(trace.key_labels(), columns_);
}

std::int64_t StagePicture::hidden_cells(std::int64_t head) const {
  if (!mask_) return 0;
  const HiddenCells& hidden = mask_->hidden;
  if (trace_.fully_masked_rows == 0 || !is_weight_like(stage_) || !nan_when_fully_masked(trace_.request)) {
    return hidden.hidden_count(view_.batch, head);
  }
  std::int64_t count = 0;  // rows of NaN are drawn as NaN
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    const std::int64_t visible = hidden.visible_count(view_.batch, head, i);
    if (visible > 0) count += hidden.key_len() - visible;
  }
  return count;
}

bool StagePicture::zero_to_one() const {
  // Lengths of values have no bound.
  const bool lengths = is_shown_stage(stage_) && trace_.request.weighting == Weighting::value_norm;
  return stage_info(stage_).picture.range == StageRange::zero_to_one && !lengths;
}

Tensor StagePicture::matrix(std::int64_t head) const {
  return matrix_at(tensor_, view_.batch, head);
}

ValueRange StagePicture::range(std::int64_t begin, std::int64_t end) const {
  ValueRange range{0, 1, view_.log_scale, view_.range == RangeKind::row};
  if (view_.range == RangeKind::fixed) {
    range.low = view_.range_low;
    range.high = view_.range_high;
  } else if (view_.range == RangeKind::fit) {
    SpreadCounts counts;
    for (std::int64_t head = begin; head < end; ++head) {
      add_visible(counts, matrix(head), mask_.get(), view_.batch, head);
    }
    const ValueRange own = fitted_range(counts.result(), !is_weight_like(stage_));
    range.low = own.low;
    range.high = own.high;
  } else if (!zero_to_one() && !range.per_row) {
    const bool weight_like = is_weight_like(stage_);
    for (std::int64_t head = begin; head < end; ++head) {
      const ValueRange own = automatic_range(matrix(head), weight_like, !weight_like, mask_.get(), view_.batch, head);
      range.low = head == begin ? own.low : std::min(range.low, own.low);
      range.high = head == begin ? own.high : std::max(range.high, own.high);
    }
  }
  return range;
}

HeatmapSpec StagePicture::spec(std::int64_t head) const {
  HeatmapSpec spec;
  spec.matrix = matrix(head);
  spec.mask = mask_;
  spec.batch = view_.batch;
  spec.head = head;
  spec.rows = static_cast<double>(rows_);
  spec.columns = static_cast<double>(columns_);
  spec.map = map_;
  spec.theme = view_.theme;
  spec.pixel_scale = view_.scale;
  return spec;
}

std::string request_facts(const Trace& trace) {
  return joined(fact_list(trace, one_line(trace.request.phrase)));
}

std::vector<std::string> facts_of_two(const Trace& a, const Trace& b) {
  constexpr std::size_t kPhraseBytes = 40;
  const auto [phrase_a, phrase_b] =
      from_where_they_part(one_line(a.request.phrase), one_line(b.request.phrase), kPhraseBytes);
  std::vector<std::string> of_a = fact_list(a, phrase_a), of_b = fact_list(b, phrase_b), both;
  std::erase_if(of_a, [&](const std::string& fact) {
    const auto same = std::find(of_b.begin(), of_b.end(), fact);
    if (same == of_b.end()) return false;
    both.push_back(fact);
    of_b.erase(same);
    return true;
  });
  std::vector<std::string> lines;
  if (!both.empty()) lines.push_back("A and B: " + joined(both));
  if (!of_a.empty()) lines.push_back("A: " + joined(of_a));
  if (!of_b.empty()) lines.push_back("B: " + joined(of_b));
  return lines;
}

namespace {

std::string fully_masked_sentence(const Trace& trace) {
  if (trace.fully_masked_rows == 0 || trace.fully_masked_queries.empty()) return "";
  const auto count = trace.fully_masked_queries.size();
  const std::string rows =
      count == 1 ? fmt::format("Query {} sees no key: its", trace.fully_masked_queries.front())
                 : fmt::format("{} queries see no key: their", grouped_digits(static_cast<std::int64_t>(count)));
  if (uniform_when_fully_masked(trace.request)) return rows + " weights are all alike.";
  if (trace.request.fully_masked == FullyMasked::zero) return rows + " weights are set to 0.";
  return rows + " weights are 0 / 0, NaN.";
}

}  // namespace

std::string mask_sentences(const Trace& trace) {
  std::string words = fully_masked_sentence(trace), held = hidden_weight_sentence(trace);
  if (held.empty()) return words;
  held.front() = 'H';
  return words + (words.empty() ? "" : " ") + held + ". White corner: a hidden cell.";
}

std::string cell_noun(StageId stage) {
  return std::string(stage_info(stage).picture.noun);
}

}  // namespace headscope
