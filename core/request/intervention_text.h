// Interventions as they are typed: the values of --ablate, --freeze, --scale-query, --scale-key, --edit and --paint.
// Every term may begin with "off:": it is listed then, and without effect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/request/request.h"

namespace headscope {

// One term each: "0.3=uniform", "2" or "0.3=2", "1/scores:0,2,3,1=0.5", "hide@0:2,:".
std::string freeze_text(const FrozenHead& head);
std::string factor_text(const HeadFactor& head);
std::string edit_text(const NumberEdit& edit);
std::string paint_text(const PaintedCells& cells);

// All terms of an option, as its value on the command line; "" when there are none.
std::string ablate_text(const Request& request);
std::string freeze_text(const Request& request);
std::string factors_text(const std::vector<HeadFactor>& factors);
std::string edits_text(const Request& request);
std::string paint_text(const Request& request);

// Parse all terms; "none" is the empty list, and of terms about the same thing the last one counts. UsageError names
// the option, what was found and what was expected; the request is then as it was.
void set_ablate(Request& request, const std::string& text);
void set_freeze(Request& request, const std::string& text);
void set_scale_query(Request& request, const std::string& text);
void set_scale_key(Request& request, const std::string& text);
void set_edits(Request& request, const std::string& text);
void set_paint(Request& request, const std::string& text);

// A number as a field takes it: what float32 holds, "inf" or "-inf". UsageError that begins with "--edit".
float parse_edit_value(std::string_view text);

}  // namespace headscope
