// A LaTeX document that grows stage by stage. Internal to core/script.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/script/script_parts.h"

namespace headscope {

struct Latex {
  const Trace& trace;
  Script script{ScriptLanguage::latex, "", "", "", {}, {}};
  std::int64_t lines = 0;

  void line(const std::string& text);
  // Begins the section that makes these stages; the one before it ends here.
  void open(std::vector<StageId> stages);
  // One display: the stage, what it is, where it lives, and a sentence. Nothing for a stage that the trace lacks.
  void stage(StageId id, const std::string& left, const std::string& right, const std::string& words);
};

// "x W_q^T + b_q": the formula of a projection of a stage.
std::string latex_product(StageId of, const char* matrix, const Linear& linear);

// " with $W_q \in ...$ and $b_q \in ...$": the shapes of a projection.
std::string where_weights(const char* matrix, const Linear& linear);

// The stages up to the projections, and the heads that they are split into.
void write_projections(Latex& x);
void write_heads_of(Latex& x);
// What a model's norm makes of the output.
void write_output_norm(Latex& x, const RowNorm& norm);

}  // namespace headscope
