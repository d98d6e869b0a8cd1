// Sessions, recipes in pictures and all that the window keeps, opened as files.
#include "tests/fuzz/reader_rows.h"

const char* const headscope::fuzz::kTarget = "session_files";
