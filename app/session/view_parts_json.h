// Parts of a ViewState as objects of its JSON: the view over all layers, and the bug lab.
#pragma once

#include <nlohmann/json.hpp>

#include "app/session/json_reader.h"
#include "app/session/view_state.h"

namespace headscope {

// All fields. The *_from() functions read them from the object under the key "layers" or "bug_lab" of `outer`; without
// it they return the defaults. They throw Error that names the key that holds the wrong type.
nlohmann::json layers_json(const LayersView& layers);
LayersView layers_from(const JsonReader& outer);
nlohmann::json bug_lab_json(const BugLabView& lab);
BugLabView bug_lab_from(const JsonReader& outer);

}  // namespace headscope
