// The progress line: on a terminal alone, and gone at the end.
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "core/base/utf8.h"
#include "tests/app/cli/command.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

// Runs headscope-cli with a terminal as its standard error; `until` ends it by SIGINT once its text holds that.
Result run_on_terminal(const std::vector<std::string>& words, const std::string& folder, const std::string& until = "",
                       int columns = 80) {
  int master = -1;
  Result result;
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
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
  return {"run",     "--model", "seeded",   "--phrase",       phrase,  "--d-model", "16",
          "--heads", "2",       "--export", "scores,weights", "--out", out};
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

// What is on the line, one after the other.
std::vector<std::string> lines_shown(const std::string& said) {
  std::vector<std::string> lines;
  const std::string start = "\r\x1b[K";
  for (std::size_t at = said.find(start); at != said.npos;) {
    const std::size_t begin = at + start.size();
    at = said.find(start, begin);
    lines.push_back(said.substr(begin, at - begin));
  }
  return lines;
}

TEST_F(Progress, OfALongNameTheMiddleGivesWayAndRateAndTimeLeftStay) {
  const std::string name = std::string(60, 'a') + "\u00e4\u00f6\u00fc" + std::string(60, 'z') + ".hsagg";
  folder_.write("p.txt", test::demo_lines(40000));
  for (const int columns : {80, 100}) {
    const Result result = run_on_terminal({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", name},
                                          folder_.path(), " left", columns);
    ASSERT_EQ(result.code, 130) << result.err;
    std::size_t timed = 0;
    for (const std::string& line : lines_shown(result.err)) {
      if (line.find("cannot be read") != line.npos || line.find("headscope-cli: ") != line.npos) continue;
      EXPECT_LT(line.size(), static_cast<std::size_t>(columns)) << line;
      EXPECT_TRUE(is_valid_utf8(line)) << line;
      if (line.find("scanning") == line.npos) continue;
      EXPECT_TRUE(line.starts_with("scanning for a")) << line;
      EXPECT_NE(line.find("..."), line.npos) << line;
      EXPECT_NE(line.find(" of 40000 phrases"), line.npos) << line;
      if (line.find(" left") != line.npos) ++timed;
    }
    EXPECT_GT(timed, 0u) << result.err;
    std::filesystem::remove(folder_ / (name + ".part"));
  }
}

TEST_F(Progress, OnANarrowTerminalWhatIsNamedGivesWayFirst) {
  folder_.write("p.txt", test::demo_lines(40000));
  const Result result = run_on_terminal({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", "x.hsagg"},
                                        folder_.path(), " left", 60);
  ASSERT_EQ(result.code, 130) << result.err;
  const std::vector<std::string> lines = lines_shown(result.err);
  const auto timed =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.find(" left") != line.npos; });
  ASSERT_NE(timed, lines.end()) << result.err;
  EXPECT_NE(timed->find(" of 40000 phrases, "), timed->npos) << *timed;
  EXPECT_EQ(timed->find("scanning"), timed->npos) << *timed;
  EXPECT_LT(timed->size(), 60u) << *timed;
}

// A job of Slurm writes its standard error into a file.
TEST_F(Progress, AScanWithoutATerminalSaysALineNowAndThen) {
  folder_.write("p.txt", test::demo_lines(9));
  const std::vector<std::string> words = {"scan",    "--model", "demo:induction", "--phrases", "p.txt",
                                          "--batch", "1",       "--out",          "x.hsagg"};
  const Result usual = cli(words);
  EXPECT_EQ(usual.err.find("scanning for"), std::string::npos) << "a short scan says none: " << usual.err;
  const Result said = run_cli(words, {folder_.path(), "", {{"HEADSCOPE_SCAN_SAY_SECONDS", "0"}}});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.err.find("scanning for x.hsagg: 0 of 9 phrases  0 %\n"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("scanning for x.hsagg: 4 of 9 phrases  44 %\n"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("scanning for x.hsagg: 9 of 9 phrases  100 %\n"), std::string::npos) << said.err;
  EXPECT_EQ(said.err.find('\r'), std::string::npos);
  expect_refused(run_cli(words, {folder_.path(), "", {{"HEADSCOPE_SCAN_SAY_SECONDS", "soon"}}}), 2,
                 {"HEADSCOPE_SCAN_SAY_SECONDS", "soon"});
}

}  // namespace
}  // namespace headscope
