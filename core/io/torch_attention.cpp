#include "core/io/torch_attention.h"

#include <array>
#include <string_view>

namespace headscope {
namespace {

constexpr std::string_view kStage = "weights";  // of one tensor it is the name of a stage
constexpr std::array<std::string_view, 5> kAttentions = {"attentions", "attention", "attention_weights", "attn_weights",
                                                         kStage};

}  // namespace

const PickleValue* attention_list(const Pickle& pickle) {
  using Kind = PickleValue::Kind;
  const PickleValue& root = pickle.root();
  if (root.kind != Kind::dict) return nullptr;
  const bool alone = pickle.items(root).size() == 2;
  for (const std::string_view key : kAttentions) {
    const PickleValue* const value = pickle.find(root, key);
    if (value == nullptr) continue;
    const bool list = value->kind == Kind::list || value->kind == Kind::tuple;
    if (list || (value->kind == Kind::call && alone && key != kStage)) return value;
  }
  return nullptr;
}

}  // namespace headscope
