// All interventions of a request as one list: what a panel shows, switches and removes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request/request.h"

namespace headscope {

struct Intervention {
  std::string_view option;  // its kind: "scale-query"
  std::size_t index = 0;    // in the request's list of that kind
  std::string label;        // "scores[0, 2, 3, 1] = 0.5", "head 3: weights uniform"
  std::string clause;       // after "with": "layer 1, head 3 off", "scores[0,2,3,1] = 0.5", "query 2, every key hidden"
  std::string term;         // as its option spells it: "off:scores:0,2,3,1=0.5"
  bool on = true;
};

// In the order of the options. `with_layers`: labels say which layer.
std::vector<Intervention> interventions_of(const Request& request, bool with_layers);

// Those of them that have an effect.
std::vector<Intervention> active_interventions(const Request& request, bool with_layers);

// Switches one of interventions_of(request), or takes it out.
void switch_intervention(Request& request, const Intervention& which, bool on);
void remove_intervention(Request& request, const Intervention& which);

// Switches every one of them; all stay listed.
void switch_interventions(Request& request, bool on);

// Takes all of them out.
void clear_interventions(Request& request);

// The request that all of them are compared with, and the one that only one of interventions_of(request) changes.
Request without_interventions(Request request);
Request with_only(const Request& request, const Intervention& which);

// Switches a head off, or takes that out of the request, listed or not.
void put_ablated(Request& request, const LayerHead& place, bool off);

// Puts an edit in, in the place of one of the same number.
void put_edit(Request& request, const NumberEdit& edit);

// Holds the weights of a head; nothing lets them go.
void put_freeze(Request& request, const LayerHead& place, std::optional<FrozenHead::As> as);

// Sets the factor of a head in `factors`; 1 takes it out.
void put_factor(std::vector<HeadFactor>& factors, const LayerHead& place, double factor);

}  // namespace headscope
