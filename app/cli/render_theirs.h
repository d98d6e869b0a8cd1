// `render --view difference --theirs FILE`: a stage that other code computed beside ours.
#pragma once

#include <string>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/picture/figure/theirs_contents.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

inline constexpr const char* kTheirsHelp =
    "difference: draws that --stage of other code, ours, and theirs less ours, with what differs marked and what "
    "'diagnose' says of it below: .npy, or the array of that name, or the only one, in .npz, .safetensors, .pt or a "
    "folder of .npy.";

// The file that --theirs names, else that of the session's recipe where neither --theirs nor --against is given; "" for
// none. Throws UsageError for --theirs beside --against, with a view that is no difference, and without a stage.
std::string theirs_asked(const Arguments& given, const std::string& of_session, const ViewSpec& view);

// Reads the file as view.stage and judges it as `diagnose` does, with a line of progress on a terminal; the layout that
// it was read in is said with the command's result. Throws UsageError where it fits in no layout, Error where it cannot
// be read.
TheirsFigure read_theirs(const Arguments& given, const std::string& file, const Trace& trace, const ViewSpec& view,
                         const CancelToken& cancel);

// The view at the head and batch item of the first cell that differs; with `keeps_head` at the first batch item in
// which the view's own head differs, where there is one.
ViewSpec at_first_difference(ViewSpec view, const TheirsFigure& theirs, const Trace& trace, bool keeps_head);

}  // namespace headscope::cli
