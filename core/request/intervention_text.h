// The text of interventions. The value of an option is a list of terms, "0.3=uniform,off:0.5=identity". A term that
// begins with "off:" is listed and has no effect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/request/interventions.h"

namespace headscope {

// The option of one kind of intervention: its name, and the words of its help and of its errors.
struct InterventionOption {
  const char* name;         // "scale-query"
  const char* placeholder;  // "G|L.H=G[,...]"
  const char* help;         // one sentence
  const char* list;         // "a list of factors"
  const char* expected;     // the terms that are allowed, for an error
  char separator = ',';     // between terms
};

// The text of one term: "0.3", "0.3=uniform", "2" or "0.3=2", "1/scores:0,2,3,1=0.5", "hide@0:2,:",
// "1/context:3,2@A", "1/stream:5..7=mine.npy*2".
std::string term_text(const AblatedHead& head);
std::string term_text(const FrozenHead& head);
std::string term_text(const HeadFactor& head);
std::string term_text(const NumberEdit& edit);
std::string term_text(const PaintedCells& cells);
std::string term_text(const PatchedStage& patch);
std::string term_text(const StageArray& array);

// Parses one term. UsageError names the option, what was found and what was expected.
void read_term(const InterventionOption& option, std::string_view term, AblatedHead& to);
void read_term(const InterventionOption& option, std::string_view term, FrozenHead& to);
void read_term(const InterventionOption& option, std::string_view term, HeadFactor& to);
void read_term(const InterventionOption& option, std::string_view term, NumberEdit& to);
void read_term(const InterventionOption& option, std::string_view term, PaintedCells& to);
void read_term(const InterventionOption& option, std::string_view term, PatchedStage& to);
void read_term(const InterventionOption& option, std::string_view term, StageArray& to);

// Whether two interventions change the same number or the same head, so that a list holds only the later one.
bool same_thing(const NumberEdit& a, const NumberEdit& b);
bool same_thing(const PaintedCells& a, const PaintedCells& b);  // always false: rectangles may overlap
bool same_thing(const PatchedStage& a, const PatchedStage& b);
bool same_thing(const StageArray& a, const StageArray& b);  // of --set alone: what is added or taken out adds up
template <typename Placed>
bool same_thing(const Placed& a, const Placed& b) {
  return a.place == b.place;
}

// Names the option that does this to a place: "project-out".
const char* option_of(ArrayUse use);

// Splits the value of an option into its terms. "none" gives an empty list. UsageError when a term is empty.
std::vector<std::string> split_terms(const InterventionOption& option, const std::string& text);

// Parses the new number of an edit: a number that float32 holds, "inf" or "-inf". UsageError of the option "edit".
float parse_edit_value(std::string_view text);

}  // namespace headscope
