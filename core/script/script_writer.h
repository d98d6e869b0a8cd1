// Writes a Python script line by line, for PyTorch or NumPy. Internal to core/script.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/attention/trace.h"
#include "core/script/script_parts.h"

namespace headscope {

class ScriptWriter {
 public:
  ScriptWriter(ScriptLanguage language, const Trace& trace, std::string stem) : trace_(trace), stem_(std::move(stem)) {
    script_.language = language;
  }
  const std::string& stem() const { return stem_; }  // of the files' names
  bool torch() const { return script_.language == ScriptLanguage::pytorch; }

  // Starts the section that makes these stages, with a marker line.
  void section(std::vector<StageId> stages, std::string_view title);
  void line(std::string_view text = "");
  // Writes the line of this script's language.
  void line(std::string_view pytorch, std::string_view numpy) { line(torch() ? pytorch : numpy); }
  // "name = stage("name", expression)"; what arrays change, patches take from A, and the
  // user edited, is set in it.
  void stage(StageId id, std::string_view expression);
  void stage(StageId id, std::string_view pytorch, std::string_view numpy) { stage(id, torch() ? pytorch : numpy); }

  // Adds a tensor to the data file and returns the expression that reads it.
  std::string data(const std::string& name, const Tensor& tensor);
  bool has_data() const { return !script_.tensors.empty(); }

  // Closes the last section. `name` "attention_pytorch.py".
  Script finished();

 private:
  void end_section();
  void use_arrays(StageId id);
  void put_patches(StageId id);
  const Trace& trace_;
  const std::string stem_;
  Script script_;
  std::int64_t lines_ = 0;
};

// A number as Python reads it: "0.125", "1e-05", "float("-inf")".
std::string python_number(double value);

// A string as Python reads it: "a \"b\"".
std::string python_string(std::string_view text);

// Text for a comment: no control characters, line breaks or directional overrides, at most `most` code points.
std::string comment_text(std::string_view text, std::size_t most);

// The headscope-cli command that computes the trace, for a comment.
std::string command_comment(const Trace& trace);

// The header, x and the weights (script_inputs.cpp), the heads (script_heads.cpp), and scores to output
// (script_scores.cpp).
void write_inputs(ScriptWriter& writer, const Trace& trace);
void write_heads(ScriptWriter& writer, const Trace& trace);
void write_attention(ScriptWriter& writer, const Trace& trace);
// The norms of a model's layer (script_norms.cpp).
void write_head_norm(ScriptWriter& writer, const HeadRule& rule);
const char* head_norm_name(const HeadRule& rule);  // of the function that it writes
void write_output_norm(ScriptWriter& writer, const RowNorm& norm);
Script latex_script(const Trace& trace);

// Whether torch draws x, or the weights, again.
bool draws_input(const Trace& trace);
bool draws_weights(const Trace& trace);

// Whether cells of the mask are painted over.
bool is_painted(const Request& request);

}  // namespace headscope
