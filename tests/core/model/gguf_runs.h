// A model as GGUF and the same as a folder, run beside each other.
#pragma once

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/model/gguf_models.h"

namespace headscope {

inline const std::string kGoldenModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

class GgufModels : public FilesTest {
 protected:
  std::string gguf() const { return path("model.gguf"); }
  std::string folder() const { return path("folder"); }

  // Both, where the file holds 1 + w of norm weights w, rounded once: the folder then holds what is left of it.
  void write_one_added(TwoSpellings model, test::GgufWriter metadata) const {
    for (auto& [name, tensor] : model.tensors) {
      std::string bytes;
      const bool norm = name.find("norm") != name.npos;
      for (float& value : tensor.values) {
        const float sum = 1.0F + value;
        if (norm) value = sum - 1.0F;
        bytes += test::GgufWriter::raw(sum);
      }
      const std::string gguf = gguf_name(model, name);
      const StoredTensor stored = converted(model, gguf, tensor);
      metadata.tensor(gguf, stored.shape, stored.type, norm ? bytes : stored.bytes);
    }
    write_folder(folder(), model);
    write_text("model.gguf", metadata.bytes());
  }

  void write(const TwoSpellings& model) const {
    write_folder(folder(), model);
    write_text("model.gguf", gguf_bytes(model));
  }

  static std::shared_ptr<const Trace> traced(const std::string& model, BackendChoice backend, std::int64_t layer) {
    Request request;
    request.model = model;
    request.token_ids = {1, 5, 2, 5, 3, 0};
    request.layer = layer;
    request.backend = backend;
    EngineOptions options;
    options.whole_model = true;
    Engine engine(options);
    return engine.run(request, CancelToken());
  }

  static void expect_same_bits(const Tensor& a, const Tensor& b, const std::string& what) {
    EXPECT_EQ(a.shape(), b.shape()) << what;
    EXPECT_TRUE(test::same_bits(a.values(), b.values())) << what;
  }

  // Every stage, the last hidden state and the logits.
  void expect_same_numbers(const std::string& what) const {
    for (const BackendChoice backend : {BackendChoice::reference, BackendChoice::cpu}) {
      for (const std::int64_t layer : {0, 1}) {
        const auto ours = traced(gguf(), backend, layer), wanted = traced(folder(), backend, layer);
        ASSERT_EQ(ours->stages.size(), wanted->stages.size()) << what;
        for (std::size_t k = 0; k < ours->stages.size(); ++k) {
          expect_same_bits(ours->stages[k].tensor, wanted->stages[k].tensor, what + ", stage " + std::to_string(k));
        }
        ASSERT_NE(ours->model, nullptr);
        expect_same_bits(ours->model->final_hidden, wanted->model->final_hidden, what + ", final_hidden");
        if (layer == 1) expect_same_logits(*ours->model, *wanted->model, backend, what);
      }
    }
  }

  static void expect_same_logits(const ModelTrace& ours, const ModelTrace& wanted, BackendChoice backend,
                                 const std::string& what) {
    const auto logits = [&](const ModelTrace& model) {
      const std::vector<std::int64_t> positions = {0, 5};
      std::vector<float> all;
      for (const Prediction& at : predictions(model, 0, positions, 8, *make_backend({backend, 2}), CancelToken())) {
        for (const TokenProbability& token : at.top) {
          all.push_back(static_cast<float>(token.id));
          all.push_back(static_cast<float>(token.logit));
        }
      }
      return all;
    };
    EXPECT_EQ(logits(ours).size(), 2u * 2 * 8) << what;
    EXPECT_TRUE(test::same_bits(logits(ours), logits(wanted))) << what << ", logits";
  }
};

}  // namespace headscope
