// Pictures and features of sounds that somebody opens for a model that reads them.
#pragma once

#include <string>

#include "core/request/request.h"

namespace headscope {

// The picture (PNG, JPEG) in place of what the model of `current` reads; of the request the model and where to compute
// stay. Throws Error for a file that is no such picture, and where that model reads no images.
Request with_image(const std::string& path, const Request& current);

// Whether a PNG is one for the model of `current` rather than one of Headscope's, which carry what they show.
bool is_input_picture(const std::string& png_path, const Request& current);

// Whether the open model reads the features of a sound.
bool reads_features(const Request& current);

// The request that gives the open model the features in a .npy file; its decoder's text stays. Throws Error for a file
// that cannot be read; whether its shape fits, the run says.
Request with_features(const std::string& path, const Request& current);

}  // namespace headscope
