// What a scan has counted, as a document.
#pragma once

#include <string>

#include "app/session/view_state.h"

namespace headscope {

// The view shows the .hsagg; what is computed stays.
void show_corpus(ViewState& view, const std::string& path);

// Error for a folder that HeadVis shows: it has a config.json as models have, but is none.
void refuse_headvis(const std::string& folder);

}  // namespace headscope
