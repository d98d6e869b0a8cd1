// Whether the numbers of a record fit each other. Internal to core/corpus.
#pragma once

#include <string>

#include "core/corpus/corpus_record.h"

namespace headscope {

// Why no scan can have counted this, for records that come from files: "head 0.1: it has more rows than there are
// tokens"; "" when one can.
std::string problem_of(const CorpusRecord& record);

}  // namespace headscope
