// Pictures that somebody opens for a model that reads images.
#pragma once

#include <string>

#include "core/request/request.h"

namespace headscope {

// The picture (PNG, JPEG) in place of what the model of `current` reads; of the request the model and where to compute
// stay. Throws Error for a file that is no such picture, and where that model reads no images.
Request with_image(const std::string& path, const Request& current);

// Whether a PNG is one for the model of `current` rather than one of Headscope's, which carry what they show.
bool is_input_picture(const std::string& png_path, const Request& current);

}  // namespace headscope
