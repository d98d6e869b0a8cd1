#include "core/model/layer_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "core/model/tensor_names.h"

namespace headscope {
namespace {

using Names = TensorNames;

// Parts of a layer, by modules or by whole names.
constexpr std::array kParts = {&Names::attention_norm,
                               &Names::attention_norm_out,
                               &Names::qkv,
                               &Names::query,
                               &Names::key,
                               &Names::value,
                               &Names::output,
                               &Names::query_norm,
                               &Names::key_norm,
                               &Names::query_latent,
                               &Names::query_latent_norm,
                               &Names::key_latent,
                               &Names::key_latent_norm,
                               &Names::query_of_latent,
                               &Names::key_value_of_latent,
                               &Names::mlp_norm,
                               &Names::mlp_norm_out,
                               &Names::attention_scale,
                               &Names::mlp_scale,
                               &Names::gate_up,
                               &Names::gate,
                               &Names::up,
                               &Names::down,
                               &Names::router,
                               &Names::router_correction,
                               &Names::stacked_gate_up,
                               &Names::stacked_down,
                               &Names::sinks,
                               &Names::position_key,
                               &Names::position_query};
// What stands before the names of several.
constexpr std::array kBeginnings = {&Names::experts, &Names::shared_expert};

std::vector<std::string_view> parts_of(const Family& family) {
  std::vector<std::string_view> parts;
  for (const auto part : kParts) {
    if (*(family.names.*part)) parts.emplace_back(family.names.*part);
  }
  return parts;
}

bool begins_as(const Family& family, const std::string& tensor) {
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](const auto part) { return *(family.names.*part) && tensor.starts_with(family.names.*part); });
}

}  // namespace

bool family_names(const Family& family, const std::string& tensor) {
  const std::string module = module_name(tensor).module;
  const std::vector<std::string_view> parts = parts_of(family);
  return begins_as(family, tensor) || std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
           return part == module || part == tensor || tensor.starts_with(std::string(part) + "_bias");
         });
}

std::vector<const Family*> families_by_names(const std::set<std::string>& tensors) {
  std::vector<const Family*> nearest;
  std::size_t fewest = 0;
  if (tensors.empty()) return nearest;
  std::set<std::string, std::less<>> modules;
  for (const std::string& tensor : tensors) modules.insert({module_name(tensor).module, tensor});
  for (const Family& family : families()) {
    if (family.fixed.part != Architecture::Part::whole || family.fixed.image) continue;
    const auto named = [&](const std::string& tensor) { return family_names(family, tensor); };
    if (!std::all_of(tensors.begin(), tensors.end(), named)) continue;
    const std::vector<std::string_view> parts = parts_of(family);
    const auto missing = static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [&](std::string_view part) { return modules.find(part) == modules.end(); }));
    if (nearest.empty() || missing < fewest) {
      nearest = {&family};
      fewest = missing;
    } else if (missing == fewest) {
      nearest.push_back(&family);
    }
  }
  return nearest;
}

}  // namespace headscope
