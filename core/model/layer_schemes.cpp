#include "core/model/layer_schemes.h"

namespace headscope {
namespace {

using Rows = LayerRows;

constexpr NameScheme kSchemes[] = {
    {Rows::fused, "a fused layer with per-head rows",
     "fused projection, rows [q_h k_h v_h] per head (tutorials 000 to 002)", "qkv_layer.weight", "qkv_layer.bias", "",
     "", "", "", "", "", "linear_layer.weight", "linear_layer.bias", false},
    {Rows::torch_blocked, "torch.nn.MultiheadAttention",
     "fused projection, rows in blocks [Q K V] (torch.nn.MultiheadAttention)", "in_proj_weight", "in_proj_bias", "", "",
     "", "", "", "", "out_proj.weight", "out_proj.bias", true},
    {Rows::torch_separate, "torch.nn.MultiheadAttention with kdim or vdim",
     "separate projections (torch.nn.MultiheadAttention)", "", "in_proj_bias", "q_proj_weight", "k_proj_weight",
     "v_proj_weight", "", "", "", "out_proj.weight", "out_proj.bias", true},
    {Rows::separate, "separate projections", "separate projections (tutorial 004)", "", "", "queries.weight",
     "keys.weight", "values.weight", "queries.bias", "keys.bias", "values.bias", "fc_out.weight", "fc_out.bias", false},
    {Rows::x_times_w, "x W weights", "x W projections, [in, out] (tutorial 003)", "", "", "Wq", "Wk", "Wv", "", "", "",
     "Wo", "", false},
    {Rows::separate, "projections as Llama names them", "separate projections (q_proj to o_proj)", "", "",
     "q_proj.weight", "k_proj.weight", "v_proj.weight", "q_proj.bias", "k_proj.bias", "v_proj.bias", "o_proj.weight",
     "o_proj.bias", false},
    {Rows::separate, "projections as BART names them", "separate projections (q_proj to out_proj)", "", "",
     "q_proj.weight", "k_proj.weight", "v_proj.weight", "q_proj.bias", "k_proj.bias", "v_proj.bias", "out_proj.weight",
     "out_proj.bias", false},
    {Rows::separate, "projections as Meta names them", "separate projections (wq to wo)", "", "", "wq.weight",
     "wk.weight", "wv.weight", "wq.bias", "wk.bias", "wv.bias", "wo.weight", "wo.bias", false},
    {Rows::heads, "matrices of heads as TransformerLens keeps them",
     "separate projections, [heads, in, out] (TransformerLens)", "", "", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V",
     "W_O", "b_O", false},
};

}  // namespace

std::span<const NameScheme> layer_schemes() {
  return kSchemes;
}

std::vector<std::string> required_names(const NameScheme& scheme) {
  if (*scheme.qkv) return {scheme.qkv};
  return {scheme.query, scheme.key, scheme.value};
}

std::vector<std::string> known_names(const NameScheme& scheme) {
  std::vector<std::string> names;
  for (const char* name : {scheme.qkv, scheme.qkv_bias, scheme.query, scheme.key, scheme.value, scheme.query_bias,
                           scheme.key_bias, scheme.value_bias, scheme.output, scheme.output_bias}) {
    if (*name) names.push_back(name);
  }
  if (scheme.extra_key) names.insert(names.end(), {"bias_k", "bias_v"});
  return names;
}

}  // namespace headscope
