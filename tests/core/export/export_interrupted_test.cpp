// An export on its way: its progress, and what is left when it is cancelled or fails.
#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/export/export_stages.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

namespace fs = std::filesystem;

TEST(Export, ProgressRisesToOne) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  for (const ExportFormat format : {ExportFormat::csv_matrix, ExportFormat::csv_long, ExportFormat::npy,
                                    ExportFormat::safetensors, ExportFormat::json}) {
    double last = 0;
    export_stages(*trace, plan_of(folder.path(), format), [&](double share) {
      EXPECT_TRUE(share >= last && share <= 1);
      last = share;
    });
    EXPECT_EQ(last, 1.0);
  }
}

TEST(Export, CancellingRemovesWhatWasWrittenAndKeepsOldFiles) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  write_bytes(folder.file("weights.npy"), "old");
  for (const std::string& target : {folder.path(), folder.file("new/deep")}) {
    CancelToken cancel;
    EXPECT_THROW(export_stages(
                     *trace, plan_of(target, ExportFormat::npy),
                     [&](double share) {
                       if (share > 0.7) cancel.cancel();
                     },
                     cancel),
                 Cancelled);
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"weights.npy"}));
  EXPECT_EQ(read_bytes(folder.file("weights.npy")), "old");
}

TEST(Export, AFileInTheWayRemovesWhatWasWritten) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  fs::create_directory(folder.file("weights.npy"));
  EXPECT_TRUE(
      contains(refusal_of([&] { export_stages(*trace, plan_of(folder.path(), ExportFormat::npy)); }), "folder"));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"weights.npy"}));
  write_bytes(folder.file("file"), "x");
  refusal_of([&] { export_stages(*trace, plan_of(folder.file("file"), ExportFormat::npy)); });
}

}  // namespace
}  // namespace headscope
