// From query and key to the output: scores, mask, softmax, dropout, context, merge.
// Long because the stages from scores to output follow one another as the script has them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/forward.h"
#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sources.h"
#include "core/backend/score_steps.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"
#include "core/script/script_mask.h"
#include "core/script/script_writer.h"

namespace headscope {

std::string scaled_in_python(const Trace& trace, const std::string& what) {
  if (trace.scale == 1.0) return what;
  const Inputs& in = *trace.inputs;
  const bool by_d_model = has_variant(trace.request, Variant::scale_by_d_model);
  if (by_d_model) {
    return fmt::format("{} / math.sqrt({})", what, in.query.empty() ? in.d_model : in.num_heads * in.head_dim);
  }
  const bool usual = !trace.request.scale && !in.score_scale;
  return usual ? what + " / math.sqrt(head_dim)" : what + " * " + python_number(trace.scale);
}

namespace {

const Axes kScoreAxes{Axis::batch, Axis::head, Axis::query, Axis::key};

// 1 where dropout keeps a weight, computed when read.
Tensor kept_tensor(const Trace& trace) {
  const ScoreRule rule = score_rule_of(trace.request, *trace.inputs, trace.mask);
  const Shape shape{trace.inputs->batch, trace.num_heads(), trace.query_len(), trace.key_len()};
  return Tensor::computed(shape, kScoreAxes, [rule](const Region& region, std::span<float> out) {
    const Shape part{region[0].size(), region[1].size(), region[2].size(), region[3].size()};
    const Tensor ones = Tensor::of(part, kScoreAxes, std::vector<float>(out.size(), 1.0F));
    const Tensor dropped = dropped_weights(ones, rule, region, {});
    std::transform(dropped.data(), dropped.data() + dropped.size(), out.begin(),
                   [](float x) { return x > 0 ? 1.0F : 0.0F; });
  });
}

// tensor where `where` is false, value where it is true.
std::string filled(const ScriptWriter& w, const std::string& tensor, const std::string& where,
                   const std::string& value) {
  return w.torch() ? fmt::format("{}.masked_fill({}, {})", tensor, where, value)
                   : fmt::format("np.where({}, np.float32({}), {})", where, value, tensor);
}

// The stages between two others that are a formula of other stages (StageInfo::formula).
void write_by_formula(ScoreLines& c, StageId after, StageId before) {
  ScriptWriter& w = c.w;
  for (const Stage& stage : c.trace.stages) {
    const StageInfo& info = stage_info(stage.id);
    if (!info.formula || stage.id <= after || stage.id >= before) continue;
    const std::vector<StageId> sources = feeding_stages(c.trace, stage.id);
    w.section({stage.id}, fmt::format("{}: {}", info.name, info.formula->step));
    w.stage(
        stage.id,
        spelled_formula(
            info.formula->value,
            {.times = " * ",
             .cell =
                 [&](std::size_t k) {
                   const std::string name(stage_name(sources[k]));
                   const bool adds =
                       k == 0 && stage.id == StageId::capped_scores && caps_added(c.trace.as_computed(), *c.trace.mask);
                   return adds ? "(" + name + " + added)" : name;
                 },
             .parameter = [&](const FormulaParameter& of) { return python_number(of.of(c.trace.as_computed())); },
             .open = [&](const FormulaFunction& of) { return std::string(w.torch() ? of.torch : of.numpy) + "("; }}));
  }
}

void write_raw_scores(ScoreLines& c) {
  ScriptWriter& w = c.w;
  const Inputs& in = *c.trace.inputs;
  w.section({StageId::raw_scores}, "raw_scores: query times key");
  std::string key = "key";
  if (in.num_kv_heads != in.num_heads) {
    w.line("keys = key.repeat_interleave(num_heads // num_kv_heads, dim=1)  # heads that share a key",
           "keys = np.repeat(key, num_heads // num_kv_heads, axis=1)  # heads that share a key");
    key = "keys";
  }
  const bool transposed = !has_variant(c.request, Variant::key_not_transposed);
  w.stage(StageId::raw_scores, transposed ? fmt::format("query @ {}.transpose(-1, -2)", key) : "query @ " + key,
          transposed ? fmt::format("query @ {}.swapaxes(-1, -2)", key) : "query @ " + key);
}

// What --mask-fill is as a float32.
double float_fill(const Request& request) {
  const bool below = request.mask_fill < -static_cast<double>(std::numeric_limits<float>::max());
  return below ? -std::numeric_limits<double>::infinity() : request.mask_fill;
}

void write_scores(ScoreLines& c) {
  ScriptWriter& w = c.w;
  const bool added = !c.mask.added.empty();
  const bool masks = c.hides || added;
  const double fill = float_fill(c.request);
  if (c.request.mask_order == MaskOrder::before_scale && masks) {
    write_mask(c);
    // The mask's lines belong to the stage that it changes.
    w.section({StageId::scores}, "scores: masked, then scaled");
    w.line(fmt::format("scores = raw_scores{}", added ? " + added" : ""));
    if (c.hides) w.line("scores = " + filled(w, "scores", "hidden", python_number(fill)));
    std::string value = scaled_in_python(c.trace, "scores");
    // -inf * 0 would be NaN, and -inf * -1 would be inf: what is hidden stays so.
    if (c.hides && std::isinf(fill) && c.trace.scale <= 0) {
      value = filled(w, "(" + value + ")", "hidden", python_number(fill));
    }
    w.stage(StageId::scores, value);
    w.section({StageId::masked_scores}, "masked_scores: they are already");
    w.stage(StageId::masked_scores, "scores");
    return;
  }
  w.section({StageId::scores}, "scores: scaled");
  w.stage(StageId::scores, scaled_in_python(c.trace, "raw_scores"));
  std::string before = "scores";
  const bool capped_last = caps_added(c.trace.as_computed(), c.mask);
  if (capped_last) write_mask(c);
  write_by_formula(c, StageId::scores, StageId::masked_scores);
  if (c.trace.as_computed().softcap) before = "capped_scores";
  before += position_terms(c.trace);
  if (!masks && !c.hides_later) {
    const bool terms = !mask_terms_of(c.request, *c.trace.inputs).empty();
    w.section({StageId::masked_scores},
              terms ? "masked_scores: the mask hides nothing here" : "masked_scores: no mask");
    w.stage(StageId::masked_scores, before);
    return;
  }
  if (!capped_last) write_mask(c);
  const bool adds = added && !capped_last;
  if (capped_last) w.section({StageId::masked_scores}, "masked_scores: what the mask adds is in them already");
  std::string value = adds ? before + " + added" : before;
  if (c.hides && value.find(' ') != value.npos) value = "(" + value + ")";
  if (c.hides) value = filled(w, value, "hidden", python_number(fill));
  w.stage(StageId::masked_scores, value);
}

// Heads whose weights no score decides.
void write_frozen(ScoreLines& c) {
  ScriptWriter& w = c.w;
  w.line("visible = (~hidden).expand_as(weights)", "visible = np.broadcast_to(~hidden, weights.shape)");
  const std::int64_t layer = c.trace.inputs->layer;
  for (std::int64_t h = 0; h < c.trace.num_heads(); ++h) {
    const FrozenHead* frozen = frozen_head(c.request, layer, h);
    if (frozen == nullptr) continue;
    if (frozen->as == FrozenHead::As::uniform) {
      w.line(fmt::format("own = visible[:, {}].float()", h), fmt::format("own = visible[:, {}].astype(np.float32)", h));
      w.line(fmt::format("weights[:, {}] = own / own.sum(-1, keepdim=True).clamp(min=1)  # held: uniform", h),
             fmt::format("weights[:, {}] = own / np.maximum(own.sum(-1, keepdims=True), 1)  # held: uniform", h));
    } else {
      const std::int64_t diagonal = own_diagonal(c.request, *c.trace.inputs);
      w.line(fmt::format("own = torch.arange(query_len)[:, None] + {} == torch.arange(hidden.shape[-1])", diagonal),
             fmt::format("own = np.arange(query_len)[:, None] + {} == np.arange(hidden.shape[-1])", diagonal));
      w.line(fmt::format("weights[:, {0}] = own & visible[:, {0}]  # held: identity", h));
    }
  }
}

// A softmax over the keys and the sink of each head; returns what it gives the keys.
std::string write_joined_softmax(ScoreLines& c) {
  ScriptWriter& w = c.w;
  w.line(fmt::format("sinks = {}  # a learned logit of every head", w.data("sinks", c.trace.inputs->weights.sinks)));
  w.line("sink_column = sinks[None, :, None, None].expand(*masked_scores.shape[:3], 1)",
         "sink_column = np.broadcast_to(sinks[None, :, None, None], masked_scores.shape[:3] + (1,))");
  w.line("with_sinks = torch.cat([masked_scores, sink_column], dim=-1).softmax(dim=-1)",
         "with_sinks = softmax(np.concatenate([masked_scores, sink_column], axis=-1), axis=-1)");
  return "with_sinks[..., :-1]";
}

void write_sink_weights(ScoreLines& c, bool rewritten) {
  ScriptWriter& w = c.w;
  w.section({StageId::sink_weights}, "sink_weights: what the sinks take of every row");
  for (std::int64_t h = 0; h < c.trace.num_heads(); ++h) {
    if (frozen_head(c.request, c.trace.inputs->layer, h) == nullptr) continue;
    w.line(fmt::format("with_sinks[:, {}, :, -1] = 0  # held", h));
  }
  std::string value = "with_sinks[..., -1]";
  if (rewritten && c.request.fully_masked == FullyMasked::uniform) value = filled(w, value, "whole_row[..., 0]", "0.0");
  w.stage(StageId::sink_weights, value);
}

void write_weights(ScoreLines& c) {
  ScriptWriter& w = c.w;
  if (any_frozen(c.request, c.trace.inputs->layer) && !c.has_mask) write_mask(c);
  const bool columns = has_variant(c.request, Variant::softmax_over_queries);
  w.section({StageId::weights}, columns ? "weights: softmax over queries" : "weights: softmax over keys");
  const int axis = columns ? -2 : -1;
  std::string value = w.torch() ? fmt::format("masked_scores.softmax(dim={})", axis)
                                : fmt::format("softmax(masked_scores, axis={})", axis);
  const bool sinks = c.trace.find(StageId::sink_weights) != nullptr;
  if (sinks) value = write_joined_softmax(c);
  const bool rewritten = c.request.fully_masked != FullyMasked::as_computed && c.mask.hidden.any();
  if (c.hides_later || rewritten) {
    w.line("weights = " + value);
    value = "weights";
  }
  if (c.hides_later) {
    w.line("weights = " + filled(w, "weights", "hidden", "0.0") + "  # mask-after-softmax: rows no longer sum to 1");
  }
  if (rewritten) {
    w.line("whole_row = hidden.all(dim=-1, keepdim=True)", "whole_row = hidden.all(axis=-1, keepdims=True)");
    w.line("weights = " + filled(w, "weights", "whole_row",
                                 c.request.fully_masked == FullyMasked::zero ? "0.0" : "1 / hidden.shape[-1]"));
  }
  if (any_frozen(c.request, c.trace.inputs->layer)) {
    if (value != "weights") w.line("weights = " + value);
    write_frozen(c);
    value = "weights";
  }
  w.stage(StageId::weights, value);
  if (sinks) write_sink_weights(c, rewritten);
}

bool drops(const Trace& trace) {
  return trace.request.dropout > 0 || !trace.inputs->dropout_mask.empty();
}

// Whether value holds something that 0 does not make 0.
bool value_is_finite(const Trace& trace) {
  const std::vector<float> values = trace.tensor(StageId::value).values();
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

void write_context(ScoreLines& c) {
  ScriptWriter& w = c.w;
  const Inputs& in = *c.trace.inputs;
  std::string weights = "weights";
  if (drops(c.trace)) {
    const double p = c.request.dropout;
    w.section({StageId::dropped_weights}, fmt::format("dropped_weights: dropout {}", python_number(p)));
    w.line(fmt::format("kept = {}  # 1 where a weight is kept", w.data("dropout_kept", kept_tensor(c.trace))));
    w.stage(StageId::dropped_weights,
            p < 1 ? fmt::format("weights * kept / (1 - {})", python_number(p)) : std::string("weights * kept"));
    weights = "dropped_weights";
  }
  w.section({StageId::context}, "context: weights times value");
  std::string value = "value";
  if (in.num_kv_heads != in.num_heads) {
    w.line("values = value.repeat_interleave(num_heads // num_kv_heads, dim=1)",
           "values = np.repeat(value, num_heads // num_kv_heads, axis=1)");
    value = "values";
  }
  std::string product = fmt::format("{} @ {}", weights, value);
  if (c.mask.hidden.any() && !value_is_finite(c.trace)) {
    // 0 * NaN is NaN: a hidden key whose weight is 0 is left out of the sum.
    w.line(fmt::format("products = {}[..., None] * {}[:, :, None]", weights, value));
    w.line(fmt::format("unread = (hidden & ({} == 0))[..., None]  # hidden keys are not read", weights));
    product = filled(w, "products", "unread", "0.0") + (w.torch() ? ".sum(dim=-2)" : ".sum(axis=-2)");
  }
  if (const std::vector<LayerHead> ablated = ablated_heads(c.request); !ablated.empty()) {
    w.line("context = " + product);
    std::string heads;
    for (const LayerHead& off : ablated) heads += fmt::format("{}{}", heads.empty() ? "" : ", ", off.head);
    w.line(fmt::format("context[:, [{}]] = 0  # heads that are off", heads));
    product = "context";
  }
  w.stage(StageId::context, product);
}

void write_output(ScoreLines& c) {
  ScriptWriter& w = c.w;
  write_by_formula(c, StageId::context, StageId::concat);
  const std::string_view merged = stage_name(feeding_stages(c.trace, StageId::concat).front());
  const bool transposes = c.request.merge == Merge::transpose;
  w.section({StageId::concat}, transposes ? "concat: heads beside each other again"
                                          : "concat: reshaped without transposing back (the tutorials' mistake)");
  const char* shape = "reshape(batch, query_len, num_heads * value_head_dim)";
  w.stage(StageId::concat, fmt::format("{}{}.{}", merged, transposes ? ".permute(0, 2, 1, 3)" : "", shape),
          fmt::format("{}{}.{}", merged, transposes ? ".transpose(0, 2, 1, 3)" : "", shape));
  const Linear& output = c.trace.inputs->weights.output;
  std::string last = "concat";
  if (!output.empty()) {
    w.section({StageId::output}, "output: the last projection");
    w.stage(StageId::output,
            output.bias.empty() ? "F.linear(concat, output_weight)" : "F.linear(concat, output_weight, output_bias)",
            output.bias.empty() ? "concat @ output_weight.T" : "concat @ output_weight.T + output_bias");
    last = "output";
  }
  if (c.trace.find(StageId::attention_norm_out) != nullptr) {
    write_output_norm(w, *c.trace.inputs->output_norm);
    last = "attention_norm_out";
  }
  w.section({}, "what was computed");
  w.line(fmt::format("print(\"{0}[0, 0, :8] =\", [round(x, 6) for x in {0}[0, 0, :8].tolist()])", last));
  w.line("if len(sys.argv) > 1:");
  if (w.torch()) w.line("    import numpy as np");
  if (w.torch()) w.line();
  w.line("    os.makedirs(sys.argv[1], exist_ok=True)");
  w.line("    for name, tensor in stages.items():");
  w.line("        np.save(os.path.join(sys.argv[1], name + \".npy\"), tensor.numpy())",
         "        np.save(os.path.join(sys.argv[1], name + \".npy\"), tensor.astype(np.float32))");
}

}  // namespace

void write_attention(ScriptWriter& w, const Trace& trace) {
  ScoreLines c{w, trace, trace.request, trace.terms()};
  const bool after = has_variant(trace.request, Variant::mask_after_softmax);
  c.hides = !after && trace.mask->hidden.any();
  c.hides_later = after && trace.mask->hidden.any();
  write_position_scores(c);
  write_raw_scores(c);
  write_scores(c);
  write_weights(c);
  write_context(c);
  write_output(c);
}

}  // namespace headscope
