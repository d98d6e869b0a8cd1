#include "core/model/family.h"

#include <algorithm>
#include <array>
#include <string>

namespace headscope {
namespace {

// Of models inside of which the body stands.
constexpr std::array<std::string_view, 15> kBodies = {"",
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
                                                      "model.language_model."};

// What wraps a whole model: torch.compile ("_orig_mod."), DistributedDataParallel ("module."), modules of training
// code ("model.", "net."), and one inside of another.
constexpr std::array<std::string_view, 9> kWrappers = {"_orig_mod.",        "module.",       "module._orig_mod.",
                                                       "_orig_mod.module.", "model.",        "model._orig_mod.",
                                                       "_orig_mod.model.",  "module.model.", "net."};

std::vector<std::string> all_prefixes() {
  std::vector<std::string> all(kBodies.begin(), kBodies.end());
  for (const std::string_view wrapper : kWrappers) {
    for (const std::string_view body : kBodies) {
      std::string prefix = std::string(wrapper).append(body);
      if (std::find(all.begin(), all.end(), prefix) == all.end()) all.push_back(std::move(prefix));
    }
  }
  return all;
}

}  // namespace

std::span<const std::string_view> body_prefixes() {
  static const std::vector<std::string> texts = all_prefixes();
  static const std::vector<std::string_view> prefixes(texts.begin(), texts.end());
  return prefixes;
}

std::vector<FamilyType> family_types() {
  std::vector<FamilyType> types;
  for (const Family& row : families()) {
    for (const std::string_view name : row.model_types) {
      const auto same = [&](const FamilyType& type) { return type.model_type == name; };
      if (std::none_of(types.begin(), types.end(), same)) types.push_back({name, &row});
    }
  }
  return types;
}

}  // namespace headscope
