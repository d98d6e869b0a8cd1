#include "core/picture/figure/corpus_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_digits.h"
#include "core/corpus/mean_words.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/paper.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kMargin = 14, kWidth = 620, kHistograms = 270, kPlaneBeside = 440, kBetween = 26;
constexpr int kLargestSide = 16384;

bool has_histograms(const CorpusFigure& figure) {
  return figure.record != nullptr && figure.head < figure.record->heads.size() &&
         figure.record->heads[figure.head].rows > 0;
}

int add_title(CorpusPage& page, int width) {
  const int margin = page.px(kMargin);
  const double middle = margin + page.font(9);
  page.text(margin, middle, page.figure.title, {FontRole::words_bold, 13, page.colors.text});
  const double after = drawn_width(page.figure.title, FontRole::words_bold, page.font(13)) + page.font(12);
  const std::string fact =
      fit_text(page.figure.fact, FontRole::words, page.font(12), std::max(0.0, width - 2.0 * margin - after));
  page.text(margin + after, middle, fact, {FontRole::words, 12, page.colors.text2});
  return margin + page.px(28);
}

// "Layers x heads: mean max weight", and what the marks are.
std::string grid_title(const CorpusPage& page) {
  return "Layers \u00d7 heads: " + mean_title(page.table.keys[page.mean(page.figure.grid)]);
}

std::string marks_words(const CorpusPage& page) {
  std::string words = fmt::format("white or black frame: head {}", page.name_of(page.figure.head));
  if (!page.figure.chosen.empty())
    words = fmt::format("{}; framed in blue: {}", words, grouped_count(std::ssize(page.figure.chosen), "chosen head"));
  if (!page.figure.cluster.empty()) {
    const std::set<std::int64_t> numbers(page.figure.cluster.begin(), page.figure.cluster.end());
    const auto clusters = static_cast<std::int64_t>(numbers.size() - numbers.count(-1));
    words = fmt::format("{}; numbers in cells: {}", words, grouped_count(clusters, "cluster"));
  }
  return words;
}

// The picked head's points, or its histograms and its mean pattern. Returns the y below.
int add_head(CorpusPage& page, int x, int y, int width) {
  const CorpusFigure& figure = page.figure;
  const HeadRecord& head = figure.record->heads[figure.head];
  page.text(x, y + page.font(2), fmt::format("Head {}, {} rows", page.name_of(figure.head), head.rows),
            {FontRole::words_bold, 12, page.colors.text});
  y += page.px(20);
  if (figure.points) return add_points_plane(page, x, y, width);
  y = add_histograms(page, x, y, width);
  return figure.record->facts.patterns ? add_pattern(page, x, y, width) : y;
}

}  // namespace

FigurePlan corpus_plan(const CorpusFigure& figure) {
  if (!(figure.scale >= 0.25 && figure.scale <= 8)) {
    throw UsageError(fmt::format("scale: {} asked for, 0.25 to 8 can be drawn", figure.scale));
  }
  CorpusPage page(figure);
  const int margin = page.px(kMargin), main = std::max(page.px(kWidth), grid_width(page));
  const bool head = has_histograms(figure) && !figure.tree;
  const double beside = figure.points || figure.tree ? kPlaneBeside : kHistograms;
  const int side = head || figure.tree ? page.px(kBetween + beside) : 0;
  page.plan.width = main + side + 2 * margin;
  const int top = add_title(page, page.plan.width);
  int y = add_plane(page, margin, top, main);
  page.text(margin, y, grid_title(page), {FontRole::words_bold, 12, page.colors.text});
  y = add_grid(page, margin, y + page.px(12), main);
  page.text(margin, y + page.font(4), marks_words(page), {FontRole::words, 11, page.colors.text3});
  int below = y + page.px(18);
  const int x = margin + main + page.px(kBetween);
  if (head) below = std::max(below, add_head(page, x, top, page.px(beside)));
  if (figure.tree) {
    page.text(x, top + page.font(2), "Heads that are alike", {FontRole::words_bold, 12, page.colors.text});
    below = std::max(below, add_tree(page, x, top + page.px(20), page.px(beside)));
  }
  page.plan.height = below + margin;
  page.plan.title = figure.title;
  page.plan.description = figure.fact;
  if (page.plan.width > kLargestSide || page.plan.height > kLargestSide) {
    throw UsageError(
        fmt::format("the picture would be {} x {} pixels, at most {} x {} can be drawn: use a smaller scale",
                    page.plan.width, page.plan.height, kLargestSide, kLargestSide));
  }
  return std::move(page.plan);
}

FigurePlan corpus_plan(const CorpusFigure& figure, const ViewSpec& asked) {
  const ViewSpec view = in_pixels(asked);
  CorpusFigure shown = figure;
  shown.theme = view.theme;
  shown.map = view.colormap;
  shown.scale = view.scale;
  if (asked.paper.width) {
    // As wide as the paper is; words are as large as that leaves them.
    shown.scale = 1;
    shown.scale = static_cast<double>(*view.width) / corpus_plan(shown).width;
  }
  FigurePlan plan = corpus_plan(shown);
  plan.pixels_per_inch = pixels_per_inch(asked);
  if (asked.paper.width) {
    plan.width = *view.width;
    plan.paper_width = asked.paper.width;
  }
  return plan;
}

namespace {

template <typename Write>
FigureDocument document_by(const CorpusFigure& figure, const ViewSpec& view, const CancelToken& cancel, Write* write) {
  const auto plan = std::make_shared<const FigurePlan>(corpus_plan(figure, view));
  return {plan->width, plan->height,
          [plan, cancel, write](std::ostream& out, const auto& recipe, const auto& progress) {
            write(out, *plan, recipe, cancel, progress);
          }};
}

}  // namespace

PictureRows corpus_rows(const CorpusFigure& figure, const ViewSpec& view, const CancelToken& cancel) {
  return plan_rows(corpus_plan(figure, view), cancel);
}

FigureDocument corpus_svg(const CorpusFigure& figure, const ViewSpec& view, const CancelToken& cancel) {
  return document_by(figure, view, cancel, write_svg);
}

FigureDocument corpus_pdf(const CorpusFigure& figure, const ViewSpec& view, const CancelToken& cancel) {
  return document_by(figure, view, cancel, write_pdf);
}

}  // namespace headscope
