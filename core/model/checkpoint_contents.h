// What an open model holds. Internal to core/model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/model/leftover_tensors.h"
#include "core/model/opened_model.h"
#include "core/model/weight_lookup.h"
#include "core/model/weight_plan.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Read once for all parts of a model.
struct KeptTokenizer {
  TextSide side = TextSide::source;
  std::mutex mutex;
  std::optional<std::shared_ptr<const Tokenizer>> read;
  std::string unknown;  // why the one that is there cannot be used
};

struct Checkpoint::Contents {
  // `shared`: the tokenizer of the model that this is a part of; null: its own.
  explicit Contents(OpenedModel opened, std::shared_ptr<KeptTokenizer> shared = nullptr);

  const std::string path, tokenizer_path;
  const std::shared_ptr<const Family> own_family;
  const bool paired_rows;
  Tower tower = Tower::text;
  ModelConfig config;
  const std::shared_ptr<const WeightFiles> files;
  const WeightLookup lookup;
  WeightAccount account;

  const std::shared_ptr<KeptTokenizer> tokenizer;
  std::vector<std::shared_ptr<const Checkpoint>> parts;  // of the decoder

  std::mutex mutex;  // of what is read once
  std::optional<std::shared_ptr<const ImageProcessor>> image_processor;
  std::optional<EmbeddingWeights> embedding;
  std::map<std::int64_t, BlockWeights> blocks;
  std::optional<OutputHead> output_head;

  void settle_by_files();
  void settle_projection();
  std::vector<LayerList> layer_lists() const;  // of all parts
  void leave_ignored();
  void refuse_leftovers() const;
  void add_part(std::shared_ptr<const Checkpoint> part);
  EmbeddingWeights read_embedding() const;
  Linear query_or_key(const PlannedModule& planned) const;
  void read_projections(const PlannedBlock& planned, LayerWeights& attention) const;
  BlockWeights read_block(std::int64_t layer) const;
  OutputHead read_output_head() const;
};

}  // namespace headscope
