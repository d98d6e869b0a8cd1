// What two runs may have in common, by what the tables say of all that their requests name (option_reach.h).
#pragma once

#include "core/request/option_reach.h"
#include "core/request/request.h"

namespace headscope {

// How far the rows of a request keep their numbers: as far as each of its options, variants and interventions that are
// on says. Whether its mask looks back is another question, which needs the inputs.
RowsApart rows_apart(const Request& request);

// Whether the requests differ in an option or a variant whose row does not say what it changes, or says stages that do
// not name it.
bool differ_unsaid(const Request& a, const Request& b);

}  // namespace headscope
