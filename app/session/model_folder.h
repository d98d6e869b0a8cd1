// A model is also opened by a file of its checkpoint, by a folder of the hub's cache, and by the name of a model that
// lies there: these functions find its folder.
#pragma once

#include <string>

namespace headscope {

// The folder of a checkpoint when `path` is one of its files of weights: config.json lies beside it, or the file says
// itself what it is of (own_config.h), it is one of those that the folder's model is read from, and it is no capture.
// "" when it is none. Throws Error when the file cannot be read.
std::string folder_of_weights(const std::string& path);

// The folder in which huggingface_hub keeps models, as its variables say ($HF_HUB_CACHE, $HF_HOME), or else its usual
// place below the user's home; "" where there is no home.
std::string hub_cache();

struct ModelPlace {
  std::string path;    // of what is opened
  std::string notice;  // a sentence where that is another than was named; else ""
};

// A folder of the hub's cache as its snapshot, and so "name" or "org/name" where no such path exists and the cache has
// it; everything else as it is. Throws Error where a snapshot cannot be told, and for such a name that the cache does
// not have, with where it looked.
ModelPlace place_in_hub(const std::string& given);

// A checkpoint's file of weights as its folder, and everything else as place_in_hub() has it. Throws Error also for the
// file of an adapter, which is no model.
ModelPlace model_place(const std::string& given);

}  // namespace headscope
