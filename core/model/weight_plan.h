// Which tensors an architecture needs, under which names and with which shapes: checked when a checkpoint opens, read
// when a layer is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/family.h"

namespace headscope {

// A tensor by its name in the family's table: without the body's prefix.
struct PlannedTensor {
  enum class Kind { matrix, matrix_in_out, vector };
  std::string name;                 // "" for none
  std::string older_name;           // the name of the same tensor in some older files; "" for none
  std::vector<std::int64_t> shape;  // as the file holds it
  Kind kind = Kind::vector;
  bool in_head = false;  // its name does not have the body's prefix
  bool empty() const { return name.empty(); }
};

struct PlannedModule {
  PlannedTensor weight, bias;
};

struct PlannedBlock {
  PlannedModule attention_norm, qkv, query, key, value, output, query_norm, key_norm;
  PlannedModule query_latent, query_latent_norm, key_latent, key_latent_norm, key_value_of_latent;
  PlannedModule position_key, position_query, convolution, convolution_norm;
  PlannedModule attention_norm_out, mlp_norm, mlp_norm_out, gate_up, gate, up, down;
  PlannedTensor sinks;
  struct Expert {
    PlannedModule gate, up, down;
  };
  PlannedModule router;
  PlannedTensor router_correction;
  Expert shared_expert;
  std::vector<Expert> experts;
  PlannedModule stacked_gate_up, stacked_down;  // instead of `experts`: [experts, in, out]
  Expert all_experts;                           // or: [experts, out, in]
  std::vector<PlannedTensor> tensors() const;   // those that are there
};

struct PlannedBody {
  PlannedTensor word, position, token_type, relative, relative_positions, probe;
  PlannedModule patch, first_convolution, second_convolution;
  PlannedTensor class_token, registers;
  PlannedModule embedding_norm, embedding_projection, relative_norm, final_norm, projection;
  // The one by whose name the prefix of the body is found.
  const PlannedTensor& first() const {
    return !word.empty()           ? word
           : !patch.weight.empty() ? patch.weight
           : !probe.empty()        ? probe
                                   : first_convolution.weight;
  }
  std::vector<PlannedTensor> tensors() const;
};

// The tensors of a complete head. `decoder.weight` is planned also where the word embedding is used instead.
struct PlannedHead {
  PlannedModule transform, transform_norm, decoder;
  std::vector<PlannedTensor> tensors() const;
};

PlannedBody planned_body(const Architecture& architecture, const Family& family);
PlannedBlock planned_block(const Architecture& architecture, const Family& family, std::int64_t layer);
PlannedHead planned_head(const Architecture& architecture, const Family& family);

}  // namespace headscope
