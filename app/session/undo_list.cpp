#include "app/session/undo_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "app/session/lesson_stops.h"
#include "app/session/moment_size.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/same_request.h"

namespace headscope {

namespace {

// Options that are picked from a list: every pick is a step. The others are typed or dragged, so that many small
// changes are one intention.
constexpr std::array<std::string_view, 17> kPickedOptions = {
    "qkv-layout",   "embedding",   "position",  "mask-kind", "causal-align",  "mask-order",
    "fully-masked", "merge",       "variant",   "backend",   "softcap-order", "groups",
    "hide-tokens",  "renormalise", "weighting", "attention", "layout"};

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
    // Its values are copies, and this one may be megabytes.
    const bool same = option.name == std::string_view("phrase") ? a.phrase == b.phrase : option.get(a) == option.get(b);
    if (same) continue;
    if (!changed.empty()) return "";
    changed = option.name;
  }
  if (is_picked(changed)) return "";
  // A chip that is switched is a pick; only its number or its file is typed.
  if (changed == "mask" && !same_mask_kinds(a, b)) return "";
  return std::string(changed);
}

// "stop 2" when only its words differ; "" otherwise.
std::string typed_change(const Lesson& a, const Lesson& b) {
  const int stop = stop_with_other_words(a, b);
  return stop < 0 ? "" : "stop " + std::to_string(stop + 1);
}

UndoStep step_to(const Moment& moment, bool opened) {
  return {std::make_shared<const Moment>(moment), opened};
}

// How many of the steps, which are counted then, are too many, when those nearer than them take up to `most_bytes`. The
// nearest one never is. Takes what the others hold from `most_bytes`.
std::size_t count_too_far(std::vector<UndoStep>& steps, std::size_t& most_bytes) {
  const std::size_t most = std::min(kMostUndoSteps, steps.size());
  std::size_t near = 0;
  for (; near < most; ++near) {
    UndoStep& step = steps[steps.size() - 1 - near];
    if (step.bytes == 0) step.bytes = bytes_of(*step.moment);
    if (near > 0 && step.bytes > most_bytes) break;
    most_bytes -= std::min(most_bytes, step.bytes);
  }
  return steps.size() - near;
}

}  // namespace

ViewState with_screen_of(ViewState view, const ViewState& screen) {
  view = with_layout_of(std::move(view), screen);
  view.layers = screen.layers;
  return view;
}

void UndoList::reset(const Moment& now, Timeline timeline) {
  last_ = now;
  steps_ = std::move(timeline);
  forget_farthest();
  end_step();
}

void UndoList::push_step(bool opened) {
  steps_.before.push_back(step_to(last_, opened));
  forget_farthest();
}

void UndoList::forget_farthest() {
  std::size_t bytes = kMostUndoBytes;
  for (std::vector<UndoStep>* steps : {&steps_.before, &steps_.after}) {
    const std::size_t count = count_too_far(*steps, bytes);
    steps->erase(steps->begin(), steps->begin() + static_cast<std::ptrdiff_t>(count));
  }
}

void UndoList::record(const Request& draft, const ViewState& view, const DocumentIdentity& document, TimePoint now) {
  const bool same_draft = same_request(draft, last_.draft);
  if (same_draft && view.lesson == last_.view.lesson) {
    last_.view = view;
    last_.document = document;
    return;
  }
  const std::string option =
      same_draft ? typed_change(last_.view.lesson, view.lesson) : typed_change(last_.draft, draft);
  const bool joins = !option.empty() && option == joined_option_ && now - changed_at_ <= coalesce_ && can_undo();
  if (!joins) {
    push_step(false);
  } else if (same_request(steps_.before.back().moment->draft, draft) &&
             steps_.before.back().moment->view.lesson == view.lesson) {
    steps_.before.pop_back();
  }
  steps_.after.clear();
  joined_option_ = option;
  changed_at_ = now;
  last_ = {draft, view, document};
}

void UndoList::open(const Moment& opened) {
  const bool same = same_request(opened.draft, last_.draft) && opened.document == last_.document &&
                    with_screen_of(opened.view, last_.view) == last_.view && opened.view.layers == last_.view.layers;
  if (!same) {
    push_step(true);
    steps_.after.clear();
  }
  end_step();
  last_ = opened;
}

void UndoList::amend(const Moment& now) {
  last_ = now;
  end_step();
}

void UndoList::go(std::vector<UndoStep>& from, std::vector<UndoStep>& to, Moment& now) {
  if (from.empty()) return;
  const UndoStep step = std::move(from.back());
  from.pop_back();
  to.push_back(step_to(now, step.opened));
  const ViewState screen = std::move(now.view);
  now = *step.moment;
  now.view = with_screen_of(std::move(now.view), screen);
  if (step.opened) now.view.layers = step.moment->view.layers;
  last_ = now;
  end_step();
}

void UndoList::undo(Moment& now) {
  go(steps_.before, steps_.after, now);
}

void UndoList::redo(Moment& now) {
  go(steps_.after, steps_.before, now);
}

Timeline UndoList::nearest(std::size_t most) const {
  const auto last = [most](const std::vector<UndoStep>& steps) {
    return std::vector<UndoStep>(steps.end() - static_cast<std::ptrdiff_t>(std::min(most, steps.size())), steps.end());
  };
  return {last(steps_.before), last(steps_.after)};
}

}  // namespace headscope
