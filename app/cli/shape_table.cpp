#include "app/cli/shape_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/cli/output.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/attention/operation_text.h"
#include "core/attention/stage_statistics.h"
#include "core/base/cancel.h"
#include "core/base/utf8.h"
#include "core/explain/first_nonfinite.h"
#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"
#include "core/request/request_text.h"
#include "core/tensor/statistics.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kMostTokens = 24, kMostPositions = 12, kMostTokenBytes = 48;

// A token as it fits a line of many: its first graphemes when it is long.
std::string short_token(const std::string& token) {
  if (token.size() <= kMostTokenBytes) return printable(token);
  std::size_t end = 0;
  for (std::size_t next = next_grapheme(token, 0); next <= kMostTokenBytes && next > end;
       next = next_grapheme(token, end)) {
    end = next;
  }
  return printable(std::string_view(token).substr(0, end)) + "...";
}

std::string tokens_line(const char* title, const std::vector<std::string>& tokens) {
  std::string line = fmt::format("{:<11}", title);
  for (std::size_t i = 0; i < tokens.size() && i < kMostTokens; ++i) {
    line += (i == 0 ? "" : " | ") + short_token(tokens[i]);
  }
  if (tokens.size() > kMostTokens) line += fmt::format(" | ... {} in all", tokens.size());
  return line + "\n";
}

std::string count_text(std::int64_t count) {
  return count == 0 ? "" : std::to_string(count);
}

std::string positions_text(const std::vector<std::int64_t>& positions) {
  std::string text;
  for (std::size_t i = 0; i < positions.size() && i < kMostPositions; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", positions[i]);
  }
  return positions.size() > kMostPositions ? text + ", ..." : text;
}

const char* fully_masked_text(FullyMasked choice) {
  switch (choice) {
    case FullyMasked::as_computed:
      return "as-computed";
    case FullyMasked::zero:
      return "zero";
    case FullyMasked::uniform:
      return "uniform";
  }
  return "";
}

bool hides(const Trace& trace) {
  return trace.mask != nullptr && trace.mask->hidden.any();
}

std::string capture_notes(const Trace& trace) {
  const CaptureReport& report = *trace.model->capture;
  std::string text;
  if (report.row_sums) text += "note: captured weights: " + row_sums_text(*report.row_sums) + "\n";
  if (!report.missing.empty()) text += "note: " + missing_layers_text(report.missing) + "\n";
  if (!report.other_lengths.empty()) {
    text += fmt::format("note: other lengths: layers {}; --layer chooses one\n", fmt::join(report.other_lengths, ", "));
  }
  if (report.says_causal || report.mask) {
    text += fmt::format("note: computed with {}, as the file says\n", report.causal && report.mask
                                                                          ? "a causal mask and its own mask"
                                                                      : report.causal ? "a causal mask"
                                                                      : report.mask   ? "its own mask"
                                                                                      : "no causal mask");
  } else if (report.causal) {
    text += fmt::format("note: the captured weights of later keys are 0; {}\n",
                        report.query_key || report.scores ? "computed scores have a causal mask"
                                                          : "they are taken as hidden by a causal mask");
  } else if (report.query_key && !report.weights && trace.query_len() == trace.key_len() && !hides(trace)) {
    text += "note: the file says neither causal nor a mask: every query sees every key\n";
  }
  if (report.mask_left_out) text += "note: the mask hides cells whose captured weights are not 0; it is left out\n";
  if (report.scale) text += fmt::format("note: scale {}, as the file says\n", short_number(*report.scale));
  if (report.weights_difference) {
    text += fmt::format("note: captured weights differ from the computed ones by at most {}\n",
                        short_number(*report.weights_difference));
  }
  return text;
}

// `broken`: first_nonfinite() of the trace.
std::string notes_of(const Trace& trace, const std::optional<FirstNonfinite>& broken) {
  std::string text;
  if (shows_otherwise(trace)) {
    text += fmt::format("note: weights are shown otherwise than computed: {}\n", shown_sentence(trace));
  }
  if (trace.fully_masked_rows > 0) {
    text += fmt::format("note: {} of weights {} every key hidden (query {}); --fully-masked is {}\n",
                        counted(trace.fully_masked_rows, "row"), trace.fully_masked_rows == 1 ? "has" : "have",
                        positions_text(trace.fully_masked_queries), fully_masked_text(trace.request.fully_masked));
  }
  if (trace.model != nullptr && trace.model->capture != nullptr) text += capture_notes(trace);
  if (broken) text += "note: " + nonfinite_sentence(*broken) + "\n";
  if (trace.request.merge == Merge::direct && trace.find(StageId::context) != nullptr) {
    const Tensor& context = trace.tensor(StageId::context);
    const MergeReport report =
        merge_report(with_own_mask(trace.request, *trace.inputs), context.dim(1), context.dim(2), context.dim(3));
    text += fmt::format("note: --merge direct mixes up to {} and {} into one row of concat\n",
                        counted(report.tokens_per_row, "token"), counted(report.heads_per_row, "head"));
    if (report.future_leaks) {
      text += fmt::format("note: the future leaks: row {} of concat holds values of token {}\n",
                          report.first_leaking_row, report.leaked_token);
    }
  }
  return text;
}

}  // namespace

std::string notes_text(const Trace& trace) {
  return notes_of(trace, first_nonfinite(trace, CancelToken()));
}

std::string shape_table_text(const Trace& computed) {
  const TraceToExport shown = trace_to_export(computed);
  const Trace& trace = shown.trace;
  const Inputs& inputs = *trace.inputs;
  std::string text = tokens_line("tokens", inputs.tokens);
  const bool own_keys = is_cross_attention(trace.request) || inputs.key_tokens.size() != inputs.tokens.size();
  if (own_keys && !inputs.key_tokens.empty()) text += tokens_line("key tokens", inputs.key_tokens);
  std::vector<std::vector<std::string>> rows = {{"stage", "shape", "operation", "min", "max", "mean"}};
  const std::optional<FirstNonfinite> first = first_nonfinite(computed, CancelToken());
  const std::vector<NonfiniteStage> broken =
      first ? nonfinite_stages(trace, CancelToken()) : std::vector<NonfiniteStage>();
  if (!broken.empty()) rows.front().insert(rows.front().end(), {"NaN", "inf"});
  std::string left_out;
  for (const Stage& stage : trace.stages) {
    rows.push_back({std::string(stage_name(stage.id)), to_string(stage.tensor.shape()), stage.operation});
    std::vector<std::string>& row = rows.back();
    if (costly_numbers(trace, stage)) {
      left_out += (left_out.empty() ? "" : ", ") + row.front();
      row.resize(rows.front().size());
      continue;
    }
    const Statistics numbers = statistics_of(stage.tensor);
    for (const double number : {numbers.min, numbers.max, numbers.mean}) row.push_back(short_number(number));
    const auto counts =
        std::find_if(broken.begin(), broken.end(), [&](const NonfiniteStage& each) { return each.stage == stage.id; });
    if (counts != broken.end()) row.insert(row.end(), {count_text(counts->nan), count_text(counts->infinite)});
    row.resize(rows.front().size());
  }
  std::vector<Column> columns = {{}, {}, {}, {true}, {true}, {true}};
  columns.resize(rows.front().size(), {true});
  text += '\n' + table_text(columns, rows) + "\n";
  if (inputs.head_dim > 0) {
    text += fmt::format("{}, {}, head_dim {}; computed by {} in {:.1f} ms\n", counted(inputs.num_heads, "head"),
                        inputs.d_model > 0 ? fmt::format("d_model {}", inputs.d_model) : "no projection",
                        inputs.head_dim, trace.backend_description, trace.seconds * 1e3);
  } else {
    text += counted(inputs.num_heads, "head") + " of captured weights; no queries, keys or values\n";
  }
  if (!left_out.empty()) {
    text += fmt::format("note: computed when read, and not gone through for this table: {}; --json goes through all\n",
                        left_out);
  }
  return text + notes_of(computed, first);
}

}  // namespace headscope::cli
