#include "core/model/body_prefix.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {
namespace {

struct Body {
  std::string_view text;
  bool names_family = false;
};

// Each row is a model inside of which the body stands.
constexpr Body kBodies[] = {{""},
                            {"transformer."},
                            {"model."},
                            {"bert.", true},
                            {"roberta.", true},
                            {"distilbert.", true},
                            {"electra.", true},
                            {"albert.", true},
                            {"deberta.", true},
                            {"vit.", true},
                            {"dinov2.", true},
                            {"dinov2_with_registers.", true},
                            {"gpt_neox.", true},
                            {"language_model.model."},
                            {"model.language_model."}};

// Each of these wraps a whole model: torch.compile ("_orig_mod."), DistributedDataParallel ("module."), modules of
// training code ("model.", "net."), and one inside of another.
constexpr std::string_view kWrappers[] = {
    "",       "_orig_mod.",       "module.",          "module._orig_mod.", "_orig_mod.module.",
    "model.", "model._orig_mod.", "_orig_mod.model.", "module.model.",     "net."};

std::vector<BodyPrefix> all_prefixes() {
  std::vector<BodyPrefix> all;
  for (const std::string_view wrapper : kWrappers) {
    for (const Body& body : kBodies) {
      std::string text = std::string(wrapper).append(body.text);
      const auto same = [&](const BodyPrefix& each) { return each.text == text; };
      if (std::any_of(all.begin(), all.end(), same)) continue;
      all.push_back({std::move(text), body.names_family ? body.text : std::string_view()});
    }
  }
  return all;
}

}  // namespace

std::span<const BodyPrefix> named_body_prefixes() {
  static const std::vector<BodyPrefix> prefixes = all_prefixes();
  return prefixes;
}

}  // namespace headscope
