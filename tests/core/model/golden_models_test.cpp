// The tiny checkpoints of tests/golden (make_model_golden.py): what a model's last layer hands to its head, and what
// the head makes of it. tests/golden/models_test.cpp has the stages of every layer.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "core/model/checkpoint.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

const std::string kFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Within 2e-5 of the row's largest magnitude.
void expect_row(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_TRUE(std::abs(found[k] - expected[k]) <= 2e-5 * largest)
        << what << ", number " << k << ": found " << found[k] << ", expected " << expected[k];
  }
}

std::vector<double> row_of(const std::vector<float>& values, std::size_t width, std::size_t row) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

TEST(GoldenModels, Open) {
  const std::vector<std::string> names = model_names();
  EXPECT_GE(names.size(), 68u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto checkpoint = Checkpoint::open(kFolder + name);
    EXPECT_EQ(checkpoint->unexpected(), std::vector<std::string>{});
    EXPECT_NE(checkpoint->output_head().kind, OutputHead::Kind::none);
    EXPECT_FALSE(checkpoint->output_head().decoder.empty());
    EXPECT_GE(checkpoint->architecture().num_layers, 2);
  }
}

TEST(GoldenModels, FinalHiddenAndLogits) {
  for (const std::string& name : model_names()) {
    const SafetensorsFile file = SafetensorsFile::open(kFolder + name + "/expected.safetensors");
    const auto values_of = [&](const char* tensor) { return file.tensor(*file.find(tensor)).values(); };
    const std::vector<float> ids = values_of("token_ids"), hidden = values_of("final_hidden");
    const std::vector<float> logits = values_of("logits");
    const std::size_t width = hidden.size() / ids.size(), vocabulary = logits.size() / ids.size();
    Request request;
    request.model = kFolder + name;
    if (file.find("token_types") == nullptr) {
      request.token_ids.assign(ids.begin(), ids.end());
    } else {  // ids alone say nothing of types
      request.phrase = "The cat sat";
      request.second_phrase = "it ran farther";
    }
    for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
      request.backend = choice;
      EngineOptions options;
      options.whole_model = true;
      Engine engine(options);
      const auto trace = engine.run(request, CancelToken());
      ASSERT_NE(trace->model, nullptr);
      const std::vector<float> found = trace->model->final_hidden.values();
      ASSERT_EQ(found.size(), hidden.size()) << name;
      std::vector<std::int64_t> positions(ids.size());
      std::iota(positions.begin(), positions.end(), std::int64_t{0});
      const std::vector<Prediction> predicted =
          predictions(*trace->model, 0, positions, static_cast<std::int64_t>(vocabulary), *make_backend({choice, 2}),
                      CancelToken());
      ASSERT_EQ(predicted.size(), ids.size()) << name;
      const bool next = trace->model->checkpoint->output_head().kind == OutputHead::Kind::next_token;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string what = name + ", position " + std::to_string(i);
        expect_row(row_of(found, width, i), row_of(hidden, width, i), what + ", final_hidden");
        const std::vector<double> expected = row_of(logits, vocabulary, i);
        const double largest = *std::max_element(expected.begin(), expected.end());
        double sum = 0;
        for (const double logit : expected) sum += std::exp(logit - largest);
        std::vector<double> by_id(vocabulary, std::nan(""));
        for (const TokenProbability& token : predicted[i].top) {
          by_id.at(static_cast<std::size_t>(token.id)) = token.logit;
          const double probability = std::exp(expected.at(static_cast<std::size_t>(token.id)) - largest) / sum;
          EXPECT_TRUE(std::abs(token.probability - probability) <= 1e-5) << what << ", token " << token.id;
        }
        expect_row(by_id, expected, what + ", logits");
        const std::size_t target = next ? i + 1 : i;
        ASSERT_EQ(predicted[i].loss.has_value(), target < ids.size()) << what;
        if (target == ids.size()) continue;
        const double loss = largest + std::log(sum) - expected.at(static_cast<std::size_t>(ids[target]));
        EXPECT_TRUE(std::abs(*predicted[i].loss - loss) <= 1e-4) << what << ": " << *predicted[i].loss << ", " << loss;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
