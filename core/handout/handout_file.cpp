#include "core/handout/handout_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
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

// The page in so many pixels: all that a page of a handout holds.
FigurePlan scaled(const FigurePlan& page, int width) {
  const double share = static_cast<double>(width) / page.width;
  const auto pixels = [share](int length) { return static_cast<int>(std::lround(length * share)); };
  FigurePlan small = page;
  small.width = width;
  small.height = pixels(page.height);
  for (auto& item : small.items) {
    if (auto* const text = std::get_if<TextItem>(&item)) {
      text->x *= share;
      text->y *= share;
      text->size *= share;
    } else if (auto* const rect = std::get_if<RectItem>(&item)) {
      // Lines stay visible.
      *rect = {pixels(rect->x), pixels(rect->y), std::max(1, pixels(rect->width)), std::max(1, pixels(rect->height)),
               rect->color};
    } else if (auto* const bar = std::get_if<BarItem>(&item)) {
      *bar = {pixels(bar->x), pixels(bar->y), std::max(1, pixels(bar->width)), std::max(1, pixels(bar->height)),
              bar->map,       bar->upright};
    } else if (auto* const map = std::get_if<MapItem>(&item)) {
      map->x = map->spec.hatch_x = pixels(map->x);
      map->y = map->spec.hatch_y = pixels(map->y);
      map->spec.width = std::max(1, pixels(map->spec.width));
      map->spec.height = std::max(1, pixels(map->spec.height));
      map->spec.pixel_scale *= share;
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
  const std::vector<FigurePlan> pages = handout_pages(run, handout, paper);
  const int count = static_cast<int>(pages.size());
  return {drawn_whole(plan_rows(scaled(pages.front(), width), {})), count};
}

}  // namespace headscope
