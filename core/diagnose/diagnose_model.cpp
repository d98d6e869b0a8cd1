#include "core/diagnose/diagnose_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/diagnose/drift.h"
#include "core/diagnose/layer_judge.h"
#include "core/diagnose/part_comparison.h"

namespace headscope {
namespace {

constexpr int kMostInVain = 4;  // layers that are compared with all others of ours without one that is equal

// The format that theirs computed with: of what stands between layers, else of anything, the one of fewest digits.
NumberFormat format_of_dump(const ModelDump& dump, const std::string& option) {
  std::optional<NumberFormat> between, any;
  const auto coarser = [](const NumberFormat& a, const std::optional<NumberFormat>& b) {
    const auto digits = [](const NumberFormat& format) {
      return format.grid != nullptr ? format.grid->digits : format.step > 0 ? 0 : 24;
    };
    return !b || digits(a) < digits(*b);
  };
  for (const DumpTensor& each : dump.tensors) {
    // Words of a table that is stored in two bytes say nothing of what is computed with them.
    if (each.part == DumpPart::entering && dump.tensors.size() > 1) continue;
    const std::optional<NumberFormat> format = format_named(option, each.tensor.values());
    if (!format) throw UsageError("theirs-format", fmt::format("'{}' is not a known value", option));
    if (coarser(*format, any)) any = format;
    if (each.part == DumpPart::leaving && coarser(*format, between)) between = format;
  }
  return between ? *between : any ? *any : NumberFormat{};
}

bool is_behind(const DumpTensor& tensor) {
  return tensor.part == DumpPart::final_norm || tensor.part == DumpPart::logits;
}

class ModelJudge {
 public:
  ModelJudge(const ModelTrace& model, const ModelDump& dump, const DiagnoseWork& work, const CancelToken& cancel)
      : model_(model),
        dump_(dump),
        work_(work),
        format_(format_of_dump(dump, work.options.format)),
        layer_work_(work),
        judge_(model, layer_work_, format_, cancel),
        cancel_(cancel) {}

  ModelDiagnosis run() {
    LayerStream stream = entering();
    judge_layers(stream);
    judge_behind(stream);
    name_layers();
    for (std::size_t k = 0; k < found_.layers.size() && !found_.first; ++k) {
      const LayerDiagnosis& each = found_.layers[k];
      if (!each.equal || each.layer != each.ours) found_.first = k;
    }
    found_.unknown = dump_.unknown;
    found_.others = dump_.others;
    return std::move(found_);
  }

 private:
  std::int64_t count() const { return static_cast<std::int64_t>(model_.layers.size()); }

  std::vector<DumpTensor> tensors_of(std::int64_t layer) const {
    std::vector<DumpTensor> found;
    for (const DumpTensor& each : dump_.tensors) {
      if (each.layer == layer && !is_behind(each) && each.part != DumpPart::entering) found.push_back(each);
    }
    return found;
  }

  LayerStream entering() {
    const Tensor& ours = model_.streams.front();
    const Tensor moved = drifted(ours, format_);
    for (const DumpTensor& each : dump_.tensors) {
      if (each.part != DumpPart::entering) continue;
      embedded_ = compared_part(DumpPart::entering, {ours, moved, each.tensor, 0}, work_.options);
      return {each.tensor, drifted(each.tensor, format_), true};
    }
    return {ours, moved, false};
  }

  // The layer of ours that theirs of number `layer` is, where nothing says otherwise.
  std::int64_t expected(std::int64_t layer) const {
    return dump_.layers < count() && !as_ours_.empty() ? as_ours_.back() + 1 : layer;
  }

  void judge_layers(LayerStream& stream) {
    std::int64_t last = -1;
    bool behind = false;
    for (const DumpTensor& each : dump_.tensors) {
      behind = behind || is_behind(each);
      if (!is_behind(each) && each.part != DumpPart::entering) last = std::max(last, each.layer);
    }
    for (std::int64_t layer = 0; final_.empty() && expected(layer) < count(); ++layer) {
      if (layer > last && !behind && !(layer == 0 && embedded_)) break;
      cancel_.check();
      const std::vector<DumpTensor> theirs = tensors_of(layer);
      layer_work_.progress = [this, layer](double share) {
        if (work_.progress) work_.progress((static_cast<double>(layer) + share) / static_cast<double>(count()));
      };
      layer_work_.progress(0);
      JudgedLayer judged = judged_layer(layer, stream, theirs);
      as_ours_.push_back(judged.found.ours);
      stream = std::move(judged.next);
      final_ = judged.final_hidden;
      judged.found.layer = layer;
      for (std::string& each : judged.readings) {
        const auto known = std::find(found_.readings.begin(), found_.readings.end(), each);
        if (known == found_.readings.end()) found_.readings.push_back(std::move(each));
      }
      if (layer == 0 && embedded_) {
        judged.found.equal = judged.found.equal && embedded_->equal;
        judged.found.parts.insert(judged.found.parts.begin(), *embedded_);
      }
      if (!theirs.empty() || (layer == 0 && embedded_)) found_.layers.push_back(std::move(judged.found));
    }
    // What theirs give behind their last layer says that it is the last.
    if (behind || !final_.empty()) compared_to_ = count();
  }

  JudgedLayer judged_layer(std::int64_t layer, const LayerStream& stream, const std::vector<DumpTensor>& theirs) {
    const std::int64_t own = expected(layer);
    JudgedLayer judged = judge_.judged(own, stream, theirs, false, {});
    if (judged.found.equal) return judged;
    if (auto turned = judge_.judged_in_own_order(own, stream, theirs, false)) return std::move(*turned);
    if (std::optional<JudgedLayer> other = another(layer, own, stream, theirs)) return std::move(*other);
    judged = judge_.judged(own, stream, theirs, true, likely_);
    auto turned = judge_.judged_in_own_order(own, stream, theirs, true);
    if (turned && says_more(turned->found, judged.found)) judged = std::move(*turned);
    for (const PartComparison& part : judged.found.parts) remember(part.explanations);
    if (!judged.found.attention) return judged;
    for (const StageComparison& stage : judged.found.attention->stages) remember(stage.explanations);
    return judged;
  }

  // What explained a layer is tried first in those behind it.
  static bool says_more(const LayerDiagnosis& turned, const LayerDiagnosis& plain) {
    if ((turned.verdict() == "explained") != (plain.verdict() == "explained")) return plain.verdict() != "explained";
    return turned.mistakes().size() < plain.mistakes().size();
  }

  void remember(const std::vector<DiagnosisExplanation>& explanations) {
    for (const DiagnosisExplanation& each : explanations) {
      if (each.variants.size() != 1) continue;
      if (std::find(likely_.begin(), likely_.end(), each.variants.front()) == likely_.end()) {
        likely_.push_back(each.variants.front());
      }
    }
  }

  // Theirs as another layer of ours, where one gives all that theirs gave.
  std::optional<JudgedLayer> another(std::int64_t layer, std::int64_t not_this, const LayerStream& stream,
                                     const std::vector<DumpTensor>& theirs) {
    if (in_vain_ >= kMostInVain) return std::nullopt;
    std::vector<std::int64_t> order = {layer, not_this + 1, not_this - 1};
    for (std::int64_t each = 0; each < count(); ++each) order.push_back(each);
    std::set<std::int64_t> tried = {not_this};
    for (const std::int64_t each : order) {
      if (each < 0 || each >= count() || !tried.insert(each).second) continue;
      JudgedLayer judged = judge_.judged(each, stream, theirs, false, {});
      if (judged.found.equal) return judged;
      if (auto turned = judge_.judged_in_own_order(each, stream, theirs, false)) return turned;
    }
    ++in_vain_;
    return std::nullopt;
  }

  void judge_behind(const LayerStream& stream) {
    const LayerRest rest(model_, count() - 1, *work_.backend, cancel_);
    Tensor hidden = final_.empty() ? rest.final_norm(stream.exact) : final_;
    Tensor moved = final_.empty() ? rest.final_norm(stream.drifted) : drifted(final_, format_);
    std::vector<std::string> given = {final_.empty() ? "layer_out" : "final_norm"};
    for (const DumpTensor& each : dump_.tensors) {
      if (!is_behind(each)) continue;
      const bool logits = each.part == DumpPart::logits;
      const std::int64_t first = each.first_row, end = hidden.dim(1);
      const Tensor own = logits ? logits_of(hidden, first) : hidden.sliced(1, first, end);
      const Tensor near = logits ? logits_of(moved, first) : moved.sliced(1, first, end);
      PartComparison found = compared_part(each.part, {own, near, each.tensor, first}, work_.options);
      found.given = given;
      found_.behind.push_back(std::move(found));
      if (logits || first > 0) continue;
      hidden = each.tensor;
      moved = drifted(each.tensor, format_);
      given = {"final_norm"};
    }
  }

  // The logits of the rows from `first` on, [batch, rows, vocabulary].
  Tensor logits_of(const Tensor& hidden, std::int64_t first) const {
    ModelTrace model = model_;
    model.final_hidden = hidden;
    std::vector<std::int64_t> positions;
    for (std::int64_t i = first; i < hidden.dim(1); ++i) positions.push_back(i);
    std::vector<float> values;
    std::int64_t width = 0;
    for (std::int64_t b = 0; b < hidden.dim(0); ++b) {
      for_each_logits(model, b, positions, *work_.backend, cancel_, [&](std::span<const float> logits) {
        values.insert(values.end(), logits.begin(), logits.end());
        width = static_cast<std::int64_t>(logits.size());
      });
    }
    return Tensor::of({hidden.dim(0), hidden.dim(1) - first, width}, hidden.axes(), std::move(values));
  }

  // Which layers of ours theirs has not, or in another order.
  void name_layers() {
    std::set<std::int64_t> used(as_ours_.begin(), as_ours_.end());
    const std::int64_t end = std::max(compared_to_, used.empty() ? 0 : *used.rbegin() + 1);
    for (std::int64_t layer = 0; layer < end; ++layer) {
      if (!used.contains(layer)) found_.missing.push_back(layer);
    }
    const auto place = [&](std::int64_t layer) { return as_ours_[static_cast<std::size_t>(layer)]; };
    const auto theirs = static_cast<std::int64_t>(as_ours_.size());
    for (std::int64_t layer = 0; layer < theirs; ++layer) {
      const std::int64_t other = place(layer);
      if (other > layer && other < theirs && place(other) == layer) found_.exchanged.emplace_back(layer, other);
    }
  }

  const ModelTrace& model_;
  const ModelDump& dump_;
  const DiagnoseWork& work_;
  NumberFormat format_;
  DiagnoseWork layer_work_;
  LayerJudge judge_;
  const CancelToken& cancel_;
  ModelDiagnosis found_;
  std::optional<PartComparison> embedded_;
  std::vector<std::int64_t> as_ours_;  // of each layer of theirs, which of ours it is
  std::vector<std::string> likely_;    // mistakes that explained a layer
  Tensor final_;                       // what leaves theirs behind the final norm, where hidden states gave it
  std::int64_t compared_to_ = 0;
  int in_vain_ = 0;
};

}  // namespace

ModelDiagnosis diagnose_model(const Trace& ours, const ModelDump& theirs, const std::shared_ptr<const Backend>& backend,
                              const std::function<void(double)>& progress, const CancelToken& cancel,
                              const DiagnoseOptions& options) {
  if (ours.model == nullptr || ours.model->checkpoint == nullptr) {
    throw UsageError("theirs", "found a dump of layers", "a whole model beside it");
  }
  check_one_stack("theirs", *ours.model);
  check_layers_kept("theirs", *ours.model);
  if (theirs.tensors.empty()) {
    throw UsageError("theirs", "found no tensor that this model computes", "hidden states or stages of its layers");
  }
  const DiagnoseWork work{backend, options, progress};
  return ModelJudge(*ours.model, theirs, work, cancel).run();
}

}  // namespace headscope
