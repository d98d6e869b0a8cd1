// Captures in every format, and the files of their tokens.
#include "tests/fuzz/reader_rows.h"

const char* const headscope::fuzz::kTarget = "capture_files";
