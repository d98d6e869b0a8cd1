#include "core/io/torch_attention.h"

#include <array>
#include <string_view>

namespace headscope {
namespace {

constexpr std::array<std::string_view, 5> kAttentions = {"attentions", "attention", "attention_weights", "attn_weights",
                                                         "weights"};

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
    if (list || (value->kind == Kind::call && alone)) return value;
  }
  return nullptr;
}

}  // namespace headscope
