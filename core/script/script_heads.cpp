// Projections, and how their features become heads.
#include <fmt/format.h>

#include <algorithm>

#include "core/attention/interventions.h"
#include "core/attention/projection_steps.h"
#include "core/model/past.h"
#include "core/script/script_writer.h"

namespace headscope {
namespace {

struct Names {
  const char* part;      // "query"
  const char* weight;    // "query_weight"
  const char* heads;     // "num_heads"
  const char* features;  // "head_dim"
};

constexpr Names kQuery{"query", "query_weight", "num_heads", "head_dim"};
constexpr Names kKey{"key", "key_weight", "num_kv_heads", "head_dim"};
constexpr Names kValue{"value", "value_weight", "num_kv_heads", "value_head_dim"};

// y = x W^T + b.
std::string product(const ScriptWriter& w, const std::string& x, const std::string& name, bool bias) {
  if (w.torch()) return fmt::format("F.linear({}, {}_weight{})", x, name, bias ? ", " + name + "_bias" : "");
  return fmt::format("{} @ {}_weight.T{}", x, name, bias ? " + " + name + "_bias" : "");
}

// [batch, len, heads * features] as heads.
std::string split(const ScriptWriter& w, const std::string& projected, const Names& names, std::string_view len) {
  const std::string reshaped =
      fmt::format("{}.reshape(batch, {}, {}, {})", projected, len, names.heads, names.features);
  return reshaped + (w.torch() ? ".permute(0, 2, 1, 3)" : ".transpose(0, 2, 1, 3)");
}

bool is_turned(const HeadRule* rule, bool query) {
  return rule != nullptr && (query ? rule->changes_queries() : rule->changes_keys());
}

bool has_norm(const HeadRule& rule, bool query) {
  return !(query ? rule.query_norm : rule.key_norm).empty();
}

// Numbers within the model's bounds, where it has some.
std::string held(const ScriptWriter& w, const std::string& heads, const HeadRule* rule) {
  if (rule == nullptr || !(rule->clip > 0)) return heads;
  const std::string bound = python_number(rule->clip);
  return w.torch() ? fmt::format("({}).clamp(-{}, {})", heads, bound, bound)
                   : fmt::format("np.clip({}, -{}, {})", heads, bound, bound);
}

// What a model does to its heads before their product, but for what `whole` did.
std::string turned(const ScriptWriter& w, const std::string& heads, const HeadRule* rule, bool query) {
  if (!is_turned(rule, query)) return heads;
  const bool normed = has_norm(*rule, query);
  std::string result = normed && rule->norm_whole ? heads : held(w, heads, rule);
  if (normed && !rule->norm_whole) {
    result = fmt::format("{}({}, {}_norm)", head_norm_name(*rule), result, query ? "query" : "key");
  }
  return rule->rotary == nullptr ? result : fmt::format("rotary({})", result);
}

// A projection, normalised where the model's norm is over all heads together.
std::string whole_projection(const ScriptWriter& w, const std::string& projected, const HeadRule* rule, bool query) {
  if (!is_turned(rule, query) || !rule->norm_whole || !has_norm(*rule, query)) return projected;
  return fmt::format("{}({}, {}_norm)", head_norm_name(*rule), held(w, projected, rule), query ? "query" : "key");
}

Tensor turns(const std::vector<float>& rows, std::int64_t positions, std::int64_t pairs) {
  return Tensor::of({positions, pairs}, {Axis::position, Axis::feature},
                    {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(positions * pairs)});
}

void write_rotary(ScriptWriter& w, const RotaryTable& table, std::int64_t positions) {
  const RotaryRule& rule = table.rule();
  const std::int64_t pairs = rule.features / 2;
  const auto rows = table.rows(positions);
  w.section({}, "RoPE: pairs of features turned by their position's angle");
  w.line("cosine = " + w.data("rotary_cosine", turns(rows->cosine, positions, pairs)));
  w.line("sine = " + w.data("rotary_sine", turns(rows->sine, positions, pairs)));
  const bool halves = rule.pairs == RotaryRule::Pairs::halves;
  const std::int64_t begin = rule.begin, end = rule.begin + rule.features;
  const std::string first = halves ? fmt::format("{}:{}", begin, begin + pairs) : fmt::format("{}:{}:2", begin, end);
  const std::string second = halves ? fmt::format("{}:{}", begin + pairs, end) : fmt::format("{}:{}:2", begin + 1, end);
  w.line();
  w.line();
  w.line("def rotary(heads):");
  w.line("    turned = heads.clone()", "    turned = heads.copy()");
  w.line(fmt::format("    a, b = heads[..., {}], heads[..., {}]", first, second));
  w.line(fmt::format("    turned[..., {}] = a * cosine - b * sine", first));
  w.line(fmt::format("    turned[..., {}] = b * cosine + a * sine", second));
  w.line("    return turned");
  w.line();
}

// What multiplies every head of a stage, as the last factor of an expression; "" when all factors are 1.
std::string factors(const ScriptWriter& w, const Trace& trace, StageId id) {
  const std::int64_t heads = id == StageId::query ? trace.inputs->num_heads : trace.inputs->num_kv_heads;
  std::string list;
  bool any = false;
  for (std::int64_t h = 0; h < heads; ++h) {
    const double factor = head_factor(trace.request, id, trace.inputs->layer, h);
    any = any || factor != 1.0;
    list += (h == 0 ? "" : ", ") + python_number(factor);
  }
  if (!any) return "";
  return w.torch() ? fmt::format(" * torch.tensor([{}]).reshape(1, -1, 1, 1)", list)
                   : fmt::format(" * np.float32([{}]).reshape(1, -1, 1, 1)", list);
}

// Keys or values of the inputs without those of the past, which their tensors hold first.
Tensor own(const Inputs& in, const Tensor& all) {
  return past_len(in) == 0 ? all : all.sliced(2, past_len(in), all.dim(2)).dense_copy();
}

std::string joined(const ScriptWriter& w, const std::string& first, const std::string& second) {
  return w.torch() ? fmt::format("torch.cat([{}, {}], dim=2)", first, second)
                   : fmt::format("np.concatenate([{}, {}], axis=2)", first, second);
}

// The stage, after the positions of the past where there are some, and with one more position after the last where
// there is a bias_k or bias_v.
void write_head_stage(ScriptWriter& w, const Trace& trace, StageId id, const Names& names, std::string heads,
                      const Tensor& bias) {
  const std::string factor = factors(w, trace, id);
  const Past* past = id == StageId::query ? nullptr : past_of(*trace.inputs);
  if (past != nullptr) {
    const std::string name = fmt::format("{}_past", names.part);
    w.line(fmt::format("{} = {}", name, w.data(name, id == StageId::key ? past->key : past->value)));
    heads = joined(w, name, heads);
  }
  if (bias.empty()) return w.stage(id, heads + factor);
  const std::string name = fmt::format("bias_{}", names.part[0]);
  w.line(fmt::format("{} = {}.reshape(1, {}, 1, {})", name, w.data(name, bias), names.heads, names.features));
  w.line(fmt::format("{0} = {0}.expand(batch, -1, -1, -1)", name),
         fmt::format("{0} = np.broadcast_to({0}, (batch,) + {0}.shape[1:])", name));
  w.stage(id, joined(w, heads, name) + factor);
}

void write_per_head(ScriptWriter& w, const Trace& trace) {
  const Inputs& in = *trace.inputs;
  w.section({StageId::qkv}, "qkv: one projection for queries, keys and values");
  w.stage(StageId::qkv, product(w, "input", "qkv", !in.weights.qkv.bias.empty()));
  w.section({StageId::qkv_split}, "qkv_split: every head's own rows, [q_h k_h v_h]");
  w.stage(StageId::qkv_split, "qkv.reshape(batch, query_len, num_heads, 3 * head_dim)");
  w.section({StageId::qkv_heads}, "qkv_heads: heads before positions");
  w.stage(StageId::qkv_heads, "qkv_split.permute(0, 2, 1, 3)", "qkv_split.transpose(0, 2, 1, 3)");
  w.section({StageId::query, StageId::key, StageId::value}, "query, key, value");
  w.line("q, k, v = qkv_heads.chunk(3, dim=-1)", "q, k, v = np.split(qkv_heads, 3, axis=-1)");
  const HeadRule* rule = in.head_rule.get();
  write_head_stage(w, trace, StageId::query, kQuery, turned(w, "q", rule, true), Tensor());
  write_head_stage(w, trace, StageId::key, kKey, turned(w, "k", rule, false), in.weights.bias_k);
  write_head_stage(w, trace, StageId::value, kValue, held(w, "v", rule), in.weights.bias_v);
}

// The rows of the fused projection that belong to one part, for inputs of its own.
void write_part(ScriptWriter& w, const Trace& trace, const Names& names, int part) {
  const Inputs& in = *trace.inputs;
  const bool per_head = read_layout_of(trace.request, in.weights) == QkvLayout::per_head;
  const bool bias = !in.weights.qkv.bias.empty();
  const auto rows = [&](const std::string& of, const std::string& width) {
    if (per_head) {
      const std::string axes = width.empty() ? std::string() : fmt::format(", {}", width);
      return fmt::format("{0}.reshape(num_heads, 3 * head_dim{1})[:, {2} * head_dim:{3} * head_dim].reshape({4})", of,
                         axes, part, part + 1, axes.empty() ? std::string("-1") : fmt::format("-1{}", axes));
    }
    static constexpr const char* kBegins[] = {"0", "num_heads * head_dim", "(num_heads + num_kv_heads) * head_dim"};
    static constexpr const char* kEnds[] = {"num_heads * head_dim", "(num_heads + num_kv_heads) * head_dim",
                                            "(num_heads + num_kv_heads) * head_dim + num_kv_heads * value_head_dim"};
    return fmt::format("{}[{}:{}]", of, kBegins[part], kEnds[part]);
  };
  w.line(fmt::format("{}_weight = {}", names.part, rows("qkv_weight", "qkv_weight.shape[1]")));
  if (bias) w.line(fmt::format("{}_bias = {}", names.part, rows("qkv_bias", "")));
}

void write_projections(ScriptWriter& w, const Trace& trace) {
  const Inputs& in = *trace.inputs;
  const LayerWeights& weights = in.weights;
  const bool cross = !in.key_x.empty();
  if (weights.fused() && !cross) {
    w.section({StageId::qkv}, "qkv: one projection for queries, keys and values");
    w.stage(StageId::qkv, product(w, "input", "qkv", !weights.qkv.bias.empty()));
    w.section({StageId::query_proj, StageId::key_proj, StageId::value_proj},
              "query_proj, key_proj, value_proj: blocks of its features, [Q K V]");
    w.line("ends = num_heads * head_dim, (num_heads + num_kv_heads) * head_dim");
    w.stage(StageId::query_proj, "qkv[..., :ends[0]]");
    w.stage(StageId::key_proj, "qkv[..., ends[0]:ends[1]]");
    w.stage(StageId::value_proj, "qkv[..., ends[1]:]");
  } else {
    const auto project = [&](StageId id, const Names& names, const char* x, const Linear& own, int part) {
      w.section({id}, fmt::format("{}_proj", names.part));
      if (weights.fused()) write_part(w, trace, names, part);
      const bool bias = weights.fused() ? !weights.qkv.bias.empty() : !own.bias.empty();
      w.stage(id, product(w, x, names.part, bias));
    };
    project(StageId::query_proj, kQuery, "input", weights.query, 0);
    project(StageId::key_proj, kKey, cross ? "key_input" : "input", weights.key, 1);
    project(StageId::value_proj, kValue, cross ? "value_input" : "input", weights.value, 2);
  }
  const HeadRule* rule = in.head_rule.get();
  const char* own_len = past_len(in) == 0 ? "key_len" : "key_len - past_len";
  w.section({StageId::query}, "query: split into heads");
  write_head_stage(w, trace, StageId::query, kQuery,
                   turned(w, split(w, whole_projection(w, "query_proj", rule, true), kQuery, "query_len"), rule, true),
                   Tensor());
  w.section({StageId::key}, "key: split into heads");
  write_head_stage(w, trace, StageId::key, kKey,
                   turned(w, split(w, whole_projection(w, "key_proj", rule, false), kKey, own_len), rule, false),
                   weights.bias_k);
  w.section({StageId::value}, "value: split into heads");
  write_head_stage(w, trace, StageId::value, kValue, held(w, split(w, "value_proj", kValue, own_len), rule),
                   weights.bias_v);
}

}  // namespace

void write_heads(ScriptWriter& w, const Trace& trace) {
  const Inputs& in = *trace.inputs;
  if (!in.query.empty()) {
    w.section({StageId::query, StageId::key, StageId::value}, "query, key, value: given");
    write_head_stage(w, trace, StageId::query, kQuery, w.data("query", in.query), Tensor());
    write_head_stage(w, trace, StageId::key, kKey, w.data("key", own(in, in.key)), Tensor());
    write_head_stage(w, trace, StageId::value, kValue, w.data("value", own(in, in.value)), Tensor());
    return;
  }
  if (in.head_rule != nullptr) {
    const HeadRule& rule = *in.head_rule;
    if (!rule.query_norm.empty() || !rule.key_norm.empty()) write_head_norm(w, rule);
    if (rule.rotary != nullptr) write_rotary(w, *rule.rotary, std::max(in.query_len, in.key_len));
  }
  const bool per_head =
      in.weights.fused() && in.key_x.empty() && read_layout_of(trace.request, in.weights) == QkvLayout::per_head;
  per_head ? write_per_head(w, trace) : write_projections(w, trace);
}

}  // namespace headscope
