// Norms: of the heads of queries and keys, and of what attention gives.
#include <fmt/format.h>

#include "core/model/head_rule.h"
#include "core/model/row_norm.h"
#include "core/script/script_writer.h"

namespace headscope {

void write_head_norm(ScriptWriter& w, const HeadRule& rule) {
  const char* kind = rule.norm_centred ? "LayerNorm" : "RMSNorm";
  w.section({}, fmt::format("{} of {}", kind, rule.norm_whole ? "all heads of a position" : "every head"));
  // Every head's own weights stand beside [batch, heads, len, head_dim].
  const char* own = rule.norm_own ? ".reshape(-1, 1, head_dim)" : "";
  if (!rule.query_norm.empty()) w.line(fmt::format("query_norm = {}{}", w.data("query_norm", rule.query_norm), own));
  if (!rule.key_norm.empty()) w.line(fmt::format("key_norm = {}{}", w.data("key_norm", rule.key_norm), own));
  w.line();
  w.line();
  w.line(fmt::format("def {}(heads, weight):", head_norm_name(rule)));
  if (rule.norm_centred) {
    w.line("    mean = heads.double().mean(-1, keepdim=True)",
           "    mean = heads.astype(np.float64).mean(-1, keepdims=True)");
    w.line("    squares = (heads.double() - mean).pow(2).mean(-1, keepdim=True)",
           "    squares = np.square(heads.astype(np.float64) - mean).mean(-1, keepdims=True)");
    w.line("    heads = heads - mean.float()", "    heads = heads - mean.astype(np.float32)");
  } else {
    w.line("    squares = heads.double().pow(2).mean(-1, keepdim=True)",
           "    squares = np.square(heads.astype(np.float64)).mean(-1, keepdims=True)");
  }
  const std::string epsilon = python_number(rule.norm_eps);
  const char* scale = rule.norm_plus_one ? "(1 + weight)" : "weight";
  w.line(fmt::format("    return heads * (1 / (squares + {}).sqrt()).float() * {}", epsilon, scale),
         fmt::format("    return heads * (1 / np.sqrt(squares + {})).astype(np.float32) * {}", epsilon, scale));
  w.line();
}

const char* head_norm_name(const HeadRule& rule) {
  return rule.norm_centred ? "layer_norm" : "rms_norm";
}

void write_output_norm(ScriptWriter& w, const RowNorm& norm) {
  w.section({StageId::attention_norm_out}, fmt::format("attention_norm_out: {} of what attention adds", norm.text()));
  w.line("norm_weight = " + w.data("attention_norm_weight", norm.weights.weight));
  if (norm.scales) return w.stage(StageId::attention_norm_out, "output * norm_weight");
  const bool bias = !norm.weights.bias.empty();
  if (bias) w.line("norm_bias = " + w.data("attention_norm_bias", norm.weights.bias));
  w.line("row = output.double()", "row = output.astype(np.float64)");
  if (norm.kind == Architecture::Norm::layer) {
    w.line("row = row - row.mean(-1, keepdim=True)", "row = row - row.mean(-1, keepdims=True)");
  }
  const std::string epsilon = python_number(norm.eps);
  const char* weight = norm.plus_one ? "(1 + norm_weight)" : "norm_weight";
  w.line(fmt::format("row = row / (row.pow(2).mean(-1, keepdim=True) + {}).sqrt()", epsilon),
         fmt::format("row = row / np.sqrt(np.square(row).mean(-1, keepdims=True) + {})", epsilon));
  const std::string scaled = fmt::format("(row * {}{})", weight, bias ? " + norm_bias" : "");
  w.stage(StageId::attention_norm_out, scaled + ".float()", scaled + ".astype(np.float32)");
}

}  // namespace headscope
