// The bug lab's number formats: which is shown, what of the layer is rounded, and the worst head and row in words.
#include <gtest/gtest.h>

#include <string>

#include "app/ui/bug_lab/bug_lab.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class PrecisionPanel : public testing::Test {
 protected:
  PrecisionPanel() : d(causal_document()) {
    d.session.view.bug_lab.precision = true;
    d.ctrl(KeyName::b);
    d.step(3);
  }
  static Document causal_document() {
    Document document = demo_document();
    document.request = Request();
    document.request.phrase = "uno dos tres cuatro";
    document.request.heads = 4;
    document.request.d_model = 32;
    document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    return document;
  }
  bool says(const std::string& words) {
    for (const std::string& name : d.names("bug_lab/fact/")) {
      if (name.find(words) != std::string::npos) return true;
    }
    return false;
  }
  Driver d;
};

TEST_F(PrecisionPanel, EveryFormatCanBeShown) {
  EXPECT_EQ(d.names("bug_lab/format/").size(), precision_formats().size());
  EXPECT_TRUE(says("in float16"));
  for (const PrecisionFormat& format : precision_formats()) {
    d.click("bug_lab/format/" + std::string(format.name));
    EXPECT_EQ(d.session.view.bug_lab.format, format.option);
    EXPECT_TRUE(says(std::string(format.name))) << format.name;
  }
}

TEST_F(PrecisionPanel, TheWorstHeadAndRowAreNamedInOneSentence) {
  d.session.view.bug_lab.stage = StageId::weights;
  d.step(2);
  EXPECT_TRUE(says("Worst are head "));
  EXPECT_TRUE(says(" and row "));
  d.session.view.bug_lab.stage = StageId::output;
  d.step(2);
  EXPECT_TRUE(says("Worst is row ")) << "the output has no heads";
}

TEST_F(PrecisionPanel, FormatsThatDoNotRoundThePartAreNotListed) {
  d.session.view.bug_lab.rounded = Rounded::accumulation;
  d.session.view.bug_lab.format = "i8-token";
  d.step(3);
  EXPECT_EQ(d.names("bug_lab/format/").size(), 3U) << "float32, float16 and bfloat16 are formats of sums";
  EXPECT_TRUE(says("float32"));
  d.choose("bug_lab/rounded", "inputs");
  EXPECT_EQ(d.session.view.bug_lab.rounded, Rounded::inputs);
  d.step(3);
  EXPECT_EQ(d.names("bug_lab/format/").size(), precision_formats().size());
}

}  // namespace
}  // namespace headscope::ui
