// Whatever config.json is accepted describes a model whose sizes fit each other, and whose tensors can be planned.
#include "core/base/error.h"
#include "core/model/model_config.h"
#include "core/model/weight_plan.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

void require_countable(const std::vector<PlannedTensor>& tensors) {
  for (const PlannedTensor& tensor : tensors) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) {
      fuzz::require(size > 0, "planned tensors are not empty");
      fuzz::require(!__builtin_mul_overflow(count, size, &count), "planned tensors can be counted");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ModelConfig config;
  try {
    config = model_config_of(parse_strict_json(fuzz::as_text(data, size), "config.json"), "config.json");
  } catch (const Error&) {
    return 0;
  }
  const Architecture& model = config.architecture;
  fuzz::require(model.num_heads % model.num_kv_heads == 0, "key heads divide heads");
  fuzz::require(model.max_positions > 0 && model.norm_eps > 0, "positions and epsilon are positive");
  if (model.rotary) {
    fuzz::require(model.rotary->features % 2 == 0 && model.rotary->features <= model.head_dim, "whole pairs turn");
    fuzz::require(model.rotary->inverse_frequencies.size() * 2 == static_cast<std::size_t>(model.rotary->features),
                  "a frequency for every pair");
  }
  require_countable(planned_body(model, *config.family).tensors());
  require_countable(planned_block(model, *config.family, model.num_layers - 1).tensors());
  require_countable(planned_head(model, *config.family).tensors());
  return 0;
}
