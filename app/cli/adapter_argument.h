// --adapter, which may be given several times.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/arguments.h"

namespace headscope::cli {

inline constexpr std::string_view kAdapter = "adapter";

// Its row, for commands that take a model and no REQUEST.
OptionSpec adapter_spec();

// The values that were given as one value; "" where none was.
std::string adapters_given(const Arguments& arguments);

// The text of the model at a path, or demo:NAME, with the adapters that were given (core/request/model_text.h).
// UsageError.
std::string model_with_adapters(const Arguments& arguments, const std::string& model);

}  // namespace headscope::cli
