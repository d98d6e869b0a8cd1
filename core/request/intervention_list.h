// All interventions of a request as one list, which panels show and change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request/request.h"

namespace headscope {

// One row of the list.
struct Intervention {
  std::string_view option;  // its kind: "scale-query"
  std::size_t index = 0;    // in the request's list of that kind
  std::string label;        // "scores[0, 2, 3, 1] = 0.5", "head 3: weights uniform"
  std::string
      clause;  // the words after "with": "layer 1, head 3 off", "scores[0,2,3,1] = 0.5", "query 2, every key hidden"
  std::string term;  // as its option spells it: "off:scores:0,2,3,1=0.5"
  bool on = true;
};

// All interventions, in the order of the options. With `with_layers` the labels name the layer. Empty when there are
// none.
std::vector<Intervention> interventions_of(const Request& request, bool with_layers);

// The interventions that are switched on.
std::vector<Intervention> active_interventions(const Request& request, bool with_layers);

// Switches on or off, or removes, one of the rows that interventions_of(request) returned for this request.
void switch_intervention(Request& request, const Intervention& which, bool on);
void remove_intervention(Request& request, const Intervention& which);

// Switches all interventions on or off; they stay in the list.
void switch_interventions(Request& request, bool on);

// Removes all interventions.
void clear_interventions(Request& request);

// The request without any intervention, and with a single one of interventions_of(request): their results show what
// interventions do together and what each does alone.
Request without_interventions(Request request);
Request with_only(const Request& request, const Intervention& which);

// `off` true: switches the head off (adds it, or switches its row on). false: removes the head's row, whether that row
// is on or off.
void put_ablated(Request& request, const LayerHead& place, bool off);

// Adds an edit; an edit of the same number is replaced.
void put_edit(Request& request, const NumberEdit& edit);

// Freezes the weights of a head in this way; nullopt removes the head's row.
void put_freeze(Request& request, const LayerHead& place, std::optional<FrozenHead::As> as);

// Sets the factor of a head in `factors`; a factor of 1 removes the head's row.
void put_factor(std::vector<HeadFactor>& factors, const LayerHead& place, double factor);

}  // namespace headscope
