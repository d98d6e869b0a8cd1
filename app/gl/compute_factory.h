// The backends of core and the GPU: what a program that has OpenGL hands to its engine.
#pragma once

#include <string>

#include "app/gl/compute_backend.h"
#include "core/backend/backend_factory.h"

namespace headscope {

// `gpu` by compute shaders, on any driver; `automatic` by them for a large request where a graphics card computes;
// anything else as core makes it. No OpenGL library is loaded before one is wanted.
BackendFactory backends_with_gpu(const GpuOptions& options = {});

// Whether the system lists a graphics device in `folder`: a look that loads no driver, which takes 0.1 s and 50 MB.
bool may_have_graphics_card(const std::string& folder = "/dev");

}  // namespace headscope
