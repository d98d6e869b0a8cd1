// Who made a logit: what every part of a model wrote, as signed bars and maps, beside the model's own number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/minus_sign.h"
#include "core/explain/attribution.h"
#include "core/explain/logit_tokens.h"
#include "core/model/named_token.h"
#include "core/picture/figure/figure_bars.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {
namespace {

constexpr double kWidth = 560, kNarrowest = 300;  // units
constexpr std::size_t kMostBars = 48, kMostRows = 32;

// What is asked, of a model that was computed whole.
LogitQuestion question_of(const Sheet& sheet) {
  const Trace& trace = sheet.trace;
  if (trace.model == nullptr || trace.model->checkpoint == nullptr) {
    throw UsageError("view",
                     "found attribution, but this result is " +
                         std::string(trace.model == nullptr ? "of one layer, which has no vocabulary"
                                                            : "a capture, which has no weights behind it"),
                     "a whole model");
  }
  if (trace.model->final_hidden.empty()) {
    throw UsageError("view", "attribution needs all layers, and not all of them were computed");
  }
  LogitQuestion question;
  const std::optional<std::int64_t> position = position_asked(sheet.view);
  if (!position) throw UsageError("at", "found nothing; an attribution is of one position");
  if (sheet.view.question.tokens.empty()) {
    throw UsageError("token", "found nothing; an attribution is of a token's logit, or of the difference of two");
  }
  question.position = *position;
  question.by = sheet.view.question.by.value_or(AttributionBy::components);
  question.loss = sheet.view.question.loss;
  question.ids = logit_token_ids(*trace.model->checkpoint, sheet.view.question.tokens);
  return question;
}

bool is_head(const AttributionPart& part) {
  return std::string_view(part.name) == "head" || std::string_view(part.name) == "cross head";
}

bool is_source(const AttributionPart& part) {
  return std::string_view(part.name) == "source" || std::string_view(part.name) == "cross source";
}

// Whether the layers attend twice: within their own text, and to an encoder's.
bool has_cross(const Sheet& sheet) {
  return sheet.trace.inputs->encoder != nullptr;
}

// "embedding", "layer 1 mlp", "layer 1 head 3 edited".
std::string part_name(const AttributionPart& part) {
  std::string text = part.layer ? fmt::format("layer {} ", *part.layer) : "";
  if (part.head) text += fmt::format("head {} ", *part.head);
  return text + part.name;
}

// A map of parts, and everything else as bars.
struct PartMap {
  Tensor matrix;
  AxisNames names;
  std::vector<SignedBar> rest;
  std::string words;  // what rows and columns are
};

Tensor matrix_of(std::size_t rows, std::size_t columns, std::vector<float> values) {
  return Tensor::of({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, {Axis::query, Axis::key},
                    std::move(values));
}

// Layers by heads.
PartMap map_of_heads(const Sheet& sheet, const Attribution& found) {
  PartMap map;
  const std::size_t layers = sheet.trace.model->layers.size(), each = has_cross(sheet) ? 2 : 1,
                    heads = static_cast<std::size_t>(sheet.trace.num_heads());
  std::vector<float> values(layers * each * heads);
  for (const AttributionPart& part : found.parts) {
    if (is_head(part)) {
      const std::size_t row = static_cast<std::size_t>(*part.layer) * each + (is_of_cross(part) ? 1 : 0);
      values[row * heads + static_cast<std::size_t>(*part.head)] = static_cast<float>(part.value);
    } else {
      map.rest.push_back({part_name(part), part.value});
    }
  }
  map.matrix = matrix_of(layers * each, heads, std::move(values));
  map.names = {.score_like = false, .row_word = "layer", .column_word = "head"};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    map.names.rows.push_back(std::to_string(layer));
    if (each > 1) map.names.rows.push_back(fmt::format("{} cross", layer));
  }
  map.words =
      each > 1 ? "Rows: layers, self-attention and cross-attention; columns: heads." : "Rows: layers; columns: heads.";
  return map;
}

// What a head writes, by the keys that it reads.
struct HeadRow {
  std::int64_t layer = 0, head = 0;
  bool cross = false;
  double sum = 0;
  std::vector<float> sources;
};

// Heads by the tokens that they read: all heads, or those that write most, in their order.
PartMap map_of_sources(const Sheet& sheet, const Attribution& found) {
  PartMap map;
  // Of both attentions of a decoder, the encoder's tokens behind its own.
  const ReadTokens tokens = read_tokens(sheet.trace);
  const std::size_t own = tokens.own.size(), keys = own + tokens.cross.size();
  std::vector<HeadRow> rows;
  for (const AttributionPart& part : found.parts) {
    if (!is_source(part)) {
      map.rest.push_back({part_name(part), part.value});
      continue;
    }
    const bool cross = is_of_cross(part);
    if (rows.empty() || rows.back().layer != *part.layer || rows.back().head != *part.head ||
        rows.back().cross != cross) {
      rows.push_back({*part.layer, *part.head, cross, 0, std::vector<float>(keys)});
    }
    rows.back().sources[static_cast<std::size_t>(*part.key) + (cross ? own : 0)] = static_cast<float>(part.value);
    rows.back().sum += part.value;
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(rows[a].sum) > std::fabs(rows[b].sum); });
  const std::size_t shown = std::min(kMostRows, order.size());
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown));
  std::vector<float> values;
  map.names = {.columns = tokens.own, .score_like = false, .row_word = "head", .column_word = "reads"};
  map.names.columns.insert(map.names.columns.end(), tokens.cross.begin(), tokens.cross.end());
  for (std::size_t k = 0; k < shown; ++k) {
    const HeadRow& row = rows[order[k]];
    map.names.rows.push_back(fmt::format("{}.{}{}", row.layer, row.head, row.cross ? " cross" : ""));
    values.insert(values.end(), row.sources.begin(), row.sources.end());
  }
  map.words = "Rows: heads as layer.head; columns: the tokens that they read.";
  if (shown < order.size()) {
    double sum = 0;
    for (std::size_t k = shown; k < order.size(); ++k) sum += rows[order[k]].sum;
    map.rest.push_back({fmt::format("{} other heads", order.size() - shown), sum});
    map.words =
        fmt::format("Rows: of {} heads the {} that write most, as layer.head; columns: the tokens that they read.",
                    order.size(), shown);
  }
  map.matrix = matrix_of(shown, keys, std::move(values));
  return map;
}

double largest_of(const Tensor& matrix) {
  double largest = 0;
  for (const float value : matrix.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  return largest;
}

Sheet::Title title_of(const Sheet& sheet, const LogitQuestion& question) {
  const auto token = [&](std::size_t k) { return token_piece(*sheet.trace.model->checkpoint, question.ids[k]); };
  Sheet::Title title;
  title.name = question.loss ? "Who made the loss" : "Who made the logit";
  title.fact = "of " + token(0);
  if (question.ids.size() > 1) title.fact += " less that of " + token(1);
  const std::string here = sheet.trace.query_labels()[static_cast<std::size_t>(question.position)];
  title.fact += fmt::format(", at position {} {}", question.position, here);
  return title;
}

// The sum of all parts and the model's own number beside each other.
int add_totals(Sheet& sheet, const BarRoom& room, const Attribution& found, bool loss) {
  const int height = sheet.px(44), width = room.right - room.left;
  sheet.rect(room.left, room.top, width, height, sheet.colors.tint);
  const std::string own = loss                      ? "the model's own loss"
                          : found.tokens.size() > 1 ? "the model's own logits"
                                                    : "the model's own logit";
  const std::pair<std::string, std::string> columns[] = {
      {"sum of all parts", with_minus_signs(fmt::format("{:.7g}", found.sum))},
      {own, with_minus_signs(fmt::format("{:.7g}", found.total))},
      {"difference", with_minus_signs(fmt::format("{:.2g}", found.sum - found.total))}};
  for (int k = 0; k < 3; ++k) {
    const auto& [name, number] = columns[k];
    const double x = room.left + sheet.px(8) + static_cast<double>(k * width) / 3;
    const double most = static_cast<double>(width) / 3 - sheet.px(8);
    sheet.text_middle(x, room.top + height * 0.3, fit_text(name, FontRole::words, sheet.font(11), most),
                      FontRole::words, 11, sheet.colors.text2);
    sheet.text_middle(x, room.top + height * 0.7, fit_text(number, FontRole::numbers_bold, sheet.font(13), most),
                      FontRole::numbers_bold, 13, sheet.colors.text);
    sheet.plan.description += fmt::format("\n{}: {}", name, number);
  }
  return room.top + height;
}

std::vector<Span> note_of(const Sheet& sheet) {
  std::vector<Span> spans = {
      {"Norms are held at the mean and scale that they have at this position.", sheet.colors.text2}};
  if (sheet.trace.model->checkpoint->architecture().logit_softcap) {
    spans.push_back({"The model's cap of logits is held as a factor: what it makes of a logit, over that logit.",
                     sheet.colors.text2});
  }
  return spans;
}

void add_map(Sheet& sheet, const PartMap& parts, const Sheet::Title& title) {
  OneMap map;
  map.title = title;
  map.rows = parts.matrix.dim(0);
  map.columns = parts.matrix.dim(1);
  map.names = parts.names;
  map.spec = spec_of_signed(sheet, parts.matrix, largest_of(parts.matrix));
  map.legend = [&](const MapSize& size) {
    std::vector<Span> spans = legend_of_axes(
        sheet, sheet.view.question.loss ? "what is written into the loss" : "what is written into the logit",
        ", the range centred on zero", false);
    spans.push_back({parts.words, sheet.colors.text2});
    const std::string pooled = pooled_note(size, parts.matrix.dim(0), parts.matrix.dim(1), "part");
    if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, sheet.colors.text2});
    return spans;
  };
  plan_one_map(sheet, map);
}

}  // namespace

void plan_attribution(Sheet& sheet) {
  const LogitQuestion question = question_of(sheet);
  const Attribution found = attribution(*sheet.trace.model, question, sheet.cancel);
  const Sheet::Title title = title_of(sheet, question);
  int y = 0;
  std::vector<SignedBar> bars;
  if (question.by == AttributionBy::components) {
    sheet.plan.width = figure_width(sheet, sheet.px(sheet.view.width ? kNarrowest : kWidth));
    y = sheet.header(title, sheet.plan.width);
    for (const AttributionPart& part : found.parts) bars.push_back({part_name(part), part.value});
  } else {
    PartMap parts = question.by == AttributionBy::heads ? map_of_heads(sheet, found) : map_of_sources(sheet, found);
    add_map(sheet, parts, title);
    y = sheet.plan.height;
    bars = std::move(parts.rest);
  }
  const int left = sheet.margin(), right = sheet.plan.width - sheet.margin();
  y = add_bars(sheet, {left, right, y}, bars_by_size(std::move(bars), kMostBars)) + sheet.px(10);
  y = add_totals(sheet, {left, right, y}, found, question.loss) + sheet.px(8);
  y += sheet.paragraph(left, y, right - left, note_of(sheet));
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
