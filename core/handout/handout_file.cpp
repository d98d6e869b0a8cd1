#include "core/handout/handout_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/export/stops_page.h"
#include "core/handout/found_stop.h"
#include "core/handout/handout_pages.h"
#include "core/handout/stop_words.h"
#include "core/io/picture_rows.h"
#include "core/picture/figure/figure_plan.h"
#include "core/picture/figure/figure_stage.h"
#include "core/picture/text/missing_letters.h"

namespace headscope {

namespace {

// The range of the colours that a page cannot compute by itself, as numbers.
ViewSpec page_view_of(const FoundStop& stop) {
  ViewSpec view = stop.view();
  if (view.range != RangeKind::fit) return view;
  const ValueRange range = stop.picture().range(0, stop.picture().heads());
  view.range = RangeKind::fixed;
  view.range_low = range.low;
  view.range_high = range.high;
  return view;
}

// A picture of fewer pixels, each the mean of those that lie under it.
Image smaller(const Image& large, int width) {
  const int height = std::max(1, static_cast<int>(std::int64_t{large.height} * width / large.width));
  Image small(width, height);
  for (int y = 0; y < height; ++y) {
    const int top = y * large.height / height, bottom = std::max(top + 1, (y + 1) * large.height / height);
    for (int x = 0; x < width; ++x) {
      const int left = static_cast<int>(std::int64_t{x} * large.width / width);
      const int right = std::max(left + 1, static_cast<int>(std::int64_t{x + 1} * large.width / width));
      std::array<int, 3> sum{};
      for (int j = top; j < bottom; ++j) {
        for (int i = left; i < right; ++i) {
          const Rgba& pixel = large.at(i, j);
          sum[0] += pixel.r;
          sum[1] += pixel.g;
          sum[2] += pixel.b;
        }
      }
      const int count = (bottom - top) * (right - left);
      small.at(x, y) = {static_cast<std::uint8_t>(sum[0] / count), static_cast<std::uint8_t>(sum[1] / count),
                        static_cast<std::uint8_t>(sum[2] / count), 255};
    }
  }
  return small;
}

}  // namespace

int write_handout_pdf(std::ostream& out, const Trace& run, const Handout& handout, const HandoutPaper& paper,
                      const CancelToken& cancel, const std::function<void(double)>& progress) {
  std::vector<FigurePlan> pages = handout_pages(run, handout, paper, cancel);
  pages.front().title = handout.title;
  pages.front().description = "A lesson in attention: its stops, each with words and the map of a head";
  write_pdf_pages(out, pages, cancel, progress);
  return static_cast<int>(pages.size());
}

HtmlPage handout_page(const Trace& run, const Handout& handout, const CancelToken& cancel) {
  StopsPage page;
  page.title = handout.title;
  page.about = request_facts(run);
  for_each_stop(run, handout, cancel, [&](const FoundStop& stop, std::size_t) {
    const PickedCell cell = stop.cell().value_or(PickedCell{0, 0});
    page.stops.push_back({stop.stop().words,
                          {fact_words(stop, cancel), stop.stop().elsewhere},
                          page_view_of(stop),
                          stop.layer().inputs->layer,
                          cell.row,
                          std::max<std::int64_t>(cell.column, 0)});
  });
  return stops_page(run, page, cancel);
}

std::string letters_missing_in(const Trace& run, const Handout& handout) {
  std::string all = handout.title + " " + run.request.phrase;
  for (const HandoutStop& stop : handout.stops) all += " " + stop.words;
  return words_of_letters_without_font(all, FontRole::words);
}

HandoutPreview handout_preview(const Trace& run, const Handout& handout, const HandoutPaper& paper, int width) {
  std::vector<FigurePlan> pages = handout_pages(run, handout, paper);
  const int count = static_cast<int>(pages.size());
  return {smaller(drawn_whole(plan_rows(std::move(pages.front()), {})), width), count};
}

}  // namespace headscope
