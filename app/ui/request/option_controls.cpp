// Where an option of the request is changed in the window.
#include <map>
#include <string>
#include <string_view>

#include "app/ui/shortcuts.h"
#include "core/request/intervention_kinds.h"

namespace headscope::ui {

std::string control_of_option(std::string_view option) {
  static const std::map<std::string_view, std::string> names = {
      {"phrase", "phrase"},
      {"second-phrase", "second_phrase"},
      {"key-phrase", "key_phrase"},
      {"decoder-phrase", "decoder_phrase"},
      {"decoder-ids", "request/attention"},
      {"attention", "request/attention"},
      {"model", "request/weights"},
      {"adapter", "request/weights"},
      {"weights", "request/weights"},
      {"layer", "request/layer"},
      {"heads", "request/num_heads"},
      {"kv-heads", "request/kv_heads"},
      {"d-model", "request/d_model"},
      {"input-dim", "request/input_dim"},
      {"batch", "request/batch"},
      {"seed", "request/seed"},
      {"init-gain", "request/init_gain"},
      {"embedding", "request/embedding"},
      {"position", "request/position"},
      {"qkv-layout", "request/qkv_layout"},
      {"mask", "request/mask"},
      {"mask-kind", "request/mask_kind"},
      {"causal-align", "request/causal_align"},
      {"past", "request/past"},
      {"key-past", "request/past"},
      {"value-past", "request/past"},
      {"mask-order", "request/mask_order"},
      {"mask-fill", "request/mask_fill"},
      {"fully-masked", "request/fully_masked"},
      {"scale", "request/scale"},
      {"softcap", "request/softcap"},
      {"softcap-order", "request/softcap_order"},
      {"dropout", "request/dropout"},
      {"dropout-seed", "request/dropout_seed"},
      {"dropout-mask", "request/dropout"},
      {"merge", "request/merge"},
      {"backend", "request/backend"},
      {"threads", "request/threads"},
      {"variant", "request/interventions"},
      {"groups", "request/groups"},
      {"hide-tokens", "request/hide_tokens"},
      {"renormalise", "request/renormalise"},
      {"weighting", "request/weighting"},
      {"top-p", "request/top_p"},
      {"patch-from", "request/interventions"},
  };
  if (is_intervention(option)) return "request/interventions";
  const auto found = names.find(option);
  return found == names.end() ? "" : found->second;
}

}  // namespace headscope::ui
