// What a refusal of an option that does nothing for a view says. Every pair of both is drawn in
// tests/core/picture/figure/views_and_options_test.cpp.
#include "core/picture/view_reach.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/picture/idle_view_options.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"

namespace headscope {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

ViewSpec reach_with(const Options& options) {
  ViewSpec view;
  for (const auto& [name, value] : options) find_view_option(name)->set(view, value);
  return view;
}

TEST(ViewReach, ARefusalNamesTheOptionAndWhatItIsFor) {
  const auto said = [](const Options& options) {
    const ViewSpec view = reach_with(options);
    try {
      refuse_idle(*find_view_option(options.back().first), view);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said({{"view", "heads"}, {"hide-below", "0.5"}}),
            "--hide-below: found with --view heads, where it does nothing; expected --view arcs");
  EXPECT_EQ(said({{"view", "layers"}, {"heads-shown", "0,2"}}),
            "--heads-shown: found with --view layers, where it does nothing; expected --view heads, arcs or text");
  EXPECT_EQ(said({{"view", "layers"}, {"aggregate", "mean"}, {"stage", "scores"}}),
            "--stage: found with --view layers, where it does nothing; expected --aggregate none: one map of all heads "
            "is of weights");
  EXPECT_EQ(said({{"view", "stage"}, {"stage", "output"}, {"head", "3"}}),
            "--head: found with --view stage, where it does nothing; expected a --stage that has heads");
  // The default says what is so in any case.
  EXPECT_EQ(said({{"view", "arcs"}, {"stage", "weights"}}), "");
  EXPECT_EQ(said({{"view", "layers"}, {"head", "0"}}), "");
  EXPECT_EQ(said({{"view", "explanation"}, {"labels", "on"}}), "");
  EXPECT_EQ(said({{"view", "concat"}, {"stage", "concat"}}), "") << "what it draws";
}

// A row that nobody gave a column is of no view.
TEST(ViewReach, ARowThatSaysNothingIsRefusedEverywhere) {
  ViewOption option = *find_view_option("theme");
  option.reach = {};
  for (const ViewKind kind : all_view_kinds()) {
    const ViewSpec view = reach_with({{"view", std::string(view_kind_name(kind))}, {"theme", "light"}});
    EXPECT_FALSE(acts_on(option, view));
    EXPECT_FALSE(acts_on(option, view, true));
    EXPECT_THROW(refuse_idle(option, view), UsageError);
  }
}

}  // namespace
}  // namespace headscope
