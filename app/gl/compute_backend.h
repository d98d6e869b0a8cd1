// The backend that computes with OpenGL 4.3 compute shaders, in a context without a window.
#pragma once

#include <memory>

#include "app/gl/gpu_options.h"
#include "core/backend/backend.h"

namespace headscope {

// Results equal those of the reference within 2e-5 relative. Throws BackendError when a library, OpenGL 4.3 or a shader
// is missing or refused; the functions of the backend throw it when the device fails. May be used by any thread.
std::shared_ptr<const Backend> make_gpu_backend(const GpuOptions& options = {});

}  // namespace headscope
