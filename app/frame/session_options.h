// How the window's session computes.
#pragma once

#include <functional>
#include <memory>

#include "app/gl/compute_factory.h"
#include "app/session/session.h"
#include "app/session/settings.h"

namespace headscope {

// On the CPU, and on the GPU through contexts of `make_context` (GpuOptions::make_context); with the memory for stages
// that the settings allow.
inline SessionOptions session_options(const Settings& settings, decltype(GpuOptions::make_context) make_context) {
  SessionOptions options;
  GpuOptions gpu;
  gpu.make_context = std::move(make_context);
  options.engine.make_backend = backends_with_gpu(gpu);
  options.engine.stage_memory = std::int64_t{settings.stage_memory_mib} << 20;
  return options;
}

}  // namespace headscope
