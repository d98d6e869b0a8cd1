// Cells of the stages of decoders beside an encoder: their steps end in the number that is there, and their operands
// are the numbers of the other stages, of either attention.
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/explain/model_cell.h"
#include "core/model/checkpoint.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/model/encoder_decoder_runs.h"

namespace headscope {
namespace {

using Id = ModelStageId;

Request decoder_request(const std::string& name, AttentionList list) {
  Request request = encoder_decoder_request(name);
  request.attention = list;
  return request;
}

std::vector<Id> stages_of(AttentionList list) {
  std::vector<Id> ids = {Id::stream, Id::attention_out, Id::final_norm, Id::logits};
  if (list == AttentionList::cross) ids.insert(ids.end(), {Id::mlp_in, Id::mlp_out});
  return ids;
}

// By their names: those of the list that is shown, and what the other attention adds.
std::map<std::string, Tensor> numbers_of(const std::string& name, AttentionList list) {
  std::map<std::string, Tensor> numbers;
  for (const AttentionList of : {AttentionList::decoder, AttentionList::cross}) {
    const auto trace = whole_model(decoder_request(name, of));
    for (const ModelStage& stage : model_stages("stage", *trace, stages_of(of), CancelToken())) {
      const std::string own(model_stage_info(stage.id).name);
      const bool other = stage.id == Id::attention_out && of != list;
      numbers[other ? (of == AttentionList::cross ? "cross " : "decoder ") + own : own] = stage.tensor;
    }
  }
  return numbers;
}

void expect_end(const ModelCell& why, const std::string& cell) {
  ASSERT_FALSE(why.steps.empty()) << cell;
  EXPECT_TRUE(std::abs(why.steps.back().value - why.value) <= 1e-5 * std::max(why.magnitude, std::abs(why.value)))
      << cell << ": " << why.steps.back().value << " for " << why.value << ", " << why.formula;
}

void expect_cells(const Trace& trace, const ModelStage& stage, const std::map<std::string, Tensor>& numbers) {
  const std::int64_t features = stage.tensor.dim(stage.tensor.rank() - 1);
  const bool by_layers = stage.tensor.rank() == 4;
  for (std::int64_t layer = 0; layer < (by_layers ? stage.tensor.dim(0) : 1); ++layer) {
    for (const std::int64_t position : {std::int64_t{0}, trace.query_len() - 1}) {
      const std::int64_t d = (layer * 5 + position + 2) % features;
      const Index at = by_layers ? Index{layer, 0, position, d} : Index{0, position, d};
      const std::string cell = cell_name(model_stage_info(stage.id).name, at);
      const ModelCell why = model_cell("stage", trace, stage.id, at, CancelToken());
      EXPECT_EQ(why.value, static_cast<double>(stage.tensor.at(at))) << cell;
      EXPECT_FALSE(why.operands.empty()) << cell;
      expect_end(why, cell);
      for (const Operand& operand : why.operands) {
        const auto other = numbers.find(operand.stage);
        if (other == numbers.end()) continue;
        EXPECT_EQ(operand.value, static_cast<double>(other->second.at(operand.index))) << cell << " " << operand.stage;
      }
    }
  }
}

TEST(DecoderCell, StepsEndInTheNumberAndOperandsAreThoseOfBothAttentions) {
  for (const std::string& name : encoder_decoder_names()) {
    for (const AttentionList list : {AttentionList::decoder, AttentionList::cross}) {
      SCOPED_TRACE(name + (list == AttentionList::cross ? " cross" : " decoder"));
      const auto trace = whole_model(decoder_request(name, list));
      const std::map<std::string, Tensor> numbers = numbers_of(name, list);
      for (const ModelStage& stage : model_stages("stage", *trace, stages_of(list), CancelToken())) {
        expect_cells(*trace, stage, numbers);
      }
    }
  }
}

// T5 adds three results to its stream; BART norms after each of them.
TEST(DecoderCell, TheStreamIsASumOfFourOrANorm) {
  const auto cross = whole_model(decoder_request("t5", AttentionList::cross));
  const ModelCell sum = model_cell("stage", *cross, Id::stream, {2, 0, 1, 4}, CancelToken());
  EXPECT_EQ(sum.formula,
            "stream[l,b,i,d] = stream[l-1,b,i,d] + decoder attention_out[l-1,b,i,d] + attention_out[l-1,b,i,d] + "
            "mlp_out[l-1,b,i,d]");
  ASSERT_EQ(sum.operands.size(), 4u);
  const auto decoder = whole_model(decoder_request("t5", AttentionList::decoder));
  const ModelCell same = model_cell("stage", *decoder, Id::stream, {2, 0, 1, 4}, CancelToken());
  EXPECT_EQ(same.value, sum.value);
  EXPECT_EQ(same.operands[1].stage, "attention_out");
  EXPECT_EQ(same.operands[2].stage, "cross attention_out");
  EXPECT_EQ(same.operands[1].value, sum.operands[1].value);
  const auto bart = whole_model(decoder_request("bart", AttentionList::cross));
  EXPECT_EQ(model_cell("stage", *bart, Id::stream, {1, 0, 1, 4}, CancelToken()).formula,
            "stream[l,b,i,d] = norm(mlp_in[l-1,b,i,d] + mlp_out[l-1,b,i,d])");
  const ModelCell in = model_cell("stage", *bart, Id::mlp_in, {1, 0, 1, 4}, CancelToken());
  EXPECT_EQ(in.formula,
            "mlp_in[l,b,i,d] = norm(norm(stream[l,b,i,d] + decoder attention_out[l,b,i,d]) + "
            "attention_out[l,b,i,d])");
}

TEST(DecoderCell, APatchOfWhatEntersEitherAttentionIsSaid) {
  for (const std::string name : {"t5", "bart"}) {
    for (const AttentionList list : {AttentionList::decoder, AttentionList::cross}) {
      const bool of_cross = list == AttentionList::cross;
      SCOPED_TRACE(name + (of_cross ? " cross" : " decoder"));
      Request other = decoder_request(name, list);
      other.decoder_ids[1] = other.decoder_ids[1] == 5 ? 6 : 5;
      const auto trace =
          patched_model(decoder_request(name, list), other, of_cross ? "1/stream:2@A;1/mlp_out:1@A" : "1/stream:2@A");
      for (const ModelStage& stage : model_stages("stage", *trace, stages_of(list), CancelToken())) {
        if (!model_stage_info(stage.id).by_layers()) continue;
        for (std::int64_t layer = 0; layer < stage.tensor.dim(0); ++layer) {
          for (std::int64_t position = 0; position < 3; ++position) {
            const Index at{layer, 0, position, 3};
            const ModelCell why = model_cell("stage", *trace, stage.id, at, CancelToken());
            expect_end(why, cell_name(model_stage_info(stage.id).name, at));
            const bool put = layer == 1 && ((stage.id == Id::stream && !of_cross && position == 2) ||
                                            (stage.id == Id::mlp_out && position == 1));
            EXPECT_EQ(why.steps.back().name == "patched", put) << cell_name(model_stage_info(stage.id).name, at);
          }
        }
      }
      if (!of_cross || name != "t5") continue;
      const ModelCell leaves = model_cell("stage", *trace, Id::stream, {2, 0, 2, 3}, CancelToken());
      EXPECT_EQ(leaves.operands.front().stage, "patched stream");
    }
  }
}

TEST(DecoderCell, TheMlpIsOfTheOtherList) {
  const auto trace = whole_model(decoder_request("t5", AttentionList::decoder));
  EXPECT_THROW(model_cell("stage", *trace, Id::mlp_out, {0, 0, 0, 0}, CancelToken()), UsageError);
}

}  // namespace
}  // namespace headscope
