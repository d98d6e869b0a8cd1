// Experts and learned sinks of a model.
#include <fmt/format.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/model/architecture.h"

namespace headscope::cli {

void add_mixture(const Architecture& model, Description& description) {
  description.json["sinks"] = model.sinks;
  if (model.sinks) description.text += "every head has a learned sink in its softmax\n";
  if (!model.mixture) return;
  std::int64_t layers = 0;
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) layers += model.has_experts(layer) ? 1 : 0;
  description.json["experts"] = model.mixture->experts;
  description.json["experts_per_token"] = model.mixture->chosen;
  description.json["expert_width"] = model.mixture->width;
  description.json["expert_layers"] = layers;
  description.text +=
      fmt::format("mixture of experts: {} of {} a token, of {} features{}\n", model.mixture->chosen,
                  counted(model.mixture->experts, "expert"), model.mixture->width,
                  layers == model.num_layers ? "" : fmt::format(", in {} of {} layers", layers, model.num_layers));
}

}  // namespace headscope::cli
