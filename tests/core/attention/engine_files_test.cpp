// Files that other programs write while a result made of them is shown.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/io/npy.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

void write(const std::string& path, float value, std::int64_t rows) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  const auto count = static_cast<std::size_t>(rows * 1024);
  write_npy(out, Tensor::of({1, 1, rows, 1024}, {Axis::batch, Axis::head, Axis::query, Axis::feature},
                            std::vector<float>(count, value)));
}

// Written in place: the mapping that the shown result holds has other bytes, or none, from then on.
TEST(EngineFiles, AFileThatIsWrittenInPlaceIsReadAnewWhileItsOldNumbersAreShown) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.npy";
  write(path, 1, 64);
  Request request;
  request.query = request.key = request.value = path;
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  const auto shown = engine.run(request, {});
  EXPECT_EQ(shown->tensor(StageId::context).at({0, 0, 0, 0}), 1);

  std::filesystem::resize_file(path, 100);
  EXPECT_THROW(engine.run(request, {}), Error) << "half a file";
  write(path, 2, 3);
  const auto next = engine.run(request, {});
  EXPECT_EQ(next->query_len(), 3);
  EXPECT_EQ(next->tensor(StageId::context).at({0, 0, 2, 0}), 2);
  write(path, 3, 64);
  EXPECT_EQ(engine.run(request, {})->tensor(StageId::context).at({0, 0, 0, 0}), 3);
}

}  // namespace
}  // namespace headscope
