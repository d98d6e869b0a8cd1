// The part of a model that is opened.
#pragma once

namespace headscope {

// What a model that reads both texts and images (clip, siglip) is opened for.
enum class Tower { text, image };

}  // namespace headscope
