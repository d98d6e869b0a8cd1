// Two runs may have numbers in common: the tables say which, by all that the requests name (option_reach.h).
#pragma once

#include "core/request/option_reach.h"
#include "core/request/request.h"

namespace headscope {

// Returns how far the rows of a request keep their numbers: as far as each of its options, variants and interventions
// that are on says. It leaves out whether the mask looks back, which is a question to the inputs.
RowsApart rows_apart(const Request& request);

// Returns whether the requests differ in an option or a variant whose row does not say what it changes, or says stages
// that do not name it.
bool differ_unsaid(const Request& a, const Request& b);

}  // namespace headscope
