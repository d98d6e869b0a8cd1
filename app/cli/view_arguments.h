// VIEW on the command line.
#pragma once

#include "app/cli/arguments.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

OptionGroup view_group();

// `start` (the session's view, or the defaults) with the options over it. --head without --view means that head,
// --stage with a stage that has no heads of queries and keys means that stage, --against a difference. Throws
// UsageError.
ViewSpec given_view(const Arguments& arguments, ViewSpec start);

}  // namespace headscope::cli
