// Session files whose inputs lie beside them.
#pragma once

#include <string>

#include "core/export/session_file.h"

namespace headscope {

// read_session; a relative path in it that leads nowhere from the current folder, but does from the session's own, is
// made to lead there. So a session that is moved together with its files still opens.
SessionFile read_session_with_paths(const std::string& path);

}  // namespace headscope
