// "0:3" names a head of a layer.
#include "core/request/layer_head_text.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace headscope {
namespace {

TEST(LayerHeadText, ReadsBothSpellings) {
  EXPECT_EQ(parse_layer_head("from", "0:3"), (LayerHead{0, 3}));
  EXPECT_EQ(parse_layer_head("from", "11.0"), (LayerHead{11, 0}));
  EXPECT_EQ(layer_head_text({2, 10}), "2:10");
}

TEST(LayerHeadText, RefusesTheRestByTheName) {
  for (const char* text : {"", "3", ":", "1:", ":1", "a:1", "1:-1", "1:2:3", "99999999999:0"}) {
    try {
      parse_layer_head("into", text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--into")) << error.what();
    }
  }
}

}  // namespace
}  // namespace headscope
