// Files that a request names: inputs, masks, weights, stages of other code.
#include "tests/fuzz/reader_rows.h"

const char* const headscope::fuzz::kTarget = "request_files";
