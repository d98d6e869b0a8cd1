#include "app/session/image_document.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/session/documents.h"
#include "core/base/error.h"
#include "core/request/problem.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/jpeg_files.h"
#include "tests/core/model/vision_files.h"

namespace headscope {
namespace {

Document opened(const std::string& path, const Request& current) {
  return open_document(path, current, ViewState());
}

std::string refusal_of(const std::string& path, const Request& current) {
  try {
    opened(path, current);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ImageDocument, APictureGoesToTheModelThatReadsIt) {
  const TemporaryFolder folder;
  Request words;
  words.phrase = "a cat";
  const Document model = opened(kVisionModels + "vit", words);
  EXPECT_EQ(model.request.model, kVisionModels + "vit");
  EXPECT_TRUE(model.request.token_ids.empty());
  for (const std::string& picture : {vision_image(), folder.write("a.jpg", test::small_jpeg())}) {
    const Document image = opened(picture, model.request);
    EXPECT_EQ(image.request.image, picture);
    EXPECT_EQ(image.request.model, model.request.model);
    EXPECT_TRUE(image.request.phrase.empty());
    EXPECT_FALSE(find_problem(image.request).has_value());
    // The next model that reads images keeps it, one that reads texts does not.
    EXPECT_EQ(opened(kVisionModels + "clip", image.request).request.image, picture);
    const Request demo = opened("demo:pronouns", image.request).request;
    EXPECT_TRUE(demo.image.empty());
    EXPECT_FALSE(find_problem(demo).has_value());
  }
}

TEST(ImageDocument, ATextModelRefusesIt) {
  const TemporaryFolder folder;
  Request words;
  words.phrase = "a cat";
  words.model = "demo:pronouns";
  const std::string jpeg = folder.write("a.jpg", test::small_jpeg());
  EXPECT_EQ(file_kind(jpeg), FileKind::jpeg);
  EXPECT_NE(refusal_of(jpeg, words).find("reads no images"), std::string::npos) << refusal_of(jpeg, words);
  EXPECT_NE(refusal_of(vision_image(), words), "") << "it holds no recipe";
  Request vit;
  vit.model = kVisionModels + "vit";
  vit.image = vision_image();
  const std::string broken = folder.write("b.jpg", test::small_jpeg().substr(0, 100));
  EXPECT_NE(refusal_of(broken, vit).find("b.jpg: damaged JPEG"), std::string::npos) << refusal_of(broken, vit);
}

}  // namespace
}  // namespace headscope
