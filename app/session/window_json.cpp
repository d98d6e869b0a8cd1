// The whole view in session files and recipes.
#include <nlohmann/json.hpp>
#include <utility>

#include "app/session/state_json.h"
#include "app/session/view_state.h"

namespace headscope {

using nlohmann::json;

std::string window_json(const ViewState& view) {
  const ViewState fresh;
  const json kept = json::parse(view_state_json(with_layout_of(view, fresh)));
  const json usual = json::parse(view_state_json(fresh));
  json changed = json::object();
  for (const auto& [key, value] : kept.items()) {
    if (const auto same = usual.find(key); same == usual.end() || *same != value) changed[key] = value;
  }
  return changed.empty() ? "" : changed.dump();
}

void apply_window(ViewState& view, const std::optional<ViewSpec>& spec, const std::string& window) {
  if (window.empty()) {
    if (spec) apply_view_spec(view, *spec);
    return;
  }
  ViewState whole = with_layout_of(parse_view_state(window), view);
  // A picture that is not the window's own says how it is looked at.
  if (spec && view_spec_of(whole, spec->theme) != *spec) {
    ViewState by_view = whole;
    apply_view_spec(by_view, *spec);
    if (view_spec_of(by_view, spec->theme) != view_spec_of(whole, spec->theme)) whole = std::move(by_view);
  }
  view = std::move(whole);
}

}  // namespace headscope
