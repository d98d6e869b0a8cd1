// VIEW on the command line.
#pragma once

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

OptionGroup view_group();

// `start` (the session's view, or the defaults) changed by the options. Without --view, --head shows that head, --stage
// with a stage that is not score-like shows that stage, --against or --theirs shows a difference. Of arcs and text,
// --head is the one head shown. Throws UsageError.
ViewSpec given_view(const Arguments& arguments, ViewSpec start);

// Throws UsageError for an option of the command line that does nothing for `view`, or for the page that holds it,
// unless its value is the default. What a session says beside it may have been meant for another view.
void refuse_idle_options(const Arguments& arguments, const ViewSpec& view, bool on_page);

// The view with --at settled for this result: places below 0 are counted from the end of their axis. What is not there
// stays for the figure to refuse.
ViewSpec settled_view(ViewSpec view, const Trace& trace);

}  // namespace headscope::cli
