// Names that are cut to a width: those that differ have labels that differ.
#include "core/picture/text/labels_apart.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"

namespace headscope {
namespace {

std::size_t apart_letters_of(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at = next_grapheme(text, at)) ++count;
  return count;
}

// A letter is 1 wide.
LabelFit fit_to(std::size_t width) {
  LabelFit fit;
  fit.width = static_cast<double>(width);
  fit.width_of = [](std::string_view text) { return static_cast<double>(apart_letters_of(text)); };
  fit.cut_at_end = [width](const std::string& text) {
    if (apart_letters_of(text) <= width) return text;
    std::size_t at = 0;
    for (std::size_t k = 0; k + 1 < width; ++k) at = next_grapheme(text, at);
    return text.substr(0, at) + "…";
  };
  return fit;
}

std::vector<AxisName> named(const std::vector<std::string>& names) {
  std::vector<AxisName> axis;
  for (const std::string& name : names) axis.push_back({static_cast<std::int64_t>(axis.size()), name});
  return axis;
}

using Labels = std::vector<std::string>;

TEST(LabelsApart, LeaveWhatFitsAndWhatIsAlreadyApartAsItWas) {
  EXPECT_EQ(labels_apart({}, fit_to(5)), Labels());
  EXPECT_EQ(labels_apart(named({"cat", "dog", "cat"}), fit_to(5)), (Labels{"cat", "dog", "cat"}));
  EXPECT_EQ(labels_apart(named({"counter", "revolution"}), fit_to(6)), (Labels{"count…", "revol…"}));
  EXPECT_EQ(labels_apart(named({"counter", "counter"}), fit_to(6)), (Labels{"count…", "count…"}))
      << "the same token twice is the same label twice";
}

TEST(LabelsApart, CutInTheMiddleWhereTheBeginningsAreAlike) {
  EXPECT_EQ(labels_apart(named({"counterrevolution1", "counterrevolution22", "x"}), fit_to(8)),
            (Labels{"coun…on1", "coun…n22", "x"}));
}

TEST(LabelsApart, PutTheIndexBeforeWhatDiffersInTheMiddleOnly) {
  EXPECT_EQ(labels_apart(named({"aaaaaaaXaaaaaaa", "b", "aaaaaaaYaaaaaaa"}), fit_to(6)),
            (Labels{"0 aaa…", "b", "2 aaa…"}));
}

TEST(LabelsApart, ALabelNeverLooksLikeAnothersWholeName) {
  const Labels labels = labels_apart(named({"count…", "counterpart", "countersign"}), fit_to(6));
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), 3U);
}

TEST(LabelsApart, ManyAlikeAndLongOnesStayApartWithinTheWidth) {
  for (const std::size_t width : {6U, 9U, 15U}) {
    std::vector<std::string> names;
    for (int k = 0; k < 120; ++k) names.push_back("counterrevolutionary" + std::to_string(k));
    names.push_back(std::string(100000, 'a') + "b");
    names.push_back(std::string(100000, 'a') + "c");
    const Labels labels = labels_apart(named(names), fit_to(width));
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size()) << width;
    for (const std::string& label : labels) EXPECT_LE(apart_letters_of(label), width) << label;
  }
}

TEST(CutInTheMiddle, KeepsGraphemesWholeAndNeedsRoomForTheEllipsis) {
  EXPECT_EQ(cut_in_the_middle("\u00e9\u00e8\u00e0\u00f9", fit_to(3)), "\u00e9…\u00f9");
  EXPECT_EQ(cut_in_the_middle("abc", fit_to(1)), "…");
  EXPECT_EQ(cut_in_the_middle("abc", fit_to(0)), "");
}

}  // namespace
}  // namespace headscope
