// Opening what a user hands over: by argument, menu or drop.
#pragma once

#include <string>

#include "app/session/view_state.h"
#include "core/attention/request.h"

namespace headscope {

struct Document {
  Request request;
  ViewState view;
  std::string title;  // for the window: "animal-street.json"
};

// A session (.json), a picture exported by Headscope (.png), one attention layer (.safetensors; keeps `current`'s
// phrase), an .npy (becomes --input). Checkpoint folders and captures: an Error that says which version opens them.
Document open_document(const std::string& path, const Request& current, const ViewState& view);

// The demo: "Hola mi nombre es Alex", d_model 512, 8 heads, causal, seeded.
Document demo_document();

}  // namespace headscope
