#include "core/export/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/base/error.h"
#include "core/export/page_parts.h"
#include "core/io/base64.h"
#include "core/io/json_text.h"
#include "core/io/page_recipe.h"
#include "core/io/sha256.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/theme_words.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

// The bits of a hidden cell. page.js knows the same number. Every other NaN, also of a foreign file, is written with
// kNanBits, so that none is taken for a hidden cell.
constexpr std::uint32_t kHiddenBits = 0x7fc0beef;
constexpr std::uint32_t kNanBits = 0x7fc00000;

std::uint32_t cell_bits(float value, bool hidden) {
  if (hidden) return kHiddenBits;
  return std::isnan(value) ? kNanBits : std::bit_cast<std::uint32_t>(value);
}

// The layers that the page holds, the shown one among them.
std::vector<const Trace*> layers_of(const Trace& trace) {
  std::vector<const Trace*> layers;
  if (trace.model != nullptr) {
    for (const auto& layer : trace.model->layers) {
      if (layer != nullptr) layers.push_back(layer.get());
    }
  }
  return layers.empty() ? std::vector<const Trace*>{&trace} : layers;
}

const Tensor& stage_of(const Trace& layer, StageId id) {
  const Stage* stage = layer.find(id);
  if (stage == nullptr) {
    throw UsageError("stage",
                     fmt::format("found {}, which layer {} does not have", stage_name(id), layer.inputs->layer),
                     "a stage that every layer of the page has");
  }
  const Tensor& tensor = stage->tensor;
  if (tensor.rank() != 4 || tensor.axes()[2] != Axis::query || tensor.axes()[3] != Axis::key) {
    throw UsageError("stage", fmt::format("found {} with a page of HTML", stage_name(id)),
                     "a stage of [batch, heads, query_len, key_len]: weights, scores, raw_scores ...");
  }
  return tensor;
}

// Base64 of SHA-256, as a policy of contents names what it allows.
std::string sha256_base64(std::string_view text) {
  Sha256 sha256;
  sha256.add(text);
  const std::array<std::uint8_t, 32> digest = sha256.digest();
  std::ostringstream out;
  Base64Buffer base64(out);
  base64.sputn(reinterpret_cast<const char*>(digest.data()), static_cast<std::streamsize>(digest.size()));
  base64.finish();
  return out.str();
}

// As float32, little-endian, row after row.
void write_values(std::ostream& out, const Trace& layer, const ViewSpec& view, const CancelToken& cancel) {
  const Tensor& tensor = stage_of(layer, view.stage);
  const std::shared_ptr<const Mask> mask = shown_mask(layer, view.stage);
  const auto columns = static_cast<std::size_t>(tensor.dim(3));
  std::vector<std::uint8_t> hidden(columns);
  std::vector<char> bytes(columns * 4);
  Base64Buffer base64(out);
  for (const std::int64_t head : shown_heads(view, tensor.dim(1))) {
    for_each_row(matrix_at(tensor, view.batch, head), [&](const Index&, std::int64_t i, std::span<const float> row) {
      cancel.check();
      if (mask != nullptr) mask->hidden.read_row(view.batch, head, i, hidden);
      for (std::size_t j = 0; j < columns; ++j) {
        const std::uint32_t bits = cell_bits(row[j], hidden[j] != 0);
        for (std::size_t k = 0; k < 4; ++k) bytes[4 * j + k] = static_cast<char>(bits >> (8 * k));
      }
      base64.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
  }
  base64.finish();
}

std::string colors_base64(ColorMap map) {
  std::ostringstream out;
  Base64Buffer base64(out);
  for (const Rgba color : color_table(map)) {
    for (const std::uint8_t part : {color.r, color.g, color.b}) base64.sputc(static_cast<char>(part));
  }
  base64.finish();
  return out.str();
}

// The range of all layers together, or the one asked for.
ValueRange range_of(const std::vector<const Trace*>& layers, const ViewSpec& view) {
  if (view.range == RangeKind::fixed) return {view.range_low, view.range_high};
  const bool weights = is_weight_like(view.stage);
  ValueRange range{0, 0};
  for (const Trace* layer : layers) {
    const std::shared_ptr<const Mask> mask = shown_mask(*layer, view.stage);
    const ValueRange own = automatic_range(stage_of(*layer, view.stage), weights, !weights, mask.get());
    range.low = std::min(range.low, own.low);
    range.high = std::max(range.high, own.high);
  }
  return range;
}

Json facts_of(const Trace& trace, const std::vector<const Trace*>& layers, const ViewSpec& view) {
  const bool signed_data = !is_weight_like(view.stage);
  const ValueRange range = range_of(layers, view);
  const ColorMap map = view.colormap.value_or(default_color_map(signed_data, view.theme));
  return {{"stage", stage_name(view.stage)},
          {"layer", trace.inputs->layer},
          {"head", view.head},
          {"view", page_view(view.view)},
          {"hide_below", view.hide_below},
          {"low", json_number(range.low)},
          {"high", json_number(range.high)},
          {"per_row", view.range == RangeKind::row},
          {"log", view.log_scale},
          {"signed", signed_data},
          {"from_zero", !signed_data},
          {"colors", colors_base64(map)}};
}

// {"layer":1,"heads":[..],"queries":[..],"keys":[..],"values":"...base64..."}
void write_layer(std::ostream& out, const Trace& layer, const ViewSpec& view, const CancelToken& cancel) {
  const Json names = {{"layer", layer.inputs->layer},
                      {"heads", shown_heads(view, stage_of(layer, view.stage).dim(1))},
                      {"queries", layer.query_labels()},
                      {"keys", layer.key_labels()}};
  std::string text = json_dump(names);
  text.pop_back();  // the brace that ends it
  out << page_text(text) << ",\"values\":\"";
  write_values(out, layer, view, cancel);
  out << "\"}";
}

}  // namespace

std::string page_view(ViewKind kind) {
  switch (kind) {
    case ViewKind::heads:
    case ViewKind::head:
    case ViewKind::layers:
      return "map";
    case ViewKind::arcs:
      return "arcs";
    default:
      throw UsageError("view", fmt::format("found {} with a page of HTML", view_kind_name(kind)),
                       "heads, head, layers or arcs");
  }
}

double page_maps(const Trace& trace, const ViewSpec& view) {
  double maps = 0;
  for (const Trace* layer : layers_of(trace)) {
    maps += static_cast<double>(shown_heads(view, stage_of(*layer, view.stage).dim(1)).size());
  }
  return maps;
}

double page_cells(const Trace& trace, const ViewSpec& view) {
  page_view(view.view);
  if (view.range == RangeKind::fit) throw UsageError("range", "found fit with a page of HTML", "auto, row or LO,HI");
  if (view.aggregate) throw UsageError("aggregate", "found with a page of HTML", "none: a page holds every head");
  double cells = 0;
  for (const Trace* layer : layers_of(trace)) {
    const Tensor& tensor = stage_of(*layer, view.stage);
    if (view.batch < 0 || view.batch >= tensor.dim(0)) {
      throw UsageError("batch", fmt::format("{} asked for, the items are 0 to {}", view.batch, tensor.dim(0) - 1));
    }
    const auto heads = static_cast<double>(shown_heads(view, tensor.dim(1)).size());
    if (heads == 0) throw UsageError("heads-shown", "found none", "at least one head");
    cells += heads * static_cast<double>(tensor.dim(2)) * static_cast<double>(tensor.dim(3));
  }
  return cells;
}

void write_page_data(std::ostream& out, const Trace& trace, const ViewSpec& view, const CancelToken& cancel,
                     const std::function<void(double)>& progress) {
  const std::vector<const Trace*> layers = layers_of(trace);
  std::string facts = json_dump(facts_of(trace, layers, view));
  facts.pop_back();
  out << page_text(facts) << ",\"layers\":[";
  for (std::size_t n = 0; n < layers.size(); ++n) {
    if (n > 0) out << ',';
    write_layer(out, *layers[n], view, cancel);
    if (progress) progress(static_cast<double>(n + 1) / static_cast<double>(layers.size()));
  }
  out << "]}";
}

std::string page_title(const Trace& trace) {
  std::string title;
  for (const std::string& token : trace.inputs->tokens) {
    if (title.size() > 120) {
      title += " …";
      break;
    }
    title += (title.empty() ? "" : " ") + token;
  }
  return title;
}

void write_page_head(std::ostream& out, const std::string& title, Theme theme) {
  out << kPageStart << "<html lang=\"en\" data-theme=\"" << theme_word(theme) << "\">\n"
      << "<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      << "style-src 'sha256-" << sha256_base64(page_style()) << "'; script-src 'sha256-" << sha256_base64(page_script())
      << "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << html_text(title)
      << "</title>\n<style>" << page_style() << "</style>\n</head>\n";
}

void write_page_controls(std::ostream& out) {
  out << R"(<label id="layer-row">layer <select id="layer"></select></label>
<button id="as-map" aria-pressed="true">map</button>
<button id="as-arcs" aria-pressed="false">arcs</button>
<button id="per-row" aria-pressed="false">range of each row</button>
<button id="theme">colours</button>
)";
}

void write_page_maps(std::ostream& out) {
  out << R"(<section id="heads" aria-label="Heads"><h2>Heads</h2><div id="grid"></div></section>
<section id="large" aria-label="One head"><h2 id="name"></h2>
<p id="least-row"><label>weights from <input id="least" type="range" min="0" max="1" step="0.01"></label></p>
<div id="scroll"><canvas id="map" tabindex="0" role="img"></canvas>
<canvas id="arcs" tabindex="0" role="img" aria-label="Arcs from queries to keys" hidden></canvas></div></section>
</main>
<footer><span id="readout" role="status" aria-live="polite"></span><span><span id="low"></span> <canvas id="bar"
 role="img" aria-label="Colours from the lowest to the highest value"></canvas> <span id="high"></span></span><p id="hint">Point at a cell, or Tab to a map and
use the arrow keys.</p></footer>
<noscript>The numbers lie in this file; its own script, which is switched off here, draws them.</noscript>
)";
}

}  // namespace headscope
