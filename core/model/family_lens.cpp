// Rows of the table of families: models of TransformerLens, whose state_dict keeps a matrix a head, and whose norms may
// be folded into what follows them.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/model/config_reader.h"
#include "core/model/config_values.h"
#include "core/model/family_rows.h"
#include "core/model/lens_tensors.h"
#include "core/model/rotary_config.h"

namespace headscope {
namespace {

using Arch = Architecture;

constexpr const char* kNorm = "normalization_type";

// "LN" where it is not said, as in HookedTransformerConfig; "" of null, which is a model without norms.
std::string norm_type(const ConfigReader& reader) {
  if (reader.holds_null(kNorm)) return "";
  const JsonValue* value = reader.find(kNorm);
  return value == nullptr ? "LN" : value->text;
}

void read_norm(ConfigReader& reader, Architecture& architecture) {
  const std::string type = norm_type(reader);
  if (type == "RMS" || type == "RMSPre") {
    architecture.norm = Arch::Norm::rms;
  } else if (!type.empty() && type != "LN" && type != "LNPre") {
    reader.add_problem(fmt::format("{} is {}, expected LN, LNPre, RMS, RMSPre or null", kNorm, type));
  }
  architecture.final_norm = !type.empty();
}

// -1 stands for none.
std::optional<double> lens_cap(ConfigReader& reader, const char* key) {
  const JsonValue* value = reader.find(key);
  if (value == nullptr || value->text.starts_with('-')) return {};
  return reader.positive(key);
}

void read_scores(ConfigReader& reader, Architecture& architecture) {
  const double root = std::sqrt(static_cast<double>(architecture.head_dim));
  const JsonValue* scale = reader.find("attn_scale");
  if (!reader.truth("use_attn_scale", true)) {
    architecture.score_scale = 1;
  } else if (scale != nullptr && !scale->text.starts_with('-')) {
    const double divisor = reader.positive("attn_scale");
    if (!(std::abs(divisor - root) <= 1e-6 * root)) architecture.score_scale = 1 / divisor;
  }
  architecture.scale_by_layer = reader.truth("scale_attn_by_inverse_layer_idx", false);
  architecture.score_softcap = lens_cap(reader, "attn_scores_soft_cap");
  architecture.logit_softcap = lens_cap(reader, "output_logits_soft_cap");
  const std::string direction = reader.text("attention_dir", "causal");
  architecture.causal = direction == "causal";
  if (direction != "causal" && direction != "bidirectional") {
    reader.add_problem(fmt::format("attention_dir is {}, expected causal or bidirectional", direction));
  }
  if (!reader.truth("use_local_attn", false)) return;
  const JsonValue* types = reader.find("attn_types");
  const bool listed = types != nullptr && types->kind == JsonValue::Kind::array;
  for (std::size_t k = 0; listed && k < types->items.size(); ++k) {
    if (types->items[k].text != "global") return reader.add_problem("attn_types has local, expected global alone");
  }
  if (!listed) reader.add_problem("use_local_attn is true without attn_types, expected false");
}

void read_positions(ConfigReader& reader, Architecture& architecture) {
  const std::string type = reader.text("positional_embedding_type", "standard");
  if (type == "standard") return;
  if (type != "rotary") {
    return reader.add_problem(
        fmt::format("positional_embedding_type is {}, which is not implemented; expected standard or rotary", type));
  }
  architecture.position = Arch::Position::rotary;
  RotaryAsked asked{.head_dim = architecture.head_dim, .keys = {}};
  asked.keys.theta = {"rotary_base", 10000};
  if (reader.find("rotary_dim") != nullptr) asked.keys.features = {"rotary_dim", {}};
  asked.pairs =
      reader.truth("rotary_adjacent_pairs", false) ? RotaryRule::Pairs::neighbours : RotaryRule::Pairs::halves;
  architecture.rotary = rotary_rule_of(reader, asked);
}

void read_mlp(ConfigReader& reader, Architecture& architecture) {
  architecture.parallel = reader.truth("parallel_attn_mlp", false);
  if (reader.truth("attn_only", false)) {
    architecture.mlp = Arch::Mlp::none;
    architecture.mlp_width = 0;
    return;
  }
  if (reader.truth("gated_mlp", false)) architecture.mlp = Arch::Mlp::gated;
  const std::string name = reader.text("act_fn", "");
  if (name.starts_with("solu")) {
    return reader.add_problem(
        fmt::format("act_fn is {}, which multiplies by a softmax over the neurons and is not implemented", name));
  }
  if (name.empty()) return reader.add_problem("act_fn is missing, expected the function of the MLP, such as gelu");
  architecture.activation = activation_of(reader, "act_fn", architecture.activation);
}

Family lens() {
  Family row;
  row.fixed.family = "transformer_lens";
  row.fixed.position = Arch::Position::learned;
  row.fixed.mlp = Arch::Mlp::plain;
  row.model_types = {"transformer_lens"};
  row.marks = {"d_vocab", "n_ctx", "n_layers", "n_heads", "d_model"};
  row.keys = {.vocab_size = {"d_vocab", {}},
              .d_model = {"d_model", {}},
              .num_layers = {"n_layers", {}},
              .num_heads = {"n_heads", {}},
              .num_kv_heads = {"n_key_value_heads", {}},
              .head_dim = {"d_head", {}},
              .mlp_width = {"d_mlp", {}},
              .max_positions = {"n_ctx", {}},
              .norm_eps = {"eps", 1e-5}};
  row.names = lens_names();
  row.refused = {{"final_rms", {"false"}},
                 {"use_qk_norm", {"false"}},
                 {"post_embedding_ln", {"false"}},
                 {"use_normalization_before_and_after", {"false"}},
                 {"use_NTK_by_parts_rope", {"false"}},
                 {"load_in_4bit", {"false"}},
                 {"num_experts", {"0", "1"}}};
  row.particulars = [](ConfigReader& reader, const Family&, Architecture& architecture) {
    read_norm(reader, architecture);
    read_scores(reader, architecture);
    read_positions(reader, architecture);
    read_mlp(reader, architecture);
    architecture.tied_embeddings = false;  // unembed.W_U is in the file, whatever it was tied to
    if (reader.truth("ungroup_grouped_query_attention", false)) architecture.num_kv_heads = architecture.num_heads;
    const std::int64_t out = reader.whole("d_vocab_out", -1, kMostFeatures, architecture.vocab_size);
    if (out != -1 && out != architecture.vocab_size) {
      reader.add_problem(fmt::format("d_vocab_out is {}, expected d_vocab, {}", out, architecture.vocab_size));
    }
  };
  return row;
}

}  // namespace

// https://github.com/TransformerLensOrg/TransformerLens, HookedTransformer.
Family transformer_lens() {
  Family row = lens();
  row.arrange = arrange_lens_tensors;
  return row;
}

// The same with norms whose weights were folded into what reads them: they centre and scale, and no more.
Family transformer_lens_folded() {
  Family row = lens();
  row.applies = [](ConfigReader& reader) { return norm_type(reader).ends_with("Pre"); };
  row.arrange = arrange_folded_lens_tensors;
  return row;
}

// The same without norms (normalization_type null).
Family transformer_lens_bare() {
  Family row = lens();
  row.applies = [](ConfigReader& reader) { return norm_type(reader).empty(); };
  row.names.attention_norm = row.names.mlp_norm = row.names.final_norm = "";
  row.arrange = arrange_lens_tensors;
  return row;
}

}  // namespace headscope
