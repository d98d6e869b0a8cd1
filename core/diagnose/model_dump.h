// A dump of a whole model that another program made: what each of its tensors is, in the axes that ours have.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/diagnose/program_names.h"
#include "core/tensor/tensor.h"

namespace headscope {

// A tensor of a file, which is read when it is needed.
struct DumpEntry {
  std::string name;
  std::function<Tensor()> read;
};

struct DumpTensor {
  std::string name;        // as the dump has it
  std::int64_t layer = 0;  // of theirs; of final_norm and logits the last one
  // Neither hidden nor, but of layer 0, entering: that is what leaves the layer before.
  DumpPart part{};
  StageId stage{};             // of DumpPart::stage
  Tensor tensor;               // in our axes: those of the stage, else [batch, rows, features]
  std::int64_t first_row = 0;  // above 0: it holds the rows from there on alone
  bool may_be_normed = false;  // of the last of the hidden states: the final norm may have been applied
  std::string read_as;  // the axes that it was read in, where they are not those that its row names first; else ""
};

struct ModelDump {
  std::vector<DumpTensor> tensors;   // in the order of computation
  std::int64_t layers = 0;           // that it knows of: the highest number and 1
  std::vector<std::string> unknown;  // names that no row of program_names() knows
  std::vector<std::string> others;   // names of what a model like ours does not compute
};

// Reads every tensor whose name a row knows. `ours` is a run of the whole model. UsageError for a tensor whose sizes
// no row of its name has, for a layer that our model does not have, for two tensors of different numbers that are the
// same thing, where layers of ours were not kept, and where the model is a decoder beside an encoder.
ModelDump model_dump(const Trace& ours, std::span<const DumpEntry> theirs);

}  // namespace headscope
