// The progress line: on a terminal alone, and gone at the end.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

// Runs headscope-cli with a terminal as its standard error; `until` ends it by SIGINT once its text holds that.
Result run_on_terminal(const std::vector<std::string>& words, const std::string& folder,
                       const std::string& until = "") {
  int master = -1;
  Result result;
  const pid_t child = forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    const int out = open("/dev/null", O_WRONLY);
    if (dup2(out, 1) < 0) _exit(99);
    become_cli(words, folder);
  }
  if (child < 0) {
    ADD_FAILURE() << "no terminal";
    return result;
  }
  char bytes[4096];
  bool ended = until.empty();
  for (ssize_t got = 0; (got = read(master, bytes, sizeof bytes)) > 0;) {
    result.err.append(bytes, static_cast<std::size_t>(got));
    if (!ended && result.err.find(until) != std::string::npos) {
      kill(child, SIGINT);
      ended = true;
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(master);
  result.code = exit_code(status);
  return result;
}

using Progress = CommandTest;

std::vector<std::string> large_run(int tokens, const std::string& out) {
  std::string phrase;
  for (int k = 0; k < tokens; ++k) phrase += "w" + std::to_string(k) + " ";
  return {"run", "--phrase", phrase, "--d-model", "16", "--heads", "2", "--export", "scores,weights", "--out", out};
}

TEST_F(Progress, IsRewrittenInPlaceAndErasedAtTheEnd) {
  const Result result = run_on_terminal(large_run(300, "numbers"), folder_.path());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.err.starts_with("\r\x1b[Kcomputing\r")) << result.err;
  EXPECT_NE(result.err.find("writing to numbers"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" %"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\n'), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.ends_with("\r\x1b[K")) << result.err;
}

TEST_F(Progress, SaysNothingWhereThereIsNoTerminal) {
  const Result result = cli(large_run(300, "numbers"));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

// Some 300 MB of text are ahead of it when it is told to stop.
TEST_F(Progress, InterruptedWhileItWritesLeavesNothing) {
  const Result result = run_on_terminal(large_run(3000, "numbers"), folder_.path(), "writing to");
  EXPECT_EQ(result.code, 130);
  EXPECT_NE(result.err.find("\r\x1b[Kheadscope-cli: error: interrupted"), std::string::npos) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace headscope
