#include "core/model/leftover_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/model/layer_names.h"

namespace headscope {
namespace {

constexpr std::string_view kLayerMark = "{layer}";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_at(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// The name of the tensor in its layer of that list; "" where it is of none.
std::string_view in_list(std::string_view tensor, const LayerList& list) {
  constexpr std::size_t kMostDigits = 9;
  if (!tensor.starts_with(list.before)) return "";
  tensor.remove_prefix(list.before.size());
  const std::size_t digits = digits_at(tensor);
  if (digits == 0 || digits > kMostDigits || digits + 1 >= tensor.size() || is_digit(tensor[digits])) return "";
  std::int64_t layer = 0;
  for (const char digit : tensor.substr(0, digits)) layer = 10 * layer + (digit - '0');
  return layer < list.count ? tensor.substr(digits + 1) : std::string_view();
}

// Of the family whose layers have all of the files' parts; "" where the model's own is the nearest, or none is near.
std::string nearest(const Leftovers& leftovers) {
  std::set<std::string> names;
  for (const std::string& tensor : leftovers.all) {
    const std::string name = name_in_layer(tensor, leftovers.layers);
    if (!name.empty()) names.insert(name);
  }
  const std::vector<const Family*> families = families_by_names(names);
  const auto own = [&](const Family* family) { return family->fixed.family == leftovers.family; };
  return families.empty() || std::any_of(families.begin(), families.end(), own) ? "" : families.front()->fixed.family;
}

}  // namespace

std::string name_in_layer(std::string_view tensor, std::span<const LayerList> lists) {
  for (const LayerList& list : lists) {
    const std::string_view name = in_list(tensor, list);
    if (!name.empty()) return std::string(name);
  }
  return "";
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  // Where the last star stands, and how much of the name it means so far.
  std::size_t at = 0, next = 0, star = pattern.npos, meant = 0;
  while (at < name.size()) {
    const bool mark = pattern.substr(next).starts_with(kLayerMark);
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      meant = at;
    } else if (mark && digits_at(name.substr(at)) > 0) {
      at += digits_at(name.substr(at));
      next += kLayerMark.size();
    } else if (!mark && next < pattern.size() && pattern[next] == name[at]) {
      ++at;
      ++next;
    } else if (star != pattern.npos) {
      next = star + 1;
      at = ++meant;
    } else {
      return false;
    }
  }
  while (next < pattern.size() && pattern[next] == '*') ++next;
  return next == pattern.size();
}

void refuse_leftovers(const Leftovers& leftovers) {
  std::vector<std::string> shown;
  for (const std::string& tensor : leftovers.unexpected) {
    const bool named = std::find(leftovers.named.begin(), leftovers.named.end(), tensor) != leftovers.named.end();
    const bool of_body = !leftovers.body.empty() && tensor.starts_with(leftovers.body);
    if (named || of_body || !name_in_layer(tensor, leftovers.layers).empty()) shown.push_back(shortened(tensor));
  }
  if (shown.empty()) return;
  const std::string family = nearest(leftovers);
  const std::string likely = family.empty() ? "" : fmt::format("; a {} model has all of them", family);
  if (leftovers.mapped) {
    throw Error(
        fmt::format("{}: the model that it describes does not use these tensors of its body, which may change what "
                    "it computes: {}{}; expected each under \"tensors\", with the settings that go with it, or under "
                    "\"ignore\" where it changes nothing",
                    leftovers.path, first_ten(shown), likely));
  }
  throw Error(
      fmt::format("{}: its layers have tensors that those of a {} model do not have, and that may change what they "
                  "compute: {}{}; expected another model_type, or a headscope-map.json beside config.json: a draft of "
                  "one (headscope-cli info FOLDER --map-draft FILE), or {{\"ignore\": [NAMES]}} where they change "
                  "nothing",
                  leftovers.path, leftovers.family, first_ten(shown), likely));
}

}  // namespace headscope
