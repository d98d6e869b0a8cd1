// --backend gpu: on any driver, and on the CPU with one notice where there is none.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kNotice = "headscope-cli: notice: The CPU computes, since the GPU cannot: ";

class GpuOption : public CommandTest {
 protected:
  // A small request with a mask, exported to the folder NAME.
  Result computed(const std::string& name, const std::string& backend,
                  const std::map<std::string, std::string>& environment) {
    return run_cli({"run", "--model", "seeded", "--phrase", "one two three four five", "--d-model", "32", "--heads",
                    "4", "--mask", "causal", "--backend", backend, "--format", "npy", "--out", name},
                   {folder_.path(), "", environment});
  }
  void expect_fallback(const std::map<std::string, std::string>& environment, const std::string& reason) {
    const Result result = computed("fallen", "gpu", environment);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.substr(0, kNotice.size()), kNotice) << result.err;
    EXPECT_NE(result.err.find(reason), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(manifest("fallen")["backend"], "cpu");
    ASSERT_EQ(computed("cpu", "cpu", {}).code, 0);
    EXPECT_EQ(stage("fallen", "output").values(), stage("cpu", "output").values());
  }
};

#ifdef HEADSCOPE_NO_GPU
TEST_F(GpuOption, ABuildWithoutItSaysSo) {
  expect_fallback({}, "This build has no GPU backend.");
}
#else
TEST_F(GpuOption, EqualsTheReference) {
  const Result result = computed("gpu", "gpu", {});
  ASSERT_EQ(result.code, 0) << result.err;
  if (!result.err.empty()) {
    if (std::getenv("HEADSCOPE_REQUIRE_GL") != nullptr) FAIL() << result.err;
    GTEST_SKIP() << result.err;
  }
  EXPECT_EQ(manifest("gpu")["backend"], "gpu");
  ASSERT_EQ(computed("reference", "reference", {}).code, 0);
  for (const char* name : {"weights", "context", "output"}) {
    const std::vector<float> actual = stage("gpu", name).values(), expected = stage("reference", name).values();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_TRUE(std::abs(actual[i] - expected[i]) <= 2e-5 * std::max(0.1F, std::abs(expected[i]))) << name << i;
      EXPECT_TRUE(expected[i] != 0.0F || actual[i] == 0.0F) << name << i;
    }
  }
}

TEST_F(GpuOption, ADriverWithoutComputeShadersFallsBack) {
  // Mesa's driver, also where another one comes first, as one of OpenGL 3.3; then no driver at all.
  expect_fallback({{"MESA_GL_VERSION_OVERRIDE", "3.3FC"},
                   {"__EGL_VENDOR_LIBRARY_FILENAMES", "/usr/share/glvnd/egl_vendor.d/50_mesa.json"}},
                  "no OpenGL 4.3 context");
  expect_fallback({{"__EGL_VENDOR_LIBRARY_FILENAMES", "/nowhere"}}, "no OpenGL 4.3 context");
}

// An empty file stands in the way of the library: the loader refuses it as it refuses a missing one.
TEST_F(GpuOption, StartsAndFallsBackWithoutOpenGlLibraries) {
  for (const char* name : {"libEGL.so.1", "libGL.so.1", "libOpenGL.so.0"}) std::ofstream(folder_ / name).flush();
  const std::map<std::string, std::string> environment = {{"LD_LIBRARY_PATH", folder_.path()}};
  expect_fallback(environment, "is missing");
  EXPECT_EQ(run_cli({"--version"}, {folder_.path(), "", environment}).code, 0);
  const Result automatic = computed("auto", "auto", environment);
  EXPECT_EQ(automatic.code, 0);
  EXPECT_EQ(automatic.err, "") << "nobody asked for the GPU";
  EXPECT_EQ(manifest("auto")["backend"], "cpu");
}

TEST_F(GpuOption, ARefusedShaderIsNamed) {
  const std::string shaders = folder_ / "shaders";
  std::filesystem::create_directories(shaders);
  std::ofstream(shaders + "/dot_products.comp") << "#version 430 core\nvoid main() { nonsense; }\n";
  const Result result = computed("refused", "gpu", {{"HEADSCOPE_SHADERS", shaders}});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err.substr(0, kNotice.size()), kNotice) << result.err;
  EXPECT_EQ(manifest("refused")["backend"], "cpu");
}
#endif

}  // namespace
}  // namespace headscope
