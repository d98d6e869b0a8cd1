#include "tests/golden/golden_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "core/attention/engine.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/request/request_text.h"

extern char** environ;

namespace headscope {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Request request_of(const Options& options) {
  Request request;
  for (const auto& [name, value] : options) {
    const RequestOption* option = find_request_option(name);
    if (option == nullptr) throw std::runtime_error("no such option: " + name);
    option->set(request, value);
  }
  return request;
}

void gather(const nlohmann::json& nested, std::vector<double>& numbers) {
  if (nested.is_array()) {
    for (const nlohmann::json& part : nested) gather(part, numbers);
  } else if (nested.is_string()) {
    const std::string text = nested.get<std::string>();
    const double infinity = std::numeric_limits<double>::infinity();
    if (text != "nan" && text != "inf" && text != "-inf") throw std::runtime_error("no number: " + text);
    numbers.push_back(text == "nan" ? std::nan("") : text == "inf" ? infinity : -infinity);
  } else {
    numbers.push_back(nested.get<double>());
  }
}

Axes plain_axes(int rank) {
  Axes axes;
  for (int i = 0; i < rank; ++i) axes.push_back(Axis::feature);
  return axes;
}

// [1, 1, n, n], `diagonal` on the diagonal, for every batch and head of `like`.
Tensor diagonal_matrices(const Tensor& like, std::int64_t n, float diagonal) {
  Tensor tensor = Tensor::zeros({like.dim(0), like.dim(1), n, n}, plain_axes(4));
  for (std::int64_t m = 0; m < like.dim(0) * like.dim(1); ++m) {
    for (std::int64_t i = 0; i < n; ++i) tensor.mutable_data()[(m * n + i) * n + i] = diagonal;
  }
  return tensor;
}

}  // namespace

::testing::AssertionResult agrees_by_rows(const Tensor& found, const Tensor& expected) {
  const std::vector<float> a = found.values();
  const std::vector<float> b = expected.values();
  const auto row = static_cast<std::size_t>(expected.dim(expected.rank() - 1));
  if (a.size() != b.size() || found.dim(found.rank() - 1) != expected.dim(expected.rank() - 1)) {
    return ::testing::AssertionFailure() << "found " << to_string(found.shape()) << ", expected "
                                         << to_string(expected.shape());
  }
  for (std::size_t begin = 0; begin < b.size(); begin += row) {
    double largest = 0;
    for (std::size_t k = begin; k < begin + row; ++k) largest = std::max(largest, std::abs(static_cast<double>(b[k])));
    for (std::size_t k = begin; k < begin + row; ++k) {
      const double difference = std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k]));
      if (!(difference <= 2e-5 * largest)) {
        return ::testing::AssertionFailure()
               << "number " << k << ": found " << a[k] << ", expected " << b[k] << ", the row's largest is " << largest;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

CommandResult run_cli(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const std::string program = std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli";
  const std::string out = (folder / "stdout.txt").string();
  const std::string err = (folder / "stderr.txt").string();
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot start " + program);
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait for " + program);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
}

void GoldenTest::SetUp() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = info->name();  // "Test/parameter" of a test with one
  std::replace(name.begin(), name.end(), '/', '_');
  folder_ = std::filesystem::temp_directory_path() / ("headscope_golden_" + std::to_string(getpid()) + name);
  std::filesystem::create_directories(folder_);
}

void GoldenTest::TearDown() {
  std::filesystem::remove_all(folder_);
}

std::string GoldenTest::npy(const std::string& name, const Tensor& tensor) const {
  const std::string path = (folder_ / name).string();
  std::ofstream out(path, std::ios::binary);
  write_npy(out, tensor);
  return path;
}

std::string GoldenTest::layer(const std::string& name, const std::vector<NamedTensor>& tensors) const {
  const std::string path = (folder_ / name).string();
  std::vector<NamedTensorRef> refs;
  for (const NamedTensor& tensor : tensors) refs.push_back({tensor.name, &tensor.tensor});
  std::ofstream out(path, std::ios::binary);
  write_safetensors(out, refs, {});
  return path;
}

Options GoldenTest::attention_alone(const Tensor& query, const Tensor& key, const Tensor& value) const {
  return {{"query", npy("query.npy", query)}, {"key", npy("key.npy", key)}, {"value", npy("value.npy", value)}};
}

Options GoldenTest::exact_scores(const Tensor& scores) const {
  const Tensor units = diagonal_matrices(scores, scores.dim(3), 1.0f);
  return attention_alone(scores, units, units);
}

Options GoldenTest::exact_context(const Tensor& value) const {
  // exp(-1e4) is 0 in any precision here, so that each row of weights is exactly one 1.
  const Tensor units = diagonal_matrices(value, value.dim(2), 100.0f);
  Options options = attention_alone(units, units, value);
  options.push_back({"scale", "1"});
  return options;
}

std::vector<GoldenRun> GoldenTest::run_everywhere(const Options& options, const std::string& stages) {
  std::vector<GoldenRun> runs;
  for (const char* backend : {"reference", "cpu"}) {
    Options all = options;
    all.push_back({"backend", backend});
    Engine engine;
    const std::shared_ptr<const Trace> trace = engine.run(request_of(all), CancelToken());
    runs.push_back({backend, trace, [trace](const std::string& name) {
                      const std::optional<StageId> id = stage_named(name);
                      const Stage* stage = id ? trace->find(*id) : nullptr;
                      if (stage == nullptr) throw std::runtime_error("the trace has no stage " + name);
                      return stage->tensor;
                    }});
  }
  const std::filesystem::path out = folder_ / ("run" + std::to_string(runs_++));
  std::vector<std::string> arguments = {"run"};
  for (const auto& [name, value] : options) {
    arguments.push_back("--" + name);
    arguments.push_back(value);
  }
  arguments.insert(arguments.end(), {"--export", stages, "--format", "npy", "--out", out.string()});
  const CommandResult result = run_cli(arguments, folder_);
  if (result.exit_code != 0) throw std::runtime_error("headscope-cli ended with an error: " + result.err);
  runs.push_back({"headscope-cli", nullptr,
                  [out](const std::string& name) { return read_npy((out / (name + ".npy")).string()).tensor; }});
  return runs;
}

std::vector<double> flat_numbers(const nlohmann::json& nested) {
  std::vector<double> numbers;
  gather(nested, numbers);
  return numbers;
}

Shape shape_of(const nlohmann::json& nested) {
  Shape shape;
  for (const nlohmann::json* level = &nested; level->is_array(); level = &level->front()) {
    shape.push_back(static_cast<std::int64_t>(level->size()));
  }
  return shape;
}

Tensor tensor_of(const nlohmann::json& nested) {
  return tensor_of(nested, shape_of(nested).count);
}

Tensor tensor_of(const nlohmann::json& nested, int rank) {
  const Shape inner = shape_of(nested);
  Shape shape;
  for (int i = inner.count; i < rank; ++i) shape.push_back(1);
  for (const std::int64_t size : inner) shape.push_back(size);
  const std::vector<double> numbers = flat_numbers(nested);
  return Tensor::of(shape, plain_axes(shape.count), std::vector<float>(numbers.begin(), numbers.end()));
}

::testing::AssertionResult near(double found, double expected, Tolerance tolerance) {
  const auto failure = [&] {
    return ::testing::AssertionFailure() << "found " << found << ", expected " << expected << ", off by "
                                         << std::abs(found - expected) << ", tolerance " << tolerance.value;
  };
  if (std::isnan(expected)) return std::isnan(found) ? ::testing::AssertionSuccess() : failure();
  if (std::isinf(expected)) return found == expected ? ::testing::AssertionSuccess() : failure();
  if (tolerance.value == 0) expected = static_cast<float>(expected);
  const double allowed = tolerance.value * (tolerance.relative ? std::max(1.0, std::abs(expected)) : 1.0);
  return std::abs(found - expected) <= allowed ? ::testing::AssertionSuccess() : failure();
}

::testing::AssertionResult all_near(const Tensor& found, const std::vector<double>& expected, Tolerance tolerance) {
  const std::vector<float> values = found.values();
  if (values.size() != expected.size() || values.empty()) {
    return ::testing::AssertionFailure() << "found " << to_string(found.shape()) << ", expected " << expected.size()
                                         << " values";
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    ::testing::AssertionResult result = near(values[i], expected[i], tolerance);
    if (!result) return result << " (value " << i << " of " << to_string(found.shape()) << ")";
  }
  return ::testing::AssertionSuccess();
}

double max_difference(const Tensor& found, const std::vector<double>& expected) {
  const std::vector<float> values = found.values();
  if (values.size() != expected.size()) throw std::runtime_error("sizes differ: " + to_string(found.shape()));
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool same_infinity = std::isinf(expected[i]) && values[i] == expected[i];
    const double difference = same_infinity ? 0 : std::abs(values[i] - expected[i]);
    if (std::isnan(difference)) return difference;
    largest = std::max(largest, difference);
  }
  return largest;
}

nlohmann::json read_json(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(in);
}

const nlohmann::json& seed_case(std::string_view id) {
  static const nlohmann::json file = read_json(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/seeds.json");
  for (const nlohmann::json& golden : file.at("cases")) {
    if (golden.at("id").get_ref<const std::string&>() == id) return golden;
  }
  throw std::runtime_error("seeds.json has no case " + std::string(id));
}

Tolerance tolerance_of(const nlohmann::json& golden) {
  const double tolerance = golden.at("tolerance");
  return tolerance > 0 && tolerance < 1e-7 ? kFloat32 : Tolerance{tolerance, false};
}

}  // namespace headscope
