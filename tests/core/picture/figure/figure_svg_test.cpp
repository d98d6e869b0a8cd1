#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/io/png.h"
#include "core/io/svg.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/figure/xml_check.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::string svg_of(const Trace& trace, const ViewSpec& view) {
  std::ostringstream out;
  figure_svg(trace, view).write(out, recipe_of(trace, view), {});
  return out.str();
}

std::vector<XmlElement> elements_of(const std::string& svg, const std::string& name = "") {
  const XmlReader reader(svg);
  std::vector<XmlElement> found;
  for (const XmlElement& element : reader.elements()) {
    if (name.empty() || element.name == name) found.push_back(element);
  }
  return found;
}

bool says(const std::string& svg, const std::string& text) {
  const auto texts = elements_of(svg, "text");
  return std::any_of(texts.begin(), texts.end(), [&](const XmlElement& each) { return each.text == text; });
}

double value(const XmlElement& element, const char* attribute) {
  return std::stod(element.attributes.at(attribute));
}

std::vector<std::byte> decoded(const std::string& base64) {
  std::vector<std::byte> bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const unsigned digit = c >= 'a' ? c - 'a' + 26 : c >= 'A' ? c - 'A' : c >= '0' ? c - '0' + 52 : c == '+' ? 62 : 63;
    bits = bits << 6 | digit;
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<std::byte>(bits >> (held -= 8) & 255));
  }
  return bytes;
}

TEST(FigureSvg, every_view_is_valid_xml_of_the_size_of_the_picture) {
  for (const char* mask : {"none", "causal"}) {
    for (const char* merge : {"transpose", "direct"}) {
      const auto trace = small_trace(7, {{"mask", mask}, {"merge", merge}});
      for (const auto& [kind, stage] :
           {std::pair(ViewKind::heads, StageId::weights), std::pair(ViewKind::head, StageId::masked_scores),
            std::pair(ViewKind::stage, StageId::input), std::pair(ViewKind::concat, StageId::concat)}) {
        ViewSpec view = view_of(kind, stage);
        for (const double scale : {1.0, 2.0}) {
          view.scale = scale;
          const std::string svg = svg_of(*trace, view);
          const XmlElement root = elements_of(svg).front();
          const FigureSize size = figure_size(*trace, view);
          EXPECT_EQ(root.name, "svg");
          EXPECT_EQ(value(root, "width"), size.width);
          EXPECT_EQ(value(root, "height"), size.height);
          EXPECT_FALSE(elements_of(svg, "title").at(0).text.empty());
          EXPECT_NE(elements_of(svg, "desc").at(0).text.find("seeded"), std::string::npos);
          for (const XmlElement& rect : elements_of(svg, "rect")) {
            if (rect.attributes.count("x") == 0) continue;  // the ground
            EXPECT_LE(value(rect, "x") + value(rect, "width"), size.width);
            EXPECT_LE(value(rect, "y") + value(rect, "height"), size.height);
          }
        }
      }
    }
  }
}

// Every cell of the map lies under exactly one rectangle of its colour; hidden ones are hatched.
TEST(FigureSvg, cells_have_the_colours_of_the_picture) {
  const auto trace = small_trace(9, {{"mask", "causal"}});
  const ViewSpec view = view_of(ViewKind::head);
  const std::string svg = svg_of(*trace, view);
  const Image image = draw_figure(*trace, view);
  const MapItem map = items_of<MapItem>(figure_plan(*trace, view, false)).at(0);
  const int cell = map.spec.width / 9;
  int hatched = 0;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      const int x = map.x + j * cell + 2, y = map.y + i * cell + 2;
      std::string color;
      int covering = 0;
      for (const XmlElement& rect : elements_of(svg, "rect")) {
        if (rect.attributes.count("x") == 0 || value(rect, "x") > x || value(rect, "y") > y) continue;
        if (value(rect, "x") + value(rect, "width") <= x || value(rect, "y") + value(rect, "height") <= y) continue;
        if (rect.attributes.at("fill") == "url(#hatch)") {
          hatched += 1;
          EXPECT_GT(j, i);
        } else {
          color = rect.attributes.at("fill");
          ++covering;
        }
      }
      ASSERT_EQ(covering, 1) << i << ' ' << j;
      if (j > i) continue;  // drawn with its hatch
      const Rgba pixel = image.at(x, y);
      char expected[8];
      std::snprintf(expected, sizeof expected, "#%02x%02x%02x", pixel.r, pixel.g, pixel.b);
      EXPECT_EQ(color, expected) << i << ' ' << j;
    }
  }
  EXPECT_EQ(hatched, 36);
  EXPECT_EQ(elements_of(svg, "pattern").size(), 1u);
}

TEST(FigureSvg, words_are_words_at_their_places) {
  const auto trace = small_trace(5);
  const ViewSpec view = view_of(ViewKind::head);
  const std::string svg = svg_of(*trace, view);
  for (const TextItem& item : items_of<TextItem>(figure_plan(*trace, view, false))) {
    EXPECT_TRUE(says(svg, item.text)) << item.text;
  }
  EXPECT_TRUE(says(svg, "query \u2193"));
  int ends = 0;
  for (const XmlElement& text : elements_of(svg, "text")) {
    const auto anchor = text.attributes.find("text-anchor");
    if (anchor != text.attributes.end() && anchor->second == "end") ++ends;
  }
  EXPECT_GE(ends, 5);  // the row labels keep their right ends in any font
}

TEST(FigureSvg, nan_and_infinity_are_marked) {
  const auto trace = small_trace(4, {{"mask", "padding:4"}});
  const std::string svg = svg_of(*trace, view_of(ViewKind::head));
  int crosses = 0;
  for (const XmlElement& path : elements_of(svg, "path")) {
    if (path.attributes.at("d").find('L') != std::string::npos && path.attributes.count("fill") == 0) ++crosses;
  }
  EXPECT_GE(crosses, 16);
}

TEST(FigureSvg, any_token_gives_valid_xml) {
  Request request = small_request(1);
  request.phrase =
      "a<b> &amp; \"q\" 'x' ]]> \x01\x1b[2J \x7f \xF0\x9F\x98\x80 \xEF\xBF\xBE \xED\x95\x9C\xEA\xB8\x80 \xC2\x85z";
  const auto trace = trace_of(request);
  for (const ViewKind kind : {ViewKind::heads, ViewKind::head, ViewKind::concat}) {
    const std::string svg = svg_of(*trace, view_of(kind));
    EXPECT_FALSE(XmlReader(svg).elements().empty());
    const auto recipe = svg_recipe(svg, "it");
    ASSERT_TRUE(recipe.has_value());
    EXPECT_EQ(parse_session(*recipe, "it").request, request);
  }
  EXPECT_TRUE(says(svg_of(*trace, view_of(ViewKind::head)), "a<b>"));
}

// More cells than are drawn one by one: an image with the pixels of the PNG.
TEST(FigureSvg, many_cells_become_an_image) {
  const auto trace = small_trace(210, {{"mask", "causal"}});
  ViewSpec view = view_of(ViewKind::head);
  const std::string svg = svg_of(*trace, view);
  const auto images = elements_of(svg, "image");
  ASSERT_EQ(images.size(), 1u);
  EXPECT_LT(elements_of(svg, "rect").size(), 200u);
  EXPECT_NE(elements_of(svg, "desc").at(0).text.find("44,100 cells"), std::string::npos);
  const std::string prefix = "data:image/png;base64,", href = images[0].attributes.at("xlink:href");
  ASSERT_TRUE(href.starts_with(prefix));
  const std::vector<std::byte> bytes = decoded(href.substr(prefix.size()));
  const Image inside = parse_png(bytes, "the image inside");
  const MapItem map = items_of<MapItem>(figure_plan(*trace, view, false)).at(0);
  EXPECT_EQ(inside.pixels, draw_heatmap(map.spec).pixels);
  view.cell.reset();
  EXPECT_TRUE(elements_of(svg_of(*small_trace(190), view), "image").empty());
}

TEST(FigureSvg, a_cancelled_one_stops) {
  const auto trace = small_trace(5);
  CancelToken cancel;
  const FigureDocument figure = figure_svg(*trace, view_of(ViewKind::heads), cancel);
  cancel.cancel();
  std::ostringstream out;
  EXPECT_THROW(figure.write(out, {}, {}), Cancelled);
}

TEST(SvgRecipe, what_is_damaged_is_refused_and_what_is_foreign_has_none) {
  EXPECT_FALSE(svg_recipe("<svg><metadata>x</metadata></svg>", "x").has_value());
  EXPECT_THROW(svg_recipe("<svg><metadata id=\"headscope\"", "x"), Error);
  EXPECT_THROW(svg_recipe("<svg><metadata id=\"headscope\">{}", "x"), Error);
  EXPECT_THROW(svg_recipe("<svg><metadata id=\"headscope\">&bad;</metadata>", "x"), Error);
  EXPECT_THROW(svg_recipe("<svg><metadata id=\"headscope\">&</metadata>", "x"), Error);
  EXPECT_EQ(svg_recipe("<svg><metadata\n id=\"headscope\" >&amp;&lt;</metadata></svg>", "x"), "&<");
  const std::string whole = "<svg><metadata id=\"headscope\">{}</metadata><g/></svg>\n<!-- by hand -->\n";
  EXPECT_EQ(svg_recipe(whole, "x"), "{}");
  for (std::size_t size = 0; size + 20 < whole.size(); ++size) {
    EXPECT_THROW(svg_recipe(whole.substr(0, size), "x"), Error) << size;
  }
  EXPECT_TRUE(is_svg("<?xml version=\"1.0\"?>\n<!-- x -->\n<!DOCTYPE svg>\n<svg"));
  EXPECT_FALSE(is_svg("<html>"));
  EXPECT_FALSE(is_svg("<!-- never"));
  EXPECT_FALSE(is_svg(""));
}

}  // namespace
}  // namespace headscope
