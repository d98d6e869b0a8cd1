// The tensors of an adapter's file by the modules of the model that they change.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_file.h"
#include "core/model/adapter_config.h"

namespace headscope {

struct AdapterTensors {
  // The factors of one module: B A is [out, in].
  struct Factors {
    std::string module;              // as the model that was trained calls it: "model.layers.0.self_attn.q_proj"
    const TensorEntry* a = nullptr;  // [rank, in]; of MLX [in, rank]
    const TensorEntry* b = nullptr;  // [out, rank]; of MLX [rank, out]
    const TensorEntry* magnitude = nullptr;  // [out], of DoRA
    bool embedding = false;                  // the module's table is [in, out]: lora_embedding_A and _B
  };
  // A tensor that was trained whole (modules_to_save, bias): it stands in place of the model's.
  struct Whole {
    std::string tensor;  // "model.embed_tokens.weight"
    const TensorEntry* entry = nullptr;
  };

  std::string folder;
  AdapterConfig config;
  std::shared_ptr<const TensorFile> file;
  std::vector<Factors> factors;  // sorted by module
  std::vector<Whole> whole;      // sorted by tensor
};

// Reads the configuration and the header of adapter_model.safetensors, adapter_model.bin or, of MLX,
// adapters.safetensors. Throws Error that says what the folder lacks, and which tensors are no part of LoRA or DoRA, or
// are without the one that belongs to them.
AdapterTensors read_adapter_tensors(const std::string& folder);

}  // namespace headscope
