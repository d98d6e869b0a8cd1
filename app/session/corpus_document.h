// What a scan has counted, as a document.
#pragma once

#include <string>

#include "app/session/view_state.h"

namespace headscope {

// The view shows the .hsagg, or the folder that HeadVis shows; what is computed stays.
void show_corpus(ViewState& view, const std::string& path);

// Whether HeadVis shows the folder: it has a config.json as models have, and the numbers of heads beside it.
bool is_headvis_folder(const std::string& folder);

}  // namespace headscope
