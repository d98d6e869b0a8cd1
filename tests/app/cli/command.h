// Runs the real headscope-cli as a user does.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {

struct Result {
  int code = -1;  // exit code; 128 + number of a signal
  std::string out, err;
};

struct RunOptions {
  std::string folder;       // working folder; "" stays
  std::string stdout_path;  // instead of being caught; "-" closes it
  std::map<std::string, std::string> environment;
};

// The words after headscope-cli.
Result run_cli(const std::vector<std::string>& words, const RunOptions& options = {});

// Turns a forked child into headscope-cli in `folder`; what it prints goes where the child's descriptors lead.
[[noreturn]] void become_cli(const std::vector<std::string>& words, const std::string& folder);

// 128 + number of a signal, else the code, of what waitpid() gave.
int exit_code(int status);

// A temporary folder that every command of the test runs in.
class CommandTest : public ::testing::Test {
 protected:
  Result cli(const std::vector<std::string>& words) { return run_cli(words, {folder_.path(), "", {}}); }
  // Runs `run` with a small request around `words` and exports all stages as .npy; asserts that it works and says
  // nothing but notices.
  void run_to(const std::string& name, std::vector<std::string> words);
  // A stage that run_to() has written.
  Tensor stage(const std::string& name, const std::string& stage) const;
  nlohmann::json manifest(const std::string& name) const;
  // Writes [shape] holding `values` as NAME.npy, and returns the name.
  std::string write_array(const std::string& name, const Shape& shape, const std::vector<float>& values) const;

  TemporaryFolder folder_;
};

// Exit code 2 or 3: nothing on stdout, one line on stderr in the contract's form that holds every one of `parts`.
void expect_refused(const Result& result, int code, const std::vector<std::string>& parts);

// Largest absolute difference; NaN when shapes differ or one side alone is NaN, so that comparisons fail.
double largest_difference(const Tensor& a, const Tensor& b);

}  // namespace headscope
