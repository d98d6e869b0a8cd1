// The tensors of the layer's weights: listed, shown, edited, copied, and reached from the explanation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/ui/request/number_edit.h"
#include "app/ui/weights/weights_panel.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class WeightsPanel : public testing::Test {
 protected:
  WeightsPanel() : d(open_document("demo:pronouns", Request(), ViewState())) { d.key(KeyName::w, true, true); }
  std::string edits() const { return find_request_option("edit")->get(d.session.draft); }
  const Tensor& shown() { return d.state.panels.get<WeightsData>().matrix; }
  void replace_number(const std::string& number) {
    d.key(KeyName::a, true);
    d.type(number);
    d.key(KeyName::enter);
    d.step(3);
  }
  // Zoomed so far in that a cell can be pointed at, at (row, column).
  void pick(std::int64_t row, std::int64_t column) {
    d.session.view.weights.cell = Cell{row, column};
    d.state.panels.get<WeightsJump>().wanted = true;
    d.state.focus = kWeightsPicture;
    d.step(3);
  }
  Driver d;
};

TEST_F(WeightsPanel, ListsTheTensorsAsTheOptionSpellsThem) {
  EXPECT_EQ(d.session.view.main_view, MainView::weights);
  EXPECT_FALSE(d.has("heads/0"));
  for (const WeightTensor& tensor : weight_tensors(d.trace().inputs->weights)) {
    EXPECT_TRUE(d.has("weights/tensor/" + tensor.name)) << tensor.name;
  }
  EXPECT_TRUE(d.has("weights/tensor/layers.1.qkv.weight"));
  d.key(KeyName::w, true, true);
  EXPECT_TRUE(d.has("heads/0"));
}

TEST_F(WeightsPanel, TheSameTensorOfAnotherLayerIsShownWhenTheLayerChanges) {
  d.click("weights/tensor/layers.1.output.weight");
  const std::vector<float> second = shown().values();
  d.click("weights/layer/-");
  d.step(3);
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_TRUE(d.has("weights/tensor/layers.0.output.weight"));
  EXPECT_EQ(d.state.panels.get<WeightsData>().tensor().name, "layers.0.output.weight");
  EXPECT_EQ(shown().values(), d.trace().inputs->weights.output.weight.values());
  EXPECT_NE(shown().values(), second);
}

TEST_F(WeightsPanel, ADoubleClickEditsANumberAndUndoTakesItBack) {
  pick(70, 3);
  const float before = shown().at({70, 3});
  const Rect picture = d.rect(kWeightsPicture);
  d.click_at(picture.center(), 2);
  ASSERT_TRUE(d.has("number_edit"));
  const Cell picked = *d.session.view.weights.cell;
  EXPECT_EQ(d.state.panels.get<NumberEditState>().value, fmt::format("{}", shown().at({picked.row, picked.column})));
  d.key(KeyName::escape);
  EXPECT_EQ(edits(), "") << "Esc leaves";
  pick(70, 3);
  d.key(KeyName::enter);
  d.step();
  ASSERT_TRUE(d.has("number_edit")) << "Enter opens it too";
  replace_number("0.5");
  EXPECT_EQ(edits(), "1/layers.1.qkv.weight:70,3=0.5");
  EXPECT_EQ(shown().at({70, 3}), 0.5F);
  EXPECT_TRUE(d.has("weights/tensor/layers.1.qkv.weight/1 edited"));
  d.move({2, 2});  // the line below the picture is of the cell under the mouse, else of the picked one
  d.step();
  EXPECT_EQ(d.names("weights/edited, was ").size(), 1u);
  EXPECT_EQ(d.focus(), kWeightsPicture);
  d.key(KeyName::z, true);
  d.step(3);
  EXPECT_EQ(edits(), "");
  EXPECT_EQ(shown().at({70, 3}), before);
  EXPECT_EQ(d.session.view.main_view, MainView::weights);
}

TEST_F(WeightsPanel, ArrowsMoveAndCopyTakesWhatIsPicked) {
  pick(5, 7);
  d.key(KeyName::down);
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.weights.cell, (Cell{6, 8}));
  d.ctrl(KeyName::c);
  EXPECT_EQ(std::stof(d.clipboard), shown().at({6, 8}));
  d.key(KeyName::c, true, false, true);
  EXPECT_EQ(d.clipboard.substr(0, 14), "row\\column\t0\t1");
  EXPECT_NE(d.clipboard.find("\n6\t"), std::string::npos);
  d.session.view.cell.reset();
  EXPECT_TRUE(d.session.view.weights.cell) << "it is no cell of a stage";
}

TEST_F(WeightsPanel, VectorsAreOneRow) {
  d.click("weights/tensor/layers.1.output.bias");
  ASSERT_EQ(shown().dim(0), 1);
  d.session.view.weights.cell = Cell{0, 5};
  d.state.focus = kWeightsPicture;
  d.step();
  d.key(KeyName::enter);
  d.step();
  replace_number("-2");
  EXPECT_EQ(edits(), "1/layers.1.output.bias:5=-2");
  EXPECT_EQ(d.trace().inputs->weights.output.bias.at({5}), -2.0F);
  EXPECT_FALSE(d.session.problem());
}

TEST_F(WeightsPanel, KeysWalkThroughTheList) {
  d.tab_to("weights/tensor/layers.1.qkv.weight");
  d.key(KeyName::up);
  EXPECT_EQ(d.state.panels.get<WeightsData>().at, 0u);
  d.key(KeyName::down);
  d.step();
  EXPECT_EQ(d.state.panels.get<WeightsData>().at, 1u);
  EXPECT_EQ(d.focus(), "weights/tensor/" + d.state.panels.get<WeightsData>().tensor().name);
}

TEST_F(WeightsPanel, FitsTheSmallestWindow) {
  d.resize(960, 640);
  EXPECT_TRUE(d.has(kWeightsPicture));
  EXPECT_TRUE(d.has("weights/readout"));
}

TEST(WeightsView, IsOfDrawnLayersTooAndNotOfAttentionAlone) {
  Driver d;
  d.key(KeyName::w, true, true);
  EXPECT_TRUE(d.has("weights/tensor/qkv_layer.weight"));
  EXPECT_TRUE(d.has("weights/tensor/linear_layer.bias"));
  EXPECT_FALSE(d.has("weights/layer"));
  EXPECT_EQ(d.state.panels.get<WeightsData>().matrix.shape(), (Shape{1536, 512}));
}

TEST(WeightsView, LargeTensorsAreDrawnFromTiles) {
  Document document = demo_document();
  document.request.d_model = 1536;
  Driver d(document);
  d.key(KeyName::w, true, true);
  d.step(6);
  EXPECT_TRUE(d.state.panels.get<WeightsData>().large);
  EXPECT_TRUE(d.has("weights/pooling"));
  d.session.view.weights.cell = Cell{4000, 1000};
  d.state.panels.get<WeightsJump>().wanted = true;
  d.state.focus = kWeightsPicture;
  d.step(6);
  d.key(KeyName::enter);
  d.step();
  d.key(KeyName::a, true);
  d.type("0.25");
  d.key(KeyName::enter);
  d.step(3);
  EXPECT_EQ(find_request_option("edit")->get(d.session.draft), "qkv_layer.weight:4000,1000=0.25");
  EXPECT_EQ(d.state.panels.get<WeightsData>().matrix.at({4000, 1000}), 0.25F);
}

}  // namespace
}  // namespace headscope::ui
