// The folder of a tokenizer, one of whose files is any bytes.
#include "tests/fuzz/reader_rows.h"

const char* const headscope::fuzz::kTarget = "tokenizer_files";
