// The folder of a checkpoint, one of whose files is any bytes.
#include "tests/fuzz/reader_rows.h"

const char* const headscope::fuzz::kTarget = "checkpoint_files";
