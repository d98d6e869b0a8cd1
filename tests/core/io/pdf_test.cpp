#include "core/io/pdf.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace headscope {
namespace {

// A document without a page, with the parts that a recipe needs.
constexpr const char* kPdfEmpty =
    "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n"
    "trailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n45\n%%EOF\n";

TEST(Pdf, GivesBackItsRecipeWhateverThePhraseSays) {
  for (const char* json : {R"({"phrase":"a b"})", R"({"phrase":"/Type /HeadscopeRecipe /Length 3"})",
                           R"({"phrase":"2 0 obj << /Type /HeadscopeRecipe >> stream x endstream"})", "{}", ""}) {
    EXPECT_EQ(pdf_recipe(pdf_with_recipe(kPdfEmpty, json), "f.pdf"), json);
  }
}

TEST(Pdf, TheLastRecipeCounts) {
  EXPECT_EQ(pdf_recipe(pdf_with_recipe(pdf_with_recipe(kPdfEmpty, "[1]"), "[2]"), "f.pdf"), "[2]");
}

TEST(Pdf, AnotherDocumentHasNone) {
  EXPECT_EQ(pdf_recipe(kPdfEmpty, "f.pdf"), std::nullopt);
  EXPECT_EQ(pdf_recipe("", "f.pdf"), std::nullopt);
}

TEST(Pdf, ARecipeThatBreaksOffIsRefused) {
  const std::string whole = pdf_with_recipe(kPdfEmpty, "[1,2,3]");
  EXPECT_THROW(pdf_recipe(whole.substr(0, whole.find("[1,2") + 4), "f.pdf"), Error);
}

}  // namespace
}  // namespace headscope
