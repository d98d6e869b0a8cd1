// The lists of layers of a model with an encoder and a decoder, or of one whose result is gathered by one more layer.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/model/checkpoint.h"

namespace headscope::cli {

const Checkpoint& predicting_part(const Checkpoint& checkpoint) {
  const auto decoder = checkpoint.part(Architecture::Part::cross);  // which `checkpoint` keeps
  return decoder != nullptr ? *decoder : checkpoint;
}

void add_lists(const Checkpoint& checkpoint, Description& description) {
  using Part = Architecture::Part;
  const bool decodes = checkpoint.architecture().part == Part::encoder;
  if (!decodes && checkpoint.part(Part::pool) == nullptr) return;
  std::vector<std::pair<const char*, const Architecture*>> lists = {{"encoder", &checkpoint.architecture()}};
  for (const auto& [name, part] : {std::pair{"decoder", Part::decoder}, {"cross", Part::cross}, {"pool", Part::pool}}) {
    if (const auto found = checkpoint.part(part)) lists.emplace_back(name, &found->architecture());
  }
  description.text += "lists of layers, as --attention names them:\n";
  for (const auto& [name, model] : lists) {
    const bool cross = model->part == Part::cross;
    description.json["lists"].push_back(
        {{"attention", name},
         {"num_layers", model->num_layers},
         {"num_heads", model->num_heads},
         {"head_dim", model->head_dim},
         {"d_model", model->d_model},
         {"causal", model->causal},
         {"mlp_width", model->mlp == Architecture::Mlp::none ? nlohmann::ordered_json(nullptr)
                                                             : nlohmann::ordered_json(model->mlp_width)}});
    description.text +=
        fmt::format("  {}: {}, {}, head_dim {}, {}{}\n", name, counted(model->num_layers, "layer"),
                    counted(model->num_heads, "head"), model->head_dim,
                    model->part == Part::pool ? "one learned query, keys and values what the others give"
                    : cross                   ? "keys and values from the encoder"
                    : model->causal           ? "causal"
                                              : "attends in both directions",
                    model->relative ? ", biases of relative positions" : "");
  }
  if (!decodes) return;
  if (lists.size() == 1) description.text += "  saved without its decoder\n";
  const auto& start = predicting_part(checkpoint).start_token();
  description.json["decoder_start_token"] = start ? nlohmann::ordered_json(*start) : nlohmann::ordered_json(nullptr);
  if (start) description.text += fmt::format("a decoder phrase begins with token {}\n", *start);
}

}  // namespace headscope::cli
