// Large maps whose pixels stay on the device that computes them.
#include "app/ui/map/map_view.h"
#include "app/ui/panel_data.h"
#include "core/attention/on_demand.h"
#include "core/backend/device_backend.h"
#include "core/request/request_text.h"
#include "tests/app/session/background/maps/keeping_device.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// The CPU, and beside it a device that pools what it reads from there.
class WithDevice : public Backend, public DeviceBackend {
 public:
  std::string_view name() const override { return "gpu"; }
  std::string description() const override { return "A device"; }
  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    return cpu_->linear(x, weight, bias, cancel);
  }
  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    return cpu_->query_key_products(query, key, region, cancel);
  }
  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                      const CancelToken& cancel) const override {
    return cpu_->softmax_rows(masked_scores, statistics, cancel);
  }
  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    return cpu_->weighted_values(weights, value, hidden, cancel);
  }
  std::shared_ptr<const DevicePyramid> device_pyramid(const ScoreMatrix& matrix) const override {
    const auto cells = std::make_shared<OnDemand>(cpu_, matrix.query, matrix.key, Tensor(), matrix.rule);
    const std::int64_t b = matrix.batch, h = matrix.head;
    auto device = std::make_shared<KeepingDevice>(Tensor::computed(
        {matrix.query.dim(2), matrix.key.dim(2)}, {Axis::query, Axis::key},
        [cells, matrix, b, h](const Region& region, std::span<float> out) {
          cells->read_scores(matrix.stage, {{b, b + 1}, {h, h + 1}, region[0], region[1]}, out);
          if (!matrix.changed_rows) return;
          for (const ChangedRow& row : matrix.changed_rows(region[0], region[1], CancelToken())) {
            std::copy(row.cells.begin(), row.cells.end(), out.begin() + (row.row - region[0].begin) * region[1].size());
          }
        }));
    if (fails) device->fails_at = 0;
    return device;
  }
  bool fails = false;

 private:
  const std::shared_ptr<const Backend> cpu_ = make_cpu_backend(1);
};

Document long_document(const char* mask) {
  Document document = demo_document();
  document.request.phrase.clear();
  for (int i = 0; i < 1100; ++i) document.request.phrase += (i == 0 ? "t" : " t") + std::to_string(i % 97);
  document.request.d_model = 4;
  document.request.heads = 1;
  if (*mask != '\0') find_request_option("mask")->set(document.request, mask);
  return document;
}

SessionOptions options_of(bool has_device, bool fails = false) {
  SessionOptions options;
  options.engine.stage_memory = 1 << 20;
  options.engine.make_backend = [has_device, fails](const BackendQuery&) -> std::shared_ptr<const Backend> {
    if (!has_device) return make_cpu_backend(1);
    auto backend = std::make_shared<WithDevice>();
    backend->fails = fails;
    return backend;
  };
  return options;
}

// The picture that the inspector shows; of several one over another the one on top.
const HeatmapSpec* inspected(Driver& d) {
  d.textures.of_frame.clear();
  d.step(2);
  const Rect place = d.rect("inspector/picture");
  const HeatmapSpec* top = nullptr;
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    if (spec.hatch_x == static_cast<int>(place.min.x) && spec.hatch_y == static_cast<int>(place.min.y)) top = &spec;
  }
  return top;
}

// What the inspector shows, whole and zoomed to cells, with one range and one for each row.
std::vector<Image> pictures(bool has_device, const Document& document = long_document("causal")) {
  Driver d(document, 1600, 1000, 1, options_of(has_device));
  EXPECT_NE(d.trace().on_demand, nullptr);
  std::vector<Image> drawn;
  for (const bool zoomed : {false, true}) {
    if (zoomed) d.session.view.viewport = {500, 480, 12, 12};
    d.step(3);
    const HeatmapSpec* shown = inspected(d);
    if (shown == nullptr) return drawn;
    EXPECT_EQ(shown->device != nullptr, has_device);
    EXPECT_TRUE(shown->mask == nullptr || !has_device);
    HeatmapSpec by_row = *shown;
    by_row.range.per_row = true;
    drawn.push_back(draw_heatmap(*shown));
    drawn.push_back(draw_heatmap(by_row));
  }
  EXPECT_EQ(d.session.background.maps.counts().read > 0, !has_device);
  EXPECT_EQ(d.session.background.maps.counts().on_device > 0, has_device);
  EXPECT_FALSE(d.has("notice/backend"));
  return drawn;
}

TEST(DeviceMap, IsDrawnAndReadAsOneThatIsHere) {
  const std::vector<Image> there = pictures(true), here = pictures(false);
  ASSERT_EQ(there.size(), 4U);
  ASSERT_EQ(here.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(there[i].pixels == here[i].pixels) << i;
}

TEST(DeviceMap, ProfilesAndStripsAreReadFromIt) {
  const auto profile = [](bool has_device, bool along_row) {
    Driver d(long_document("causal"), 1600, 1000, 1, options_of(has_device));
    d.step(3);
    LargeMap map;
    map.key = d.state.panel_data->map_key(StageId::weights, 0, 0);
    map.source = d.state.panel_data->map_source(StageId::weights, 0, 0);
    const Tensor& matrix = d.state.panel_data->matrix(StageId::weights, 0, 0);
    map.detail = map.whole = d.session.background.maps.last_whole(map.key, matrix, Pooling::max);
    EXPECT_TRUE(map.whole && (map.whole->device != nullptr) == has_device);
    CellGrid grid;
    grid.rows = grid.columns = 1100;
    grid.area = {{0, 0}, {550, 550}};
    grid.cell_width = grid.cell_height = 0.5;
    std::vector<float> values = map_axis_plot(map, grid, {400, 300}, along_row);
    const Strip& strip = d.state.panel_data->strip(StageId::weights, 0);
    const std::vector<float> line = strip.matrix.values();
    values.insert(values.end(), line.begin(), line.end());
    values.push_back(strip.mask ? static_cast<float>(strip.mask->hidden.hidden_count(0, 0)) : -1);
    return values;
  };
  for (const bool along_row : {true, false}) {
    const std::vector<float> there = profile(true, along_row), here = profile(false, along_row);
    EXPECT_EQ(there, here) << along_row;
    EXPECT_GT(*std::max_element(there.begin(), there.end()), 0);
  }
}

TEST(DeviceMap, ADeviceThatFailsIsSaidOnce) {
  Driver d(long_document("causal"), 1600, 1000, 1, options_of(true, true));
  d.step(3);
  EXPECT_EQ(d.session.background.maps.counts().device_failure, "the device was lost");
  EXPECT_TRUE(d.has("notice/backend"));
  const HeatmapSpec* spec = inspected(d);
  ASSERT_NE(spec, nullptr);
  EXPECT_EQ(spec->device, nullptr);
}

TEST(DeviceMap, NumbersChangedByHandLieOverThoseOfTheDevice) {
  Document document = long_document("causal");
  const auto change = [&](const char* option, const char* text) {
    find_request_option(option)->set(document.request, text);
  };
  change("scale-query", "0.0=2");
  change("edit", "masked_scores:0,0,700,3=50;weights:0,0,505,481=2");
  const std::vector<Image> there = pictures(true, document), here = pictures(false, document);
  ASSERT_EQ(there.size(), 4U);
  ASSERT_EQ(here.size(), 4U);
  const std::vector<Image> unchanged = pictures(true);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(there[i].pixels == here[i].pixels) << i;
    EXPECT_FALSE(there[i].pixels == unchanged[i].pixels) << i;
  }
}

TEST(DeviceMap, AFrozenHeadIsPooledHere) {
  Document document = long_document("causal");
  find_request_option("freeze")->set(document.request, "0.0=uniform");
  Driver d(document, 1600, 1000, 1, options_of(true));
  d.step(3);
  EXPECT_EQ(d.state.panel_data->map_source(StageId::weights, 0, 0).device, nullptr);
  EXPECT_NE(d.state.panel_data->map_source(StageId::masked_scores, 0, 0).device, nullptr);
}

}  // namespace
}  // namespace headscope::ui
