// The manual page and the completions of shells, held against --help and read by man and bash themselves.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

std::string manual(const std::string& form) {
  const Result result = run_cli({"manual", "--as", form});
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

// What a command of a shell prints, with what it complains of.
std::string printed(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> bytes{};
  for (std::size_t got = 0; (got = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    text.append(bytes.data(), got);
  pclose(pipe);
  return text;
}

bool installed(const std::string& program) {
  return printed("command -v " + program).starts_with('/');
}

// The options that `headscope-cli COMMAND --help` names, "--mask".
std::vector<std::string> options_in_help(const std::string& command) {
  std::istringstream lines(run_cli({command, "--help"}).out);
  std::vector<std::string> options;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  --")) options.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return options;
}

using Manual = CommandTest;

// What bash offers for the last of `words`.
std::string offered(const std::string& script, const std::vector<std::string>& words) {
  std::string line = "bash -c 'source " + script + "; COMP_WORDS=(headscope-cli";
  for (const std::string& word : words) line += " \"" + word + "\"";
  return printed(line + "); COMP_CWORD=" + std::to_string(words.size()) +
                 "; _headscope_cli; printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
}

TEST_F(Manual, ThePageHasEveryOptionOnce) {
  const std::string page = manual("man");
  for (const char* command : {"run", "render", "explain", "generate", "scan", "worksheet", "handout", "manual"}) {
    EXPECT_NE(page.find(std::string("\n.SS ") + command + " "), std::string::npos) << command;
    for (const std::string& option : options_in_help(command)) {
      std::string escaped = "\\fB";
      for (const char c : option) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find(escaped + "\\fR"), std::string::npos) << command << " " << option;
    }
  }
  // No command has an option of its own of this name.
  const std::string layout = "\\fB\\-\\-qkv\\-layout\\fR";
  ASSERT_NE(page.find(layout), std::string::npos);
  EXPECT_EQ(page.find(layout, page.find(layout) + 1), std::string::npos) << "options of REQUEST stand once";
}

TEST_F(Manual, ManReadsThePageWithoutAComplaint) {
  if (!installed("man")) GTEST_SKIP() << "man was not found: sudo apt-get install man-db";
  folder_.write("headscope-cli.1", manual("man"));
  const std::string file = folder_ / "headscope-cli.1";
  EXPECT_EQ(printed("LC_ALL=C.UTF-8 MANWIDTH=100 man -l --warnings '" + file + "' >/dev/null"), "");
  // groff 1.23 spreads words over the width of headings, too.
  const std::string text = printed("LC_ALL=C.UTF-8 MANWIDTH=100 man -l '" + file + "' | col -bx | tr -s ' '");
  for (const char* words : {"EXIT STATUS", "--mask MASK", "generate REQUEST --tokens N"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words;
  }
}

TEST_F(Manual, BashCompletesCommandsOptionsWordsAndFiles) {
  folder_.write("completion", manual("bash"));
  folder_.write("mask.npy", "");
  const std::string script = "'\\''" + (folder_ / "completion") + "'\\''";
  EXPECT_EQ(offered(script, {"expl"}), "explain\n");
  EXPECT_EQ(offered(script, {"run", "--mask-or"}), "--mask-order\n");
  EXPECT_EQ(offered(script, {"run", "--mask-order", ""}), "after-scale\nbefore-scale\n");
  EXPECT_EQ(offered(script, {"run", "--format", "s"}), "safetensors\n");
  EXPECT_EQ(offered(script, {"run", "--heads", ""}), "\n") << "a number is typed";
  EXPECT_EQ(offered(script, {"run", "--input", folder_ / "ma"}), (folder_ / "mask.npy") + "\n");
  EXPECT_EQ(offered(script, {"info", folder_ / "ma"}), (folder_ / "mask.npy") + "\n");
  for (const std::string& option : options_in_help("render"))
    EXPECT_EQ(offered(script, {"render", option}).find(option), 0u);
}

TEST_F(Manual, OtherShellsReadTheirScripts) {
  for (const std::string shell : {"zsh", "fish"}) {
    const std::string text = manual(shell);
    for (const std::string& option : options_in_help("run")) {
      EXPECT_NE(text.find((shell == "zsh" ? "" : "-l ") + option.substr(shell == "zsh" ? 0 : 2)), std::string::npos)
          << shell << " " << option;
    }
    folder_.write("completion." + shell, text);
    if (!installed(shell)) continue;
    EXPECT_EQ(printed(shell + " -n '" + (folder_ / ("completion." + shell)) + "'"), "") << shell;
  }
}

TEST_F(Manual, WritesAFileAndRefusesOtherForms) {
  EXPECT_EQ(cli({"manual", "--as", "man", "--out", "x.1"}).out, "");
  EXPECT_EQ(bytes_of(folder_ / "x.1"), manual("man"));
  expect_refused(cli({"manual"}), 2, {"as", "man, bash, zsh or fish"});
  expect_refused(cli({"manual", "--as", "powershell"}), 2, {"as", "powershell"});
}

}  // namespace
}  // namespace headscope
