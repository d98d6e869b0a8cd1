#include "app/gl/compute_factory.h"

#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "core/base/thread_pool.h"

namespace headscope {
namespace {

// Without a window every number comes back through memory: measured on a card for data centres, it is then worth about
// as many threads of its processor (tests/bench/README.md).
constexpr int kThreadsOfACard = 8;

}  // namespace

BackendFactory backends_with_gpu(const GpuOptions& options) {
  return [options](const BackendQuery& query) {
    if (query.choice == BackendChoice::gpu) return make_gpu_backend(options);
    const bool pays = options.make_context != nullptr || hardware_threads() <= kThreadsOfACard;
    if (query.choice == BackendChoice::automatic && query.large && pays && may_have_graphics_card()) {
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
