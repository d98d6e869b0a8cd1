// Low-rank adapters beside a model (core/request/model_text.h): what their folders hold, and the model's tensors with
// their changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/weight_files.h"

namespace headscope {

// Puts the tensors that the acting adapters of `model` change in place of those of the files, one adapter after the
// other, exactly as if they had been merged: W' = W + s B A, of DoRA m (W + s B A) / |W + s B A|, with s the adapter's
// scale times its own (adapter_scaling). Tensors that were trained whole take the place of the model's. Nothing is read
// but headers; a tensor is merged when it is read. `in_out`: whether the model's square matrices stand as [in, out];
// nullopt: as the adapter says. Returns the names of the tensors that are changed. Throws Error that names the folder,
// for tensors that the model does not have, or has in another size.
std::vector<std::string> put_adapters(WeightFiles& files, const std::string& model, std::optional<bool> in_out);

// Refuses, with Error, the acting adapters of a model whose tensors are not as those of training code: a GGUF file, or
// a folder as Meta ships Llama. `why` follows the model's name.
void refuse_adapters(const std::string& model, const std::string& why);

// What an adapter's folder holds, for people.
struct AdapterFacts {
  std::string folder, base;                       // base: as adapter_config.json names it, or ""
  const char* kind = "";                          // "LoRA", "DoRA"
  std::int64_t least_rank = 0, largest_rank = 0;  // of its modules; 0: it has none
  double least_scaling = 0, largest_scaling = 0;  // of its modules, without the scale of --adapter
  std::int64_t modules = 0;                       // matrices with a low-rank change
  std::int64_t whole = 0;                         // tensors that were trained whole
  std::int64_t changed = 0;                       // numbers of the model that are changed
  std::int64_t parameters = 0;                    // numbers that its file holds
};
AdapterFacts adapter_facts(const std::string& folder);

}  // namespace headscope
