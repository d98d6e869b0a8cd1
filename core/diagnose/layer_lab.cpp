#include "core/diagnose/layer_lab.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/attention/score_rule_of.h"
#include "core/backend/kernels/wide_products.h"
#include "core/model/past.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

void erase_terms(Altered& what, MaskTerm::Kind kind) {
  for (std::vector<MaskTerm>* terms : {&what.request.mask, &what.inputs.own_mask}) {
    std::erase_if(*terms, [=](const MaskTerm& term) { return term.kind == kind; });
  }
}

// The request as the mask reads it.
Request placed_request(const Altered& what) {
  if (!what.faults.mask_without_past) return with_past(what.request, what.inputs);
  Request request = what.request;
  request.past = 0;
  request.causal_align = CausalAlign::top_left;
  return request;
}

std::shared_ptr<const Mask> mask_of(const Altered& what) {
  const Inputs& inputs = what.inputs;
  const bool extra_key = !inputs.weights.bias_k.empty();
  return std::make_shared<const Mask>(build_mask(placed_request(what), inputs.mask_files,
                                                 {.batch = inputs.batch,
                                                  .heads = inputs.num_heads,
                                                  .query_len = inputs.query_len,
                                                  .key_len = inputs.key_len + (extra_key ? 1 : 0),
                                                  .extra_key = extra_key},
                                                 inputs.own_mask));
}

}  // namespace

int query_axis(StageId stage) {
  if (stage < StageId::raw_scores) return -1;
  return stage <= StageId::context ? 2 : 1;
}

WideStage stage_rows(StageId stage, const Tensor& tensor, std::span<const std::int64_t> queries) {
  const int axis = query_axis(stage);
  if (axis < 0) {
    const std::vector<float> all = tensor.values();
    return {tensor.shape(), std::vector<double>(all.begin(), all.end())};
  }
  const auto count = static_cast<std::int64_t>(queries.size());
  Shape shape = tensor.shape(), one = tensor.shape();
  shape[axis] = count;
  one[axis] = 1;
  WideStage result{shape, std::vector<double>(static_cast<std::size_t>(element_count(shape)))};
  std::int64_t inner = 1;
  for (int k = axis + 1; k < tensor.rank(); ++k) inner *= tensor.dim(k);
  std::vector<float> part(static_cast<std::size_t>(element_count(one)));
  const std::int64_t outer = inner == 0 ? 0 : element_count(one) / inner;
  for (std::int64_t r = 0; r < count; ++r) {
    Region region = whole(tensor.shape());
    region[axis] = {queries[static_cast<std::size_t>(r)], queries[static_cast<std::size_t>(r)] + 1};
    tensor.read(region, part);
    for (std::int64_t o = 0; o < outer; ++o) {
      std::copy_n(part.begin() + o * inner, inner, result.values.begin() + (o * count + r) * inner);
    }
  }
  return result;
}

LayerLab::LayerLab(Altered what, const GivenStages& given, const NumberGrid* grid, const CancelToken& cancel)
    : what_(std::move(what)), given_(given), grid_(grid), cancel_(cancel) {
  using Hide = LayerFaults::Hide;
  if (what_.faults.slopes) erase_terms(what_, MaskTerm::Kind::alibi);
  // hides() takes the place of the term.
  if (what_.faults.hide == Hide::one_more_shown || what_.faults.hide == Hide::transposed) {
    erase_terms(what_, MaskTerm::Kind::causal);
  }
  rule_ = score_rule_of(what_.request, what_.inputs, mask_of(what_));
  diagonal_ = diagonal_of(placed_request(what_), what_.inputs.query_len, what_.inputs.key_len);
}

bool LayerLab::makes(StageId stage) {
  constexpr StageId kMade[] = {
      StageId::input,           StageId::query_proj,    StageId::key_proj,      StageId::value_proj,
      StageId::query,           StageId::key,           StageId::value,         StageId::raw_scores,
      StageId::scores,          StageId::capped_scores, StageId::masked_scores, StageId::weights,
      StageId::dropped_weights, StageId::context,       StageId::concat,        StageId::output};
  return std::find(std::begin(kMade), std::end(kMade), stage) != std::end(kMade);
}

bool mixes_rows(const Altered& what) {
  return what.faults.mixes_rows() || what.request.merge == Merge::direct ||
         has_variant(what.request, Variant::softmax_over_queries);
}

void LayerLab::each_pair(std::int64_t pairs, const std::function<void(std::int64_t)>& task) const {
  const auto one = [&](std::int64_t pair) {
    cancel_.check();
    task(pair);
  };
  // Numbers that are moved at random are moved one after the other.
  if (pool_ != nullptr && scattered_ == 0) {
    pool_->run(pairs, true, one);
    return;
  }
  for (std::int64_t pair = 0; pair < pairs; ++pair) one(pair);
}

void LayerLab::each_pair_of(WideStage& scores, Rows rows, const std::function<void(const Pair&, double*)>& step) const {
  const std::int64_t heads = scores.shape[1], keys = scores.shape[3], cells = scores.shape[2] * keys;
  each_pair(scores.shape[0] * heads, [&](std::int64_t pair) {
    step({pair / heads, pair % heads, heads, keys, rows}, scores.values.data() + pair * cells);
  });
}

WideStage LayerLab::stored(const Tensor& tensor) const {
  WideStage result{tensor.shape(), {}};
  if (tensor.stored() && tensor.dense()) {  // once for every mistake: without a copy between
    result.values.assign(tensor.data(), tensor.data() + tensor.size());
  } else {
    const std::vector<float> values = tensor.values();
    result.values.assign(values.begin(), values.end());
  }
  if (grid_ != nullptr) {
    for (double& value : result.values) value = stored(value);
  }
  return result;
}

WideStage LayerLab::kept(StageId stage, WideStage made, Rows rows) const {
  const auto found = given_.find(stage);
  if (found == given_.end()) return made;
  Shape expected = made.shape;
  if (const int axis = query_axis(stage); axis >= 0 && expected.count > axis) expected[axis] = queries();
  if (!(found->second.shape() == expected)) return made;
  WideStage given = stage_rows(stage, found->second, rows);
  // What is given is rounded, too: other code may have gone on with what it had before.
  if (scattered_ != 0) {
    for (double& value : given.values) value = stored(value);
  }
  return given;
}

WideStage LayerLab::projected(const WideStage& x, const Linear& linear) const {
  const std::int64_t rows = x.shape[0] * x.shape[1], in = x.shape[2], out = linear.weight.dim(0);
  WideStage result{{x.shape[0], x.shape[1], out}, std::vector<double>(static_cast<std::size_t>(rows * out))};
  const WideStage weight = stored(linear.weight);
  multiply_wide_rows({x.values.data(), in, rows}, {weight.values.data(), in, out}, in, result.values.data(), out);
  if (!linear.bias.empty()) {
    const WideStage bias = stored(linear.bias);
    for (std::int64_t cell = 0; cell < rows * out; ++cell) {
      result.values[static_cast<std::size_t>(cell)] += bias.values[static_cast<std::size_t>(cell % out)];
    }
  }
  if (grid_ != nullptr) {
    for (double& value : result.values) value = stored(value);
  }
  cancel_.check();
  return result;
}

std::shared_ptr<const LabHeads> LayerLab::heads() {
  if (heads_ == nullptr) {
    auto made = std::make_shared<LabHeads>();
    if (!what_.inputs.query.empty()) {
      take_arrays(*made);
    } else {
      WideStages stages;
      project(stages);
      for (auto& [id, stage] : stages) made->emplace(id, std::make_shared<const WideStage>(std::move(stage)));
    }
    heads_ = std::move(made);
  }
  return heads_;
}

std::shared_ptr<const WideStage> LayerLab::raw(Rows rows) {
  heads();
  if (raw_ == nullptr) raw_ = std::make_shared<const WideStage>(kept(StageId::raw_scores, raw_scores(rows), rows));
  return raw_;
}

bool LayerLab::goes_by_pairs() const {
  if (scattered_ != 0 || softmax_crosses_pairs()) return false;
  return std::none_of(given_.begin(), given_.end(), [](const auto& each) {
    return each.first >= StageId::raw_scores && each.first <= StageId::dropped_weights;
  });
}

// The scores of one (batch, head) at a time stay in a cache for all steps, and memory for all of them is not needed.
WideStage LayerLab::by_pairs(StageId last, Rows rows) const {
  const Shape &query = heads_->at(StageId::query)->shape, &value = heads_->at(StageId::value)->shape;
  const std::int64_t heads = query[1], keys = score_keys(), count = static_cast<std::int64_t>(rows.size());
  const bool mixes = last >= StageId::context;
  const std::int64_t cells = count * keys, numbers = mixes ? count * value[3] : cells;
  WideStage result{{query[0], heads, count, mixes ? value[3] : keys}, {}};
  result.values.resize(static_cast<std::size_t>(element_count(result.shape)));
  const std::vector<double> all_sinks = sinks();
  const double filled = weight_of_opened(keys);
  each_pair(query[0] * heads, [&](std::int64_t pair) {
    const Pair at{pair / heads, pair % heads, heads, keys, rows};
    double* const to = result.values.data() + pair * numbers;
    std::vector<double> own(static_cast<std::size_t>(mixes ? cells : 0));
    double* const scores = mixes ? own.data() : to;
    if (raw_ != nullptr) {
      std::copy_n(raw_->values.data() + pair * cells, cells, scores);
    } else {
      multiply(at, scores);
    }
    if (!before_weights(at, last, scores)) return;
    softmax(at, all_sinks, scores);
    open_rows(at, filled, scores);
    if (last > StageId::weights && rule_.drops()) drop(at, scores);
    if (!mixes) return;
    mix(at, scores, to);
    for (double* each = to; each != to + numbers && grid_ != nullptr; ++each) *each = stored(*each);
  });
  return result;
}

bool LayerLab::before_weights(const Pair& at, StageId last, double* cells) const {
  if (last == StageId::raw_scores) return false;
  if (rule_.mask_order == MaskOrder::before_scale && rule_.masks()) {
    mask(at, cells, true);
    return last > StageId::masked_scores;
  }
  scale(at, cells);
  if (last >= StageId::capped_scores) cap(at, cells);
  if (last >= StageId::masked_scores) mask(at, cells, false);
  return last > StageId::masked_scores;
}

WideStage LayerLab::one_after_the_other(StageId stage, Rows rows) const {
  WideStage scores = raw_ != nullptr ? *raw_ : kept(StageId::raw_scores, raw_scores(rows), rows);
  if (stage == StageId::raw_scores) return scores;
  const auto step = [&](StageId id, const auto& change) {
    each_pair_of(scores, rows, change);
    scores = kept(id, std::move(scores), rows);
  };
  if (rule_.mask_order == MaskOrder::before_scale && rule_.masks()) {
    const auto given = given_.contains(StageId::masked_scores) ? StageId::masked_scores : StageId::scores;
    step(given, [&](const Pair& at, double* cells) { mask(at, cells, true); });
    if (stage <= StageId::masked_scores) return scores;
  } else {
    step(StageId::scores, [&](const Pair& at, double* cells) { scale(at, cells); });
    if (stage == StageId::scores) return scores;
    step(StageId::capped_scores, [&](const Pair& at, double* cells) { cap(at, cells); });
    if (stage == StageId::capped_scores) return scores;
    step(StageId::masked_scores, [&](const Pair& at, double* cells) { mask(at, cells, false); });
    if (stage == StageId::masked_scores) return scores;
  }
  scores = kept(StageId::weights, softmaxed(std::move(scores), rows), rows);
  if (stage == StageId::weights) return scores;
  if (rule_.drops()) step(StageId::dropped_weights, [&](const Pair& at, double* cells) { drop(at, cells); });
  return stage == StageId::dropped_weights ? scores : context(scores, rows);
}

WideStage LayerLab::stage(StageId stage, Rows rows) {
  heads();
  if (stage < StageId::raw_scores) {
    const auto found = heads_->find(stage);
    return found == heads_->end() ? WideStage() : *found->second;
  }
  const StageId last = std::min(stage, StageId::context);
  WideStage made = goes_by_pairs() ? by_pairs(last, rows) : one_after_the_other(last, rows);
  if (stage < StageId::context) return made;
  const WideStage mixed = kept(StageId::context, std::move(made), rows);
  if (stage == StageId::context) return mixed;
  const WideStage concat = kept(StageId::concat, joined(mixed), rows);
  if (stage == StageId::concat) return concat;
  return kept(StageId::output, output(concat, rows), rows);
}

}  // namespace headscope
