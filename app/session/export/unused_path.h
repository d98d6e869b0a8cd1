// Where an export goes that nobody named.
#pragma once

#include <string>

#include "app/session/settings.h"

namespace headscope {

// NAME + ENDING in the folder of exports; where that is there already, NAME-2, NAME-3 ... `ending`: "" for a folder.
std::string unused_export_path(const Settings& settings, const std::string& name, const std::string& ending);

}  // namespace headscope
