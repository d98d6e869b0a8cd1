// Where the numbers of a request come from, judged by the spelling of `--model` and its files alone: no file is opened.
#pragma once

#include <string_view>

#include "core/request/request.h"

namespace headscope {

// True when a seeded layer is drawn for this request.
bool is_seeded(const Request& request);

// True when weights come from a checkpoint folder or a demo.
bool runs_checkpoint(const Request& request);

// Whether a --model is a capture: a name that ends with .safetensors, .npy, .npz, .pt or .pth (a checkpoint is a
// folder).
bool is_capture_path(std::string_view model);

// Whether the request is about a capture.
bool runs_capture(const Request& request);

}  // namespace headscope
