// The rows of VIEW that are for papers: sizes in millimetres and points, the ground, what stands around the maps.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/picture/view_option_kinds.h"

namespace headscope {

namespace {

constexpr Word<Ground> kGrounds[] = {
    {Ground::theme, "theme"}, {Ground::white, "white"}, {Ground::transparent, "transparent"}};
constexpr Word<KeyLabels> kKeyLabels[] = {{KeyLabels::all, "all"}, {KeyLabels::outer, "outer"}};

std::string font_size_text(const ViewSpec& view) {
  return view.paper.font_size ? double_text(*view.paper.font_size) : "";
}

void set_font_size(ViewSpec& view, const std::string& text) {
  const std::string expected = fmt::format("points, {} to {}, such as 8", kLeastFont, kLargestFont);
  std::string_view number = text;
  if (number.ends_with("pt")) number.remove_suffix(2);
  const double size = parse_finite("font-size", number, expected);
  if (!(size >= kLeastFont && size <= kLargestFont)) refuse_value("font-size", text, "a size of letters", expected);
  view.paper.font_size = size;
}

}  // namespace

std::string width_text(const ViewSpec& view) {
  return view.paper.width ? length_text(*view.paper.width) : whole_text(view.width);
}

void set_width(ViewSpec& view, const std::string& text) {
  if (const auto length = length_of(text)) {
    view.paper.width = length;
    view.width.reset();
    return;
  }
  if (text.find_first_not_of("-0123456789") != text.npos) {
    refuse_value("width", text, "a width",
                 "pixels such as 900, or a length on paper such as 85mm, 8.5cm, 3.35in or 241pt");
  }
  view.width = static_cast<int>(parse_whole("width", text, 1, kMostPixels));
  view.paper.width.reset();
}

std::vector<ViewOption> with_paper_options(std::vector<ViewOption> options) {
  using P = PaperSpec;
  // Each is about the whole figure, and some ask for the layout of paper; a page has none.
  const ViewReach every{ViewSet::all()};
  options.push_back(on(every, whole_option<"dpi", &P::dpi, kLeastDpi, kLargestDpi>(
                                  "N", "Pixels an inch, which the file states (default 300 for a width on paper).")));
  options.push_back(
      on(every, {"font-size", "PT", "Size of the labels in points, on paper (default 8 for a width on paper).",
                 font_size_text, set_font_size, ViewOption::Json::real}));
  options.push_back(on(every, word_option<"background", &P::ground, kGrounds, "a ground">(
                                  "The ground of the picture; white takes the colours of the light theme (default "
                                  "theme).")));
  options.push_back(
      on(every, word_option<"caption", &P::caption, kSwitch>("What the picture shows, in words (default on).")));
  options.push_back(
      on(every, word_option<"recipe-line", &P::recipe_line, kSwitch>("The request in one line (default on).")));
  // Views of one map have no map under it, and the others keep their own layout on paper.
  options.push_back(on({{ViewKind::heads}}, word_option<"key-labels", &P::key_labels, kKeyLabels>(
                                                "heads on paper: keys below every map, or only below those with no map "
                                                "under them (default all).")));
  return options;
}

}  // namespace headscope
