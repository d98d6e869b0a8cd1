#include "app/cli/head_argument.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"

namespace headscope::cli {

std::optional<LayerHead> head_argument(const Arguments& given, const std::string& option) {
  constexpr std::int64_t kMost = 999'999'999;
  if (!given.has(option)) return {};
  const std::string text = given.get(option);
  const std::size_t split = text.find_first_of(":.");
  if (split == text.npos) throw UsageError(option, fmt::format("found '{}'", text), "LAYER:HEAD, such as 0:3");
  return LayerHead{whole_number(option, text.substr(0, split), 0, kMost),
                   whole_number(option, text.substr(split + 1), 0, kMost)};
}

}  // namespace headscope::cli
