#include "app/session/undo_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/same_request.h"

namespace headscope {

namespace {

// What a long session may keep; older steps are forgotten.
constexpr std::size_t kMostSteps = 1000;

// Options that are picked from a list: every pick is a step. The others are typed or dragged, so that many small
// changes are one intention.
constexpr std::array<std::string_view, 10> kPickedOptions = {"qkv-layout",   "embedding",  "position",     "mask-kind",
                                                             "causal-align", "mask-order", "fully-masked", "merge",
                                                             "variant",      "backend"};

bool is_picked(std::string_view option) {
  bool picked = std::find(kPickedOptions.begin(), kPickedOptions.end(), option) != kPickedOptions.end();
  for_each_kind([&](const auto& kind) { picked = picked || (option == kind.option.name && !kind.typed); });
  return picked;
}

bool same_mask_kinds(const Request& a, const Request& b) {
  return std::equal(a.mask.begin(), a.mask.end(), b.mask.begin(), b.mask.end(),
                    [](const MaskTerm& x, const MaskTerm& y) { return x.kind == y.kind; });
}

// The one typed option in which the two differ; "" when they differ in several, or in one that is picked.
std::string typed_change(const Request& a, const Request& b) {
  std::string_view changed;
  for (const RequestOption& option : request_options()) {
    if (option.get(a) == option.get(b)) continue;
    if (!changed.empty()) return "";
    changed = option.name;
  }
  if (is_picked(changed)) return "";
  // A chip that is switched is a pick; only its number or its file is typed.
  if (changed == "mask" && !same_mask_kinds(a, b)) return "";
  return std::string(changed);
}

}  // namespace

ViewState with_screen_of(ViewState view, const ViewState& screen) {
  view.request_width = screen.request_width;
  view.inspector_width = screen.inspector_width;
  view.concat_height = screen.concat_height;
  view.request_collapsed = screen.request_collapsed;
  view.concat_collapsed = screen.concat_collapsed;
  view.inspector_collapsed = screen.inspector_collapsed;
  view.pipeline_collapsed = screen.pipeline_collapsed;
  view.request_opened_by_hand = screen.request_opened_by_hand;
  view.layers = screen.layers;
  return view;
}

void UndoList::reset(const Request& draft, const ViewState& view) {
  last_ = {draft, view};
  before_.clear();
  after_.clear();
  end_step();
}

void UndoList::record(const Request& draft, const ViewState& view, TimePoint now) {
  if (same_request(draft, last_.draft)) {
    last_.view = view;
    return;
  }
  const std::string option = typed_change(last_.draft, draft);
  const bool joins = !option.empty() && option == joined_option_ && now - changed_at_ <= coalesce_ && !before_.empty();
  if (!joins) {
    before_.push_back(last_);
    if (before_.size() > kMostSteps) before_.erase(before_.begin());
  } else if (same_request(before_.back().draft, draft)) {
    before_.pop_back();
  }
  after_.clear();
  joined_option_ = option;
  changed_at_ = now;
  last_ = {draft, view};
}

void UndoList::go(std::vector<State>& from, std::vector<State>& to, Request& draft, ViewState& view) {
  if (from.empty()) return;
  to.push_back({draft, view});
  draft = std::move(from.back().draft);
  view = with_screen_of(std::move(from.back().view), view);
  from.pop_back();
  last_ = {draft, view};
  end_step();
}

void UndoList::undo(Request& draft, ViewState& view) {
  go(before_, after_, draft, view);
}

void UndoList::redo(Request& draft, ViewState& view) {
  go(after_, before_, draft, view);
}

}  // namespace headscope
