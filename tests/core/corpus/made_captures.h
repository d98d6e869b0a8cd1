// Captures of what a demo computes, as another engine would write them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/corpus/corpus_record.h"
#include "core/io/safetensors.h"

namespace headscope::test {

using Metadata = std::map<std::string, std::string>;

inline void write_tensors(const std::string& path, const std::vector<NamedTensorRef>& tensors,
                          const Metadata& metadata) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  write_safetensors(out, tensors, metadata);
}

// The phrase's first `most_tokens` tokens in the demo, whose facts the capture names: all layers, as weights or as
// queries and keys; with the word that they are causal, or without.
inline void write_demo_capture(const std::string& path, const std::string& phrase, const CorpusFacts& facts,
                               bool as_weights, bool says_causal = true) {
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  Request request;
  request.model = facts.model;
  request.phrase = phrase;
  const auto whole = engine.run(request, {});
  request.token_ids = whole->inputs->token_ids;
  request.token_ids.resize(std::min(request.token_ids.size(), static_cast<std::size_t>(facts.most_tokens)));
  request.phrase.clear();
  const auto trace = engine.run(request, {});
  std::vector<NamedTensorRef> tensors;
  for (std::size_t layer = 0; layer < trace->model->layers.size(); ++layer) {
    const std::string name = "layers." + std::to_string(layer);
    const Trace& of = *trace->model->layers[layer];
    if (as_weights) {
      tensors.push_back({name + ".weights", &of.tensor(StageId::weights)});
    } else {
      tensors.push_back({name + ".query", &of.tensor(StageId::query)});
      tensors.push_back({name + ".key", &of.tensor(StageId::key)});
    }
  }
  Metadata metadata = {{"tokens", nlohmann::json(trace->inputs->tokens).dump()},
                       {"token_ids", nlohmann::json(request.token_ids).dump()},
                       {"phrase", phrase},
                       {"model", facts.model},
                       {"model_sha256", facts.sha256},
                       {"tokenizer", facts.tokenizer}};
  if (says_causal) metadata["causal"] = "true";
  write_tensors(path, tensors, metadata);
}

}  // namespace headscope::test
