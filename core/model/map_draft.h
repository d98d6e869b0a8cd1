// A first headscope-map.json for a model that is in no table of families, guessed from the names and shapes of its
// tensors and the keys of its config.json.
#pragma once

#include <string>
#include <vector>

#include "core/io/json_text.h"
#include "core/model/weight_files.h"

namespace headscope {

struct MapDraft {
  std::string json;                 // the map; what could not be guessed is left out or stands under "unsure"
  std::vector<std::string> unsure;  // a sentence each
  std::size_t guessed = 0;          // tensors of the files that have a part
};

// `config` is the parsed config.json.
MapDraft draft_map(const JsonValue& config, const WeightFiles& files);

}  // namespace headscope
