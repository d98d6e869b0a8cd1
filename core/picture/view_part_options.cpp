// The rows of VIEW that choose a part of what a view could show: heads, tokens, a cell.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/from_end.h"
#include "core/heads/aggregate_kind.h"
#include "core/heads/sentence_pair.h"
#include "core/heads/text_weights_kind.h"
#include "core/picture/view_option.h"
#include "core/picture/view_option_kinds.h"
#include "core/picture/view_spec.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"

namespace headscope {

namespace {

using V = ViewSpec;

constexpr std::int64_t kMostHeads = 1 << 20;

constexpr Word<TextAlong> kAlongs[] = {{TextAlong::row, "row"}, {TextAlong::column, "column"}};
constexpr Word<HeadsCombined> kCombined[] = {{HeadsCombined::sum, "sum"}, {HeadsCombined::mean, "mean"}};

std::string list_text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string heads_shown_text(const V& view) {
  if (!view.heads_shown) return "all";
  return view.heads_shown->empty() ? "none" : list_text(*view.heads_shown);
}

void set_heads_shown(V& view, const std::string& text) {
  if (text == "all") {
    view.heads_shown.reset();
    return;
  }
  std::vector<std::int64_t> heads;
  if (text != "none") {
    for (const std::string& part : parse_list("heads-shown", text, "heads", "all, none, or heads such as 0,2,6")) {
      heads.push_back(parse_whole("heads-shown", part, 0, kMostHeads));
    }
  }
  std::sort(heads.begin(), heads.end());
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
  view.heads_shown = std::move(heads);
}

void set_hide_below(V& view, const std::string& text) {
  constexpr const char* expected = "a weight, 0 to 1";
  const double weight = parse_finite("hide-below", text, expected);
  if (!(weight >= 0 && weight <= 1)) refuse_value("hide-below", text, "a weight", expected);
  view.hide_below = weight;
}

void set_sentences(V& view, const std::string& text) {
  const auto pair = sentence_pair_named(text);
  if (!pair) refuse_value("sentences", text, "a pair of sentences", "all, a-a, a-b, b-a or b-b");
  view.sentences = *pair;
}

std::string aggregate_text(const V& view) {
  return view.aggregate ? std::string(aggregate_name(*view.aggregate)) : "none";
}

void set_aggregate(V& view, const std::string& text) {
  const auto aggregate = aggregate_named(text);
  if (!aggregate && text != "none") {
    refuse_value("aggregate", text, "an aggregate", "none, mean, max, rollout or flow");
  }
  view.aggregate = aggregate;
}

void set_at(V& view, const std::string& text) {
  std::vector<std::int64_t> at;
  for (const std::string& part : parse_list("at", text, "a cell", "B,H,I,J, or B,I,J of a stage of three axes")) {
    at.push_back(parse_place("at", part));
  }
  view.at = std::move(at);
}

}  // namespace

std::vector<ViewOption> with_part_options(std::vector<ViewOption> options) {
  using Json = ViewOption::Json;
  const std::vector<ViewOption> own = {
      token_option(),
      on({.views = {ViewKind::heads, ViewKind::arcs, ViewKind::text}, .on_pages = true},
         {"heads-shown", "all|none|H[,H]",
          "heads and arcs: the heads that are drawn; text: those whose weights shade it (default all).",
          heads_shown_text, set_heads_shown}),
      on({.views = {ViewKind::arcs}, .on_pages = true},
         {"hide-below", "W", "arcs: smaller weights are not drawn (default 0.05).",
          [](const V& v) { return double_text(v.hide_below); }, set_hide_below, Json::real}),
      on({{ViewKind::arcs}}, {"sentences", "all|a-a|a-b|b-a|b-b",
                              "arcs: with a text of two parts, only links from one part to one part (default all).",
                              [](const V& v) { return std::string(sentence_pair_name(v.sentences)); }, set_sentences}),
      on({{ViewKind::layers}},
         {"aggregate", "none|mean|max|rollout|flow",
          "layers: one map made of all heads instead of a map of each (default none).", aggregate_text, set_aggregate}),
      on({{ViewKind::sensitivity, ViewKind::explanation, ViewKind::attribution, ViewKind::sweep, ViewKind::score}},
         {"at", "B,H,I,J",
          "sensitivity, explanation: the cell of --stage, in its own axes (B,I,J in a stage of three); attribution, "
          "sweep: the position; score: the query and the key, I,J. -1 is the last of an axis.",
          [](const V& v) { return list_text(v.at); }, set_at}),
      by_option(),
      on({{ViewKind::text}}, word_option<"along", &V::along, kAlongs>(
                                 "text: the weights of the query --token on every key, or of every query on the key "
                                 "--token (default row).")),
      on({{ViewKind::text}}, word_option<"combine", &V::combined, kCombined>(
                                 "text: what becomes of the weights of several heads (default sum).")),
  };
  options.insert(options.end(), own.begin(), own.end());
  return options;
}

}  // namespace headscope
