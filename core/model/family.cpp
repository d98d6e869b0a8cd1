#include "core/model/family.h"

#include <array>

namespace headscope {

std::span<const std::string_view> body_prefixes() {
  // "_orig_mod." is torch.compile's, "module." DistributedDataParallel's.
  static constexpr std::array<std::string_view, 20> prefixes = {"",
                                                                "transformer.",
                                                                "model.",
                                                                "bert.",
                                                                "roberta.",
                                                                "distilbert.",
                                                                "electra.",
                                                                "albert.",
                                                                "deberta.",
                                                                "vit.",
                                                                "dinov2.",
                                                                "dinov2_with_registers.",
                                                                "gpt_neox.",
                                                                "language_model.model.",
                                                                "model.language_model.",
                                                                "_orig_mod.",
                                                                "module.",
                                                                "_orig_mod.transformer.",
                                                                "module.transformer.",
                                                                "module.model."};
  return prefixes;
}

bool is_remade_buffer(std::string_view name) {
  static constexpr std::array<std::string_view, 18> endings = {".attn.bias",
                                                               ".attn.masked_bias",
                                                               ".attention.bias",
                                                               ".attention.masked_bias",
                                                               "rotary_emb.inv_freq",
                                                               "rope.freqs",
                                                               ".position_ids",
                                                               ".token_type_ids",
                                                               "freqs_cos",
                                                               "freqs_sin",
                                                               "pooler.dense.weight",
                                                               "pooler.dense.bias",
                                                               "cls.seq_relationship.weight",
                                                               "cls.seq_relationship.bias",
                                                               "pooler.weight",
                                                               "pooler.bias",
                                                               "sop_classifier.classifier.weight",
                                                               "sop_classifier.classifier.bias"};
  for (const std::string_view ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace headscope
