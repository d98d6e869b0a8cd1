// Pictures as files, for every command that draws one.
#pragma once

#include "app/cli/arguments.h"
#include "core/base/cancel.h"
#include "core/picture/figure/figure_source.h"
#include "core/picture/view_spec.h"

namespace headscope::cli {

// Throws UsageError unless --out names a picture that can be written.
void check_picture_name(const Arguments& given);

// Lays the picture out, which may refuse it (UsageError), writes it to --out and prints its name, size and bytes.
void render_to_file(const Arguments& given, const FigureSource& source, const ViewSpec& view,
                    const CancelToken& cancel);

}  // namespace headscope::cli
