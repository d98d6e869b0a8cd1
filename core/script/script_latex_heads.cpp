// The formulas from the vectors to the heads: projections, norms, rotary positions.
#include <fmt/format.h>

#include "core/attention/projection_steps.h"
#include "core/model/past.h"
#include "core/model/row_norm.h"
#include "core/script/latex_document.h"
#include "core/script/latex_text.h"

namespace headscope {
namespace {

// What the model does to the heads of queries and keys, as the functions that their formulas name.
void write_head_rule(Latex& x, const HeadRule& rule) {
  x.line("");
  x.open({});
  x.line("% ---- what the model does to queries and keys");
  const std::int64_t width = x.trace.inputs->head_dim;
  if (rule.clip > 0) {
    x.line("Numbers are held within bounds, of values too:");
    x.line("\\begin{align*}");
    x.line(fmt::format("  \\operatorname{{held}}(x)_d &= \\min(\\max(x_d, -{0}), {0})", tex_number(rule.clip)));
    x.line("\\end{align*}");
  }
  if (!rule.query_norm.empty() || !rule.key_norm.empty()) {
    const std::string normed = rule.norm_whole ? "n" : fmt::format("{}", width);
    const std::string last = rule.norm_whole ? "n-1" : fmt::format("{}", width - 1);
    x.line(rule.norm_whole
               ? "A norm with learned weights $g$, of all heads of a position together, before they are split:"
               : "A norm with learned weights $g$, of every head:");
    x.line("\\begin{align*}");
    const char* weight = rule.norm_plus_one ? "(1 + g_d)" : "g_d";
    const auto centred = [&rule](const char* of) {
      return rule.norm_centred ? fmt::format("({} - \\mu)", of) : std::string(of);
    };
    x.line(fmt::format(
        "  \\operatorname{{norm}}(x)_d &= {} \\, {} \\bigg/ \\sqrt{{\\frac{{1}}{{{}}} "
        "\\sum_{{e=0}}^{{{}}} {}^2 + {}}}{}",
        weight, centred("x_d"), normed, last, centred("x_e"), tex_number(rule.norm_eps),
        rule.norm_centred ? fmt::format(", \\qquad \\mu = \\frac{{1}}{{{}}} \\sum_{{e=0}}^{{{}}} x_e", normed, last)
                          : std::string()));
    x.line("\\end{align*}");
  }
  if (rule.rotary == nullptr) return;
  const RotaryRule& turns = rule.rotary->rule();
  const std::int64_t pairs = turns.features / 2;
  const bool halves = turns.pairs == RotaryRule::Pairs::halves;
  const auto index = [&turns](const char* pair, std::int64_t more) {
    return turns.begin + more == 0 ? std::string(pair) : fmt::format("{}+{}", pair, turns.begin + more);
  };
  const std::string first = index(halves ? "p" : "2p", 0), second = index(halves ? "p" : "2p", halves ? pairs : 1);
  const std::string before = turns.factor == 1 ? "" : tex_number(turns.factor) + " \\bigl(";
  const std::string after = turns.factor == 1 ? "" : "\\bigr)";
  const auto row = [&](const std::string& of, const char* sign, const std::string& other, const char* end) {
    x.line(
        fmt::format("  \\operatorname{{turn}}_i(x)_{{{0}}} &= {1}x_{{{0}}} \\cos(i\\,\\omega_p) {2} x_{{{3}}} "
                    "\\sin(i\\,\\omega_p){4}{5}",
                    of, before, sign, other, after, end));
  };
  x.line(
      fmt::format("Rotary positions: {} of {} features are turned in pairs, $0 \\le p < {}$, by the angle of their "
                  "position $i$, with $\\omega_0 = {}$ to $\\omega_{{{}}} = {}$:",
                  turns.features, width, pairs, tex_short(turns.inverse_frequencies.front()), pairs - 1,
                  tex_short(turns.inverse_frequencies.back())));
  x.line("\\begin{align*}");
  row(first, "-", second, ", \\\\");
  row(second, "+", first, ".");
  x.line("\\end{align*}");
}

}  // namespace

void write_projections(Latex& x) {
  const Trace& trace = x.trace;
  const Inputs& in = *trace.inputs;
  const LayerWeights& w = in.weights;
  if (!in.query.empty()) return;
  const bool latents = in.checkpoint != nullptr && !in.key_x.empty() && in.encoder == nullptr;
  x.stage(StageId::input, tex_symbol(StageId::input), "x",
          in.checkpoint == nullptr ? std::string("The vectors of the tokens.")
                                   : fmt::format("The {} of the tokens, as they enter the attention of layer {}.",
                                                 latents ? "latents" : "vectors", in.layer));
  x.stage(StageId::key_input, tex_symbol(StageId::key_input), "x^{(k)}",
          latents ? "Keys are made of their own latents." : "Keys come from other tokens.");
  x.stage(StageId::value_input, tex_symbol(StageId::value_input), "x^{(v)}",
          latents ? "So are values." : "So do values.");
  x.stage(StageId::qkv, tex_symbol(StageId::qkv), latex_product(StageId::input, "W_{qkv}", w.qkv),
          fmt::format("One projection,{}.", where_weights("W_{qkv}", w.qkv)));
  x.stage(StageId::qkv_split, tex_at(StageId::qkv_split, "b,i,h,d"),
          tex_at(StageId::qkv, fmt::format("b,i,{}h+d", 3 * in.head_dim)), "Every head has rows of its own.");
  x.stage(StageId::qkv_heads, tex_at(StageId::qkv_heads, "b,h,i,d"), tex_at(StageId::qkv_split, "b,i,h,d"),
          "Heads come before positions.");
  const QkvLayout layout = read_layout_of(trace.request, w);
  const bool cross = !in.key_x.empty();
  const auto project = [&](StageId id, StageId from, const char* matrix, Part part) {
    if (trace.find(id) == nullptr) return;
    const Linear linear = part_of(in, layout, part);
    x.stage(id, tex_symbol(id), latex_product(from, matrix, linear),
            fmt::format("A projection{}.", where_weights(matrix, linear)));
  };
  project(StageId::query_proj, StageId::input, "W_q", Part::query);
  project(StageId::key_proj, cross ? StageId::key_input : StageId::input, "W_k", Part::key);
  project(StageId::value_proj, cross ? StageId::value_input : StageId::input, "W_v", Part::value);
}

void write_heads_of(Latex& x) {
  const Inputs& in = *x.trace.inputs;
  const HeadRule* rule = in.head_rule.get();
  if (rule != nullptr && (rule->changes_queries() || rule->changes_keys())) write_head_rule(x, *rule);
  const bool held = rule != nullptr && rule->clip > 0;
  const bool per_head = x.trace.find(StageId::qkv_heads) != nullptr;
  const auto split = [&](StageId id, StageId projected, std::int64_t offset, std::int64_t width, const char* bias,
                         const Tensor* norm, const char* whose) {
    std::string words = fmt::format("The heads of {}.", whose);
    if (bias != nullptr) words += fmt::format(" After the last position stands ${}$.", tex_symbol(bias));
    if (past_len(in) > 0 && id != StageId::query) words += fmt::format(" The first {} are the past's.", past_len(in));
    if (!in.query.empty()) return x.stage(id, tex_at(id, "b,h,i,d"), "\\text{as given}", words);
    const bool turned = norm != nullptr && rule->rotary != nullptr, normed = norm != nullptr && !norm->empty();
    if (!turned && !normed && !held) {
      const std::string feature = offset == 0 ? "b,h,i,d" : fmt::format("b,h,i,{}+d", offset);
      const std::int64_t past = id == StageId::query ? 0 : past_len(in);
      return x.stage(
          id, tex_at(id, past == 0 ? std::string("b,h,i,d") : fmt::format("b,h,{}+i,d", past)),
          per_head ? tex_at(StageId::qkv_heads, feature) : tex_at(projected, fmt::format("b,i,{}h+d", width)), words);
    }
    // Functions of a whole head: its features from : to.
    std::string head = per_head ? tex_at(StageId::qkv_heads, fmt::format("b,h,i,{}:{}", offset, offset + width))
                                : tex_at(projected, fmt::format("b,i,{0}h:{0}h+{0}", width));
    const auto within = [held](const std::string& of) {
      return held ? fmt::format("\\operatorname{{held}}\\bigl({}\\bigr)", of) : of;
    };
    if (!normed || !rule->norm_whole) head = within(head);
    if (normed && rule->norm_whole) {
      head = fmt::format("\\operatorname{{norm}}\\bigl({0}\\bigr)_{{{1}h:{1}h+{1}}}", within(tex_at(projected, "b,i")),
                         width);
    } else if (normed) {
      head = fmt::format("\\operatorname{{norm}}\\bigl({}\\bigr)", head);
    }
    if (turned) head = fmt::format("\\operatorname{{turn}}_i\\bigl({}\\bigr)", head);
    x.stage(id, tex_at(id, "b,h,i"), head, words);
  };
  const bool extra = !in.weights.bias_k.empty();
  split(StageId::query, StageId::query_proj, 0, in.head_dim, nullptr, rule != nullptr ? &rule->query_norm : nullptr,
        "the queries");
  split(StageId::key, StageId::key_proj, in.head_dim, in.head_dim, extra ? "bias_k" : nullptr,
        rule != nullptr ? &rule->key_norm : nullptr, "the keys");
  split(StageId::value, StageId::value_proj, 2 * in.head_dim, in.value_head_dim, extra ? "bias_v" : nullptr, nullptr,
        "the values");
}

void write_output_norm(Latex& x, const RowNorm& norm) {
  if (norm.scales) {
    return x.stage(StageId::attention_norm_out, tex_at(StageId::attention_norm_out, "b,i,d"),
                   fmt::format("g_d \\, {}", tex_at(StageId::output, "b,i,d")),
                   "What attention adds, every feature times a learned scale.");
  }
  const bool centred = norm.kind == Architecture::Norm::layer;
  const std::int64_t width = norm.weights.weight.size();
  const std::string own = tex_at(StageId::output, "b,i,d"), each = tex_at(StageId::output, "b,i,e");
  const std::string weight = norm.plus_one ? "(1 + g_d)" : "g_d";
  const std::string mean = centred ? " - \\mu" : "";
  x.stage(
      StageId::attention_norm_out, tex_at(StageId::attention_norm_out, "b,i,d"),
      fmt::format("{} \\, ({}{}) \\bigg/ \\sqrt{{\\frac{{1}}{{{}}} \\sum_{{e=0}}^{{{}}} ({}{})^2 + {}}}{}", weight, own,
                  mean, width, width - 1, each, mean, tex_number(norm.eps), norm.weights.bias.empty() ? "" : " + c_d"),
      centred ? "A norm with learned weights of what attention adds; $\\mu$ is the mean of the row."
              : "A norm with learned weights of what attention adds.");
}

}  // namespace headscope
