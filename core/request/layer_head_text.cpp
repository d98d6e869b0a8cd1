#include "core/request/layer_head_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/request/option_text.h"

namespace headscope {

LayerHead parse_layer_head(std::string_view option, std::string_view text) {
  constexpr std::int64_t kMost = 999'999'999;
  const std::size_t split = text.find_first_of(":.");
  if (split == text.npos) {
    throw UsageError(option, fmt::format("found '{}'", shortened(text)), "LAYER:HEAD, such as 0:3");
  }
  return {parse_whole(option, text.substr(0, split), 0, kMost), parse_whole(option, text.substr(split + 1), 0, kMost)};
}

std::string layer_head_text(const LayerHead& place) {
  return fmt::format("{}:{}", place.layer, place.head);
}

}  // namespace headscope
