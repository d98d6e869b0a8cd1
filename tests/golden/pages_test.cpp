// The commands of 000.md ... 004.md, as a reader would paste them at the root of the repository.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/io/npy.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

struct PageCommand {
  std::string page;
  std::string line;
};

// Lines of ```sh blocks.
std::vector<PageCommand> page_commands(const std::filesystem::path& page) {
  std::vector<PageCommand> commands;
  std::ifstream in(page);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) {
      inside = line == "```sh";
    } else if (inside) {
      commands.push_back({page.filename().string(), line});
    }
  }
  return commands;
}

class Pages : public GoldenTest {
 public:
  // Runs a line in a shell, `--out out` going to the test's folder; its standard error.
  std::pair<int, std::string> run_line(const std::string& line) const {
    const std::filesystem::path script = folder() / "command.sh";
    const std::filesystem::path errors = folder() / "stderr.txt";
    std::string command = line;
    const std::size_t out = command.rfind(" --out out");
    if (out != std::string::npos) command.replace(out, 10, " --out \"" + (folder() / "out").string() + "\"");
    std::ofstream(script) << "cd '" << HEADSCOPE_SOURCE_DIR << "'\nPATH='" << HEADSCOPE_BINARY_DIR
                          << "/bin':\"$PATH\"\n"
                          << command << " > /dev/null 2> '" << errors.string() << "'\n";
    const int status = std::system(("sh '" + script.string() + "'").c_str());
    std::ostringstream text;
    text << std::ifstream(errors).rdbuf();
    return {status, text.str()};
  }
  std::string written(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder() / "out" / name).rdbuf();
    return text.str();
  }
  std::vector<PageCommand> commands(const std::string& page) const {
    return page_commands(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/" + page);
  }
};

TEST_F(Pages, EveryCommandRuns) {
  std::size_t count = 0;
  for (const char* page : {"000.md", "001.md", "002.md", "003.md", "004.md"}) {
    const std::vector<PageCommand> found = commands(page);
    EXPECT_GE(found.size(), 2u) << page;
    for (const PageCommand& command : found) {
      EXPECT_EQ(command.line.rfind("headscope-cli ", 0), 0u) << command.page << ": " << command.line;
      const auto [status, errors] = run_line(command.line);
      EXPECT_EQ(status, 0) << command.page << ": " << command.line << "\n" << errors;
      ++count;
    }
  }
  EXPECT_GE(count, 15u);
}

TEST_F(Pages, TheWorkedExamplesStep11IsAsItsPageSays) {
  const std::vector<PageCommand> found = commands("003.md");
  ASSERT_EQ(found.size(), 4u);
  std::string direct = found[2].line;
  const std::size_t format = direct.find("--format csv");
  ASSERT_NE(format, std::string::npos);
  direct.replace(format, 12, "--format npy");
  ASSERT_EQ(run_line(direct).first, 0);
  const nlohmann::json& printed = seed_case("s003.step11.merge_without_transpose").at("expected");
  const Tensor concat = read_npy((folder() / "out" / "concat.npy").string()).tensor;
  EXPECT_TRUE(all_near(concat, flat_numbers(printed), {1.5e-4, false}));
}

TEST_F(Pages, TheRowWithoutKeysIsUniformThenZero) {
  const std::vector<PageCommand> found = commands("004.md");
  ASSERT_EQ(found.size(), 4u);
  ASSERT_EQ(run_line(found[2].line).first, 0);
  EXPECT_NE(written("weights.b0.h0.csv").find("\n1,0.25,0.25,0.25,0.25\n"), std::string::npos);
  ASSERT_EQ(run_line(found[3].line).first, 0);
  EXPECT_NE(written("weights.b0.h1.csv").find("\n1,0,0,0,0\n"), std::string::npos);
}

}  // namespace
}  // namespace headscope
