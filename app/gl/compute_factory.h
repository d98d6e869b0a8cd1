// The backend factory of programs with OpenGL: the backends of core and the GPU.
#pragma once

#include <string>

#include "app/gl/compute_backend.h"
#include "core/backend/backend_factory.h"

namespace headscope {

// `gpu` uses compute shaders, on any driver; `automatic` uses them for a large request when there is a graphics card
// on which pictures can stay (GpuOptions::make_context); all others are made by core's make_backend(). OpenGL is loaded
// only when a GPU backend is made.
BackendFactory backends_with_gpu(const GpuOptions& options = {});

// Whether the system lists a graphics device in `folder`. Loads no driver, which would take 0.1 s and 50 MB.
bool may_have_graphics_card(const std::string& folder = "/dev");

}  // namespace headscope
