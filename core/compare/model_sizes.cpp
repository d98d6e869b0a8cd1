#include "core/compare/model_sizes.h"

#include <fmt/format.h>

#include <utility>

#include "core/model/architecture.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// What one of the two lacks: "is one layer, not a whole model"; "" where it lacks nothing.
std::string lack_of(const ModelTrace* model) {
  if (model == nullptr) return "is one layer, not a whole model";
  return model->checkpoint == nullptr ? "is a capture, which holds no weights" : "";
}

std::string features_text(const Architecture& of) {
  if (of.value_features() == of.head_dim) return fmt::format("{} features", of.head_dim);
  return fmt::format("{} features and {} of the value", of.head_dim, of.value_features());
}

}  // namespace

std::string unlike_sizes_sentence(const ModelTrace* a, const ModelTrace* b) {
  if (a == nullptr && b == nullptr) return "";
  for (const auto& [name, model] : {std::pair("A", a), std::pair("B", b)}) {
    if (const std::string lack = lack_of(model); !lack.empty()) return fmt::format("{} {}", name, lack);
  }
  const Architecture &left = a->checkpoint->architecture(), &right = b->checkpoint->architecture();
  if (left.num_layers != right.num_layers || left.num_heads != right.num_heads) {
    return fmt::format("A has {} layers of {} heads, B {} layers of {} heads", left.num_layers, left.num_heads,
                       right.num_layers, right.num_heads);
  }
  if (left.head_dim != right.head_dim || left.value_features() != right.value_features()) {
    return fmt::format("a head of A has {}, one of B {}", features_text(left), features_text(right));
  }
  if (left.d_model != right.d_model) {
    return fmt::format("the stream of A has {} features, that of B {}", left.d_model, right.d_model);
  }
  if (left.of_decoder() != right.of_decoder()) return "only one of them is a decoder beside an encoder";
  return "";
}

}  // namespace headscope
