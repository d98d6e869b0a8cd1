// A head of a layer as an option names it.
#pragma once

#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "core/request/interventions.h"

namespace headscope::cli {

// "L:H", or "L.H" as --ablate has it; nullopt when the option was not given. UsageError for other texts.
std::optional<LayerHead> head_argument(const Arguments& given, const std::string& option);

}  // namespace headscope::cli
