#include "app/cli/attribution_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "app/cli/output.h"
#include "core/io/json_text.h"
#include "core/model/checkpoint.h"
#include "core/model/named_token.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 30;  // of heads and sources

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : short_number(value);
}

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "";
}

// "' tired' (57)"
std::string token_text(const Trace& trace, std::int64_t id) {
  return fmt::format("'{}' ({})", printable(token_piece(*trace.model->checkpoint, id)), id);
}

std::string heading(const Trace& trace, const LogitQuestion& question, const Attribution& found) {
  std::string text = (question.loss ? "loss of " : "logit of ") + token_text(trace, found.tokens[0].id);
  if (found.tokens.size() > 1) text += " less that of " + token_text(trace, found.tokens[1].id);
  const std::string here = trace.query_labels()[static_cast<std::size_t>(question.position)];
  return text + fmt::format(", at position {} '{}'\n\n", question.position, printable(here));
}

// Numbers of parts, the largest first; what is no number before all.
std::vector<std::size_t> by_size(const std::vector<AttributionPart>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = std::abs(parts[a].value), right = std::abs(parts[b].value);
    return std::isnan(left) != std::isnan(right) ? std::isnan(left) : left > right;
  });
  return order;
}

std::string parts_table(const Trace& trace, const LogitQuestion& question, const Attribution& found) {
  const bool heads = question.by != AttributionBy::components, keys = question.by == AttributionBy::sources;
  std::vector<Column> columns = {{}, {true}};
  std::vector<std::vector<std::string>> rows = {{"part", "layer"}};
  const auto add = [&](const char* name, bool right) {
    columns.push_back({right});
    rows[0].push_back(name);
  };
  if (heads) add("head", true);
  if (keys) add("reads", false);
  add("value", true);
  const ReadTokens labels = read_tokens(trace);
  const std::vector<std::size_t> order = by_size(found.parts);
  const std::size_t shown = heads ? std::min(kShown, order.size()) : order.size();
  for (std::size_t k = 0; k < shown; ++k) {
    const AttributionPart& part = found.parts[order[k]];
    rows.push_back({part.name, count_text(part.layer)});
    if (heads) rows.back().push_back(count_text(part.head));
    if (keys) {
      const std::string key = part.key ? labels.of(part) : "";
      rows.back().push_back(part.key ? fmt::format("{} {}", *part.key, printable(key)) : "");
    }
    rows.back().push_back(number(part.value));
  }
  if (shown < order.size()) {
    double rest = 0;
    for (std::size_t k = shown; k < order.size(); ++k) rest += found.parts[order[k]].value;
    rows.emplace_back(columns.size());
    rows.back().front() = fmt::format("{} more", order.size() - shown);
    rows.back().back() = number(rest);
  }
  return table_text(columns, rows);
}

// What was held to make a sum of it.
std::string note(const Trace& trace, const Attribution& found) {
  std::string text = "Norms are held at the mean and scale that they have at this position.\n";
  const std::optional<double>& cap = trace.model->checkpoint->architecture().logit_softcap;
  if (!cap) return text;
  text +=
      fmt::format("The model's cap of logits l, {0} tanh(l / {0}), is held as a factor: what it makes of l, over l.\n",
                  number(*cap));
  return text + (found.tokens.size() > 1 ? "Each of the two tokens has its own.\n" : "");
}

}  // namespace

std::string attribution_text(const Trace& trace, const LogitQuestion& question, const Attribution& found) {
  const std::vector<std::vector<std::string>> ends = {{"sum of all parts", fmt::format("{:.9g}", found.sum)},
                                                      {question.loss             ? "the model's own loss"
                                                       : found.tokens.size() > 1 ? "the model's own logits"
                                                                                 : "the model's own logit",
                                                       fmt::format("{:.9g}", found.total)},
                                                      {"difference", fmt::format("{:.3g}", found.sum - found.total)}};
  return heading(trace, question, found) + parts_table(trace, question, found) + '\n' + table_text({{}, {true}}, ends) +
         '\n' + note(trace, found);
}

std::string attribution_json(const Trace& trace, const LogitQuestion& question, const Attribution& found) {
  const ReadTokens labels = read_tokens(trace);
  Json head = {{"total", json_number(found.total)},
               {"sum", json_number(found.sum)},
               {"difference", json_number(found.sum - found.total)},
               {"position", question.position},
               {"of", question.loss ? "loss" : "logit"},
               {"by", kAttributionByNames[static_cast<std::size_t>(question.by)]},
               {"tokens", Json::array()}};
  for (const AttributedToken& token : found.tokens) {
    head["tokens"].push_back({{"id", token.id},
                              {"token", token_piece(*trace.model->checkpoint, token.id)},
                              {"logit", json_number(token.logit)},
                              {"factor", json_number(token.factor)}});
  }
  // Part by part, without a JSON value of all of them in between: there may be a million.
  std::string text = json_dump(head);
  text.pop_back();
  text += ",\"parts\":[";
  const auto number_or_null = [](const std::optional<std::int64_t>& each) { return each ? Json(*each) : Json(); };
  for (std::size_t k = 0; k < found.parts.size(); ++k) {
    const AttributionPart& part = found.parts[k];
    const Json json = {{"name", part.name},
                       {"layer", number_or_null(part.layer)},
                       {"head", number_or_null(part.head)},
                       {"position", number_or_null(part.key)},
                       {"token", part.key ? Json(labels.of(part)) : Json()},
                       {"value", json_number(part.value)}};
    text += (k == 0 ? "\n " : ",\n ") + json_dump(json);
  }
  return text + "\n]}\n";
}

}  // namespace headscope::cli
