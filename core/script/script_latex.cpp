// The formulas of a request with its own shapes, as a LaTeX document.
#include <fmt/format.h>

#include <cmath>

#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/attention/option_text.h"
#include "core/attention/projection_steps.h"
#include "core/attention/request_text.h"
#include "core/model/head_rule.h"
#include "core/script/script_writer.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

// Plain words: what TeX reads as commands is escaped, what its text fonts lack is '?'.
std::string tex_text(std::string_view text, std::size_t most) {
  std::string shown;
  const std::string words = comment_text(text, most);
  for (std::size_t at = 0; at < words.size();) {
    const CodePoint point = code_point_at(words, at);
    at += static_cast<std::size_t>(point.bytes);
    const auto c = static_cast<char>(point.value);
    if (point.value > 0x17F) {
      shown += '?';
    } else if (point.value >= 0x80) {
      append_utf8(shown, point.value);
    } else if (c == '\\') {
      shown += "\\textbackslash{}";
    } else if (c == '^') {
      shown += "\\textasciicircum{}";
    } else if (c == '~') {
      shown += "\\textasciitilde{}";
    } else if (c == '<' || c == '>' || c == '|' || c == '"') {
      shown += c == '<' ? "\\textless{}" : c == '>' ? "\\textgreater{}" : c == '|' ? "\\textbar{}" : "\\textquotedbl{}";
    } else {
      if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) shown += '\\';
      shown += c;
    }
  }
  return shown;
}

// "\mathit{masked\_scores}".
std::string symbol(std::string_view name) {
  std::string escaped;
  for (const char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return fmt::format("\\mathit{{{}}}", escaped);
}

std::string symbol(StageId stage) {
  return symbol(stage_name(stage));
}

std::string space(const Shape& shape) {
  std::string sizes;
  for (int axis = 0; axis < shape.count; ++axis) {
    sizes += (axis == 0 ? "" : " \\times ") + std::to_string(shape[axis]);
  }
  return fmt::format("\\mathbb{{R}}^{{{}}}", sizes);
}

std::string tex_number(double value) {
  if (std::isinf(value)) return value > 0 ? "\\infty" : "-\\infty";
  const std::string text = double_text(value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\cdot 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

struct Latex {
  const Trace& trace;
  Script script{ScriptLanguage::latex, "", "", "", {}, {}};
  std::int64_t lines = 0;

  void line(const std::string& text) {
    script.text += text + "\n";
    ++lines;
  }
  void open(std::vector<StageId> stages) {
    if (!script.sections.empty()) script.sections.back().end = lines;
    script.sections.push_back({std::move(stages), lines, lines});
  }
  // One display: the stage, what it is, where it lives, and a sentence.
  void stage(StageId id, const std::string& left, const std::string& right, const std::string& words) {
    if (trace.find(id) == nullptr) return;
    line("");
    open({id});
    line(fmt::format("% ---- {}", stage_name(id)));
    line(words);
    line("\\begin{align*}");
    line(fmt::format("  {} &= {}, &", left, right));
    line(fmt::format("  {} &\\in {}", symbol(id), space(trace.tensor(id).shape())));
    line("\\end{align*}");
  }
};

std::string at(StageId stage, const char* indices) {
  return symbol(stage) + "_{" + indices + "}";
}

std::string product(StageId of, const char* matrix, const Linear& linear) {
  return fmt::format("{} \\, {}^{{\\top}}{}", symbol(of), matrix, linear.bias.empty() ? "" : " + b");
}

std::string where_weights(const char* matrix, const Linear& linear) {
  return fmt::format(" with ${} \\in {}${}", matrix, space(linear.weight.shape()),
                     linear.bias.empty() ? "" : fmt::format(" and $b \\in {}$", space(linear.bias.shape())));
}

std::string mask_words(const Trace& trace) {
  std::string terms = mask_text(mask_terms_of(trace.request, *trace.inputs));
  return fmt::format("\\texttt{{{}}}", tex_text(terms, 120));
}

void write_projections(Latex& x) {
  const Trace& trace = x.trace;
  const Inputs& in = *trace.inputs;
  const LayerWeights& w = in.weights;
  if (!in.query.empty()) return;
  x.stage(StageId::input, symbol(StageId::input), "x", "The vectors of the tokens.");
  x.stage(StageId::key_input, symbol(StageId::key_input), "x^{(k)}", "Keys come from other tokens.");
  x.stage(StageId::value_input, symbol(StageId::value_input), "x^{(v)}", "So do values.");
  x.stage(StageId::qkv, symbol(StageId::qkv), product(StageId::input, "W_{qkv}", w.qkv),
          fmt::format("One projection,{}.", where_weights("W_{qkv}", w.qkv)));
  x.stage(StageId::qkv_split, at(StageId::qkv_split, "b,i,h,d"),
          at(StageId::qkv, fmt::format("b,i,{}h+d", 3 * in.head_dim).c_str()), "Every head has rows of its own.");
  x.stage(StageId::qkv_heads, at(StageId::qkv_heads, "b,h,i,d"), at(StageId::qkv_split, "b,i,h,d"),
          "Heads come before positions.");
  const QkvLayout layout = read_layout_of(trace.request, w);
  const bool cross = !in.key_x.empty();
  const auto project = [&](StageId id, StageId from, const char* matrix, Part part) {
    if (trace.find(id) == nullptr) return;
    const Linear linear = part_of(in, layout, part);
    x.stage(id, symbol(id), product(from, matrix, linear),
            fmt::format("A projection{}.", where_weights(matrix, linear)));
  };
  project(StageId::query_proj, StageId::input, "W_q", Part::query);
  project(StageId::key_proj, cross ? StageId::key_input : StageId::input, "W_k", Part::key);
  project(StageId::value_proj, cross ? StageId::value_input : StageId::input, "W_v", Part::value);
}

void write_heads_of(Latex& x) {
  const Inputs& in = *x.trace.inputs;
  const auto split = [&](StageId id, StageId projected, std::int64_t offset, std::int64_t width, const char* bias,
                         bool changed) {
    const bool given = !in.query.empty(), per_head = x.trace.find(StageId::qkv_heads) != nullptr;
    std::string right =
        given      ? std::string("\\text{as given}")
        : per_head ? at(StageId::qkv_heads, offset == 0 ? "b,h,i,d" : fmt::format("b,h,i,{}+d", offset).c_str())
                   : at(projected, fmt::format("b,i,{}h+d", width).c_str());
    if (changed) right = fmt::format("\\operatorname{{turn}}_i\\bigl({}\\bigr)", right);
    std::string words = "The heads.";
    if (changed) words += " Each passes what the model does to it: a norm, rotary positions, or both.";
    if (bias != nullptr) words += fmt::format(" After the last position stands ${}$.", symbol(bias));
    x.stage(id, at(id, "b,h,i,d"), right, words);
  };
  const HeadRule* rule = in.head_rule.get();
  const bool extra = !in.weights.bias_k.empty();
  split(StageId::query, StageId::query_proj, 0, in.head_dim, nullptr, rule != nullptr && rule->changes_queries());
  split(StageId::key, StageId::key_proj, in.head_dim, in.head_dim, extra ? "bias_k" : nullptr,
        rule != nullptr && rule->changes_keys());
  split(StageId::value, StageId::value_proj, 2 * in.head_dim, in.value_head_dim, extra ? "bias_v" : nullptr, false);
}

std::string scale_tex(const Trace& trace) {
  const Inputs& in = *trace.inputs;
  if (trace.scale == 1.0) return "";
  if (has_variant(trace.request, Variant::scale_by_d_model)) {
    return fmt::format("\\big/ \\sqrt{{{}}}", in.query.empty() ? in.d_model : in.num_heads * in.head_dim);
  }
  const bool usual = !trace.request.scale && !in.score_scale;
  return usual ? fmt::format("\\big/ \\sqrt{{{}}}", in.head_dim) : fmt::format("\\cdot {}", tex_number(trace.scale));
}

void write_scores(Latex& x) {
  const Trace& trace = x.trace;
  const Request& r = trace.request;
  const Inputs& in = *trace.inputs;
  const std::int64_t group = in.num_heads / in.num_kv_heads;
  const std::string g = group == 1 ? "h" : fmt::format("\\lfloor h/{} \\rfloor", group);
  const bool transposed = !has_variant(r, Variant::key_not_transposed);
  x.stage(StageId::raw_scores, at(StageId::raw_scores, "b,h,i,j"),
          fmt::format("\\sum_{{d=0}}^{{{}}} {} \\, {}", in.head_dim - 1, at(StageId::query, "b,h,i,d"),
                      at(StageId::key, (transposed ? fmt::format("b,{},j,d", g) : fmt::format("b,{},d,j", g)).c_str())),
          transposed ? "Every query meets every key." : "The key is not transposed: a known mistake.");
  const bool after_softmax = has_variant(r, Variant::mask_after_softmax);
  const bool hides = trace.mask->hidden.any() && !after_softmax, added = !trace.mask->added.empty();
  const std::string plus = added ? " + m_{b,h,i,j}" : "";
  const auto masked = [&](const std::string& score, const std::string& fill) {
    if (!hides) return score;
    return fmt::format("\\begin{{cases}} {} & \\text{{hidden}} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", fill,
                       score);
  };
  const std::string words = fmt::format("The mask {}{}.", mask_words(trace),
                                        has_variant(r, Variant::mask_inverted) ? ", inverted: a known mistake" : "");
  const std::string fill = tex_number(r.mask_fill);
  if (r.mask_order == MaskOrder::before_scale && (hides || added)) {
    x.stage(StageId::scores, at(StageId::scores, "b,h,i,j"),
            "\\Bigl(" + masked(at(StageId::raw_scores, "b,h,i,j") + plus, fill) + "\\Bigr) " + scale_tex(trace),
            words + " It comes before the scaling.");
    x.stage(StageId::masked_scores, at(StageId::masked_scores, "b,h,i,j"), at(StageId::scores, "b,h,i,j"),
            "They are masked already.");
  } else {
    x.stage(StageId::scores, at(StageId::scores, "b,h,i,j"),
            at(StageId::raw_scores, "b,h,i,j") + " " + scale_tex(trace),
            trace.scale == 1.0 ? "Nothing is scaled." : "Scaled.");
    StageId before = StageId::scores;
    if (r.softcap) {
      const std::string cap = tex_number(*r.softcap);
      x.stage(StageId::capped_scores, at(StageId::capped_scores, "b,h,i,j"),
              fmt::format("{} \\tanh\\bigl({} / {}\\bigr)", cap, at(StageId::scores, "b,h,i,j"), cap),
              "A soft cap on their size.");
      before = StageId::capped_scores;
    }
    x.stage(StageId::masked_scores, at(StageId::masked_scores, "b,h,i,j"), masked(at(before, "b,h,i,j") + plus, fill),
            hides || added ? words : "No mask hides anything here.");
  }
  const bool columns = has_variant(r, Variant::softmax_over_queries);
  std::string weights =
      fmt::format("\\frac{{\\exp {0}}}{{\\sum_{{{1}=0}}^{{{2}}} \\exp {3}}}", at(StageId::masked_scores, "b,h,i,j"),
                  columns ? "i'" : "j'", (columns ? trace.query_len() : trace.key_len()) - 1,
                  at(StageId::masked_scores, columns ? "b,h,i',j" : "b,h,i,j'"));
  std::string about = columns ? "Softmax over the queries: a known mistake." : "Softmax over the keys.";
  if (after_softmax && trace.mask->hidden.any()) {
    weights =
        fmt::format("\\begin{{cases}} 0 & \\text{{hidden}} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", weights);
    about = words + " It comes after the softmax, a known mistake: rows no longer sum to 1.";
  }
  if (trace.fully_masked_rows > 0 && r.fully_masked != FullyMasked::as_computed) {
    about += r.fully_masked == FullyMasked::zero
                 ? " Rows whose every key is hidden are 0."
                 : fmt::format(" Rows whose every key is hidden are $1/{}$.", trace.key_len());
  }
  x.stage(StageId::weights, at(StageId::weights, "b,h,i,j"), weights, about);
}

void write_rest(Latex& x) {
  const Trace& trace = x.trace;
  const Request& r = trace.request;
  const Inputs& in = *trace.inputs;
  const std::int64_t group = in.num_heads / in.num_kv_heads;
  const std::string g = group == 1 ? "h" : fmt::format("\\lfloor h/{} \\rfloor", group);
  const bool drops = trace.find(StageId::dropped_weights) != nullptr;
  x.stage(StageId::dropped_weights, at(StageId::dropped_weights, "b,h,i,j"),
          fmt::format("{} \\cdot \\mathit{{kept}}_{{b,h,i,j}} \\big/ (1 - {})", at(StageId::weights, "b,h,i,j"),
                      tex_number(r.dropout)),
          "Dropout.");
  std::string heads;
  for (const LayerHead& off : r.ablate) heads += fmt::format("{}{}", heads.empty() ? "" : ", ", off.head);
  x.stage(StageId::context, at(StageId::context, "b,h,i,d"),
          fmt::format("\\sum_{{j=0}}^{{{}}} {} \\, {}", trace.key_len() - 1,
                      at(drops ? StageId::dropped_weights : StageId::weights, "b,h,i,j"),
                      at(StageId::value, fmt::format("b,{},j,d", g).c_str())),
          heads.empty() ? std::string("What every head reads.")
                        : fmt::format("What every head reads; 0 for head {}, which is off.", heads));
  const std::int64_t width = in.value_head_dim, len = trace.query_len();
  if (r.merge == Merge::transpose) {
    x.stage(StageId::concat, at(StageId::concat, fmt::format("b,i,{}h+d", width).c_str()),
            at(StageId::context, "b,h,i,d"), "Heads side by side.");
  } else {
    x.stage(
        StageId::concat,
        at(StageId::concat, fmt::format("b,\\lfloor n/{0} \\rfloor,n \\bmod {0}", in.num_heads * width).c_str()),
        at(StageId::context, fmt::format("b,\\lfloor n/{0} \\rfloor,\\lfloor n/{1} \\rfloor \\bmod {2},n \\bmod {1}",
                                         len * width, width, len)
                                 .c_str()),
        fmt::format("Reshaped without transposing back, a known mistake: the $n$-th number stays the $n$-th, $0 "
                    "\\le n < {}$.",
                    in.num_heads * len * width));
  }
  if (!in.weights.output.empty()) {
    x.stage(StageId::output, symbol(StageId::output), product(StageId::concat, "W_o", in.weights.output),
            fmt::format("The last projection,{}.", where_weights("W_o", in.weights.output)));
  }
}

// "--scale-query 0.1=2 --edit scores:0,0,0,0=1", or "".
std::string changes_by_hand(const Request& request) {
  if (!intervenes(request)) return "";
  Request only;
  only.freeze = request.freeze;
  only.scale_query = request.scale_query;
  only.scale_key = request.scale_key;
  only.edits = request.edits;
  only.paint = request.paint;
  std::string words;
  for (const std::string& word : command_line_of(only)) words += (words.empty() ? "" : " ") + word;
  return words;
}

}  // namespace

Script latex_script(const Trace& trace) {
  Latex x{trace};
  x.open({});
  x.line("% made by Headscope");
  x.line("% " + command_comment(trace));
  x.line("\\documentclass{article}");
  x.line("\\usepackage[utf8]{inputenc}");
  x.line("\\usepackage[T1]{fontenc}");
  x.line("\\usepackage{textcomp}");
  x.line("\\usepackage{amsmath,amssymb}");
  x.line("\\begin{document}");
  x.line("\\section*{Multi-head attention}");
  std::string tokens;
  constexpr std::size_t kMost = 16;
  for (std::size_t i = 0; i < std::min(kMost, trace.inputs->tokens.size()); ++i) {
    tokens += (i == 0 ? "" : " ") + trace.inputs->tokens[i];
  }
  if (trace.inputs->tokens.size() > kMost) tokens += " ...";
  x.line(fmt::format(
      "{} queries, {} keys, {} heads of {} features. Tokens: \\texttt{{{}}}. Indices: $b$ batch, $h$ "
      "head, $i$ query, $j$ key, $d$ feature.",
      trace.query_len(), trace.key_len(), trace.num_heads(), trace.inputs->head_dim, tex_text(tokens, 120)));
  const std::string by_hand = changes_by_hand(trace.request);
  if (!by_hand.empty()) x.line("\nChanged by hand, beyond these formulas: \\texttt{" + tex_text(by_hand, 400) + "}.");
  if (!by_hand.empty()) ++x.lines;
  write_projections(x);
  write_heads_of(x);
  write_scores(x);
  write_rest(x);
  x.open({});
  x.line("\\end{document}");
  x.script.sections.back().end = x.lines;
  return x.script;
}

}  // namespace headscope
