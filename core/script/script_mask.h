// The lines of a Python script that make the mask. Internal to core/script.
#pragma once

#include <string>

#include "core/script/script_writer.h"

namespace headscope {

// What the lines from the scores on are written with. It refers to its members.
struct ScoreLines {
  ScriptWriter& w;
  const Trace& trace;
  const Request& request;
  const Mask& mask;
  bool hides = false;        // some cell gets the fill
  bool has_mask = false;     // the lines that make `hidden` are written
  bool hides_later = false;  // weights of hidden cells are set to 0
};

// Writes the lines that make `hidden`, true where a query may not see a key, and `added` where the mask adds something;
// sets has_mask.
void write_mask(ScoreLines& lines);

// `what` times the scale of the trace's scores.
std::string scaled_in_python(const Trace& trace, const std::string& what);

// Writes the stages c2p and p2c, where the trace has them.
void write_position_scores(ScoreLines& lines);

// " + c2p + p2c": those that the trace has.
std::string position_terms(const Trace& trace);

}  // namespace headscope
