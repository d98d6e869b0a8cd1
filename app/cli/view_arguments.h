// VIEW on the command line.
#pragma once

#include "app/cli/arguments.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

OptionGroup view_group();

// `start` (the session's view, or the defaults) changed by the options. Without --view, --head shows that head, --stage
// with a stage that is not score-like shows that stage, --against shows a difference. Throws UsageError.
ViewSpec given_view(const Arguments& arguments, ViewSpec start);

}  // namespace headscope::cli
