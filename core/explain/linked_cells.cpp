#include "core/explain/linked_cells.h"

#include <algorithm>
#include <optional>

#include "core/attention/projection_steps.h"
#include "core/attention/stage_sources.h"
#include "core/explain/cell_origin.h"
#include "core/model/past.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

Range one(std::int64_t at) {
  return {at, at + 1};
}

bool is_one_cell(const Region& region) {
  for (const Range& range : region) {
    if (range.size() != 1) return false;
  }
  return true;
}

Index first_of(const Region& region) {
  Index index;
  for (const Range& range : region) index.push_back(range.begin);
  return index;
}

// The reverse of origin_of(): what a stage's cells feed in the stages right after it.
class Feeding {
 public:
  explicit Feeding(const Trace& trace) : trace_(trace), inputs_(*trace.inputs) {}

  std::vector<LinkedCells> fed_by(StageId stage, const Region& at) const {
    switch (stage) {
      case StageId::qkv:
        return from_fused(at);
      case StageId::qkv_heads:
        return from_heads(at);
      case StageId::query_proj:
        return {head_cell(Part::query, at)};
      case StageId::key_proj:
        return {head_cell(Part::key, at)};
      case StageId::value_proj:
        return {head_cell(Part::value, at)};
      default:
        break;
    }
    std::vector<LinkedCells> cells;
    for (const Stage& next : trace_.stages) {
      const std::vector<StageId> sources = feeding_stages(trace_, next.id);
      if (std::find(sources.begin(), sources.end(), stage) == sources.end()) continue;
      cells.push_back(next.id == StageId::concat ? merged(at) : along_axes(stage, at, next.id));
      // A norm reads its whole row.
      if (next.id == StageId::attention_norm_out) cells.back().region[2] = all(next.id, 2);
    }
    return cells;
  }

 private:
  bool has(StageId stage) const { return trace_.find(stage) != nullptr; }
  Range all(StageId stage, int axis) const {
    const Stage* found = trace_.find(stage);
    return found != nullptr ? Range{0, found->tensor.dim(axis)} : Range{};
  }
  std::vector<LinkedCells> existing(std::vector<LinkedCells> cells) const {
    std::erase_if(cells, [&](const LinkedCells& each) { return !has(each.stage); });
    return cells;
  }

  // The same places along the axes that both stages have, all along the others: what sums and cell by cell steps read.
  LinkedCells along_axes(StageId stage, const Region& at, StageId next) const {
    const std::vector<StageAxis>& own = stage_info(stage).axes;
    LinkedCells cells{next, {}};
    for (const StageAxis& axis : stage_info(next).axes) {
      Range range = all(next, cells.region.count);
      for (std::size_t k = 0; k < own.size(); ++k) {
        const Range place = at[static_cast<int>(k)];
        const bool meets = next == StageId::raw_scores;
        if (axis.size == (meets ? counted_in_scores(stage, own[k].size) : own[k].size)) range = place;
        if (axis.size == StageSize::heads && own[k].size == StageSize::kv_heads) range = heads_of(place);
        // In self-attention keys are projected from the rows that queries are projected from.
        if (axis.size == StageSize::key_tokens && own[k].size == StageSize::queries) range = place;
      }
      cells.region.push_back(range);
    }
    return cells;
  }

  // A key that is multiplied as it lies: its features stand where its positions should.
  StageSize counted_in_scores(StageId stage, StageSize size) const {
    if (stage != StageId::key || !has_variant(trace_.request, Variant::key_not_transposed)) return size;
    return size == StageSize::head_dim ? StageSize::keys : size == StageSize::keys ? StageSize::head_dim : size;
  }

  std::vector<LinkedCells> from_fused(const Region& at) const {
    const std::int64_t o = at[2].begin;
    if (has(StageId::qkv_split)) {
      const std::int64_t features = 3 * inputs_.head_dim;
      return {{StageId::qkv_split, {at[0], at[1], one(o / features), one(o % features)}}};
    }
    std::int64_t before = 0;
    for (const Part part : {Part::query, Part::key, Part::value}) {
      const std::int64_t count = part_features(inputs_, part);
      if (o < before + count) return existing({{proj_of(part), {at[0], at[1], one(o - before)}}});
      before += count;
    }
    return {};
  }

  static StageId proj_of(Part part) {
    return part == Part::query ? StageId::query_proj : part == Part::key ? StageId::key_proj : StageId::value_proj;
  }
  static StageId stage_of(Part part) {
    return part == Part::query ? StageId::query : part == Part::key ? StageId::key : StageId::value;
  }

  // A head's feature, or all of them where the model's rule turns the head.
  LinkedCells feature(Part part, Range b, std::int64_t h, Range i, std::int64_t d) const {
    const HeadRule* rule = inputs_.head_rule.get();
    const bool turned = rule != nullptr &&
                        ((part == Part::query && rule->mixes_queries()) || (part == Part::key && rule->mixes_keys()));
    const Range heads = turned && rule->norm_whole ? all(stage_of(part), 1) : one(h);
    const std::int64_t past = part == Part::query ? 0 : past_len(inputs_);
    i = {i.begin + past, i.end + past};
    return {stage_of(part), {b, heads, i, turned ? all(stage_of(part), 3) : one(d)}};
  }

  std::vector<LinkedCells> from_heads(const Region& at) const {
    const std::int64_t f = at[3].begin;
    const auto part = static_cast<Part>(f / inputs_.head_dim);
    return {feature(part, at[0], at[1].begin, at[2], f % inputs_.head_dim)};
  }

  LinkedCells head_cell(Part part, const Region& at) const {
    const std::int64_t features = part == Part::value ? inputs_.value_head_dim : inputs_.head_dim;
    const std::int64_t o = at[2].begin;
    return feature(part, at[0], o / features, at[1], o % features);
  }

  // The query heads that share a kv head.
  Range heads_of(Range kv_head) const {
    const std::int64_t shared = inputs_.num_heads / inputs_.num_kv_heads;
    return {kv_head.begin * shared, kv_head.end * shared};
  }

  // See provenance_of: features of one (head, position) lie beside each other in one row, however heads are merged.
  LinkedCells merged(const Region& at) const {
    const Tensor& context = trace_.tensor(StageId::context);
    const std::int64_t heads = context.dim(1), positions = context.dim(2), features = context.dim(3);
    const std::int64_t h = at[1].begin, i = at[2].begin;
    std::int64_t position = i, before = h * features;
    if (trace_.request.merge == Merge::direct) {
      const std::int64_t flat = (h * positions + i) * features;
      position = flat / (heads * features);
      before = flat % (heads * features);
    }
    return {StageId::concat, {at[0], one(position), {before + at[3].begin, before + at[3].end}}};
  }

  const Trace& trace_;
  const Inputs& inputs_;
};

// Only single (head, position) rows can be followed further.
bool goes_on(const LinkedCells& cells) {
  const std::vector<StageId>& merged = stage_info(StageId::concat).made.from.front();
  if (std::find(merged.begin(), merged.end(), cells.stage) != merged.end())
    return cells.region[1].size() == 1 && cells.region[2].size() == 1;
  return cells.stage == StageId::concat || is_one_cell(cells.region);
}

}  // namespace

std::vector<LinkedCells> linked_cells(const Trace& trace, StageId stage, const Index& index) {
  std::vector<LinkedCells> linked;
  Region own;
  for (const std::int64_t at : index) own.push_back(one(at));
  linked.push_back({stage, own});
  for (CellPlace at{stage, index};;) {
    const CellOrigin origin = sources_of(trace, at.stage, at.index);
    std::optional<CellPlace> single;
    for (const CellSource& source : origin.sources) {
      if (!source.stage) continue;
      if (origin.step == CellStep::softmax) {
        single = CellPlace{*source.stage, at.index};
        linked.push_back({*source.stage, own});
        continue;
      }
      linked.push_back({*source.stage, source.region});
      const bool added = origin.step == CellStep::masked && single.has_value();
      if (is_one_cell(source.region) && origin.step != CellStep::products && !added) {
        single = CellPlace{*source.stage, first_of(source.region)};
      }
    }
    if (!single) break;
    at = *single;
  }
  const Feeding feeding(trace);
  std::vector<LinkedCells> next = feeding.fed_by(stage, own);
  while (!next.empty()) {
    std::vector<LinkedCells> after;
    for (const LinkedCells& cells : next) {
      linked.push_back(cells);
      if (!goes_on(cells)) continue;
      for (LinkedCells& fed : feeding.fed_by(cells.stage, cells.region)) after.push_back(std::move(fed));
    }
    next = std::move(after);
  }
  return linked;
}

}  // namespace headscope
