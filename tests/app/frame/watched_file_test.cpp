#include "app/frame/watched_file.h"

#include <gtest/gtest.h>

#include <string_view>

#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(WatchedFile, EveryOptionThatNamesAFileIsRead) {
  std::size_t found = 0;
  for (const RequestOption& option : request_options()) {
    const std::string_view takes = option.placeholder;
    if (!takes.starts_with("FILE") && takes != "SESSION") continue;
    Request request;
    option.set(request, "a file.npy");
    EXPECT_TRUE(reads_file(request, "a file.npy")) << option.name;
    EXPECT_FALSE(reads_file(request, "another.npy")) << option.name;
    ++found;
  }
  EXPECT_GE(found, 11u);
}

TEST(WatchedFile, ModelsAndMasksAreReadToo) {
  Request request;
  request.model = "folder";
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::file, 0, "m.npy"}};
  EXPECT_TRUE(reads_file(request, "folder"));
  EXPECT_TRUE(reads_file(request, "m.npy"));
  EXPECT_FALSE(reads_file(request, "x.npy"));
}

}  // namespace
}  // namespace headscope
