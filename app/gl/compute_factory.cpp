#include "app/gl/compute_factory.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace headscope {
BackendFactory backends_with_gpu(const GpuOptions& options) {
  return [options](const BackendQuery& query) {
    if (query.choice == BackendChoice::gpu) return make_gpu_backend(options);
    // Without a window pictures come back through memory, and a card is slower than the processor
    // (tests/bench/README.md).
    const bool pays = query.large && options.make_context != nullptr;
    if (query.choice == BackendChoice::automatic && pays && may_have_graphics_card()) {
      GpuOptions on_card = options;
      on_card.card_only = true;
      try {
        return make_gpu_backend(on_card);
      } catch (const BackendError&) {
        // The user did not ask for the GPU: no message.
      }
    }
    return make_backend(query);
  };
}

bool may_have_graphics_card(const std::string& folder) {
  std::error_code error;
  // Linux's direct rendering nodes, NVIDIA's own driver, and Windows' subsystem for Linux.
  for (const char* name : {"dri/renderD128", "dri/renderD129", "nvidiactl", "dxg"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / name, error)) return true;
  }
  return false;
}

}  // namespace headscope
