#include "core/io/page_recipe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/io/document_recipe.h"

namespace headscope {
namespace {

std::string page_with(const std::string& inside) {
  return std::string(kPageStart) + inside + std::string(kPageEnd);
}

TEST(PageRecipe, ReadsBackWhateverStandsInIt) {
  const std::string json = R"({"phrase":"</script><!-- & \"x\" \u2028 caf\u00e9 -->"})";
  const std::string page = page_with(page_json("headscope", json));
  EXPECT_EQ(page.find("<!-- &"), std::string::npos) << "nothing in it is markup";
  const auto recipe = page_recipe(page, "x.html");
  ASSERT_TRUE(recipe);
  EXPECT_EQ(nlohmann::json::parse(*recipe), nlohmann::json::parse(json));
}

TEST(PageRecipe, OtherPagesHaveNone) {
  EXPECT_FALSE(is_page("<!DOCTYPE html>\n<html></html>\n"));
  EXPECT_EQ(page_recipe("<html></html>", "x"), std::nullopt);
  EXPECT_EQ(page_recipe(page_with("<p>"), "x"), std::nullopt);
}

TEST(PageRecipe, ACutPageIsRefusedWhereverItIsCut) {
  const std::string page = page_with(page_json("headscope", R"({"heads":2})"));
  for (std::size_t size = kPageStart.size(); size < page.size() - 1; ++size) {
    EXPECT_THROW(page_recipe(page.substr(0, size), "x"), Error) << size;
  }
  EXPECT_TRUE(page_recipe(page.substr(0, page.size() - 1), "x")) << "without its last line's end";
  EXPECT_THROW(page_recipe(page_with("<script type=\"application/json\" id=\"headscope\">{}"), "x"), Error);
}

TEST(PageRecipe, TextIsNeverMarkup) {
  EXPECT_EQ(html_text("<b>&\"a\n\xff"), "&lt;b&gt;&amp;&quot;a \xEF\xBF\xBD");
}

TEST(DocumentRecipe, EveryFormatIsKnownByItsBeginning) {
  ASSERT_NE(document_format_of(page_with("")), nullptr);
  EXPECT_STREQ(document_format_of(page_with(""))->name, "HTML page");
  EXPECT_STREQ(document_format_of("<svg></svg>")->name, "SVG drawing");
  EXPECT_STREQ(document_format_of("%PDF-1.4\n")->name, "PDF drawing");
  EXPECT_EQ(document_format_of("{}"), nullptr);
}

}  // namespace
}  // namespace headscope
