#include "core/attention/model_trace.h"

#include <filesystem>

#include "core/backend/backend_factory.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/hub_folder.h"
#include "core/model/inputs.h"
#include "core/request/model_text.h"

namespace headscope {

namespace {

std::string name_of_base(const std::string& path) {
  if (path.starts_with("demo:")) return path;
  if (const std::string in_hub = hub_model_name(path); !in_hub.empty()) return in_hub;
  const std::filesystem::path folder(path);
  const std::string last = folder.filename().string();
  return last.empty() || last == "." ? folder.parent_path().filename().string() : last;
}

std::string name_of(const std::string& model) {
  return with_adapter_names(name_of_base(base_of_model(model)), model);
}

}  // namespace

bool has_more_to_come(const ModelTrace& model) {
  return model.checkpoint != nullptr && model.final_hidden.empty();
}

std::vector<ModelStep> model_steps(const ModelTrace& model) {
  std::vector<ModelStep> steps;
  const bool halves = model.checkpoint != nullptr && model.checkpoint->architecture().of_decoder();
  HEADSCOPE_ASSERT(!halves || model.other_layers.size() == model.layers.size(), "halves of " + model.name);
  const bool other_first = halves && model.checkpoint->architecture().part == Architecture::Part::cross;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const ModelStep shown{model.layers[layer], model.streams[layer], static_cast<std::int64_t>(layer)};
    if (!halves) {
      steps.push_back(shown);
      continue;
    }
    const ModelStep other{model.other_layers[layer], model.other_streams[layer], static_cast<std::int64_t>(layer)};
    steps.push_back(other_first ? other : shown);
    steps.push_back(other_first ? shown : other);
  }
  return steps;
}

void check_one_stack(const std::string& option, const ModelTrace& model) {
  if (model.checkpoint == nullptr || !model.checkpoint->architecture().of_decoder()) return;
  throw UsageError(option,
                   "this looks at a whole model layer by layer, which is not implemented for a decoder that attends to "
                   "an encoder: the decoder of " +
                       model.name,
                   "--attention encoder, or a model that is one stack of layers");
}

std::shared_ptr<Trace> shown_trace(const ModelTrace& model, std::int64_t layer, const Request& request,
                                   double seconds) {
  auto own = std::make_shared<ModelTrace>(model);
  own->layer = layer;
  auto trace = std::make_shared<Trace>(*model.layers[static_cast<std::size_t>(layer)]);
  trace->request = request;
  if (layer != model.layer) trace->request.layer = layer;
  trace->model = std::move(own);
  trace->seconds = seconds;
  return trace;
}

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
