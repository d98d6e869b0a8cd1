// What the tensors of a dump are called: one row for a name that a program uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/architecture.h"
#include "core/request/stage.h"

namespace headscope {

// What of a model a tensor holds, in the order of computation.
enum class DumpPart {
  entering,    // what enters a layer
  stage,       // a stage of its attention
  attended,    // the sum of that and of what attention adds, after a norm of the sum where there is one
  mlp_in,      // what the MLP reads
  mlp_out,     // what the MLP adds
  leaving,     // what leaves the layer
  hidden,      // number n of N layers: what enters layer n; n = N: what leaves the last, mostly behind the final norm
  final_norm,  // the final norm of what leaves the last layer
  logits,
};

// Which models a row is for, where a program means two things by one name.
enum class NameFor {
  any,
  norms_result,    // what attention and the MLP give is normalised before it is added
  plain_result,    // it is not
  after_sum,       // sums are normalised
  bare_embedding,  // what enters layer 0 is rows of the table of words and nothing else
};

struct ProgramName {
  std::string_view program;
  // "(a.|b.|)" stands for one of these, {N} for the number of a layer, {S} for the name of a stage.
  std::string_view pattern;
  DumpPart part{};
  StageId stage = StageId::output;  // of DumpPart::stage
  // The axes as the file has them, slowest first: l layers, b batch, h heads, i positions (of scores queries), j keys,
  // d features (of a head where there is an h). Without b there is one item. "": as the stage itself has them.
  std::string_view axes;
  NameFor model = NameFor::any;
  bool ggml = false;  // axes may be written fastest first, and rows of keys be longer than the text
};

// Every row, program by program.
std::span<const ProgramName> program_names();

// A row that knows the name, and what {N} and {S} stand for in it.
struct NameMeaning {
  const ProgramName* row = nullptr;
  std::int64_t layer = -1;  // -1: the pattern has no {N}
  StageId stage{};
};

// Every row that knows the name and is for such a model, in the order of the table; empty where none does. Of several
// the sizes decide.
std::vector<NameMeaning> meanings_of(std::string_view name, const Architecture& architecture);

// Whether a row knows the name as that of a layer's, or of all layers', whatever the model.
bool names_a_layer(std::string_view name);

}  // namespace headscope
