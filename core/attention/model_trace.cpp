#include "core/attention/model_trace.h"

#include <filesystem>

#include "core/backend/backend_factory.h"
#include "core/model/checkpoint.h"
#include "core/model/inputs.h"

namespace headscope {

namespace {

std::string name_of(const std::string& path) {
  if (path.starts_with("demo:")) return path;
  const std::filesystem::path folder(path);
  const std::string last = folder.filename().string();
  return last.empty() || last == "." ? folder.parent_path().filename().string() : last;
}

}  // namespace

std::shared_ptr<ModelTrace> begun_model_trace(const Inputs& inputs, const std::shared_ptr<const Backend>& backend,
                                              std::size_t layers) {
  auto model = std::make_shared<ModelTrace>();
  model->name = name_of(inputs.checkpoint->path());
  model->checkpoint = inputs.checkpoint;
  model->layer = inputs.layer;
  model->backend = with_cpu_fallback(backend);
  model->layers.resize(layers);
  model->streams.resize(layers);
  return model;
}

}  // namespace headscope
