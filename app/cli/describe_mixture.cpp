// Experts and learned sinks of a model.
#include <fmt/format.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/model/architecture.h"

namespace headscope::cli {

void add_mixture(const Architecture& model, Description& description) {
  description.json["sinks"] = model.sinks;
  if (model.sinks) description.text += "every head has a learned sink in its softmax\n";
  if (model.latents) {
    description.json["latents"] = {{"query_rank", model.latents->query_rank}, {"key_rank", model.latents->key_rank}};
    description.json["value_head_dim"] = model.value_features();
    description.text += fmt::format(
        "keys and values out of latents of {} features, heads of values of {}{}\n", model.latents->key_rank,
        model.value_features(),
        model.latents->query_rank > 0 ? fmt::format(", queries out of latents of {}", model.latents->query_rank) : "");
  }
  if (!model.mixture) return;
  std::int64_t layers = 0;
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) layers += model.has_experts(layer) ? 1 : 0;
  description.json["experts"] = model.mixture->experts;
  description.json["experts_per_token"] = model.mixture->chosen;
  description.json["expert_width"] = model.mixture->width;
  description.json["expert_layers"] = layers;
  description.json["shared_expert_width"] = model.mixture->shared_width;
  const std::int64_t shared = model.mixture->shared_width;
  description.text +=
      fmt::format("mixture of experts: {} of {} a token, of {} features{}{}\n", model.mixture->chosen,
                  counted(model.mixture->experts, "expert"), model.mixture->width,
                  shared > 0 ? fmt::format(", beside a shared one of {}", shared) : "",
                  layers == model.num_layers ? "" : fmt::format(", in {} of {} layers", layers, model.num_layers));
}

}  // namespace headscope::cli
