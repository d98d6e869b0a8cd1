// Session files whose input files are in the same folder.
#pragma once

#include <string>

#include "core/export/session_file.h"

namespace headscope {

// read_session(). A relative path in it that does not exist from the current folder, but does from the session's
// folder, is resolved from there: a session that is moved together with its files still opens.
SessionFile read_session_with_paths(const std::string& path);

// Reads a session that becomes the document of a window, which may be saved over it (core/io/files_read.h).
SessionFile read_own_session(const std::string& path);

}  // namespace headscope
