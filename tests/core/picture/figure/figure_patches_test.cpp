// The text view of a model that reads an image: weights painted over it, of all heads together and of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/picture/patch_picture.h"
#include "tests/core/model/vision_files.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/figure/xml_check.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> vit_trace() {
  Request request;
  request.model = kVisionModels + "vit";
  request.image = vision_image();
  return trace_of(request);
}

ViewSpec patch_view(std::int64_t token) {
  ViewSpec view = view_of(ViewKind::text);
  view.token = token;
  return view;
}

TEST(FigurePatches, TheImageIsPaintedTogetherAndHeadByHead) {
  const auto trace = vit_trace();
  const FigurePlan plan = figure_plan(*trace, patch_view(9), false);
  const std::vector<ImageItem> images = items_of<ImageItem>(plan);
  ASSERT_EQ(images.size(), 1u + 3u);
  const TextWeights weights = text_weights(*trace, {0, {0, 1, 2}, 9, TextAlong::row, HeadsCombined::sum});
  const auto patches = image_patches(*trace, true);
  const ValueRange range{0, weights.largest, false, false};
  const Image expected =
      painted_patches(*patches, {weights.values, weights.hidden}, {ColorMap::viridis, range, Theme::dark},
                      images[0].pixels->width, images[0].pixels->height);
  EXPECT_EQ(images[0].pixels->pixels, expected.pixels);
  EXPECT_EQ(static_cast<std::int64_t>(images[0].pixels->width) * patches->grid.rows,
            static_cast<std::int64_t>(images[0].pixels->height) * patches->grid.columns)
      << "patches are square";
  EXPECT_TRUE(has_text(plan, "[CLS]")) << "the token that is no patch";
  EXPECT_TRUE(has_text(plan, "what query 9"));
}

TEST(FigurePatches, TheSizeIsKnownBeforeItIsDrawn) {
  const auto trace = vit_trace();
  for (const char* width : {"", "120mm", "55mm"}) {
    ViewSpec view = patch_view(0);
    if (*width != '\0') view.paper.width = PaperLength{std::stod(width), LengthUnit::mm};
    const FigurePlan measured = figure_plan(*trace, view, true), drawn = figure_plan(*trace, view, false);
    EXPECT_EQ(measured.width, drawn.width) << width;
    EXPECT_EQ(measured.height, drawn.height) << width;
    // On paper the caption's height depends on what is seen.
    if (!view.paper.width) {
      EXPECT_TRUE(items_of<ImageItem>(measured).empty()) << "nothing is painted for a size";
    }
    for (const ImageItem& image : items_of<ImageItem>(drawn)) {
      EXPECT_LE(image.x + image.pixels->width, drawn.width) << width;
      EXPECT_LE(image.y + image.pixels->height, drawn.height) << width;
    }
  }
}

TEST(FigurePatches, PixelsDrawingAndPageHoldIt) {
  const auto trace = vit_trace();
  const ViewSpec view = patch_view(9);
  const Image pixels = draw_figure(*trace, view);
  const ImageItem first = items_of<ImageItem>(figure_plan(*trace, view, false)).front();
  // A patch in the middle, where no ring is.
  const int x = first.pixels->width / 2 + 3, y = 3;
  EXPECT_EQ(pixels.at(first.x + x, first.y + y), first.pixels->at(x, y));
  std::ostringstream svg;
  figure_svg(*trace, view).write(svg, {}, {});
  const XmlReader drawing(svg.str());
  const auto images = std::count_if(drawing.elements().begin(), drawing.elements().end(),
                                    [](const XmlElement& element) { return element.name == "image"; });
  EXPECT_EQ(images, 4);
  std::ostringstream page;
  figure_pdf(*trace, view).write(page, {}, {});
  EXPECT_NE(page.str().find("/Subtype /Image"), std::string::npos);
}

}  // namespace
}  // namespace headscope
