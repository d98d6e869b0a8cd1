#include "core/request/model_kind.h"

#include <algorithm>
#include <iterator>

#include "core/base/file_name.h"

namespace headscope {
bool is_seeded(const Request& request) {
  return request.weights.empty() && request.model == "seeded" && !is_attention_alone(request);
}

bool runs_checkpoint(const Request& request) {
  return request.model != "seeded" && !is_capture_path(request.model) && request.weights.empty() &&
         !is_attention_alone(request);
}

bool is_capture_path(std::string_view model) {
  static constexpr std::string_view kEndings[] = {".safetensors", ".npy", ".npz", ".pt", ".pth"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return has_ending(model, ending); });
}

bool runs_capture(const Request& request) {
  return is_capture_path(request.model) && request.weights.empty() && !is_attention_alone(request);
}

}  // namespace headscope
