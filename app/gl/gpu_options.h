// How the device that computes is chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace headscope {

class OffscreenContext;

struct GpuOptions {
  // Makes a context of OpenGL 4.3 or newer current on the calling thread; empty: make_offscreen_context. When it shares
  // textures with a window's context, large maps are drawn without a copy to memory.
  std::function<std::unique_ptr<OffscreenContext>()> make_context;
  bool card_only = false;               // refuses drivers that compute on the CPU
  std::int64_t numbers_per_buffer = 0;  // of four bytes; 0: as many as the device allows, at most 2^26
  bool stages_copies = true;            // where the driver can: see ComputeStaging
  std::int64_t weight_bytes = -1;       // of weights that stay on the device; negative: as DeviceWeights has it
};

}  // namespace headscope
