#include "app/cli/head_argument.h"

#include "core/request/layer_head_text.h"

namespace headscope::cli {

std::optional<LayerHead> head_argument(const Arguments& given, const std::string& option) {
  if (!given.has(option)) return {};
  return parse_layer_head(option, given.get(option));
}

}  // namespace headscope::cli
