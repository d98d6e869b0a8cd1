// Session files whose input files are in the same folder, and the paths of a request.
#pragma once

#include <string>

#include "core/export/session_file.h"
#include "core/request/request.h"

namespace headscope {

// read_session(). A relative path in it that does not exist from the current folder, but does from the session's
// folder, is resolved from there: a session that is moved together with its files still opens. Of patches its request
// carries A (with_patch_source()).
SessionFile read_session_with_paths(const std::string& path);

// Reads a session that becomes the document of a window, which may be saved over it (core/io/files_read.h).
SessionFile read_own_session(const std::string& path);

// The request of A that Request::patch_from names: of a session file, or the one that it carries
// (core/request/patch_source.h). Throws Error.
Request read_patch_source(const std::string& patch_from);

// The request with that of A in the place of the file that names it (core/request/patch_source.h), so that it is
// complete: where it is patched, and the file can be read and is not patched itself.
Request with_patch_source(Request request);

// The request with every path of a file that is there from the root on, so that it can be computed from any folder.
Request with_absolute_paths(Request request);

}  // namespace headscope
