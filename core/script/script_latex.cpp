// The formulas of a request with its own shapes, as a LaTeX document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/interventions.h"
#include "core/attention/operation_text.h"
#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sources.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask_terms.h"
#include "core/request/option_text.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"
#include "core/script/latex_document.h"
#include "core/script/latex_text.h"
#include "core/script/script_writer.h"

namespace headscope {
namespace {

// The query's place on the aligned diagonal: "i", "i + 2".
std::string position_tex(const Trace& trace) {
  const std::int64_t moved = own_diagonal(trace.request, *trace.inputs);
  return moved == 0 ? "i" : moved > 0 ? fmt::format("i + {}", moved) : fmt::format("i - {}", -moved);
}

// "The mask causal, padding:1: hidden where $j > i$ or $j \ge 5$."
std::string mask_words(const Trace& trace) {
  const std::vector<MaskTerm> terms = mask_terms_of(trace.request, *trace.inputs);
  const bool inverted = has_variant(trace.request, Variant::mask_inverted);
  const std::string position = position_tex(trace);
  std::string where;
  std::vector<std::string> added;
  for (const MaskTerm& term : terms) {
    const MaskTermInfo& info = mask_term_info(term.kind);
    if (info.latex_hidden != nullptr) {
      where += (where.empty() ? "" : " or ") + info.latex_hidden(position, trace.inputs->key_len, term.size);
    }
    if (info.latex_added == nullptr) continue;
    const std::string adds = info.latex_added(position, trace.num_heads(), term.size);
    if (std::find(added.begin(), added.end(), adds) == added.end()) added.push_back(adds);
  }
  if (!trace.request.paint.empty()) where += (where.empty() ? "" : ", then ") + std::string("as painted by hand");
  std::string words = fmt::format("The mask \\texttt{{{}}}{}", tex_text(mask_text(terms), 120),
                                  inverted ? ", inverted, a known mistake" : "");
  if (!where.empty()) words += fmt::format(": {} where {}", inverted ? "visible" : "hidden", where);
  if (!trace.terms().added.empty()) words += fmt::format("; $m$ is {}", fmt::join(added, " plus "));
  return words + ".";
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

// The stages between two others that are a formula of other stages (StageInfo::formula).
void write_by_formula(Latex& x, StageId after, StageId before) {
  for (const Stage& stage : x.trace.stages) {
    const StageInfo& info = stage_info(stage.id);
    if (!info.formula || stage.id <= after || stage.id >= before) continue;
    const std::vector<StageId> sources = feeding_stages(x.trace, stage.id);
    x.stage(stage.id, tex_at(stage.id, info.letters),
            spelled_formula(
                info.formula->value,
                {.times = " ",
                 .cell =
                     [&](std::size_t k) {
                       const std::string cell = tex_at(sources[k], info.letters);
                       const bool adds = k == 0 && stage.id == StageId::capped_scores &&
                                         caps_added(x.trace.as_computed(), *x.trace.mask);
                       return adds ? "(" + cell + " + m_{b,h,i,j})" : cell;
                     },
                 .parameter = [&](const FormulaParameter& of) { return tex_number(of.of(x.trace.as_computed())); },
                 .open = [](const FormulaFunction& of) { return std::string(of.latex) + "\\bigl("; },
                 .close = "\\bigr)"}),
            std::string(info.formula->sentence));
  }
}

// `sink`: what a sink adds to the sum of a row.
void write_sinks(Latex& x, const char* sink) {
  x.stage(StageId::sink_weights, tex_at(StageId::sink_weights, "b,h,i"),
          fmt::format("\\frac{{\\exp \\sigma_h}}{{\\sum_{{j=0}}^{{{}}} \\exp {}{}}}", x.trace.key_len() - 1,
                      tex_at(StageId::masked_scores, "b,h,i,j"), sink),
          "What the sink takes: no key gets it.");
}

// What is added to a score: " + c2p_{b,h,i,j} + m_{b,h,i,j}".
std::string added_tex(const Trace& trace) {
  std::string plus;
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    if (trace.find(stage) != nullptr) plus += " + " + tex_at(stage, "b,h,i,j");
  }
  return trace.terms().added.empty() ? plus : plus + " + m_{b,h,i,j}";
}

// Queries and keys with what belongs to the pair's relative position.
void write_position_formulas(Latex& x) {
  if (x.trace.position_heads == nullptr) return;
  const std::string scale = scale_tex(x.trace);
  const auto sum = [&](StageId content, const char* at, const char* position) {
    return fmt::format("\\sum_{{d=0}}^{{{}}} {} \\, {}_{{h,r(i-j),d}} {}", x.trace.inputs->head_dim - 1,
                       tex_at(content, at), position, scale);
  };
  x.stage(StageId::c2p, tex_at(StageId::c2p, "b,h,i,j"), sum(StageId::query, "b,h,i,d", "P^k"),
          "Every query meets the key $P^k$ of the pair's relative position, in row $r$ of the model's table.");
  x.stage(StageId::p2c, tex_at(StageId::p2c, "b,h,i,j"), sum(StageId::key, "b,h,j,d", "P^q"),
          "Every key meets the query $P^q$ of the pair's relative position.");
}

void write_scores(Latex& x) {
  const Trace& trace = x.trace;
  const Request& r = trace.request;
  const Inputs& in = *trace.inputs;
  const std::int64_t group = in.num_heads / in.num_kv_heads;
  const std::string g = group == 1 ? "h" : fmt::format("\\lfloor h/{} \\rfloor", group);
  const bool transposed = !has_variant(r, Variant::key_not_transposed);
  write_position_formulas(x);
  x.stage(StageId::raw_scores, tex_at(StageId::raw_scores, "b,h,i,j"),
          fmt::format("\\sum_{{d=0}}^{{{}}} {} \\, {}", in.head_dim - 1, tex_at(StageId::query, "b,h,i,d"),
                      tex_at(StageId::key, (transposed ? fmt::format("b,{},j,d", g) : fmt::format("b,{},d,j", g)))),
          transposed ? "Every query meets every key." : "The key is not transposed: a known mistake.");
  const bool after_softmax = has_variant(r, Variant::mask_after_softmax);
  const bool hides = trace.mask->hidden.any() && !after_softmax, added = !trace.terms().added.empty();
  const std::string plus = added_tex(trace);
  const auto masked = [&](const std::string& score, const std::string& fill) {
    if (!hides) return score;
    return fmt::format("\\begin{{cases}} {} & \\text{{hidden}} \\\\ {} & \\text{{otherwise}} \\end{{cases}}", fill,
                       score);
  };
  const std::string words = mask_words(trace), fill = tex_number(r.mask_fill);
  if (r.mask_order == MaskOrder::before_scale && (hides || added)) {
    x.stage(StageId::scores, tex_at(StageId::scores, "b,h,i,j"),
            "\\left(" + masked(tex_at(StageId::raw_scores, "b,h,i,j") + plus, fill) + "\\right) " + scale_tex(trace),
            words + " It comes before the scaling.");
    x.stage(StageId::masked_scores, tex_at(StageId::masked_scores, "b,h,i,j"), tex_at(StageId::scores, "b,h,i,j"),
            "They are masked already.");
  } else {
    x.stage(StageId::scores, tex_at(StageId::scores, "b,h,i,j"),
            tex_at(StageId::raw_scores, "b,h,i,j") + " " + scale_tex(trace),
            trace.scale == 1.0 ? "Nothing is scaled." : "Scaled.");
    const StageId before = trace.as_computed().softcap ? StageId::capped_scores : StageId::scores;
    write_by_formula(x, StageId::scores, StageId::masked_scores);
    const bool capped_last = caps_added(trace.as_computed(), *trace.mask);
    x.stage(StageId::masked_scores, tex_at(StageId::masked_scores, "b,h,i,j"),
            masked(tex_at(before, "b,h,i,j") + (capped_last ? "" : plus), fill),
            hides || added ? words : "No mask hides anything here.");
  }
  const bool columns = has_variant(r, Variant::softmax_over_queries);
  const bool sinks = trace.find(StageId::sink_weights) != nullptr;
  const char* sink = sinks ? " + \\exp \\sigma_h" : "";
  std::string weights = fmt::format("\\frac{{\\exp {0}}}{{\\sum_{{{1}=0}}^{{{2}}} \\exp {3}{4}}}",
                                    tex_at(StageId::masked_scores, "b,h,i,j"), columns ? "i'" : "j'",
                                    (columns ? trace.query_len() : trace.key_len()) - 1,
                                    tex_at(StageId::masked_scores, columns ? "b,h,i',j" : "b,h,i,j'"), sink);
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
  if (sinks) about += " Every head has a learned sink $\\sigma_h$ beside them.";
  x.stage(StageId::weights, tex_at(StageId::weights, "b,h,i,j"), weights, about);
  write_sinks(x, sink);
}

void write_rest(Latex& x) {
  const Trace& trace = x.trace;
  const Request& r = trace.request;
  const Inputs& in = *trace.inputs;
  const std::int64_t group = in.num_heads / in.num_kv_heads;
  const std::string g = group == 1 ? "h" : fmt::format("\\lfloor h/{} \\rfloor", group);
  const bool drops = trace.find(StageId::dropped_weights) != nullptr;
  x.stage(StageId::dropped_weights, tex_at(StageId::dropped_weights, "b,h,i,j"),
          r.dropout < 1 ? fmt::format("{} \\cdot \\mathit{{kept}}_{{b,h,i,j}} \\big/ (1 - {})",
                                      tex_at(StageId::weights, "b,h,i,j"), tex_number(r.dropout))
                        : "0",
          r.dropout < 1 ? "Dropout: $\\mathit{kept}$ is 1 where a weight stays and 0 where it is dropped."
                        : "Dropout of all.");
  std::string heads;
  for (const LayerHead& off : ablated_heads(r)) {
    if (off.layer == in.layer) heads += fmt::format("{}{}", heads.empty() ? "" : ", ", off.head);
  }
  x.stage(StageId::context, tex_at(StageId::context, "b,h,i,d"),
          fmt::format("\\sum_{{j=0}}^{{{}}} {} \\, {}", trace.key_len() - 1,
                      tex_at(drops ? StageId::dropped_weights : StageId::weights, "b,h,i,j"),
                      tex_at(StageId::value, fmt::format("b,{},j,d", g))),
          heads.empty() ? std::string("What every head reads.")
                        : fmt::format("What every head reads; 0 where $h$ is {}: off.", heads));
  write_by_formula(x, StageId::context, StageId::concat);
  const StageId merged = feeding_stages(trace, StageId::concat).front();
  const std::int64_t width = in.value_head_dim, len = trace.query_len();
  if (r.merge == Merge::transpose) {
    x.stage(StageId::concat, tex_at(StageId::concat, fmt::format("b,i,{}h+d", width)), tex_at(merged, "b,h,i,d"),
            "Heads side by side.");
  } else {
    x.stage(StageId::concat,
            tex_at(StageId::concat, fmt::format("b,\\lfloor n/{0} \\rfloor,n \\bmod {0}", in.num_heads * width)),
            tex_at(merged, fmt::format("b,\\lfloor n/{0} \\rfloor,\\lfloor n/{1} \\rfloor \\bmod {2},n \\bmod {1}",
                                       len * width, width, len)),
            fmt::format("Reshaped without transposing back, a known mistake: the $n$-th number stays the $n$-th, $0 "
                        "\\le n < {}$.",
                        in.num_heads * len * width));
  }
  if (!in.weights.output.empty()) {
    x.stage(StageId::output, tex_symbol(StageId::output), latex_product(StageId::concat, "W_o", in.weights.output),
            fmt::format("The last projection,{}.", where_weights("W_o", in.weights.output)));
  }
  if (trace.find(StageId::attention_norm_out) != nullptr) write_output_norm(x, *in.output_norm);
}

// The first of them, for \texttt.
std::string token_list(const std::vector<std::string>& tokens) {
  constexpr std::size_t kMost = 16;
  std::string list;
  for (std::size_t i = 0; i < std::min(kMost, tokens.size()); ++i) list += (i == 0 ? "" : " ") + tokens[i];
  return tex_text(tokens.size() > kMost ? list + " ..." : list, 120);
}

// "--scale-query 0.1=2 --edit scores:0,0,0,0=1", or "".
std::string changes_by_hand(const Request& request) {
  if (!intervenes(request)) return "";
  Request only;
  visit_interventions(only, [&](const auto& kind, auto& list) {
    if (kind.effect != InterventionEffect::heads) list = request.*kind.field;
  });
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
  x.line("\\usepackage[a4paper,margin=25mm]{geometry}");
  x.line("\\setlength{\\parskip}{4pt}");
  x.line("\\begin{document}");
  x.line("\\raggedright");
  x.line("\\section*{Multi-head attention}");
  const std::string queries = token_list(trace.inputs->tokens), keys = token_list(trace.inputs->key_tokens);
  x.line(fmt::format("{} queries, {} keys, {} heads of {} features.", trace.query_len(), trace.key_len(),
                     trace.num_heads(), trace.inputs->head_dim));
  if (!queries.empty()) x.line(fmt::format("Tokens: \\texttt{{{}}}.", queries));
  if (!keys.empty() && trace.inputs->key_tokens != trace.inputs->tokens) {
    x.line(fmt::format("Tokens of the keys: \\texttt{{{}}}.", keys));
  }
  x.line("");
  x.line("Indices count from 0: $b$ batch, $h$ head, $i$ query, $j$ key, $d$ feature.");
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
