// Patches and sweeps of decoders that attend to an encoder: against edits, against A's own numbers, and against single
// patched runs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/sweep/sweep.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/model/encoder_decoder_runs.h"

namespace headscope {
namespace {

constexpr AttentionList kLists[] = {AttentionList::decoder, AttentionList::cross};

Request of_list(const std::string& model, AttentionList list) {
  Request request = encoder_decoder_request(model);
  request.attention = list;
  return request;
}

// The same decoder text; another text of the encoder, or, of a sound, another text of the decoder.
Request other_text(Request request) {
  std::vector<std::int64_t>& ids = request.features.empty() ? request.token_ids : request.decoder_ids;
  for (std::int64_t& id : ids) id = 3 + (id + 4) % 11;
  return request;
}

std::vector<std::vector<float>> logits_of(const Trace& trace) {
  std::vector<std::vector<float>> rows;
  for (std::int64_t i = 0; i < trace.query_len(); ++i) {
    rows.push_back(logits_at(*trace.model, 0, i, *trace.model->backend, CancelToken()));
  }
  return rows;
}

// One head's context of A, put in by a patch, and number by number by edits.
TEST(DecoderPatches, AHeadOfAIsWhatItsNumbersAreAsEdits) {
  for (const char* model : {"t5", "bart", "marian", "whisper"}) {
    for (const AttentionList list : kLists) {
      SCOPED_TRACE(model);
      const Request b = of_list(model, list), a = other_text(b);
      const auto run_of_a = whole_model(a), plain = whole_model(b);
      const Tensor& context = run_of_a->model->layers[1]->tensor(StageId::context);
      std::string edits;
      for (std::int64_t i = 0; i < context.dim(2); ++i) {
        for (std::int64_t d = 0; d < context.dim(3); ++d) {
          edits += fmt::format("{}1/context:0,1,{},{}={}", edits.empty() ? "" : ";", i, d, context.at({0, 1, i, d}));
        }
      }
      const auto patched = patched_model(b, a, "1/context:1@A");
      const auto edited = whole_model(b, {{"edit", edits}});
      EXPECT_EQ(logits_of(*patched), logits_of(*edited));
      EXPECT_NE(logits_of(*patched), logits_of(*plain));
    }
  }
}

// What enters the last half of the decoder decides all that follows, where the encoder is the same.
TEST(DecoderPatches, TheStreamOfAMakesTheLogitsOfA) {
  const Request b = of_list("whisper", AttentionList::cross), a = other_text(b);
  const auto run_of_a = whole_model(a);
  const std::int64_t last = std::ssize(run_of_a->model->layers) - 1;
  const auto patched = patched_model(b, a, fmt::format("{}/stream@A", last));
  EXPECT_EQ(logits_of(*patched), logits_of(*run_of_a));
  EXPECT_NE(logits_of(*patched), logits_of(*whole_model(b)));
  // Attention and MLP of the last layer together, on the stream of B, are not A's logits.
  const auto parts = patched_model(b, a, fmt::format("{0}/output@A;{0}/mlp_out@A", last));
  EXPECT_NE(logits_of(*parts), logits_of(*run_of_a));
}

TEST(DecoderPatches, AMustShowTheSameList) {
  const Request b = of_list("t5", AttentionList::cross);
  Request a = other_text(b);
  a.attention = AttentionList::decoder;
  EXPECT_THROW(patched_model(b, a, "1/context:1@A"), UsageError);
  a.attention = AttentionList::encoder;
  EXPECT_THROW(patched_model(b, a, "1/context:1@A"), UsageError);
}

TEST(DecoderSweep, CellsAreThoseOfSinglePatchedRuns) {
  for (const char* model : {"t5", "bart", "whisper"}) {
    for (const AttentionList list : kLists) {
      SCOPED_TRACE(model);
      SweepQuestion question;
      question.patched = of_list(model, list);
      question.source = other_text(question.patched);
      question.metric = "logit:6";
      for (const SweepPatch kind : {SweepPatch::heads, SweepPatch::positions, SweepPatch::stages}) {
        question.patch = kind;
        const Sweep found = sweep({}, question, CancelToken(), {});
        const auto own = whole_model(question.patched);
        const std::int64_t last = own->query_len() - 1;
        EXPECT_EQ(found.position, last);
        EXPECT_EQ(found.unpatched, static_cast<double>(logits_of(*own)[static_cast<std::size_t>(last)][6]));
        for (std::size_t k = 0; k < found.cells.size(); k += 4) {
          const SweepCell& cell = found.cells[k];
          const std::string place = cell.head       ? fmt::format(":{}", *cell.head)
                                    : cell.position ? fmt::format(":*,{}", *cell.position)
                                                    : "";
          if (cell.position) continue;
          const auto run =
              patched_model(question.patched, question.source, fmt::format("{}/{}{}@A", cell.layer, cell.stage, place));
          EXPECT_EQ(cell.value, static_cast<double>(logits_of(*run)[static_cast<std::size_t>(last)][6]))
              << cell.layer << " " << cell.stage << place;
        }
      }
    }
  }
}

// A head whose context is 0 is one that is off.
TEST(DecoderSweep, AblationsTakeAHeadAway) {
  SweepQuestion question;
  question.patched = of_list("bart", AttentionList::cross);
  question.ablation = Ablation::zero;
  question.metric = "logit:6";
  const Sweep found = sweep({}, question, CancelToken(), {});
  for (const SweepCell& cell : found.cells) {
    if (*cell.head % 3 != 0) continue;
    const auto run = whole_model(question.patched, {{"ablate", fmt::format("{}.{}", cell.layer, *cell.head)}});
    EXPECT_NEAR(cell.value, static_cast<double>(logits_of(*run).back()[6]), 1e-5) << cell.layer << "." << *cell.head;
  }
}

TEST(DecoderSweep, WhatGoesThroughLayersAsOneStackIsRefused) {
  SweepQuestion question;
  question.patched = of_list("t5", AttentionList::cross);
  question.source = other_text(question.patched);
  question.metric = "logit:6";
  question.patch = SweepPatch::paths;
  question.from = LayerHead{0, 0};
  EXPECT_THROW(sweep({}, question, CancelToken(), {}), UsageError);
  question.patch = SweepPatch::heads;
  question.from.reset();
  question.estimate = SweepEstimate::beside;
  EXPECT_THROW(sweep({}, question, CancelToken(), {}), UsageError);
}

}  // namespace
}  // namespace headscope
