// Figures for papers: sizes in millimetres and points, what stands around the maps, and the same as PDF.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <set>
#include <sstream>
#include <string>
#ifdef HEADSCOPE_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/io/pdf.h"
#include "core/io/png.h"
#include "core/picture/view_options.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/figure/xml_check.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

using Options = std::initializer_list<std::pair<const char*, const char*>>;

ViewSpec paper_view(Options options) {
  ViewSpec view;
  find_view_option("width")->set(view, "85mm");
  for (const auto& [name, value] : options) find_view_option(name)->set(view, value);
  return view;
}

FigurePlan plan_of(const Trace& trace, Options options) {
  return figure_plan(trace, paper_view(options), false);
}

std::string document_of(const FigureDocument& figure, const std::map<std::string, std::string>& recipe = {}) {
  std::ostringstream out;
  figure.write(out, recipe, {});
  return out.str();
}

// Words in the size of the caption or smaller, joined.
std::string caption_of(const FigurePlan& plan) {
  std::string words;
  for (const TextItem& item : items_of<TextItem>(plan)) {
    if (item.role != FontRole::numbers) words += item.text + " ";
  }
  return words;
}

bool paper_says(const FigurePlan& plan, const std::string& words) {
  return caption_of(plan).find(words) != std::string::npos;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k) number = number << 8 | static_cast<unsigned char>(bytes[at + k]);
  return number;
}

TEST(FigurePaper, a_width_in_millimetres_is_that_many_pixels_and_the_file_says_so) {
  const auto trace = small_trace(5);
  for (const auto& [dpi, pixels] : {std::pair("300", 1004), {"600", 2008}, {"72", 241}}) {
    const ViewSpec view = paper_view({{"dpi", dpi}});
    const PictureRows rows = figure_rows(*trace, view);
    EXPECT_EQ(rows.width, pixels);
    EXPECT_EQ(figure_size(*trace, view).height, rows.height);
    std::ostringstream out;
    write_png(out, rows, {});
    const std::size_t at = out.str().find("pHYs");
    ASSERT_NE(at, std::string::npos);
    EXPECT_NEAR(number_at(out.str(), at + 4) * 0.0254, std::stod(dpi), 0.02);
    EXPECT_EQ(number_at(out.str(), at + 4), number_at(out.str(), at + 8));
  }
  EXPECT_EQ(figure_rows(*trace, ViewSpec()).pixels_per_inch, 0);
  ViewSpec in_inches = paper_view({});
  find_view_option("width")->set(in_inches, "3.5in");
  EXPECT_EQ(figure_size(*trace, in_inches).width, 1050);
}

TEST(FigurePaper, letters_have_the_size_that_was_asked_for) {
  const auto trace = small_trace(4);
  for (const double points : {6.0, 8.0, 10.0}) {
    ViewSpec view = paper_view({});
    view.paper.font_size = points;
    const FigurePlan plan = figure_plan(*trace, view, false);
    double labels = 0;
    for (const TextItem& item : items_of<TextItem>(plan)) {
      if (item.text == "animal" || item.text == "street") labels = item.size;
    }
    EXPECT_NEAR(labels / 300 * 72, points, 1e-9);
  }
}

TEST(FigurePaper, every_view_has_the_width_of_the_column_and_nothing_stands_outside) {
  const auto trace = small_trace(5);
  for (const ViewKind kind :
       {ViewKind::heads, ViewKind::head, ViewKind::stage, ViewKind::concat, ViewKind::arcs, ViewKind::sensitivity}) {
    ViewSpec view = paper_view({{"font-size", "6"}, {"at", "0,1,2,1"}});
    view.view = kind;
    const FigurePlan plan = figure_plan(*trace, view, false);
    SCOPED_TRACE(view_kind_name(kind));
    EXPECT_EQ(plan.width, 1004);
    for (const TextItem& item : items_of<TextItem>(plan)) {
      if (item.quarter_turns != 0) continue;
      EXPECT_GE(item.x, 0) << item.text;
      EXPECT_LE(item.x + drawn_width(item.text, item.role, item.size), plan.width + 0.5) << item.text;
      EXPECT_LE(item.y, plan.height) << item.text;
    }
  }
}

TEST(FigurePaper, tokens_without_room_for_their_names_have_numbers_and_the_words_of_the_axes_stay_inside) {
  const auto trace = small_trace(16);
  const FigurePlan plan = plan_of(*trace, {});
  EXPECT_TRUE(has_line(plan, "10"));
  EXPECT_FALSE(has_line(plan, "animal"));
  for (const TextItem& item : items_of<TextItem>(plan)) EXPECT_GE(item.x, 0) << item.text;
}

TEST(FigurePaper, long_captions_wrap_and_lose_no_letter) {
  Request request = small_request(3);
  request.phrase = std::string(300, 'x') + " and " + std::string(40, 'y');
  const auto trace = trace_of(request);
  const FigurePlan plan = plan_of(*trace, {{"labels", "off"}});
  std::string letters;
  for (const TextItem& item : items_of<TextItem>(plan)) {
    EXPECT_EQ(item.text.find("\u2026"), std::string::npos) << item.text;
    EXPECT_LE(item.x + drawn_width(item.text, item.role, item.size), plan.width + 0.5) << item.text;
    letters += item.text;
  }
  EXPECT_EQ(std::count(letters.begin(), letters.end(), 'x'), 300);
  EXPECT_EQ(std::count(letters.begin(), letters.end(), 'y'), 40 + 1) << "and that of 'keys'";
}

TEST(FigurePaper, caption_and_recipe_line_can_be_left_out) {
  const auto trace = small_trace(5);
  const FigurePlan both = plan_of(*trace, {}), no_caption = plan_of(*trace, {{"caption", "off"}}),
                   no_recipe = plan_of(*trace, {{"recipe-line", "off"}});
  EXPECT_TRUE(paper_says(both, "Rows are queries, columns keys"));
  EXPECT_TRUE(paper_says(both, "d_model 16"));
  EXPECT_FALSE(paper_says(no_caption, "Rows are queries"));
  EXPECT_TRUE(paper_says(no_caption, "d_model 16"));
  EXPECT_FALSE(paper_says(no_recipe, "d_model 16"));
  EXPECT_LT(no_caption.height, both.height);
  EXPECT_LT(no_recipe.height, both.height);
  ViewSpec screen;
  const int usual = figure_size(*trace, screen).height;
  screen.paper.caption = screen.paper.recipe_line = false;
  const FigurePlan bare = figure_plan(*trace, screen, false);
  EXPECT_LT(bare.height, usual) << "also of pictures for the screen";
  EXPECT_FALSE(has_text(bare, "d_model 16"));
}

TEST(FigurePaper, keys_are_named_below_every_map_or_below_the_outer_ones) {
  const auto trace = small_trace(5);
  const auto named = [&](Options options) {
    int count = 0;
    for (const TextItem& item : items_of<TextItem>(plan_of(*trace, options))) count += item.quarter_turns;
    return count;
  };
  const std::size_t maps = items_of<MapItem>(plan_of(*trace, {{"font-size", "9"}})).size();
  ASSERT_EQ(maps, 4u);
  const int all = named({{"font-size", "9"}}), outer = named({{"font-size", "9"}, {"key-labels", "outer"}});
  EXPECT_EQ(all, 4 * 5);
  EXPECT_LT(outer, all);
  EXPECT_GE(outer, 5);
  EXPECT_EQ(outer % 5, 0);
}

TEST(FigurePaper, heads_that_are_not_asked_for_are_left_out) {
  const auto trace = small_trace(5);
  const FigurePlan two = plan_of(*trace, {{"heads-shown", "0,3"}});
  EXPECT_EQ(items_of<MapItem>(two).size(), 2u);
  EXPECT_TRUE(has_line(two, "Head 3"));
  EXPECT_FALSE(has_line(two, "Head 1"));
  ViewSpec screen;
  screen.heads_shown = {1, 2};
  EXPECT_EQ(items_of<MapItem>(figure_plan(*trace, screen, false)).size(), 2u);
  screen.heads_shown = {4};
  EXPECT_NE(refusal(*trace, screen).find("--heads-shown: 4"), std::string::npos);
  screen.heads_shown = std::vector<std::int64_t>();
  EXPECT_NE(refusal(*trace, screen).find("--heads-shown: none"), std::string::npos);
}

TEST(FigurePaper, a_white_ground_is_white_and_a_transparent_one_is_not_there) {
  const auto trace = small_trace(5);
  const Image white = draw_figure(*trace, paper_view({{"background", "white"}, {"dpi", "100"}}));
  EXPECT_EQ(white.at(0, white.height - 1), (Rgba{255, 255, 255, 255}));
  ViewSpec view = paper_view({{"background", "transparent"}, {"theme", "light"}, {"dpi", "100"}});
  const PictureRows rows = figure_rows(*trace, view);
  EXPECT_TRUE(rows.has_alpha);
  const Image clear = drawn_whole(rows);
  EXPECT_EQ(clear.at(0, clear.height - 1).a, 0);
  std::ostringstream out;
  write_png(out, rows, {});
  const std::string bytes = out.str();
  png_image decoded{};
  decoded.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&decoded, bytes.data(), bytes.size()), 0);
  decoded.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(decoded));
  ASSERT_NE(png_image_finish_read(&decoded, nullptr, pixels.data(), 0, nullptr), 0);
  ASSERT_EQ(pixels.size(), clear.pixels.size() * 4);
  for (std::size_t k = 0; k < clear.pixels.size(); ++k) {
    const Rgba& pixel = clear.pixels[k];
    ASSERT_EQ(pixels[4 * k + 3], pixel.a) << k;
    if (pixel.a == 0) continue;
    ASSERT_EQ(pixels[4 * k], pixel.r) << k;
  }
}

TEST(FigurePaper, an_svg_has_its_width_in_the_unit_that_was_asked_for) {
  const auto trace = small_trace(5);
  const std::string svg = document_of(figure_svg(*trace, paper_view({})));
  const XmlReader reader(svg);
  const XmlElement& root = reader.elements().front();
  EXPECT_EQ(root.attributes.at("width"), "85mm");
  const FigureSize size = figure_size(*trace, paper_view({}));
  EXPECT_NEAR(std::stod(root.attributes.at("height")), 85.0 * size.height / size.width, 0.01);
  EXPECT_TRUE(root.attributes.at("height").ends_with("mm"));
}

TEST(FigurePaper, a_pdf_is_as_wide_as_asked_for_with_words_and_fonts_and_its_recipe) {
  const auto trace = small_trace(5, {{"mask", "causal"}});
  const ViewSpec view = paper_view({{"background", "white"}});
  const auto recipe = recipe_of(*trace, view);
  const std::string pdf = document_of(figure_pdf(*trace, view), recipe);
  EXPECT_TRUE(is_pdf(pdf));
  EXPECT_NE(pdf.find("/MediaBox [ 0 0 240.9"), std::string::npos) << "85 mm are 240.94 points";
  EXPECT_NE(pdf.find("/FontFile"), std::string::npos);
  EXPECT_NE(pdf.find("/ToUnicode"), std::string::npos);
  EXPECT_EQ(pdf.find("/Subtype /Image"), std::string::npos) << "cells are shapes";
  EXPECT_EQ(pdf_recipe(pdf, "it"), recipe.at("headscope"));
  EXPECT_TRUE(parse_session(*pdf_recipe(pdf, "it"), "it").view == view);
  EXPECT_EQ(document_of(figure_pdf(*trace, view), recipe), pdf) << "the same bytes again";
  EXPECT_FALSE(pdf_recipe(document_of(figure_pdf(*trace, view)), "it").has_value());
  EXPECT_THROW(pdf_recipe(pdf.substr(0, pdf.rfind("endstream") - 20), "it"), Error);
}

TEST(FigurePaper, a_pdf_of_every_view_and_of_hard_words_is_made) {
  Request request = small_request(6, {{"mask", "causal"}});
  request.phrase = "\u0627\u0644\u0633\u0644\u0627\u0645 e\u0301te \U0010fffd a\u200db <&>";
  const auto trace = trace_of(request);
  for (const ViewKind kind : {ViewKind::heads, ViewKind::concat, ViewKind::arcs, ViewKind::neurons}) {
    ViewSpec view;
    view.view = kind;
    EXPECT_TRUE(is_pdf(document_of(figure_pdf(*trace, view)))) << view_kind_name(kind);
  }
}

// Fonts of Chinese have PostScript outlines, and cairo 1.16 loses 768 bytes for each of those that it embeds: while the
// page is made, LeakSanitizer looks away.
TEST(FigurePaper, a_pdf_of_chinese_words_is_made) {
  Request request = small_request(6, {{"mask", "causal"}});
  request.phrase = "\u4e2d\u6587 a";
  const auto trace = trace_of(request);
#ifdef HEADSCOPE_SANITIZED
  const __lsan::ScopedDisabler of_cairo;
#endif
  EXPECT_TRUE(is_pdf(document_of(figure_pdf(*trace, ViewSpec{}))));
}

TEST(FigurePaper, sizes_that_cannot_be_are_refused) {
  const auto trace = small_trace(5);
  EXPECT_NE(refusal(*trace, paper_view({{"dpi", "2400"}, {"width", "900mm"}})).find("--width: 900mm at 2400 dpi"),
            std::string::npos);
  EXPECT_NE(refusal(*trace, paper_view({{"width", "5mm"}})).find("--width"), std::string::npos);
}

}  // namespace
}  // namespace headscope
