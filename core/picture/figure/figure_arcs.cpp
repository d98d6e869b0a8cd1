// Lines from every query to the keys that it looks at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/grouped_digits.h"
#include "core/heads/arcs.h"
#include "core/heads/sentences.h"
#include "core/picture/arc_style.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {

namespace {

// Of a row of tokens, in whole pixels: lower in longer texts.
int row_pitch(const Sheet& sheet, std::int64_t rows) {
  if (sheet.view.cell) return sheet.px(*sheet.view.cell);
  const double fitting = 1600.0 / static_cast<double>(std::max<std::int64_t>(rows, 1));
  return sheet.px(std::clamp(std::floor(fitting), 4.0, 28.0));
}

// A square and the number of each head whose lines are drawn; returns the height that they take.
int head_marks(Sheet& sheet, const std::vector<std::int64_t>& heads, int y, int width) {
  const int left = sheet.margin();
  int x = left, line = 0;
  for (const std::int64_t head : heads) {
    const std::string number = std::to_string(head);
    const int extent =
        sheet.px(10 + 5 + 12) + static_cast<int>(std::ceil(sheet.width_of(number, FontRole::numbers, 11)));
    if (x + extent > width - sheet.margin() && x > left) {
      x = left;
      ++line;
    }
    const int middle = y + line * sheet.px(18) + sheet.px(9);
    sheet.rect(x, middle - sheet.px(5), sheet.px(10), sheet.px(10), head_color(head));
    sheet.text_middle(x + sheet.px(10) + sheet.px(5), middle, number, FontRole::numbers, 11, sheet.colors.text2);
    x += extent;
  }
  return (line + 1) * sheet.px(18) + sheet.px(6);
}

struct Ends {
  int left = 0, right = 0, top = 0;  // of the lines; of the first row
  int pitch = 0;
};

void add_line(Sheet& sheet, const Arc& arc, const Ends& ends, const ArcPlace& place, double opacity) {
  const double scale = sheet.view.scale;
  const auto middle = [&](std::int64_t token) {
    return ends.top + (static_cast<double>(token) + 0.5) * ends.pitch + place.offset * scale;
  };
  CurveItem curve;
  curve.x0 = ends.left;
  curve.y0 = middle(arc.query);
  curve.x1 = ends.right;
  curve.y1 = middle(arc.key);
  curve.width = place.width * scale;
  curve.color = head_color(arc.head);
  curve.color.a = static_cast<std::uint8_t>(std::lround(255 * opacity));
  sheet.plan.items.emplace_back(curve);
}

// The strongest last, over the others; those of the query that stands out over all.
void add_lines(Sheet& sheet, const Arcs& arcs, const std::vector<std::int64_t>& heads, const Ends& ends) {
  const double row_height = ends.pitch / sheet.view.scale;
  std::vector<Arc> bright;
  for (auto arc = arcs.arcs.rbegin(); arc != arcs.arcs.rend(); ++arc) {
    if (sheet.view.token == arc->query) {
      bright.push_back(*arc);
      continue;
    }
    const auto k = std::find(heads.begin(), heads.end(), arc->head) - heads.begin();
    const ArcTone tone = sheet.view.token ? ArcTone::dim : ArcTone::plain;
    const ArcStyle style = arc_style(static_cast<double>(arc->weight), tone, row_height);
    add_line(sheet, *arc, ends, {arc_offset(k, std::ssize(heads), row_height), style.width}, style.opacity);
  }
  const std::vector<ArcPlace> places = places_side_by_side(bright, row_height);
  for (std::size_t k = 0; k < bright.size(); ++k) {
    const double opacity = arc_style(static_cast<double>(bright[k].weight), ArcTone::bright, row_height).opacity;
    add_line(sheet, bright[k], ends, places[k], opacity);
  }
}

std::vector<Span> words_about(const Sheet& sheet, std::int64_t listed, std::int64_t found, const std::string& token) {
  const Palette& colors = sheet.colors;
  std::vector<Span> words = {{"Width and opacity: weight.", colors.text2}};
  if (sheet.view.token) {
    words.push_back({"Bright:", colors.text2});
    words.push_back({token, colors.query});
    words.push_back({fmt::format("(query {}).", *sheet.view.token), colors.text2});
  }
  std::string count = grouped_digits(listed);
  if (found > listed) count = fmt::format("the {} strongest of {}", count, grouped_digits(found));
  std::string fact = fmt::format("{} link{}", count, found == 1 ? "" : "s");
  if (sheet.view.hide_below > 0) fact += fmt::format(" of at least {}", sheet.view.hide_below);
  if (found == 0) fact = fmt::format("no weight of these heads reaches {}", sheet.view.hide_below);
  words.push_back({"\u00b7 " + fact, colors.text3});
  if (sheet.view.sentences != SentencePair::all) {
    words.push_back({fmt::format("\u00b7 sentence {} only", sentence_pair_name(sheet.view.sentences)), colors.text3});
  }
  add_words_of_shown(sheet, words);
  const std::string masked = mask_sentences(sheet.trace);
  if (!masked.empty()) words.push_back({"\u00b7 " + masked, colors.warn});
  return words;
}

// The strongest arcs of the heads, and all arcs of the query that stands out, whatever else is left out.
Arcs shown_arcs(const Sheet& sheet, const std::vector<std::int64_t>& heads, const ArcRegion& region) {
  const ViewSpec& view = sheet.view;
  ArcRequest request{view.batch, heads, region.queries, region.keys, view.hide_below, kMostArcs};
  Arcs arcs = strongest_arcs(sheet.trace, request, sheet.cancel);
  const bool chosen_listed = view.token && *view.token >= region.queries.begin && *view.token < region.queries.end;
  if (!chosen_listed || arcs.found <= std::ssize(arcs.arcs)) return arcs;
  std::erase_if(arcs.arcs, [&](const Arc& arc) { return arc.query == *view.token; });
  request.queries = {*view.token, *view.token + 1};
  const Arcs own = strongest_arcs(sheet.trace, request, sheet.cancel);
  arcs.arcs.insert(arcs.arcs.begin(), own.arcs.begin(), own.arcs.end());
  return arcs;
}

// The heading of the figure; returns the y of the first row.
int add_heading(Sheet& sheet, const std::vector<std::int64_t>& heads, const Ends& ends, int width) {
  Sheet::Title title;
  title.name = "Lines";
  title.stage = "weights";
  title.fact = "query to key";
  if (sheet.trace.inputs->batch > 1) {
    title.fact += fmt::format(" \u00b7 batch {} of {}", sheet.view.batch, sheet.trace.inputs->batch);
  }
  int y = sheet.header(title, width);
  y += head_marks(sheet, heads, y, width);
  if (!sheet.view.labels) return y;
  sheet.text_anchored(ends.left - sheet.px(8), y + sheet.px(8), "query", {FontRole::words, 11, sheet.colors.query}, 1);
  sheet.text_anchored(ends.right + sheet.px(8), y + sheet.px(8), "key", {FontRole::words, 11, sheet.colors.key}, 0);
  return y + sheet.px(20);
}

}  // namespace

void plan_arcs(Sheet& sheet, const StagePicture& weights, bool measure) {
  const ViewSpec& view = sheet.view;
  const std::int64_t queries = weights.rows(), keys = weights.columns();
  if (view.token && *view.token >= queries) {
    throw UsageError("token", fmt::format("{} asked for, the queries are 0 to {}", *view.token, queries - 1));
  }
  const std::vector<std::int64_t> heads = shown_heads(view, sheet.trace.num_heads());
  const ArcRegion region = arc_region(sheet.trace, view.sentences);
  const std::int64_t rows = std::max(queries, keys);
  Ends ends;
  ends.pitch = row_pitch(sheet, rows);
  const int query_gutter = sheet.row_gutter(weights.row_names(), queries, ends.pitch);
  const int key_gutter = sheet.row_gutter(weights.column_names(), keys, ends.pitch);
  const int fixed = 2 * sheet.margin() + query_gutter + key_gutter;
  if (view.width && *view.width < fixed + sheet.px(120)) {
    throw UsageError("width", fmt::format("{} pixels are too few for this picture, it needs at least {}", *view.width,
                                          fixed + sheet.px(120)));
  }
  const int width = view.width ? *view.width : std::max(fixed + sheet.px(400), sheet.px(440));
  sheet.plan.width = width;
  ends.left = sheet.margin() + query_gutter;
  ends.right = width - sheet.margin() - key_gutter;
  ends.top = add_heading(sheet, heads, ends, width);

  const Arcs arcs = measure ? Arcs{} : shown_arcs(sheet, heads, region);
  add_lines(sheet, arcs, heads, ends);
  sheet.row_labels(weights.row_names(), queries, ends.left, ends.top, ends.pitch,
                   {view.token.value_or(-1), sheet.colors.query});
  sheet.row_labels_behind(weights.column_names(), keys, ends.right, ends.top, ends.pitch);

  int bottom = ends.top + static_cast<int>(std::min<std::int64_t>(rows * ends.pitch, 1 << 20)) + sheet.px(10);
  const std::string token = view.token ? fit_text(weights.row_names()[static_cast<std::size_t>(*view.token)],
                                                  FontRole::words, sheet.font(11), sheet.font(110))
                                       : "";
  const int room = width - 2 * sheet.margin();
  if (!measure) {
    sheet.paragraph(sheet.margin(), bottom, room, words_about(sheet, std::ssize(arcs.arcs), arcs.found, token));
  }
  // How many arcs there are is not known while measuring: the numbers get as much room as they can need.
  const std::int64_t most = queries * keys * std::ssize(heads);
  Sheet widest(sheet.trace, view);
  bottom += widest.paragraph(0, 0, room, words_about(sheet, std::min(most, kMostArcs), most, token));
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace headscope
