#include "tests/app/cli/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "core/io/npy.h"

extern char** environ;

namespace headscope {

namespace {

// The program's path, then its words.
std::vector<std::string> with_binary(const std::vector<std::string>& words) {
  std::vector<std::string> all = {std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli"};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// As execv takes them; they point into `words`.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void become_cli(const std::vector<std::string>& words, const std::string& folder) {
  std::vector<std::string> all = with_binary(words);
  const std::vector<char*> argv = pointers(all);
  if (chdir(folder.c_str()) != 0) _exit(99);
  execv(argv[0], argv.data());
  _exit(98);
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result run_cli(const std::vector<std::string>& words, const RunOptions& options) {
  const TemporaryFolder caught;
  const std::string out = caught / "out", err = caught / "err";
  std::vector<std::string> arguments = with_binary(words);
  const std::string binary = arguments.front();
  const std::vector<char*> argv = pointers(arguments);

  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (options.environment.count(text.substr(0, text.find('='))) == 0) variables.push_back(text);
  }
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  const std::vector<char*> environment = pointers(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (options.stdout_path == "-") {
    posix_spawn_file_actions_addclose(&actions, 1);
  } else {
    const std::string& path = options.stdout_path.empty() ? out : options.stdout_path;
    posix_spawn_file_actions_addopen(&actions, 1, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  }
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (!options.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  pid_t child = 0;
  const int refused = posix_spawn(&child, binary.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  Result result;
  if (refused != 0) {
    ADD_FAILURE() << binary << " could not be started";
    return result;
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.code = exit_code(status);
  result.out = bytes_of(out);
  result.err = bytes_of(err);
  return result;
}

void CommandTest::run_to(const std::string& name, std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  for (const char* word : {"--format", "npy", "--out"}) words.emplace_back(word);
  words.push_back(name);
  const Result result = cli(words);
  ASSERT_EQ(result.code, 0) << result.err;
  for (std::size_t line = 0; line < result.err.size(); line = result.err.find('\n', line) + 1) {
    ASSERT_EQ(result.err.find("headscope-cli: notice: ", line), line) << result.err;
  }
}

Tensor CommandTest::stage(const std::string& name, const std::string& stage) const {
  return read_npy(folder_ / (name + "/" + stage + ".npy")).tensor;
}

nlohmann::json CommandTest::manifest(const std::string& name) const {
  return nlohmann::json::parse(bytes_of(folder_ / (name + "/manifest.json")));
}

std::string CommandTest::write_array(const std::string& name, const Shape& shape,
                                     const std::vector<float>& values) const {
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  const Tensor tensor = Tensor::of(shape, axes, values);
  std::ofstream out(folder_ / (name + ".npy"), std::ios::binary);
  write_npy(out, tensor);
  return name + ".npy";
}

void expect_refused(const Result& result, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("headscope-cli: error: ", 0), 0u) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "one line: " << result.err;
  for (const std::string& part : parts) {
    EXPECT_NE(result.err.find(part), std::string::npos) << "'" << part << "' is not in: " << result.err;
  }
}

double largest_difference(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<float> x = a.values(), y = b.values();
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k]) && std::isnan(y[k])) continue;
    if (x[k] == y[k]) continue;
    const double difference = std::fabs(static_cast<double>(x[k]) - static_cast<double>(y[k]));
    if (!(difference <= largest)) largest = difference;
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

}  // namespace headscope
