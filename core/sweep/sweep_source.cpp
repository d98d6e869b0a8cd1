#include "core/sweep/sweep_source.h"

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

// The request on a phrase that a mean is taken over: without interventions, which name places of another text.
Request on_phrase(Request request, const std::string& phrase) {
  static_cast<Interventions&>(request) = {};
  request.phrase = phrase;
  request.second_phrase.reset();
  request.token_ids.clear();
  return request;
}

// The part that a path begins at.
SweepCell context_of(const LayerHead& head) {
  return {head.layer, head.head, {}, std::string(stage_name(StageId::context)), 0};
}

// The parts whose numbers cells take: of a path the context of the head that it begins at.
std::vector<SweepCell> taken_by(const std::vector<SweepCell>& cells) {
  std::vector<SweepCell> taken;
  for (const SweepCell& cell : cells) {
    const SweepCell part = cell.from ? context_of(*cell.from) : cell;
    const bool known = !taken.empty() && taken.back().layer == part.layer && taken.back().stage == part.stage;
    if (!known) taken.push_back(part);
  }
  return taken;
}

}  // namespace

std::shared_ptr<const Patches> own_partners(const Trace& own) {
  auto patches = std::make_shared<Patches>();
  patches->query_of.resize(own.query_labels().size());
  patches->key_of.resize(own.key_labels().size());
  std::iota(patches->query_of.begin(), patches->query_of.end(), 0);
  std::iota(patches->key_of.begin(), patches->key_of.end(), 0);
  return patches;
}

SweepSource::SweepSource(Engine& engine, const SweepQuestion& question, const std::shared_ptr<const Trace>& own,
                         const std::vector<SweepCell>& cells, const CancelToken& cancel)
    : engine_(engine), question_(question), own_(own), own_partners_(own_partners(*own)) {
  const std::vector<SweepCell> taken = taken_by(cells);
  const bool neurons = cells.front().neuron.has_value();
  if (cells.front().from || neurons || question.by_place || question.ablation)
    unpatched_ = engine.read(question.patched, cancel);
  if (cells.front().from) paths_ = std::make_unique<PathNumbers>(own, unpatched_, question.patched);
  if (!question.ablation) {
    // The first patch says how positions are matched.
    found_ = engine.read(request_of(taken.front()), cancel)->patches;
    source_ = engine.patch_source();
    if (question.by_place) found_ = own_partners_;
  } else {
    found_ = own_partners_;
  }
  if (neurons) neurons_ = std::make_unique<NeuronNumbers>(own, source_, found_, question.ablation);
  if (question.ablation == Ablation::mean) measure_means(taken, cancel);
}

Request SweepSource::request_of(const SweepCell& cell) const {
  Request request = question_.patched;
  request.patches = patches_of_cell(cell);
  request.patch_from = kSweepSource;
  return request;
}

std::shared_ptr<const Inputs> SweepSource::inputs_of(const SweepCell& cell, const CancelToken& cancel) const {
  if (cell.neuron) return with_numbers(cell, neurons_->numbers(cell.layer, *cell.neuron));
  return cell.from ? inputs_of_path(cell, cancel) : inputs_of_part(cell, cancel);
}

// Each of whose positions is its own partner.
std::shared_ptr<const Inputs> SweepSource::with_numbers(const SweepCell& cell, Tensor numbers) const {
  auto patches = std::make_shared<Patches>(*own_partners_);
  patches->stages.push_back({cell.layer, cell.stage, std::move(numbers)});
  auto inputs = std::make_shared<Inputs>(*unpatched_);
  inputs->patches = std::move(patches);
  return inputs;
}

std::shared_ptr<const Inputs> SweepSource::inputs_of_path(const SweepCell& cell, const CancelToken& cancel) const {
  const SweepCell part = context_of(*cell.from);
  const Tensor own = patch_numbers(*own_, part.stage, part.layer);
  const Tensor put = with_patches(request_of(part), *inputs_of_part(part, cancel), part.layer, part.stage, own);
  return with_numbers(cell, paths_->numbers({*cell.from, cell.layer, cell.stage}, put, cancel));
}

std::shared_ptr<const Inputs> SweepSource::inputs_of_part(const SweepCell& cell, const CancelToken& cancel) const {
  if (!question_.ablation && question_.by_place) {
    return with_numbers(cell, patch_numbers(*source_, cell.stage, cell.layer));
  }
  if (!question_.ablation) return engine_.read(request_of(cell), cancel);
  const Tensor own = patch_numbers(*own_, cell.stage, cell.layer);
  return with_numbers(cell, *question_.ablation == Ablation::zero ? Tensor::zeros(own.shape(), own.axes())
                                                                  : means_.filled(cell.layer, cell.stage, own));
}

void SweepSource::measure_means(const std::vector<SweepCell>& cells, const CancelToken& cancel) {
  const auto add = [&](const Trace& run) {
    if (neurons_ != nullptr) return neurons_->add_to_means(run);
    for (const SweepCell& cell : cells) {
      means_.add(cell.layer, cell.stage, patch_numbers(run, cell.stage, cell.layer));
    }
  };
  if (question_.mean_over.empty()) return add(*own_);
  if (!question_.patched.image.empty()) {
    throw UsageError("mean-over", "found phrases for a model that reads images",
                     "a mean over the image's own positions");
  }
  for (const std::string& phrase : question_.mean_over) {
    cancel.check();
    add(*engine_.run(on_phrase(question_.patched, phrase), cancel));
  }
}

}  // namespace headscope
