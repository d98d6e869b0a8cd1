// Long because the origin of every stage stands in one class, which shares what it knows of the cell.
#include "core/explain/cell_origin.h"

#include <algorithm>

#include "core/attention/interventions.h"
#include "core/attention/projection_steps.h"
#include "core/attention/put_numbers.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_layout.h"
#include "core/attention/stage_sources.h"
#include "core/base/assert.h"
#include "core/explain/weight_cells.h"
#include "core/model/past.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

Range one(std::int64_t at) {
  return {at, at + 1};
}

class Origins {
 public:
  Origins(const Trace& trace, const Index& index, bool reads)
      : trace_(trace), inputs_(*trace.inputs), at_(index), reads_(reads) {}

  CellOrigin of(StageId stage) const {
    if (stage_info(stage).moves) return moved(stage);
    if (stage_info(stage).formula) return by_formula(stage);
    switch (stage) {
      case StageId::captured_weights:
      case StageId::input:
      case StageId::key_input:
      case StageId::value_input:
        return {CellStep::given, {}, {}, 0};
      case StageId::qkv:
        return product(row_of(StageId::input, SourceRole::input), fused_projection_cells(trace_, at_[2]));
      case StageId::qkv_split:
        return copy(StageId::qkv, {one(at_[0]), one(at_[1]), one(at_[2] * 3 * inputs_.head_dim + at_[3])},
                    SourceRole::input);
      case StageId::query_proj:
        return projected(Part::query);
      case StageId::key_proj:
        return projected(Part::key);
      case StageId::value_proj:
        return projected(Part::value);
      case StageId::query:
        return head(Part::query);
      case StageId::key:
        return head(Part::key);
      case StageId::value:
        return head(Part::value);
      case StageId::c2p:
      case StageId::p2c:
        return with_position(stage);
      case StageId::raw_scores:
        return query_key();
      case StageId::scores:
        return scaled();
      case StageId::masked_scores: {
        const StageId before = has(StageId::capped_scores) ? StageId::capped_scores : StageId::scores;
        const bool capped_last = rule().caps_added() && !hidden_first();
        if (masks_before_scale() || !rule().masks() || capped_last) return {CellStep::copied, {score(before)}, {}, 0};
        return masked(before);
      }
      case StageId::weights:
        if (!has(StageId::masked_scores)) return {CellStep::given, {}, {}, 0};  // captured
        return softmax();
      case StageId::sink_weights:
        return sink_share();
      case StageId::dropped_weights:
        return {CellStep::dropped, {source(StageId::weights, cell(), SourceRole::weight)}, {}, 0};
      case StageId::context:
        return context();
      case StageId::concat:
        return concat();
      case StageId::output:
        return product(row_of(StageId::concat, SourceRole::context), output_projection_cells(trace_, at_[2]));
      case StageId::attention_norm_out:
        return normed_output();
      default:
        break;
    }
    HEADSCOPE_ASSERT(false, std::string(stage_name(stage)));
    return {};
  }

 private:
  bool has(StageId stage) const { return trace_.find(stage) != nullptr; }
  ScoreRule rule() const { return score_rule_of(trace_.request, inputs_, trace_.mask); }
  bool masks_before_scale() const { return trace_.request.mask_order == MaskOrder::before_scale && rule().masks(); }

  // Whether the cell is hidden before the softmax.
  bool hidden_first() const {
    return !rule().mask_after_softmax && trace_.mask->hidden.hidden(at_[0], at_[1], at_[2], at_[3]);
  }
  Region cell() const {
    Region region;
    for (const std::int64_t each : at_) region.push_back(one(each));
    return region;
  }
  CellSource source(StageId stage, const Region& region, SourceRole role) const {
    return {stage, std::string(stage_name(stage)), trace_.tensor(stage), region, role};
  }
  CellSource score(StageId stage) const { return source(stage, cell(), SourceRole::score); }
  // All features of position at_[1] of a [batch, position, feature] stage.
  CellSource row_of(StageId stage, SourceRole role) const {
    return source(stage, {one(at_[0]), one(at_[1]), {0, trace_.tensor(stage).dim(2)}}, role);
  }
  CellOrigin copy(StageId stage, const Region& region, SourceRole role) const {
    return {CellStep::copied, {source(stage, region, role)}, {}, 0};
  }
  // The same cell in another order of axes.
  CellOrigin moved(StageId stage) const {
    const StageId from = stage_info(stage).made.from.front().front();
    const PerAxis<int> order = axes_order(from, stage);
    Region region = cell();
    for (int axis = 0; axis < order.count; ++axis) region[order[axis]] = one(at_[axis]);
    return copy(from, region, from < StageId::raw_scores ? SourceRole::input : SourceRole::context);
  }
  // The cell at the same place of every source.
  CellOrigin by_formula(StageId stage) const {
    CellOrigin origin{CellStep::formula, {}, {}, 0};
    for (const StageId from : feeding_stages(trace_, stage)) {
      origin.sources.push_back(source(from, cell(), role_of_stage(from)));
    }
    if (stage == StageId::capped_scores && rule().caps_added()) origin.added = added_by_mask(trace_, at_);
    return origin;
  }
  static CellOrigin product(CellSource first, std::vector<CellSource> weight_and_bias) {
    CellOrigin origin{CellStep::products, {std::move(first)}, {}, 0};
    for (CellSource& each : weight_and_bias) origin.sources.push_back(std::move(each));
    return origin;
  }

  static SourceRole role_of(Part part) {
    return part == Part::query ? SourceRole::query : part == Part::key ? SourceRole::key : SourceRole::value;
  }
  std::int64_t kv_head(std::int64_t h) const { return h / (inputs_.num_heads / inputs_.num_kv_heads); }

  CellOrigin projected(Part part) const {
    if (has(StageId::qkv)) {
      std::int64_t before = 0;
      for (Part earlier : {Part::query, Part::key}) {
        if (earlier < part) before += part_features(inputs_, earlier);
      }
      return copy(StageId::qkv, {one(at_[0]), one(at_[1]), one(before + at_[2])}, role_of(part));
    }
    const StageId own = part == Part::key ? StageId::key_input : StageId::value_input;
    const StageId from = part != Part::query && has(own) ? own : StageId::input;
    return product(row_of(from, SourceRole::input), projection_cells(trace_, part, at_[2]));
  }

  CellOrigin head(Part part) const {
    const std::int64_t past = part == Part::query ? 0 : past_len(inputs_);
    if (at_[2] < past) return {CellStep::copied, {past_cell(trace_, part, at_)}, {}, 0};
    if (!inputs_.query.empty()) return {CellStep::given, {}, {}, 0};
    const std::int64_t b = at_[0], h = at_[1], i = at_[2] - past, d = at_[3];
    const std::int64_t features = part == Part::value ? inputs_.value_head_dim : inputs_.head_dim;
    if (part != Part::query && !inputs_.weights.bias_k.empty() && at_[2] == inputs_.key_len) {
      return {CellStep::copied, {extra_key_cell(trace_, part, h * features + d)}, {}, 0};
    }
    const bool turned = is_turned(part), mixed = turned && is_mixed(part);
    if (mixed && inputs_.head_rule->norm_whole) return split_whole(part);
    const Range own = mixed ? Range{0, features} : one(d);
    if (has(StageId::qkv_heads)) {
      const std::int64_t before = static_cast<std::int64_t>(part) * inputs_.head_dim;
      return split(
          source(StageId::qkv_heads, {one(b), one(h), one(i), {before + own.begin, before + own.end}}, role_of(part)),
          part, turned);
    }
    const StageId from = part == Part::query ? StageId::query_proj
                         : part == Part::key ? StageId::key_proj
                                             : StageId::value_proj;
    const std::int64_t before = h * features;
    return split(source(from, {one(b), one(i), {before + own.begin, before + own.end}}, role_of(part)), part, turned);
  }

  bool is_turned(Part part) const {
    const HeadRule* rule = inputs_.head_rule.get();
    return rule != nullptr &&
           ((part == Part::query && rule->changes_queries()) || (part == Part::key && rule->changes_keys()) ||
            (part == Part::value && rule->changes_values()));
  }
  // Of a rule that there is: whether it makes a feature of others, too.
  bool is_mixed(Part part) const {
    return (part == Part::query && inputs_.head_rule->mixes_queries()) ||
           (part == Part::key && inputs_.head_rule->mixes_keys());
  }

  // One feature of a head, or, where the model's rule makes it of others too, all of them and the weights of its norm.
  CellOrigin split(CellSource projected, Part part, bool turned) const {
    if (!turned) return {CellStep::copied, {std::move(projected)}, {}, 0};
    if (!is_mixed(part)) return {CellStep::rotated, {std::move(projected)}, {}, 0};
    CellOrigin origin{CellStep::rotated, {std::move(projected)}, {}, at_[3]};
    const Tensor& norm = part == Part::query ? inputs_.head_rule->query_norm : inputs_.head_rule->key_norm;
    if (!norm.empty()) {
      const std::int64_t first = inputs_.head_rule->norm_own ? at_[1] * inputs_.head_dim : 0;
      const std::int64_t count = inputs_.head_rule->norm_own ? inputs_.head_dim : norm.size();
      origin.sources.push_back({std::nullopt, part == Part::query ? "q_norm.weight" : "k_norm.weight", norm,
                                Region{{first, first + count}}, SourceRole::projection});
    }
    return origin;
  }

  // Of a norm over all heads: the whole row before it was split.
  CellOrigin split_whole(Part part) const {
    const StageId from = part == Part::query ? StageId::query_proj : StageId::key_proj;
    const std::int64_t width = trace_.tensor(from).dim(2);
    CellOrigin origin = split(source(from, {one(at_[0]), one(at_[2]), {0, width}}, role_of(part)), part, true);
    origin.at = at_[1] * inputs_.head_dim + at_[3];
    return origin;
  }

  CellOrigin normed_output() const {
    CellOrigin origin{CellStep::normed, {row_of(StageId::output, SourceRole::input)}, {}, at_[2]};
    for (CellSource& each : output_norm_cells(trace_)) origin.sources.push_back(std::move(each));
    return origin;
  }

  CellOrigin query_key() const {
    const std::int64_t b = at_[0], h = at_[1], i = at_[2], j = at_[3];
    const Range features{0, inputs_.head_dim};
    const bool as_it_lies = has_variant(trace_.request, Variant::key_not_transposed);
    const Region key = as_it_lies ? Region{one(b), one(kv_head(h)), features, one(j)}
                                  : Region{one(b), one(kv_head(h)), one(j), features};
    return {CellStep::products,
            {source(StageId::query, {one(b), one(h), one(i), features}, SourceRole::query),
             source(StageId::key, key, SourceRole::key)},
            {},
            0};
  }

  // A query, or a key, and what belongs to the pair's relative position.
  CellOrigin with_position(StageId stage) const {
    const std::int64_t b = at_[0], h = at_[1];
    const bool of_query = stage == StageId::c2p;
    const Region content{one(b), one(h), one(at_[of_query ? 2 : 3]), {0, inputs_.head_dim}};
    CellOrigin origin{
        CellStep::products,
        {of_query ? source(StageId::query, content, SourceRole::query) : source(StageId::key, content, SourceRole::key),
         position_cells(trace_, stage, at_)},
        {},
        0};
    origin.scale = trace_.scale;
    return origin;
  }

  CellOrigin scaled() const {
    if (!has(StageId::raw_scores)) return {CellStep::given, {}, {}, 0};  // captured
    if (masks_before_scale()) return masked(StageId::raw_scores);
    return {trace_.scale == 1.0 ? CellStep::copied : CellStep::scaled, {score(StageId::raw_scores)}, {}, 0};
  }

  // What a hidden cell held before is not read.
  CellOrigin masked(StageId before) const {
    CellOrigin origin{CellStep::masked, {}, {}, 0};
    if (hidden_first()) return origin;
    origin.sources.push_back(score(before));
    for (const StageId positions : {StageId::c2p, StageId::p2c}) {
      if (has(positions)) origin.sources.push_back(score(positions));
    }
    return origin;
  }

  CellOrigin softmax() const {
    if (frozen_head(trace_.request, inputs_.layer, at_[1]) != nullptr) return {CellStep::frozen, {}, {}, 0};
    Region region = cell();
    const int along = has_variant(trace_.request, Variant::softmax_over_queries) ? 2 : 3;
    region[along] = {0, trace_.tensor(StageId::weights).dim(along)};
    CellOrigin origin{CellStep::softmax, {source(StageId::masked_scores, region, SourceRole::score)}, {}, at_[along]};
    if (!rule().sinks.empty()) origin.sources.push_back(sink_cell(trace_, at_[1]));
    return origin;
  }

  CellOrigin sink_share() const {
    if (frozen_head(trace_.request, inputs_.layer, at_[1]) != nullptr) return {CellStep::frozen, {}, {}, 0};
    const Range keys{0, trace_.tensor(StageId::masked_scores).dim(3)};
    return {CellStep::sink_share,
            {source(StageId::masked_scores, {one(at_[0]), one(at_[1]), one(at_[2]), keys}, SourceRole::score),
             sink_cell(trace_, at_[1])},
            {},
            0};
  }

  CellOrigin context() const {
    const std::int64_t b = at_[0], h = at_[1], i = at_[2], d = at_[3];
    if (is_ablated(trace_.request, {inputs_.layer, h})) return {CellStep::ablated, {}, {}, 0};
    const StageId from = has(StageId::dropped_weights) ? StageId::dropped_weights : StageId::weights;
    const Range keys{0, trace_.tensor(from).dim(3)};
    CellOrigin origin{CellStep::products,
                      {source(from, {one(b), one(h), one(i), keys}, SourceRole::weight),
                       source(StageId::value, {one(b), one(kv_head(h)), keys, one(d)}, SourceRole::value)},
                      {},
                      0};
    if (!reads_ || !trace_.mask->hidden.any()) return origin;
    std::vector<float> weights(static_cast<std::size_t>(keys.size()));
    origin.sources[0].tensor.read(origin.sources[0].region, weights);
    origin.not_read.resize(weights.size());
    trace_.mask->hidden.read_row(b, h, i, origin.not_read);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (weights[j] != 0.0F) origin.not_read[j] = 0;
    }
    return origin;
  }

  CellOrigin concat() const {
    const Tensor& context = trace_.tensor(StageId::context);
    const Provenance from =
        provenance_of(trace_.request.merge, context.dim(1), context.dim(2), context.dim(3), at_[1], at_[2]);
    return copy(feeding_stages(trace_, StageId::concat).front(),
                {one(at_[0]), one(from.head), one(from.position), one(from.feature)}, SourceRole::context);
  }

  const Trace& trace_;
  const Inputs& inputs_;
  Index at_;
  bool reads_;
};

CellOrigin made_from(const Trace& trace, StageId stage, const Index& index, bool reads) {
  const Tensor& tensor = trace.tensor(stage);
  HEADSCOPE_ASSERT(index.count == tensor.rank(), std::to_string(index.count) + " indices");
  for (int axis = 0; axis < index.count; ++axis) {
    HEADSCOPE_ASSERT(index[axis] >= 0 && index[axis] < tensor.dim(axis),
                     std::to_string(index[axis]) + " in " + to_string(tensor.shape()));
  }
  CellOrigin origin = Origins(trace, index, reads).of(stage);
  if (factor_kind(stage) != nullptr) origin.factor = head_factor(trace.request, stage, trace.inputs->layer, index[1]);
  origin.put = put_number(trace, stage, index);
  return origin;
}

}  // namespace

CellOrigin origin_of(const Trace& trace, StageId stage, const Index& index) {
  return made_from(trace, stage, index, true);
}

CellOrigin sources_of(const Trace& trace, StageId stage, const Index& index) {
  return made_from(trace, stage, index, false);
}

}  // namespace headscope
