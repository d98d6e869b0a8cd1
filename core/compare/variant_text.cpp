#include "core/compare/variant_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/base/assert.h"
#include "core/compare/variant_run.h"

namespace headscope {
namespace {

using Kind = CodeLine::Kind;

// The sizes that code speaks of.
struct Sizes {
  std::int64_t batch, len, heads, head_dim, width;
  std::string right_scale, wide_scale;  // "/ math.sqrt(8)", "/ math.sqrt(64)"
};

std::string root_text(double scale) {
  // A scale that is no root of a whole number is written as it is.
  const double size = 1 / (scale * scale);
  const double whole = static_cast<double>(static_cast<std::int64_t>(size + 0.5));
  if (whole >= 1 && size > whole * (1 - 1e-9) && size < whole * (1 + 1e-9)) return fmt::format("√{}", whole);
  return number_text(1 / scale);
}

std::string code_scale(double scale) {
  const std::string root = root_text(scale);
  return root.starts_with("√") ? fmt::format("/ math.sqrt({})", root.substr(std::string("√").size()))
                               : fmt::format("* {}", number_text(scale));
}

double scale_with(const Trace& trace, std::vector<std::string> names) {
  return scale_of(with_variants(trace.request, names), *trace.inputs);
}

Sizes sizes_of(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  return {inputs.batch,
          inputs.query_len,
          inputs.num_heads,
          inputs.value_head_dim,
          inputs.num_heads * inputs.value_head_dim,
          code_scale(scale_with(trace, {})),
          code_scale(scale_with(trace, {"scale-by-d-model"}))};
}

std::vector<CodeLine> split_code(const Sizes& s, bool blocked_is_right) {
  const Kind blocked = blocked_is_right ? Kind::right : Kind::wrong;
  const Kind per_head = blocked_is_right ? Kind::wrong : Kind::right;
  std::vector<CodeLine> code = {
      {per_head, fmt::format("qkv.view({}, {}, {}, {})", s.batch, s.len, s.heads, 3 * s.head_dim)},
      {per_head, "   .chunk(3, -1)"},
      {blocked, "qkv.chunk(3, -1)"}};
  if (!blocked_is_right) std::rotate(code.begin(), code.end() - 1, code.end());
  return code;
}

}  // namespace

std::string variant_sentence(std::string_view name, const Trace& trace) {
  const auto root = [&](std::vector<std::string> names) { return root_text(scale_with(trace, std::move(names))); };
  if (name == "merge-direct") return "Heads are reshaped without transposing back.";
  if (name == "softmax-over-queries") return "Softmax runs down columns, not along rows.";
  if (name == "no-scale") return fmt::format("Scores are not divided by {}.", root({}));
  if (name == "scale-by-d-model") {
    return fmt::format("Scores are divided by {}, not by {}.", root({"scale-by-d-model"}), root({}));
  }
  if (name == "mask-inverted") return "What may be seen and what is hidden are swapped.";
  if (name == "mask-after-softmax") return "Weights are zeroed late: rows no longer sum to 1.";
  if (name == "qkv-blocked-as-per-head") return "Rows [Q K V] are read as [q k v] of each head.";
  if (name == "qkv-per-head-as-blocked") return "Rows [q k v] of each head are read as [Q K V].";
  HEADSCOPE_ASSERT(name == "key-not-transposed", std::string(name));
  return "Queries multiply the key matrix as it lies.";
}

std::vector<CodeLine> variant_code(std::string_view name, const Trace& trace) {
  const Sizes s = sizes_of(trace);
  if (name == "merge-direct") {
    return {{Kind::plain, "context"},
            {Kind::missing, ".transpose(1, 2)"},
            {Kind::plain, fmt::format(".reshape({}, {}, {})", s.batch, s.len, s.width)}};
  }
  if (name == "softmax-over-queries") {
    return {{Kind::wrong, "masked_scores.softmax(dim=-2)"}, {Kind::right, "masked_scores.softmax(dim=-1)"}};
  }
  if (name == "no-scale") {
    return {{Kind::plain, "query @ key.transpose(-2, -1)"}, {Kind::missing, s.right_scale}};
  }
  if (name == "scale-by-d-model") {
    return {{Kind::plain, "query @ key.transpose(-2, -1)"}, {Kind::wrong, s.wide_scale}, {Kind::right, s.right_scale}};
  }
  if (name == "mask-inverted") {
    return {{Kind::wrong, "scores.masked_fill(may_see, -inf)"}, {Kind::right, "scores.masked_fill(~may_see, -inf)"}};
  }
  if (name == "mask-after-softmax") {
    return {{Kind::missing, "scores.masked_fill_(hidden, -inf)"},
            {Kind::plain, "weights = scores.softmax(-1)"},
            {Kind::wrong, "weights.masked_fill_(hidden, 0)"}};
  }
  if (name == "qkv-blocked-as-per-head") return split_code(s, true);
  if (name == "qkv-per-head-as-blocked") return split_code(s, false);
  HEADSCOPE_ASSERT(name == "key-not-transposed", std::string(name));
  return {{Kind::wrong, "query @ key"}, {Kind::right, "query @ key.transpose(-2, -1)"}};
}

}  // namespace headscope
