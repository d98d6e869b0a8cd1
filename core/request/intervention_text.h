// Interventions as they are typed: the terms in the values of their options, "0.3=uniform,off:0.5=identity". Every term
// may begin with "off:": it is listed then, and without effect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/request/interventions.h"

namespace headscope {

// What the option of a kind of intervention is called, and the words of its help and of its errors.
struct InterventionOption {
  const char* name;         // "scale-query"
  const char* placeholder;  // "G|L.H=G[,...]"
  const char* help;         // one sentence
  const char* list;         // "a list of factors"
  const char* expected;     // what a term may be, for an error
  char separator = ',';     // of terms
};

// One term: "0.3", "0.3=uniform", "2" or "0.3=2", "1/scores:0,2,3,1=0.5", "hide@0:2,:".
std::string term_text(const AblatedHead& head);
std::string term_text(const FrozenHead& head);
std::string term_text(const HeadFactor& head);
std::string term_text(const NumberEdit& edit);
std::string term_text(const PaintedCells& cells);

// Parses one term. UsageError names the option, what was found and what was expected.
void read_term(const InterventionOption& option, std::string_view term, AblatedHead& to);
void read_term(const InterventionOption& option, std::string_view term, FrozenHead& to);
void read_term(const InterventionOption& option, std::string_view term, HeadFactor& to);
void read_term(const InterventionOption& option, std::string_view term, NumberEdit& to);
void read_term(const InterventionOption& option, std::string_view term, PaintedCells& to);

// Whether two are about the same thing, so that only one of them can be there: the same number, or the same head.
bool same_thing(const NumberEdit& a, const NumberEdit& b);
bool same_thing(const PaintedCells& a, const PaintedCells& b);  // never: the last one lies on top
template <typename Placed>
bool same_thing(const Placed& a, const Placed& b) {
  return a.place == b.place;
}

// The value of an option as its terms; "none" has none. UsageError when one of them is empty.
std::vector<std::string> split_terms(const InterventionOption& option, const std::string& text);

// A number as a field takes it: what float32 holds, "inf" or "-inf". UsageError that begins with "--edit".
float parse_edit_value(std::string_view text);

}  // namespace headscope
