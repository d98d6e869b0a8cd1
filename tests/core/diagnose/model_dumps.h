// Dumps of whole models as other programs make them: of PyTorch's numbers in tests/golden/models, and of our own with
// layers that were made wrong.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/attention/trace.h"
#include "core/compare/number_grid.h"
#include "core/diagnose/diagnose_model.h"
#include "core/diagnose/layer_lab.h"
#include "core/diagnose/layer_on_stream.h"
#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/model_dump.h"
#include "core/diagnose/stage_predictor.h"
#include "core/io/safetensors.h"

namespace headscope {

using NamedNumbers = std::map<std::string, Tensor>;

inline const std::string kGoldenModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

// All layers of a model of tests/golden/models on the tokens that its reference was computed for.
inline std::shared_ptr<const Trace> whole_model(const std::string& name) {
  const SafetensorsFile expected = SafetensorsFile::open(kGoldenModels + name + "/expected.safetensors");
  Request request;
  request.model = kGoldenModels + name;
  for (const float id : expected.tensor(*expected.find("token_ids")).values()) {
    request.token_ids.push_back(static_cast<std::int64_t>(id));
  }
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, {});
}

inline std::vector<DumpEntry> entries_of(const NamedNumbers& numbers) {
  std::vector<DumpEntry> entries;
  for (const auto& [name, tensor] : numbers) entries.push_back({name, [tensor = tensor] { return tensor; }});
  return entries;
}

inline ModelDiagnosis diagnosed(const Trace& ours, const NamedNumbers& theirs) {
  return diagnose_model(ours, model_dump(ours, entries_of(theirs)), make_cpu_backend(1), {}, {});
}

inline Tensor rounded(const Tensor& tensor, const char* option) {
  std::vector<float> values = tensor.values();
  for (const NumberGrid& grid : number_grids()) {
    if (grid.option != option) continue;
    for (float& value : values) value = static_cast<float>(rounded_to(grid, static_cast<double>(value)));
  }
  return Tensor::of(tensor.shape(), tensor.axes(), values);
}

inline NamedNumbers rounded(NamedNumbers numbers, const char* option) {
  for (auto& each : numbers) each.second = rounded(each.second, option);
  return numbers;
}

inline std::int64_t stage_place(const std::string& mistake) {
  const std::vector<MistakeRow>& rows = all_mistakes();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].name == mistake) return static_cast<std::int64_t>(k);
  }
  return -1;
}

// A program that runs the layers of our model, some of them wrongly, and dumps them under the names of Transformers.
class OtherProgram {
 public:
  explicit OtherProgram(const Trace& ours) : model_(*ours.model), backend_(make_cpu_backend(1)) {
    for (std::size_t k = 0; k < model_.layers.size(); ++k) order.push_back(static_cast<std::int64_t>(k));
  }

  std::vector<std::int64_t> order;                                   // which layer of ours its layers are
  std::map<std::int64_t, std::map<StageId, Tensor>> wrong;           // stages of a layer of its own
  std::map<std::int64_t, std::pair<std::string, StageId>> mistakes;  // of a layer: a name, and the stage it is in
  std::set<std::int64_t> without_mlp;

  // What layer `layer` has right, given the layers before it.
  std::shared_ptr<const Trace> right(std::int64_t layer) {
    run();
    return traces_[static_cast<std::size_t>(layer)];
  }

  // hidden_states, attentions, keys and values of the cache; what attention and the MLP add.
  NamedNumbers dump() {
    run();
    return numbers_;
  }

  static NamedNumbers only(const NamedNumbers& all, std::initializer_list<const char*> parts) {
    NamedNumbers kept;
    for (const auto& each : all) {
      for (const char* part : parts) {
        if (each.first.find(part) != std::string::npos) kept.insert(each);
      }
    }
    return kept;
  }

 private:
  Tensor stage_of(const Trace& trace, StageId stage, const GivenStages& given, const MistakeSet& set) const {
    const CancelToken cancel;
    if (given.empty() && set.empty()) return trace.tensor(stage);
    const auto made = StagePredictor(trace, stage, given, backend_, cancel).predicted(set, nullptr);
    if (!made) throw std::runtime_error("a stage cannot be made");
    return Tensor::of(made->shape, trace.tensor(stage).axes(), {made->values.begin(), made->values.end()});
  }

  void run() {
    numbers_.clear();
    traces_.clear();
    const CancelToken cancel;
    Tensor stream = model_.streams.front();
    numbers_["hidden_states.0"] = stream;
    for (std::size_t t = 0; t < order.size(); ++t) {
      const auto layer = static_cast<std::int64_t>(t);
      const auto trace = layer_on_stream(model_, order[t], stream, backend_, cancel);
      traces_.push_back(trace);
      const LayerRest rest(model_, order[t], *backend_, cancel);
      GivenStages given(wrong[layer].begin(), wrong[layer].end());
      const auto fault = mistakes.find(layer);
      const auto made = [&](StageId stage) {
        MistakeSet set;
        if (fault != mistakes.end() && stage >= fault->second.second && given.empty()) {
          set = {{static_cast<std::size_t>(stage_place(fault->second.first)), 0}};
        }
        const auto own = given.find(stage);
        if (own != given.end()) return own->second;
        GivenStages before;
        for (const auto& each : given) {
          if (each.first < stage) before.insert(each);
        }
        return stage_of(*trace, stage, before, set);
      };
      const std::string number = std::to_string(t), of_layer = "model.layers." + number;
      numbers_["past_key_values." + number + ".key"] = made(StageId::key);
      numbers_["past_key_values." + number + ".value"] = made(StageId::value);
      numbers_["attentions." + number] = made(StageId::weights);
      const Tensor output = made(StageId::output);
      numbers_[of_layer + ".self_attn.o_proj"] = output;
      const Tensor attended = rest.attended(stream, rest.added(output));
      if (without_mlp.contains(layer)) {
        numbers_[of_layer + ".mlp_out"] = Tensor::zeros(attended.shape(), attended.axes());
        stream = attended;
      } else {
        numbers_[of_layer + ".mlp_out"] = rest.mlp_out(rest.mlp_in(stream, attended));
        stream = rest.finished(stream, rest.added(output));
      }
      // The module whose result the MLP adds: behind its norm where the model has one.
      numbers_[of_layer + ".post_feedforward_layernorm"] = numbers_[of_layer + ".mlp_out"];
      numbers_.erase(of_layer + ".mlp_out");
      const bool last = t + 1 == order.size();
      numbers_["hidden_states." + std::to_string(t + 1)] = last ? rest.final_norm(stream) : stream;
    }
  }

  const ModelTrace& model_;
  std::shared_ptr<const Backend> backend_;
  NamedNumbers numbers_;
  std::vector<std::shared_ptr<const Trace>> traces_;
};

}  // namespace headscope
