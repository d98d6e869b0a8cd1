#include "core/export/html_page.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/export/page_data.h"
#include "core/export/page_parts.h"
#include "core/heads/shown_weights.h"
#include "core/heads/token_groups.h"
#include "core/io/page_recipe.h"

namespace headscope {
namespace {

// About as many bytes as the page's numbers take. UsageError for what a page cannot hold.
double checked_bytes(const Trace& trace, const ViewSpec& view) {
  const double bytes = page_cells(trace, view) * kPageBytesPerCell;
  if (bytes <= kMostPageBytes) return bytes;
  const double maps = page_maps(trace, view);
  const double fit = std::floor(std::sqrt(kMostPageBytes / kPageBytesPerCell / maps));
  throw UsageError(
      "out",
      fmt::format("a page of {:.0f} MB: {:.0f} maps of {} x {} numbers", bytes / 1e6, maps, trace.query_len(),
                  trace.key_len()),
      fmt::format("at most 64 MB: {:.0f} tokens with these heads and layers; --heads-shown takes fewer heads", fit));
}

// `shown`: how weights are shown, where it is otherwise than they were computed.
void write_body(std::ostream& out, const Trace& trace, const std::string& shown) {
  const std::string model = trace.model != nullptr ? trace.model->name + ", " : "";
  out << "<body>\n<header>\n<h1>Headscope</h1>\n<p>" << html_text(model + page_title(trace)) << "</p>\n"
      << (shown.empty() ? "" : "<p id=\"shown\">" + html_text("Weights: " + shown) + "</p>\n");
  write_page_controls(out);
  out << "</header>\n<main>\n";
  write_page_maps(out);
}

}  // namespace

void check_page_view(ViewKind kind) {
  page_view(kind);
}

HtmlPage html_page(const FigureSource& source, const ViewSpec& view, const CancelToken& cancel) {
  const auto hidden = is_shown_stage(view.stage) ? std::optional(HiddenColumns::removed) : std::nullopt;
  const auto shown = std::make_shared<const AsShown>(source.trace, hidden);
  HtmlPage page;
  page.bytes = page_style().size() + page_script().size() + 3000 +
               static_cast<std::uint64_t>(checked_bytes(shown->trace(), view));
  page.write = [shown, view, cancel](std::ostream& out, const std::map<std::string, std::string>& recipe,
                                     const std::function<void(double)>& progress) {
    const Trace& trace = shown->trace();
    write_page_head(out, page_title(trace), view.theme);
    write_body(out, trace, is_shown_stage(view.stage) ? shown_sentence(trace) : "");
    if (const auto found = recipe.find("headscope"); found != recipe.end()) {
      out << page_json("headscope", found->second) << '\n';
    }
    out << "<script type=\"application/json\" id=\"headscope-data\">";
    write_page_data(out, trace, view, cancel, progress);
    out << "</script>\n<script>" << page_script() << "</script>\n</body>\n" << kPageEnd;
  };
  return page;
}

}  // namespace headscope
