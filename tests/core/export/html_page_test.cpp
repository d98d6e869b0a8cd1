// What a page of HTML holds, read back as a browser would.
#include "core/export/html_page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/base/error.h"
#include "core/export/page_parts.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/page_recipe.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

std::shared_ptr<const Trace> traced(const Request& request) {
  Engine engine;
  return engine.run(request, CancelToken());
}

Request page_small_request() {
  Request request;
  request.phrase = "a </script> b <b>&";
  request.model = "seeded";
  request.d_model = 8;
  request.heads = 2;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

std::string page_of(const Trace& trace, const ViewSpec& view) {
  std::ostringstream out;
  html_page(trace, view).write(out, recipe_of(trace, view), {});
  return out.str();
}

Json data_of(const std::string& page) {
  const std::string start = "id=\"headscope-data\">";
  const std::size_t begin = page.find(start) + start.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::vector<std::uint32_t> bits_of(const std::string& base64) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t held = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    held = held << 6 | static_cast<std::uint32_t>(letters.find(c));
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<std::uint8_t>(held >> (count -= 8)));
  }
  std::vector<std::uint32_t> bits(bytes.size() / 4);
  for (std::size_t k = 0; k < bytes.size() / 4 * 4; ++k) bits[k / 4] |= std::uint32_t{bytes[k]} << (8 * (k % 4));
  return bits;
}

// Every number of a layer of the page against the trace: bits of the visible cells, the mark of hidden ones.
void expect_layer(const Json& layer, const Trace& trace, StageId stage) {
  const Tensor& tensor = trace.tensor(stage);
  const auto mask = shown_mask(trace, stage);
  const std::vector<std::uint32_t> bits = bits_of(layer.at("values"));
  const std::vector<std::int64_t> heads = layer.at("heads");
  ASSERT_EQ(bits.size(), heads.size() * static_cast<std::size_t>(tensor.dim(2) * tensor.dim(3)));
  std::size_t at = 0;
  for (const std::int64_t head : heads) {
    for (std::int64_t i = 0; i < tensor.dim(2); ++i) {
      for (std::int64_t j = 0; j < tensor.dim(3); ++j, ++at) {
        const bool hidden = mask != nullptr && mask->hidden.hidden(0, head, i, j);
        EXPECT_EQ(bits[at], hidden ? 0x7fc0beefu : std::bit_cast<std::uint32_t>(tensor.at({0, head, i, j})));
      }
    }
  }
}

TEST(HtmlPage, HoldsEveryNumberAndMarksHiddenCells) {
  const auto trace = traced(page_small_request());
  const std::string page = page_of(*trace, {});
  const Json data = data_of(page);
  ASSERT_EQ(data.at("layers").size(), 1u);
  expect_layer(data.at("layers")[0], *trace, StageId::weights);
  EXPECT_EQ(data.at("layers")[0].at("queries"), Json(trace->query_labels()));
  EXPECT_EQ(data.at("low"), 0.0);
  EXPECT_EQ(data.at("high"), 1.0);
}

TEST(HtmlPage, HoldsTheStageAndTheHeadsOfTheView) {
  const auto trace = traced(page_small_request());
  ViewSpec view;
  view.stage = StageId::raw_scores;
  view.heads_shown = std::vector<std::int64_t>{1};
  view.view = ViewKind::arcs;
  view.theme = Theme::light;
  const std::string page = page_of(*trace, view);
  const Json data = data_of(page);
  EXPECT_EQ(data.at("layers")[0].at("heads"), Json({1}));
  EXPECT_EQ(data.at("view"), "arcs");
  EXPECT_EQ(data.at("low").get<double>(), -data.at("high").get<double>());
  expect_layer(data.at("layers")[0], *trace, StageId::raw_scores);
  EXPECT_NE(page.find("data-theme=\"light\""), std::string::npos);
}

TEST(HtmlPage, HoldsEveryLayerOfAModel) {
  Request request;
  request.phrase = "the animal was tired";
  request.model = "demo:pronouns";
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  const auto trace = engine.run(request, CancelToken());
  const Json data = data_of(page_of(*trace, {}));
  ASSERT_EQ(data.at("layers").size(), trace->model->layers.size());
  for (std::size_t n = 0; n < trace->model->layers.size(); ++n) {
    expect_layer(data.at("layers")[n], *trace->model->layers[n], StageId::weights);
  }
}

// A NaN of a foreign file may have any bits, those that mark a hidden cell too.
TEST(HtmlPage, NoNumberIsTakenForAHiddenCell) {
  const auto folder = std::filesystem::temp_directory_path() / ("headscope-page-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "x.npy").string();
  const float nan = std::bit_cast<float>(0x7fc0beefu);
  std::ofstream out(file, std::ios::binary);
  write_npy(out, Tensor::of({1, 1, 2, 1}, {Axis::batch, Axis::head, Axis::query, Axis::feature}, {nan, 1}));
  out.close();
  Request request;
  request.query = request.key = request.value = file;
  const auto trace = traced(request);
  std::filesystem::remove_all(folder);
  ViewSpec view;
  view.stage = StageId::raw_scores;
  const std::vector<std::uint32_t> bits = bits_of(data_of(page_of(*trace, view)).at("layers")[0].at("values"));
  EXPECT_EQ(bits,
            (std::vector<std::uint32_t>{0x7fc00000u, 0x7fc00000u, 0x7fc00000u, std::bit_cast<std::uint32_t>(1.0f)}));
}

TEST(HtmlPage, OpensAgainAndAsksForNothing) {
  const auto trace = traced(page_small_request());
  const std::string page = page_of(*trace, {});
  const auto recipe = page_recipe(page, "x.html");
  ASSERT_TRUE(recipe);
  EXPECT_EQ(parse_session(*recipe, "x").request, trace->request);
  // Words of the phrase are text, and the only scripts are its own and data.
  EXPECT_EQ(page.find("a </script>"), std::string::npos);
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 3u);
  for (const char* address : {"http:", "https:", "src=", "url(", "@import"}) {
    EXPECT_EQ(page.find(address), std::string::npos) << address;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlPage, RefusesWhatItCannotShow) {
  const auto trace = traced(page_small_request());
  const auto refused = [&](const ViewSpec& view) { EXPECT_THROW(html_page(*trace, view), UsageError); };
  ViewSpec view;
  view.view = ViewKind::concat;
  refused(view);
  view = {};
  view.stage = StageId::output;
  refused(view);
  view.stage = StageId::capped_scores;
  refused(view);
  view = {};
  view.batch = 1;
  refused(view);
  view = {};
  view.heads_shown = std::vector<std::int64_t>{2};
  refused(view);
  view = {};
  view.range = RangeKind::fit;
  refused(view);
}

TEST(HtmlPage, ALargeOneSaysHowManyTokensFit) {
  Request request = page_small_request();
  request.phrase.clear();
  for (int k = 0; k < 3000; ++k) request.phrase += "w" + std::to_string(k) + " ";
  const auto trace = traced(request);
  try {
    html_page(*trace, {});
    FAIL() << "96 MB";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("2449 tokens"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace headscope
