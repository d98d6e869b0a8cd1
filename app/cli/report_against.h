// report A.hsagg --against B.hsagg: what every head of one model does otherwise than that of another over a corpus.
#pragma once

#include "app/cli/arguments.h"

namespace headscope::cli {

// Prints the table, with --json the object, or writes differences.csv into --out and says so. UsageError for files of
// other corpora, and for what only the report of one file has.
void report_against(const Arguments& given);

}  // namespace headscope::cli
