// Whatever headscope-map.json is accepted describes heads that divide, and parts that the files have.
#include "core/base/error.h"
#include "core/model/model_map.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TensorFile file;
  file.path = "model.safetensors";
  for (const char* name : {"l.0.k", "l.0.n", "l.0.o", "l.0.q", "l.0.v", "l.1.k", "l.1.n", "l.1.o", "l.1.q", "l.1.v"}) {
    file.entries.push_back({name, "F32", {8, 8}, 256});
  }
  file.entries.push_back({"w", "F32", {5, 8}, 160});
  WeightFiles files = WeightFiles::of(std::move(file));
  try {
    const JsonValue map = parse_strict_json(fuzz::as_text(data, size), "headscope-map.json");
    const ModelConfig config = model_map_of(map, "headscope-map.json", files);
    const Architecture& model = config.architecture;
    fuzz::require(model.num_heads % model.num_kv_heads == 0 && model.head_dim > 0, "heads divide");
    fuzz::require(files.find("layers.0.output.weight") != nullptr, "there is an output");
  } catch (const Error&) {
  }
  return 0;
}
