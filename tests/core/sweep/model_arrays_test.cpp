// The user's own arrays in whole models, against GPT-2, Llama and BERT as plain loops in double; in sweeps and logits
// taken apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/attention/engine.h"
#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/explain/attribution.h"
#include "core/explain/model_cell.h"
#include "core/io/npy.h"
#include "core/request/request_text.h"
#include "core/sweep/sweep.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/sweep/plain_models.h"

namespace headscope {
namespace {

const std::vector<std::int64_t> kIds = {1, 5, 4, 7, 8, 9};

class ModelArrays : public ::testing::Test {
 protected:
  static Request golden(const std::string& name, const std::vector<std::pair<const char*, std::string>>& more = {}) {
    Request request;
    request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
    request.token_ids = kIds;
    request.backend = BackendChoice::cpu;
    request.threads = 2;
    for (const auto& [option, text] : more) find_request_option(option)->set(request, text);
    return request;
  }
  static std::shared_ptr<const Trace> run(const Request& request) {
    EngineOptions options;
    options.whole_model = true;
    return Engine(options).run(request, CancelToken());
  }
  std::string file(const std::string& name, const Tensor& tensor) const {
    std::ofstream out(folder_ / (name + ".npy"), std::ios::binary);
    write_npy(out, tensor, CancelToken());
    return folder_ / (name + ".npy");
  }
  static void expect_plain(const Trace& trace, const PlainRows& wanted, const std::string& what) {
    double largest = 0, difference = 0;
    for (std::int64_t i = 0; i < trace.query_len(); ++i) {
      const std::vector<float> row = logits_at(*trace.model, 0, i, *trace.model->backend, CancelToken());
      const std::vector<double>& plain = wanted[static_cast<std::size_t>(i)];
      ASSERT_EQ(row.size(), plain.size());
      for (std::size_t k = 0; k < row.size(); ++k) {
        largest = std::max(largest, std::abs(plain[k]));
        const double here = std::abs(static_cast<double>(row[k]) - plain[k]);
        difference = here <= difference ? difference : here;
      }
    }
    EXPECT_TRUE(difference <= 2e-5 * largest) << what << ": " << difference << " of " << largest;
  }

  TemporaryFolder folder_;
};

// What an option does to a part of the plain model.
struct PlainArray {
  const char* option;
  std::string term, part;
  std::function<void(PlainRows& x)> change;
};

// The rows [begin, end) of a part, from column `first` on: change(number of the part, number of the array's row).
std::function<void(PlainRows&)> by_rows(Tensor array, std::size_t begin, std::size_t end, std::size_t first,
                                        std::function<double(double, double)> change) {
  return [=](PlainRows& x) {
    const std::vector<float> values = array.values();
    const auto features = static_cast<std::size_t>(array.dim(array.rank() - 1));
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t d = 0; d < features; ++d) {
        const std::size_t row = array.rank() == 1 ? 0 : i - begin;
        x[i][first + d] = change(x[i][first + d], static_cast<double>(values[row * features + d]));
      }
    }
  };
}

void project_out(PlainRows& x, std::size_t begin, const std::vector<float>& direction) {
  for (std::size_t i = begin; i < x.size(); ++i) {
    double along = 0, square = 0;
    for (std::size_t d = 0; d < direction.size(); ++d) {
      along += x[i][d] * static_cast<double>(direction[d]);
      square += static_cast<double>(direction[d]) * static_cast<double>(direction[d]);
    }
    for (std::size_t d = 0; d < direction.size(); ++d) x[i][d] -= along / square * static_cast<double>(direction[d]);
  }
}

TEST_F(ModelArrays, WhatIsAddedSetAndTakenOutGoesThroughTheModel) {
  for (const std::string& model : {std::string("gpt2"), std::string("llama"), std::string("bert")}) {
    const PlainSizes sizes = plain_sizes(model);
    const std::int64_t size = sizes.width / sizes.heads;
    const Tensor vector = random_tensor({sizes.width}, 3), rows = random_tensor({2, sizes.width}, 4),
                 head = random_tensor({size}, 5);
    const std::string v = file("v", vector), r = file("r", rows), h = file("h", head);
    const auto plus = [](double x, double d) { return x + d; };
    const auto put = [](double, double d) { return d; };
    const std::vector<PlainArray> cases = {
        {"add", "1/stream=" + v + "*3", "1/stream",
         by_rows(vector, 0, 6, 0, [](double x, double d) { return x + 3 * d; })},
        {"add", "0/mlp_out:-2..-1=" + r, "0/mlp_out", by_rows(rows, 4, 6, 0, plus)},
        {"set", "0/attention_out:2=" + v, "0/output", by_rows(vector, 2, 3, 0, put)},
        {"set", "1/z:1,3..4=" + h, "1/concat", by_rows(head, 3, 5, static_cast<std::size_t>(size), put)},
        {"set", "0/weights:0,3=0", "0/weights", [](PlainRows& x) { std::fill(x[3].begin(), x[3].end(), 0.0); }},
        {"project-out", "1/stream:1..-1=" + v, "1/stream", [&](PlainRows& x) { project_out(x, 1, vector.values()); }},
    };
    for (const PlainArray& each : cases) {
      PlainParts parts;
      bool found = false;
      parts.change = [&](const std::string& name, PlainRows& x) {
        if (name != each.part) return;
        found = true;
        each.change(x);
      };
      const PlainRows wanted = plain_logits(model, kIds, parts);
      ASSERT_TRUE(found) << model << " " << each.part;
      const auto trace = run(golden(model, {{each.option, each.term}}));
      expect_plain(*trace, wanted, model + " " + each.option + " " + each.term);
    }
  }
}

// The stages that are exported, and one number explained, say what stands there and who put it there.
TEST_F(ModelArrays, ExportedStagesHoldThemAndExplanationsNameThem) {
  const Tensor vector = random_tensor({plain_sizes("gpt2").width}, 3);
  const std::string v = file("steer", vector);
  const auto plain = run(golden("gpt2"));
  const std::vector<std::pair<ModelStageId, const char*>> stages = {{ModelStageId::stream, "1/stream"},
                                                                    {ModelStageId::mlp_out, "1/mlp_out"}};
  for (const auto& stage : stages) {
    const ModelStageId id = stage.first;
    const auto trace = run(golden("gpt2", {{"add", fmt::format("{}:3={}*2", stage.second, v)}}));
    const Tensor before = model_stages("export", *plain, std::array{id}, CancelToken()).front().tensor,
                 after = model_stages("export", *trace, std::array{id}, CancelToken()).front().tensor;
    for (std::int64_t d = 0; d < vector.size(); ++d) {
      const double wanted = static_cast<double>(before.at({1, 0, 3, d})) + 2.0 * static_cast<double>(vector.at({d}));
      EXPECT_TRUE(std::abs(after.at({1, 0, 3, d}) - wanted) <= 1e-5) << stage.second << " " << d;
      EXPECT_EQ(after.at({1, 0, 2, d}), before.at({1, 0, 2, d}));
    }
    const ModelCell cell = model_cell("at", *trace, id, {1, 0, 3, 2}, CancelToken());
    EXPECT_EQ(cell.steps.back().name, "added");
    EXPECT_NE(cell.steps.back().expression.find("by --add, steer.npy*2"), std::string::npos)
        << cell.steps.back().expression;
    EXPECT_TRUE(std::abs(cell.value - static_cast<double>(after.at({1, 0, 3, 2}))) <= 1e-6);
  }
}

TEST_F(ModelArrays, ALogitIsTheSumOfItsPartsAndOfTheArrays) {
  for (const char* model : {"gpt2", "opt-after"}) {
    const auto plain = run(golden(model));
    const std::string v = file("v", random_tensor({plain->inputs->d_model}, 3)),
                      h = file("h", random_tensor({plain->inputs->value_head_dim}, 4));
    for (const std::string& term : {"1/stream=" + v + "*2", "0/stream:-1=" + v, "1/mlp_out=" + v, "0/output=" + v,
                                    "1/z:1=" + h, "1/attention_out=" + v}) {
      const auto trace = run(golden(model, {{"add", term}}));
      LogitQuestion question;
      question.position = 5;
      question.ids = {3};
      for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads, AttributionBy::sources}) {
        question.by = by;
        const Attribution found = attribution(*trace->model, question, CancelToken());
        EXPECT_TRUE(std::abs(found.sum - found.total) <= 2e-5 * std::max(1.0, std::abs(found.total)))
            << model << " " << term << ": " << found.sum << " of " << found.total;
        const bool named = std::any_of(found.parts.begin(), found.parts.end(), [](const AttributionPart& part) {
          return std::string_view(part.name) == "array";
        });
        EXPECT_EQ(named, term.find("stream") != std::string::npos) << term;
      }
    }
  }
}

// A cell of a sweep is the run of its own patch beside the arrays.
TEST_F(ModelArrays, ASweepPatchesTheRunThatHasThem) {
  const std::string v = file("v", random_tensor({plain_sizes("gpt2").width}, 3));
  SweepQuestion question;
  question.patched = golden("gpt2", {{"add", "0/stream:-1=" + v + ";1/stream=" + v}});
  question.source = golden("gpt2");
  question.source.token_ids = {1, 5, 2, 7, 3, 9};
  question.metric = "logit:3";
  for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::positions}) {
    question.patch = patch;
    const Sweep found = sweep(EngineOptions{}, question, CancelToken(), {});
    for (const SweepCell& cell : found.cells) {
      Request request = question.patched;
      request.patches = patches_of_cell(cell);
      request.patch_from = "a";
      EngineOptions options;
      options.whole_model = true;
      options.read_request = [&](const std::string&) { return question.source; };
      const auto trace = Engine(options).run(request, CancelToken());
      const double wanted = logits_at(*trace->model, 0, 5, *trace->model->backend, CancelToken())[3];
      EXPECT_TRUE(std::abs(cell.value - wanted) <= 1e-5 * std::max(1.0, std::abs(wanted))) << cell.layer;
    }
  }
  question.patch = SweepPatch::paths;
  question.from = LayerHead{0, 1};
  EXPECT_THROW(sweep(EngineOptions{}, question, CancelToken(), {}), UsageError);
}

}  // namespace
}  // namespace headscope
