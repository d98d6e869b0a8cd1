// The backend that computes with OpenGL 4.3 compute shaders, in a context without a window.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/backend/backend.h"

namespace headscope {

class OffscreenContext;

struct GpuOptions {
  // Makes a context of OpenGL 4.3 or newer current on the calling thread; empty: make_offscreen_context. When it shares
  // textures with a window's context, large maps are drawn without a copy to memory.
  std::function<std::unique_ptr<OffscreenContext>()> make_context;
  bool card_only = false;               // refuses drivers that compute on the CPU
  std::int64_t numbers_per_buffer = 0;  // of four bytes; 0: as many as the device allows, at most 2^26
};

// Results equal those of the reference within 2e-5 relative. Throws BackendError when a library, OpenGL 4.3 or a shader
// is missing or refused; the functions of the backend throw it when the device fails. May be used by any thread.
std::shared_ptr<const Backend> make_gpu_backend(const GpuOptions& options = {});

}  // namespace headscope
