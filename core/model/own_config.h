// The configuration of a model whose folder holds no config.json: from a file of another name, or from what its file of
// weights says itself.
#pragma once

#include <optional>
#include <string>

#include "core/io/json_text.h"
#include "core/model/weight_files.h"

namespace headscope {

struct OwnConfig {
  JsonValue json;
  std::string what;  // where it was found, for messages: "m/ckpt.pt: model_args"
};

// lit_config.json or model_config.yaml (LitGPT) of the folder; or model_args, config, hyper_parameters or hparams that
// a file of torch.save holds beside its tensors (nanoGPT, llama2.c); or the sizes of a TransformerLens state_dict.
// nullopt where there is none of these. Throws Error for one that is malformed, and as lens_config().
std::optional<OwnConfig> own_config(const std::string& folder, const WeightFiles& files);

// Whether the folder holds no config.json, yet one of these: a file of another name, or weights that say their own.
bool has_own_config(const std::string& folder);

// The keys and plain values of a YAML file that is a flat list of them, as JSON; what is indented below a key is one
// object whose members are not read. Throws Error, which begins with `what`, for other lines.
JsonValue flat_yaml(std::string_view text, const std::string& what);

}  // namespace headscope
