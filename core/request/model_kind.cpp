#include "core/request/model_kind.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/file_name.h"
#include "core/request/model_text.h"

namespace headscope {
bool is_seeded(const Request& request) {
  return request.weights.empty() && base_of_model(request.model) == "seeded" && !is_attention_alone(request);
}

bool runs_checkpoint(const Request& request) {
  const std::string base = base_of_model(request.model);
  return base != "seeded" && !is_capture_path(base) && request.weights.empty() && !is_attention_alone(request);
}

bool is_capture_path(std::string_view model) {
  static constexpr std::string_view kEndings[] = {".safetensors", ".npy", ".npz", ".pt", ".pth"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return has_ending(model, ending); });
}

bool runs_capture(const Request& request) {
  return is_capture_path(base_of_model(request.model)) && request.weights.empty() && !is_attention_alone(request);
}

}  // namespace headscope
