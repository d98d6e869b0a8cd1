#include "core/model/adapters_used.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/config_reader.h"
#include "core/request/model_text.h"

namespace headscope {
namespace {

// How names of tensors begin that are of the other tower of a model whose towers read texts and images; none where the
// family has no other tower.
std::vector<std::string> names_of_other_tower(const Family& family) {
  std::vector<std::string> beginnings;
  for (const Family& row : families()) {
    const auto shared = [&](std::string_view type) {
      return std::find(family.wrappers.begin(), family.wrappers.end(), type) != family.wrappers.end();
    };
    if (row.fixed.image.has_value() == family.fixed.image.has_value()) continue;
    if (std::none_of(row.wrappers.begin(), row.wrappers.end(), shared)) continue;
    const std::string_view layer = row.names.layer, projection = row.names.projection;
    beginnings.emplace_back(layer.substr(0, layer.find('.') + 1));
    if (!projection.empty()) beginnings.push_back(std::string(projection) + ".");
  }
  return beginnings;
}

bool begins_with_one(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& each) { return name.starts_with(each); });
}

}  // namespace

void check_adapters_used(const std::string& model, const std::vector<std::string>& changed,
                         const std::set<std::string>& used, const Family& family) {
  std::vector<std::string> idle;
  std::size_t of_other = 0;
  const std::vector<std::string> other = names_of_other_tower(family);
  for (const std::string& name : changed) {
    if (used.contains(name)) continue;
    if (!begins_with_one(name, other)) idle.push_back(shortened(name));
    if (begins_with_one(name, other)) ++of_other;
  }
  const bool other_alone = of_other > 0 && of_other == changed.size();
  if (idle.empty() && !other_alone) return;
  std::vector<std::string> folders;
  for (const AdapterUse& use : acting_adapters(model)) folders.push_back(use.folder);
  const std::string which = fmt::format("{}", fmt::join(folders, " and "));
  if (other_alone) {
    const bool images = family.fixed.image.has_value();
    throw Error(fmt::format(
        "{}: changes nothing but the tower of {} that reads {}, and the other one, which reads {}, was asked for. "
        "Expected an adapter of both or of that one, or {}.",
        which, base_of_model(model), images ? "texts" : "images", images ? "images" : "texts",
        images ? "a text in place of the image" : "--image in place of a text"));
  }
  throw Error(fmt::format(
      "{}: changes {}, which nothing that is computed of {} reads (a head that is tied to the embedding, or one that "
      "makes no tokens). Expected an adapter of other weights.",
      which, first_ten(idle), base_of_model(model)));
}

}  // namespace headscope
