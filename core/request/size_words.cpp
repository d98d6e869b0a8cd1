#include "core/request/size_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

#include "core/base/assert.h"
#include "core/request/option_text.h"
#include "core/request/option_values.h"

namespace headscope {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

constexpr SizeWords kSizes[] = {
    {"heads", "number of heads"},
    {"kv-heads", "number of key and value heads"},
    {"d-model", "width of a model"},
    {"input-dim", "width of an input"},
    {"batch", "number of sequences"},
    {"layer", "layer", 0, kAny},
    {"threads", "number of threads", 0, kMostThreads},
};

}  // namespace

std::span<const SizeWords> size_words() {
  return kSizes;
}

const SizeWords& size_words_of(std::string_view option) {
  const auto found =
      std::find_if(std::begin(kSizes), std::end(kSizes), [&](const SizeWords& size) { return size.option == option; });
  HEADSCOPE_ASSERT(found != std::end(kSizes), std::string(option));
  return *found;
}

std::string range_text(const SizeWords& size) {
  return size.high == kAny ? fmt::format("{} or more", size.low) : fmt::format("{} to {}", size.low, size.high);
}

std::int64_t parse_size(std::string_view option, std::string_view text) {
  const SizeWords& size = size_words_of(option);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < size.low || value > kLargestSize) {
    refuse_value(option, text, fmt::format("a possible {}", size.what), range_text(size));
  }
  return value;
}

}  // namespace headscope
