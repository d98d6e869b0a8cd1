#include "app/gl/compute_factory.h"

namespace headscope {

BackendFactory backends_with_gpu(const GpuOptions&) {
  return [](const BackendQuery& query) {
    if (query.choice == BackendChoice::gpu) {
      throw BackendError("A browser's WebGL has no compute shaders, which --backend gpu needs.");
    }
    return make_backend(query);
  };
}

bool may_have_graphics_card(const std::string&) {
  return false;
}

}  // namespace headscope
