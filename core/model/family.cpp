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

}  // namespace headscope
