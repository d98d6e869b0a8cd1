// Why a cell of a whole model's stage holds its number: formula, operands, steps in double.
#pragma once

#include <string>
#include <vector>

#include "core/attention/model_stages.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/explain.h"

namespace headscope {

struct ModelCell {
  ModelStageId stage{};
  Index index;                     // in the stage's own axes
  double value = 0;                // as stored: a float32
  std::string formula;             // "stream[l,b,i,d] = stream[l-1,b,i,d] + attention_out[l-1,b,i,d] + ..."
  std::vector<ExplainStep> steps;  // never empty; the last one's value is the cell's
  // Stages, and tensors of the checkpoint by the part that they play: "word", "position", "token_type", "norm.weight",
  // "down.weight", "decoder.weight" ...; of a sum over features the two factors of a term beside each other. "hidden"
  // [layer, batch, position, k] is what the MLP's last matrix reads, "embedded" [batch, position, k] what the
  // projection of narrow embeddings reads. Of mlp_out of a layer with experts: "factor" [layer, batch, position,
  // expert], and of each chosen expert "expert E.hidden" and "expert E.down.weight", of one that all tokens pass
  // "shared.hidden".
  // Of a decoder beside an encoder, whose layer has two attentions, "attention_out" is that of the list that is shown,
  // "decoder attention_out" or "cross attention_out" that of the other, and "patched stream" what arrays or patches put
  // between them.
  std::vector<Operand> operands;
  std::vector<ExplainTerm> terms;  // of a sum over features, in its order; over experts: factor and result
  double magnitude = 0;            // sum of |terms|: rounding errors are relative to it
};

// Explains stage[index] of a model that was computed whole. The last step is within 1e-5 of the stored value, relative
// to `magnitude`. UsageError, which names `option`, as model_stages(); "at" for a cell that is not there. Throws
// Cancelled.
ModelCell model_cell(const std::string& option, const Trace& trace, ModelStageId stage, const Index& index,
                     const CancelToken& cancel);

}  // namespace headscope
