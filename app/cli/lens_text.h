// The logit lens on the command line: the options that ask for it, and its text for the terminal.
#pragma once

#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/explain/logit_lens.h"

namespace headscope::cli {

OptionSpec lens_option();     // --lens
OptionSpec lens_of_option();  // --lens-of

// The lens that is asked for; nothing without --lens. UsageError for --lens-of without it, and for an unknown word.
std::optional<LensOf> given_lens(const Arguments& given);

// A line a row of the lens (a layer, a head), a column a position (of a long text the last ones): the most probable
// token and its probability.
std::string lens_text(const LogitLens& lens, const Trace& trace);

}  // namespace headscope::cli
