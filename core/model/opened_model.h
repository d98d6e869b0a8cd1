// The files of a model, open: what Checkpoint starts from. Internal to core/model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/family.h"
#include "core/model/model_config.h"
#include "core/model/tower.h"
#include "core/model/weight_files.h"

namespace headscope {

// What a path means: configuration and tensors, and where the tokenizer is.
struct OpenedModel {
  std::string path, tokenizer_path;
  ModelConfig config;
  std::shared_ptr<const WeightFiles> files;
  std::shared_ptr<const Family> family = {};  // config.family, where it is no row of the table of families
  bool paired_rows = false;                   // of queries and keys: Linear::paired_head
  // Of a model with an encoder and a decoder, whose encoder `config` is: Family::more_parts. Empty where the files
  // hold an encoder alone.
  std::vector<ModelConfig> more_parts = {};
  std::vector<std::string> changed = {};  // tensors that adapters change (adapters.h)
};

// A folder with config.json, or what own_config() finds in its place, or as Meta ships Llama, of which `path` is the
// name that was given, with its adapters (core/request/model_text.h). Throws Error as Checkpoint::open.
OpenedModel open_model_folder(const std::string& path, const std::string& folder, Tower tower);

// The same of a GGUF file.
OpenedModel open_gguf_model(const std::string& path, const std::string& file_path);

}  // namespace headscope
