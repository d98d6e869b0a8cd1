// Which stages of a model are there: check_layers_kept() and check_model_stage().
#include <fmt/format.h>

#include <string>

#include "core/attention/model_stages.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

using Part = Architecture::Part;

}  // namespace

void check_layers_kept(const std::string& option, const ModelTrace& model) {
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const bool other = model.other_layers.empty() || model.other_layers[layer] != nullptr;
    if (model.layers[layer] != nullptr && other) continue;
    throw UsageError(option, fmt::format("layer {} was not kept, its stages are too large", layer),
                     fmt::format("fewer tokens, or --layer {}", model.layers.size() - 1));
  }
}

void check_model_stage(const std::string& option, const Trace& trace, ModelStageId id) {
  const ModelStageInfo& info = model_stage_info(id);
  const std::string found = fmt::format("found {}, a stage of a whole model; ", info.name);
  if (trace.model == nullptr) {
    throw UsageError(option, found + "this is one layer without the model around it", "--model demo:NAME or PATH");
  }
  if (trace.model->checkpoint == nullptr) {
    throw UsageError(option, found + trace.model->name + " is a capture of attention, which does not hold it",
                     "--model demo:NAME or PATH");
  }
  const Checkpoint& checkpoint = *trace.model->checkpoint;
  if (info.needs == ModelStageNeeds::mlp && checkpoint.architecture().part == Architecture::Part::decoder) {
    throw UsageError(
        option, fmt::format("found {}; the MLP of {} reads what cross-attention leaves", info.name, trace.model->name),
        "--attention cross");
  }
  if (info.needs == ModelStageNeeds::mlp && checkpoint.architecture().mlp == Architecture::Mlp::none) {
    throw UsageError(option, fmt::format("found {}; {} has no MLP", info.name, trace.model->name),
                     "a model whose layers have one");
  }
  if (info.needs == ModelStageNeeds::convolution && !checkpoint.architecture().convolution) {
    throw UsageError(option, fmt::format("found {}; {} has no convolution", info.name, trace.model->name),
                     "a deberta-v2 model with one (conv_kernel_size above 0)");
  }
  const bool in_space = checkpoint.architecture().projection > 0 || checkpoint.architecture().part == Part::pool;
  if (info.needs == ModelStageNeeds::projection && !in_space) {
    const bool pooled = checkpoint.part(Part::pool) != nullptr;
    throw UsageError(option, found + trace.model->name + " has no map to a space of texts and images",
                     pooled ? "--attention pool, whose layer gives a vector of that space" : "a clip or siglip model");
  }
  if (info.needs == ModelStageNeeds::output_head && checkpoint.output_head().kind == OutputHead::Kind::none) {
    throw UsageError(option, fmt::format("found {}; {} {}", info.name, trace.model->name, checkpoint.why_no_head()),
                     "a model with one");
  }
}

}  // namespace headscope
