#include "core/export/stops_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>

#include "core/base/error.h"
#include "core/export/page_data.h"
#include "core/export/page_parts.h"
#include "core/heads/shown_weights.h"
#include "core/io/json_text.h"
#include "core/io/page_recipe.h"

namespace headscope {
namespace {

// The numbers of stops that show the same stage in the same way.
struct PageSet {
  ViewSpec view;
  std::shared_ptr<const AsShown> shown;
};

struct PageSets {
  std::vector<PageSet> sets;
  std::vector<std::size_t> of_stop;
  double cells = 0;
};

ViewSpec without_head(ViewSpec view) {
  view.view = ViewKind::head;
  view.theme = Theme::light;
  view.head = 0;
  view.heads_shown.reset();
  view.aggregate.reset();
  return view;
}

PageSets sets_of(const Trace& run, const StopsPage& lesson) {
  PageSets all;
  for (const PageStop& stop : lesson.stops) {
    const ViewSpec view = without_head(stop.view);
    std::size_t at = 0;
    while (at < all.sets.size() && all.sets[at].view != view) ++at;
    all.of_stop.push_back(at);
    if (at < all.sets.size()) continue;
    const auto hidden = is_shown_stage(view.stage) ? std::optional(HiddenColumns::removed) : std::nullopt;
    all.sets.push_back({view, std::make_shared<const AsShown>(run, hidden)});
    all.cells += page_cells(all.sets.back().shown->trace(), view);
  }
  const double bytes = all.cells * kPageBytesPerCell;
  if (bytes <= kMostPageBytes) return all;
  throw UsageError("out", fmt::format("a page of {:.0f} MB: the maps of all heads and layers", bytes / 1e6),
                   "at most 64 MB: a shorter phrase, or a PDF");
}

// Paragraphs of a user's text.
void write_words(std::ostream& out, std::string_view words) {
  out << "<div class=\"words\">";
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    out << "<p dir=\"auto\">" << html_text(words.substr(begin, end - begin)) << "</p>";
    begin = end + 1;
  }
  out << "</div>\n";
}

void write_body(std::ostream& out, const StopsPage& lesson) {
  out << "<body>\n<header>\n<h1 dir=\"auto\">" << html_text(lesson.title) << "</h1>\n<p>" << html_text(lesson.about)
      << "</p>\n";
  write_page_controls(out);
  out << "</header>\n<main class=\"lesson\">\n<section id=\"stops\" aria-label=\"Stops\"><ol>\n";
  for (std::size_t k = 0; k < lesson.stops.size(); ++k) {
    out << "<li><button>" << k + 1 << " of " << lesson.stops.size() << "</button>";
    write_words(out, lesson.stops[k].words);
    for (const std::string& own : lesson.stops[k].own) {
      if (!own.empty()) out << "<p class=\"own\">" << html_text(own) << "</p>\n";
    }
    out << "</li>\n";
  }
  out << "</ol></section>\n";
  write_page_maps(out);
}

std::string stops_json(const StopsPage& lesson, const PageSets& all) {
  nlohmann::ordered_json stops = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < lesson.stops.size(); ++k) {
    const PageStop& stop = lesson.stops[k];
    stops.push_back({{"set", all.of_stop[k]},
                     {"layer", stop.layer},
                     {"head", stop.view.head},
                     {"query", stop.query},
                     {"key", stop.key}});
  }
  return page_text(json_dump(stops));
}

}  // namespace

HtmlPage stops_page(const Trace& run, const StopsPage& lesson, const CancelToken& cancel) {
  const auto all = std::make_shared<const PageSets>(sets_of(run, lesson));
  HtmlPage page;
  page.bytes =
      page_style().size() + page_script().size() + 3000 + static_cast<std::uint64_t>(all->cells * kPageBytesPerCell);
  page.write = [all, lesson, cancel](std::ostream& out, const std::map<std::string, std::string>& recipe,
                                     const std::function<void(double)>& progress) {
    write_page_head(out, lesson.title, Theme::light);
    write_body(out, lesson);
    if (const auto found = recipe.find("headscope"); found != recipe.end()) {
      out << page_json("headscope", found->second) << '\n';
    }
    out << "<script type=\"application/json\" id=\"headscope-data\">{\"stops\":" << stops_json(lesson, *all)
        << ",\"sets\":[";
    const auto count = static_cast<double>(all->sets.size());
    for (std::size_t n = 0; n < all->sets.size(); ++n) {
      if (n > 0) out << ',';
      const auto done = [&](double share) {
        if (progress) progress((static_cast<double>(n) + share) / count);
      };
      write_page_data(out, all->sets[n].shown->trace(), all->sets[n].view, cancel, done);
    }
    out << "]}</script>\n<script>" << page_script() << "</script>\n</body>\n" << kPageEnd;
  };
  return page;
}

}  // namespace headscope
