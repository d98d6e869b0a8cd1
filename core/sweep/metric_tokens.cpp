#include "core/sweep/metric_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/named_token.h"

namespace headscope {
namespace {

constexpr const char* kOption = "metric";

using Ids = std::vector<std::int64_t>;

std::optional<std::int64_t> token_if_one(const Checkpoint& checkpoint, std::string_view text) {
  try {
    return named_token(checkpoint, kOption, text);
  } catch (const UsageError&) {
    return {};
  }
}

// One token, or two with a dash between them.
Ids one_or_two(const Checkpoint& checkpoint, const std::string& text) {
  std::size_t dashes = 0, last = 0;
  for (std::size_t dash = text.find('-', 1); dash != text.npos && dash + 1 < text.size();
       dash = text.find('-', dash + 1)) {
    ++dashes;
    last = dash;
    const auto a = token_if_one(checkpoint, text.substr(0, dash)), b = token_if_one(checkpoint, text.substr(dash + 1));
    if (a && b) return {*a, *b};
  }
  if (const auto whole = token_if_one(checkpoint, text)) return {*whole};
  // Nothing fits: what is said is about the half that is no token.
  if (dashes != 1) return {named_token(checkpoint, kOption, text)};
  return {named_token(checkpoint, kOption, text.substr(0, last)),
          named_token(checkpoint, kOption, text.substr(last + 1))};
}

// "A", or "{A,B}".
Ids one_or_set(const Checkpoint& checkpoint, std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return {named_token(checkpoint, kOption, text)};
  text = text.substr(1, text.size() - 2);
  Ids ids;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (name.empty()) {
      throw UsageError(kOption, fmt::format("found '{{{}}}', a set with a token that has no name", text), "{A,B}");
    }
    const std::int64_t id = named_token(checkpoint, kOption, name);
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      throw UsageError(kOption, fmt::format("found '{}' twice in {{{}}}", name, text), "every token of a set once");
    }
    ids.push_back(id);
    begin = end + 1;
  }
  return ids;
}

// The dash between two sides of which one is a set at least; npos: there is no set, or no second side.
std::size_t dash_of_sets(std::string_view text) {
  const std::size_t closed = text.find("}-");
  if (text.starts_with('{') && closed != text.npos && closed + 2 < text.size()) return closed + 1;
  const std::size_t opened = text.find("-{");
  return text.ends_with('}') && opened != 0 ? opened : text.npos;
}

}  // namespace

void read_metric_tokens(const Checkpoint& checkpoint, const std::string& text, bool whole_first, SweepMetric& metric) {
  if (const std::size_t dash = dash_of_sets(text); dash != text.npos) {
    metric.ids = one_or_set(checkpoint, text.substr(0, dash));
    metric.added = metric.ids.size();
    const Ids less = one_or_set(checkpoint, text.substr(dash + 1));
    metric.ids.insert(metric.ids.end(), less.begin(), less.end());
    return;
  }
  if (text.size() > 2 && text.starts_with('{') && text.ends_with('}')) {
    metric.ids = one_or_set(checkpoint, text);
    metric.added = metric.ids.size();
    return;
  }
  const std::optional<std::int64_t> whole = whole_first ? token_if_one(checkpoint, text) : std::nullopt;
  metric.ids = whole ? Ids{*whole} : one_or_two(checkpoint, text);
}

}  // namespace headscope
