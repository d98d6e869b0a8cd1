// What a change of the prediction comes from, in words.
#include <gtest/gtest.h>

#include "app/session/background/models/predictions.h"
#include "core/request/intervention_list.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(ChangeSentence, NamesWhatIsActive) {
  PredictionResult before, after;
  before.tokens = {{4, "animal", 0, 0.9}, {5, "street", 0, 0.1}};
  after.tokens = {{5, "street", 0, 0.7}, {4, "animal", 0, 0.3}};
  const auto sentence = [&](const char* option, const char* text) {
    Request request;
    find_request_option(option)->set(request, text);
    return change_sentence(before, after, active_interventions(request, true));
  };
  const std::string change = ", animal falls from 90.0 % to 30.0 %; street rises to 70.0 %.";
  EXPECT_EQ(sentence("ablate", "1.2"), "With layer 1, head 2 off" + change);
  EXPECT_EQ(sentence("ablate", "1.2,1.3"), "With both heads off" + change);
  EXPECT_EQ(sentence("ablate", "1.2,1.3,1.4"), "With 3 heads off" + change);
  EXPECT_EQ(sentence("freeze", "1.2=identity"), "With identity weights in layer 1, head 2" + change);
  EXPECT_EQ(sentence("edit", "scores:0,2,3,1=0.5"), "With scores[0,2,3,1] = 0.5" + change);
  EXPECT_EQ(sentence("paint", "hide@2,:;show@1,:;off:hide@0,0"), "With both" + change);
  EXPECT_EQ(sentence("paint", "hide@2,:;show@1,:;hide@0,0"), "With all 3 interventions" + change);
  EXPECT_EQ(sentence("paint", "off:hide@0,0"), "");
}

}  // namespace
}  // namespace headscope
