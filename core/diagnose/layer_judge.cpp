#include "core/diagnose/layer_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/attention/model_stages.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/drift.h"
#include "core/diagnose/dump_places.h"
#include "core/diagnose/part_comparison.h"
#include "core/diagnose/part_order.h"
#include "core/diagnose/stage_comparer.h"
#include "core/diagnose/stage_predictor.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 21;  // of the scores, in double

// How far beyond what is allowed: for the choice between two readings of which neither is equal.
double excess_of(const PartComparison& part) {
  return part.equal ? 0 : part.max_difference / std::max(part.allowed, 1e-30);
}

PartComparison compared(DumpPart part, const DumpTensor& theirs, const Tensor& ours, const Tensor& drifted,
                        const DiagnoseOptions& options) {
  const std::int64_t first = theirs.first_row, end = ours.dim(1);
  const Tensor own = ours.sliced(1, first, end), moved = drifted.sliced(1, first, end);
  return compared_part(part, {own, moved, theirs.tensor, first, theirs.stage}, options);
}

}  // namespace

// Every stage from theirs before it, without a search.
Diagnosis LayerJudge::compared_stages(const Trace& trace, std::vector<ExternalStage> theirs,
                                      const DiagnoseWork& work) const {
  Diagnosis found;
  found.equal = true;
  GivenStages given;
  for (const ExternalStage& each : theirs) {
    StageComparison stage = StageComparer(trace, each, given, work, cancel_).compare();
    found.equal = found.equal && stage.equal;
    if (!stage.equal && !found.first_different) found.first_different = stage.stage;
    found.max_difference = std::max(found.max_difference, stage.max_difference);
    found.stages.push_back(std::move(stage));
    given[each.stage] = each.tensor;
  }
  return found;
}

// Returns what attention adds to the stream, given their stages.
Tensor LayerJudge::added_by(const Trace& trace, const GivenStages& given, const LayerRest& rest) const {
  if (const auto found = given.find(StageId::output); found != given.end()) return rest.added(found->second);
  if (given.empty()) return attention_added(trace);
  StagePredictor predictor(trace, StageId::output, given, work_.backend, cancel_);
  if (!predictor.by_lab()) return attention_added(trace);
  const Inputs& in = *trace.inputs;
  const std::int64_t len = in.query_len, width = in.d_model;
  const std::int64_t together =
      std::max<std::int64_t>(8, kCellsAtOnce / std::max<std::int64_t>(1, in.batch * in.num_heads * trace.key_len()));
  Tensor output = Tensor::zeros({in.batch, len, width}, {Axis::batch, Axis::position, Axis::feature});
  for (std::int64_t first = 0; first < len; first += together) {
    std::vector<std::int64_t> rows;
    for (std::int64_t i = first; i < std::min(first + together, len); ++i) rows.push_back(i);
    predictor.look_at(rows);
    const std::optional<WideStage> made = predictor.predicted({}, nullptr);
    if (!made || made->shape[2] != width) return attention_added(trace);
    const std::int64_t part = made->shape[1] * width;
    for (std::int64_t b = 0; b < in.batch; ++b) {
      std::transform(made->values.begin() + b * part, made->values.begin() + (b + 1) * part,
                     output.mutable_data() + (b * len + first) * width,
                     [](double value) { return static_cast<float>(value); });
    }
  }
  return rest.added(output);
}

void LayerJudge::judge_leaving(const DumpTensor& theirs, RestRun& exact, RestRun& drifted, const LayerRest& rest,
                               JudgedLayer& result) const {
  const Tensor& left = exact.part(DumpPart::leaving);
  const Tensor& moved = drifted.part(DumpPart::leaving);
  PartComparison plain = compared(DumpPart::leaving, theirs, left, moved, work_.options);
  plain.given = exact.origin_of(DumpPart::leaving);
  const auto layers = static_cast<std::int64_t>(model_.layers.size());
  if (theirs.may_be_normed && !plain.equal) {
    PartComparison normed =
        compared(DumpPart::final_norm, theirs, rest.final_norm(left), rest.final_norm(moved), work_.options);
    // Where hidden states end early, only an equal one says that theirs has no further layer.
    if (normed.equal || (theirs.layer + 1 == layers && excess_of(normed) < excess_of(plain))) {
      normed.given = plain.given;
      if (theirs.layer + 1 < layers) {
        result.readings.push_back(fmt::format(
            "theirs, {}, is read as what leaves the last layer of theirs, behind the final norm", theirs.name));
      }
      result.final_hidden = theirs.tensor;
      result.found.parts.push_back(std::move(normed));
      return;
    }
  }
  if (theirs.may_be_normed && theirs.layer + 1 == layers) {
    result.readings.push_back(fmt::format("theirs, {}, is read as before the final norm", theirs.name));
  }
  result.found.parts.push_back(std::move(plain));
  if (theirs.first_row > 0) return;
  result.next = {theirs.tensor, headscope::drifted(theirs.tensor, format_), true};
}

void LayerJudge::judge_parts(std::span<const DumpTensor> theirs, RestRun& exact, RestRun& drifted,
                             const LayerRest& rest, JudgedLayer& result) const {
  for (const DumpTensor& each : theirs) {
    if (each.part == DumpPart::stage) continue;
    if (each.part == DumpPart::leaving) {
      judge_leaving(each, exact, drifted, rest, result);
      continue;
    }
    PartComparison found = compared(each.part, each, exact.part(each.part), drifted.part(each.part), work_.options);
    found.given = exact.origin_of(each.part);
    result.found.parts.push_back(std::move(found));
    exact.give(each.part, each.tensor);
    drifted.give(each.part, headscope::drifted(each.tensor, format_));
  }
}

// Where nothing of theirs stands between attention's weights and the end of the layer, a mistake of attention may
// explain that end.
void LayerJudge::explain_end(std::span<const DumpTensor> theirs, const EndOfLayer& end, JudgedLayer& result) const {
  if (result.found.parts.empty() || end.rest.has_convolution()) return;
  PartComparison& last = result.found.parts.back();
  const auto stands_between = [](const DumpTensor& each) {
    return each.part != DumpPart::leaving && (each.part != DumpPart::stage || each.stage >= StageId::output);
  };
  const bool alone = std::none_of(theirs.begin(), theirs.end(), stands_between);
  const bool at_end = !theirs.empty() && theirs.back().part == DumpPart::leaving && theirs.back().first_row == 0;
  if (last.equal || !alone || !at_end) return;
  last.explanations = explained_end(end, last, work_, cancel_);
}

JudgedLayer LayerJudge::judged(std::int64_t ours, const LayerStream& stream, std::span<const DumpTensor> theirs,
                               bool search, const std::vector<std::string>& likely) const {
  JudgedLayer result;
  result.found.ours = ours;
  const auto trace = layer_on_stream(model_, ours, stream.exact, work_.backend, cancel_);
  const bool exactly = stream.known && format_.is_float32();
  const auto moved = exactly ? nullptr : layer_on_stream(model_, ours, stream.drifted, work_.backend, cancel_);
  DiagnoseWork work = work_;
  work.options.layout = "bhsd";  // the names have said which axes they are
  work.options.drifted = moved;
  work.options.first_tried = likely;
  std::vector<ExternalStage> stages;
  GivenStages given, given_moved;
  std::vector<std::string> origin;
  if (stream.known) origin.emplace_back("stream");
  for (const DumpTensor& each : theirs) {
    if (each.part != DumpPart::stage || each.stage == StageId::attention_norm_out) continue;
    stages.push_back({each.stage, each.tensor, false});
    given[each.stage] = each.tensor;
    given_moved[each.stage] = headscope::drifted(each.tensor, format_, !is_score_like(each.stage));
  }
  if (!given.empty()) origin.emplace_back(stage_name(given.rbegin()->first));
  if (!stages.empty() && search) {
    result.found.attention = diagnose(*trace, std::move(stages), work.backend, work.progress, cancel_, work.options);
  } else if (!stages.empty()) {
    result.found.attention = compared_stages(*trace, std::move(stages), work);
  }
  const LayerRest rest(model_, ours, *work_.backend, cancel_);
  Tensor added = added_by(*trace, given, rest);
  Tensor added_moved = added_by(moved == nullptr ? *trace : *moved, given_moved, rest);
  for (const DumpTensor& each : theirs) {
    if (each.part != DumpPart::stage || each.stage != StageId::attention_norm_out) continue;
    PartComparison found = compared(DumpPart::stage, each, added, added_moved, work_.options);
    found.given = std::exchange(origin, {std::string(found.name)});
    if (stream.known) origin.insert(origin.begin(), "stream");
    result.found.parts.push_back(std::move(found));
    added = each.tensor;
    added_moved = headscope::drifted(each.tensor, format_);
  }
  RestRun exact(rest, stream.exact, added, origin);
  RestRun drifted(rest, stream.drifted, added_moved, origin);
  judge_parts(theirs, exact, drifted, rest, result);
  if (search && !theirs.empty()) {
    const bool normed = !result.final_hidden.empty();
    const Tensor &left = exact.part(DumpPart::leaving), &near = drifted.part(DumpPart::leaving);
    const Tensor own = normed ? rest.final_norm(left) : left, own_moved = normed ? rest.final_norm(near) : near;
    explain_end(theirs, {*trace, given, rest, stream.exact, own, own_moved, theirs.back().tensor, normed}, result);
  }
  if (result.next.exact.empty()) {
    result.next = {exact.part(DumpPart::leaving), headscope::drifted(drifted.part(DumpPart::leaving), format_), false};
  }
  result.found.equal = (!result.found.attention || result.found.attention->equal) &&
                       std::all_of(result.found.parts.begin(), result.found.parts.end(),
                                   [](const PartComparison& each) { return each.equal; });
  return result;
}

std::optional<JudgedLayer> LayerJudge::judged_in_own_order(std::int64_t ours, const LayerStream& stream,
                                                           std::span<const DumpTensor> theirs, bool search) const {
  std::vector<NamedStage> stages;
  bool sums_heads = false;
  for (const DumpTensor& each : theirs) {
    const bool of_heads = each.part == DumpPart::stage && each.stage < StageId::output;
    sums_heads = sums_heads || !of_heads;
    if (of_heads) stages.emplace_back(each.stage, each.tensor);
  }
  const Trace& own = *model_.layers[static_cast<std::size_t>(ours)];
  const std::optional<PartOrder> order = part_order(own, stages, sums_heads);
  if (!order) return std::nullopt;
  std::vector<DumpTensor> turned(theirs.begin(), theirs.end());
  for (DumpTensor& each : turned) {
    if (each.part == DumpPart::stage) each.tensor = in_own_order(*order, own, each.stage, each.tensor);
  }
  JudgedLayer result = judged(ours, stream, turned, search, {});
  if (!result.found.equal && !search) return std::nullopt;
  mark_order(*order, *result.found.attention);
  result.readings.push_back("heads of theirs are read with " + order->words(StageId::query));
  return result;
}

}  // namespace headscope
