// Request, Model: what a capture holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"

namespace headscope::ui {
namespace {

// "weights, values"
std::string parts_of(const CaptureReport& report) {
  std::vector<std::string> parts;
  if (report.weights) parts.emplace_back("weights");
  if (report.scores) parts.emplace_back("scores");
  if (report.query_key) parts.emplace_back("query, key");
  if (report.value) parts.emplace_back("value");
  if (report.mask) parts.emplace_back("mask");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string grid_text(const ImageGrid& grid) {
  return fmt::format("{} \xC3\x97 {} patches", grid.rows, grid.columns);
}

std::vector<std::int64_t> captured_layers(const ModelTrace& model) {
  std::vector<std::int64_t> layers;
  const std::vector<std::int64_t>& missing = model.capture->missing;
  for (std::int64_t layer = 0; layer < std::ssize(model.layers); ++layer) {
    if (!std::binary_search(missing.begin(), missing.end(), layer)) layers.push_back(layer);
  }
  return layers;
}

}  // namespace

void draw_capture(RequestRows& rows) {
  const Request& draft = rows.ui.session.draft;
  const auto trace = rows.ui.session.trace();
  const char* why = "Fixed by the capture: it holds what another program computed.";
  const bool known = trace != nullptr && trace->model != nullptr && trace->model->capture != nullptr &&
                     trace->request.model == draft.model;
  if (!known) {
    rows.problem("layer");
    return rows.locked("num_heads", "\xE2\x80\x94", why);
  }
  const CaptureReport& report = *trace->model->capture;
  const Inputs& inputs = *trace->inputs;
  draw_layer(rows, captured_layers(*trace->model));
  if (!report.missing.empty()) {
    const std::string first = fmt::format("{}", fmt::join(report.missing, ", "));
    rows.locked("missing", report.missing.size() > 8 ? fmt::format("{} layers", report.missing.size()) : first,
                "The file does not hold these layers: nothing is shown of them, and nothing is made up.");
  }
  rows.locked("holds", parts_of(report), why);
  rows.locked("num_heads", std::to_string(inputs.num_heads), why);
  if (inputs.num_kv_heads != inputs.num_heads) rows.locked("num_kv_heads", std::to_string(inputs.num_kv_heads), why);
  if (inputs.head_dim > 0) rows.locked("head_dim", std::to_string(inputs.head_dim), why);
  if (inputs.batch > 1) rows.locked("batch", std::to_string(inputs.batch), why);
  rows.locked("tokens",
              inputs.query_len == inputs.key_len ? std::to_string(inputs.query_len)
                                                 : fmt::format("{} queries, {} keys", inputs.query_len, inputs.key_len),
              why);
  if (report.scale) rows.locked("scale", fmt::format("{}", *report.scale), why);
  if (report.grid) rows.locked("image", grid_text(*report.grid), why);
  if (report.key_grid) rows.locked("key image", grid_text(*report.key_grid), why);
}

}  // namespace headscope::ui
