#include "app/ui/guide/callout.h"

#include <algorithm>
#include <cmath>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/layout.h"
#include "app/ui/shell_state.h"
#include "app/ui/stage_facts.h"
#include "app/ui/unfolded_rows.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kWidth = 372, kPadding = 16, kArrow = 9, kAway = 7;
// Frames until a panel that was opened knows how long it is.
constexpr int kRevealFrames = 4;

Rect inside(const Rect& rect, const Rect& area) {
  return {{std::max(rect.min.x, area.min.x), std::max(rect.min.y, area.min.y)},
          {std::min(rect.max.x, area.max.x), std::min(rect.max.y, area.max.y)}};
}

// Where a control can be seen: what is scrolled out of its panel cannot.
Rect panel_of(const Ui& ui, const std::string& control, const Rect& window) {
  const auto panel = ui.probe->rects.find(control.substr(0, control.find('/')));
  return panel == ui.probe->rects.end() ? window : inside(panel->second, window);
}

// The controls that are on screen, as far as they are seen.
std::vector<Rect> targets_of(const Ui& ui, const Callout& callout, const Rect& window) {
  std::vector<Rect> targets;
  if (ui.probe == nullptr) return targets;
  for (const std::string& name : callout.controls) {
    const auto found = ui.probe->rects.find(name);
    if (found == ui.probe->rects.end()) continue;
    const Rect rect = inside(found->second, panel_of(ui, name, window));
    if (rect.width() >= 1 && rect.height() >= 1) targets.push_back(rect);
  }
  return targets;
}

// A box inside the window, its corner as near to (x, y) as that allows.
Rect box_at(Ui& ui, const Rect& window, ImVec2 size, float x, float y) {
  const float margin = ui.px(12);
  const auto within = [&](float at, float low, float high, float extent) {
    return std::round(std::clamp(at, low + margin, std::max(low + margin, high - margin - extent)));
  };
  const ImVec2 at{within(x, window.min.x, window.max.x, size.x), within(y, window.min.y, window.max.y, size.y)};
  return {at, {at.x + size.x, at.y + size.y}};
}

// Beside the target: below or above it, else at its left or right; with `beside` the other way round. nullopt: no side
// has so much room.
std::optional<Rect> place_beside(Ui& ui, const Rect& target, const Rect& window, ImVec2 size, bool beside) {
  const float away = ui.px(kAway + kArrow);
  const float x = target.center().x - size.x / 2, y = target.center().y - size.y / 2;
  const std::vector<ImVec2> level = {{target.min.x - away - size.x, y}, {target.max.x + away, y}};
  std::vector<ImVec2> corners = {{x, target.max.y + away}, {x, target.min.y - away - size.y}};
  corners.insert(beside ? corners.begin() : corners.end(), level.begin(), level.end());
  const Rect ring = inset(target, -ui.px(kAway));
  for (const ImVec2& corner : corners) {
    const Rect box = box_at(ui, window, size, corner.x, corner.y);
    const Rect common = inside(box, ring);
    if (common.width() <= 0 || common.height() <= 0) return box;
  }
  return {};
}

// The tip at the side that faces the target; none where the box lies over it.
void draw_arrow(Ui& ui, const Rect& box, const Rect& target, Rgba ground, Rgba edge) {
  const float a = ui.px(kArrow), inside = ui.px(18);
  const float x = std::clamp(target.center().x, box.min.x + inside, box.max.x - inside);
  const float y = std::clamp(target.center().y, box.min.y + inside, box.max.y - inside);
  const auto draw = [&](ImVec2 tip, ImVec2 left, ImVec2 right) {
    canvas().AddTriangleFilled(left, tip, right, color32(ground));
    canvas().AddLine(left, tip, color32(edge), std::max(1.0f, ui.px(1)));
    canvas().AddLine(tip, right, color32(edge), std::max(1.0f, ui.px(1)));
  };
  const float one = std::max(1.0f, ui.px(1));
  if (target.max.y <= box.min.y) {
    draw({x, box.min.y - a}, {x - a, box.min.y + one}, {x + a, box.min.y + one});
  } else if (target.min.y >= box.max.y) {
    draw({x, box.max.y + a}, {x + a, box.max.y - one}, {x - a, box.max.y - one});
  } else if (target.min.x >= box.max.x) {
    draw({box.max.x + a, y}, {box.max.x - one, y - a}, {box.max.x - one, y + a});
  } else if (target.max.x <= box.min.x) {
    draw({box.min.x - a, y}, {box.min.x + one, y + a}, {box.min.x + one, y - a});
  }
}

float text_height(Ui& ui, const std::string& words, float width) {
  // Drawn outside of every clip, only to be measured.
  canvas().PushClipRect({0, 0}, {0, 0}, false);
  const float height = paragraph(ui, {{0, 0}, {width, 0}}, Type::words13, ui.colors.text, given(words));
  canvas().PopClipRect();
  return height;
}

struct CalloutBox {
  Rect box;
  std::optional<Rect> target;  // nullopt: nothing of it is on screen, the box stands in the middle
};

// The box never lies over what it points at: where there is no room beside the first control, it becomes wider and
// lower, then it points at the next one.
CalloutBox box_of(Ui& ui, const Callout& callout, const Rect& window) {
  const float pad = ui.px(kPadding), most = window.width() - ui.px(24);
  const auto size_of = [&](float width) {
    width = std::min(ui.px(width), most);
    const float words = text_height(ui, callout.text, width - 2 * pad);
    return ImVec2{width, std::round(pad + ui.px(18) + ui.px(24) + words + ui.px(14) + ui.px(26) + pad)};
  };
  const std::vector<Rect> targets = targets_of(ui, callout, window);
  for (const Rect& target : targets) {
    for (const float width : {kWidth, 1.4f * kWidth, 1.9f * kWidth, 2.4f * kWidth}) {
      const std::optional<Rect> box = place_beside(ui, target, window, size_of(width), callout.beside);
      if (box) return {*box, target};
    }
  }
  const ImVec2 size = size_of(kWidth);
  if (targets.empty()) {
    return {box_at(ui, window, size, window.center().x - size.x / 2, window.center().y - size.y / 2), {}};
  }
  const Rect& target = targets.front();  // it fills the window
  return {box_at(ui, window, size, target.max.x - size.x, target.max.y - size.y), target};
}

CalloutAction draw_buttons(Ui& ui, const Callout& callout, Rect line) {
  CalloutAction action = CalloutAction::none;
  const auto offer = [&](const char* name, const std::string& label, float least, CalloutAction what, bool at_left) {
    if (label.empty()) return;
    const float width = std::max(ui.px(least), std::ceil(text_width(ui, Type::words12, label)) + ui.px(26));
    const Rect place = at_left ? take_left(line, width, ui.px(8)) : take_right(line, width, ui.px(8));
    const bool primary = what == CalloutAction::next;
    if (button(ui, callout.name + "/" + name, place, label, {}, primary)) action = what;
  };
  offer("go", callout.go, 56, CalloutAction::go, true);
  // From the right; Tab follows the order in which they are drawn.
  offer("next", callout.next, 72, CalloutAction::next, false);
  offer("back", callout.back, 64, CalloutAction::back, false);
  offer("leave", callout.leave, 56, CalloutAction::leave, false);
  return action;
}

// Scrolls the panel of the Request to a control that words speak of.
void reveal_place(Ui& ui) {
  auto& state = ui.state.panels.get<CalloutState>();
  if (state.reveal_frames == 0) return;
  const auto control = ui.probe->rects.find(state.revealed);
  const auto panel = ui.probe->rects.find("request");
  if (control != ui.probe->rects.end() && panel != ui.probe->rects.end()) {
    const Rect& rect = control->second;
    const float margin = ui.px(40);
    float by = std::max(0.0f, rect.max.y + margin - panel->second.max.y);
    if (by == 0) by = std::min(0.0f, rect.min.y - margin - panel->second.min.y);
    ui.state.panels.get<ScrollOffsets>().down["request"] += static_cast<double>(by);
  } else if (panel != ui.probe->rects.end()) {
    ui.state.panels.get<UnfoldedRows>().open["request/more"] = true;  // it is folded away
  }
  ui.state.wants_frame = true;
  --state.reveal_frames;
}

}  // namespace

CalloutAction draw_callout(Ui& ui, const Rect& window, const Callout& callout, const Language& language) {
  const Palette& c = ui.colors;
  if (ui.probe != nullptr) reveal_place(ui);
  const auto [box, target] = box_of(ui, callout, window);
  const Rgba ring = callout.is_warning ? c.warn : c.accent;
  if (target) outline(ui, inset(*target, -ui.px(3)), ring, 2, ui.px(size::radius_field));

  fill(box, c.raised, ui.px(size::radius_dialog));
  outline(ui, box, ring, 1, ui.px(size::radius_dialog));
  if (target) draw_arrow(ui, box, *target, c.raised, ring);
  ui.mark(callout.name, box);
  auto& state = ui.state.panels.get<CalloutState>();
  state.place = box;
  state.target = target;
  state.title = callout.title;
  state.text = callout.text;
  state.labels = callout.counter + callout.go + callout.next + callout.back + callout.leave;

  const Rect inner = inset(box, ui.px(kPadding));
  float y = inner.min.y;
  Rect head = row(inner, y, ui.px(18));
  const Rect list = take_right(head, ui.px(128), ui.px(8));
  language_combo(ui, callout.name + "/language", inset(list, -ui.px(2)), language);
  text_in(ui, head, Type::words11, callout.is_warning ? c.warn : c.text2, given(callout.counter));
  text_in(ui, row(inner, y, ui.px(24)), Type::title15, c.text, given(callout.title));
  paragraph(ui, {{inner.min.x, y + ui.px(4)}, inner.max}, Type::words13, c.text, given(callout.text));
  CalloutAction action =
      draw_buttons(ui, callout, {{inner.min.x, inner.max.y - ui.px(26)}, {inner.max.x, inner.max.y}});
  const bool own_focus = ui.state.focus.starts_with(callout.name + "/");
  if (own_focus && ui.take_key(KeyName::right)) action = CalloutAction::next;
  if (own_focus && !callout.back.empty() && ui.take_key(KeyName::left)) action = CalloutAction::back;
  if (ui.state.top_layer == 0 && ui.take_key(KeyName::escape)) action = CalloutAction::leave;
  if (action != CalloutAction::none) ui.state.wants_frame = true;
  return action;
}

void show_place(Ui& ui, const CalloutPlace& place) {
  ViewState& view = ui.session.view;
  view.main_view = MainView::layer;
  view.heads_show = usual_heads(ui.settings);
  view.viewport = view.stage_viewport = {};
  const auto trace = ui.session.trace();
  // Where a layer lacks the stage (a projection of another kind), the strip itself is pointed at.
  if (place.stage && trace != nullptr && trace->find(*place.stage) != nullptr) select_stage(view, *place.stage);
  if (place.head) view.head = *place.head;
  if (place.cell) view.cell = place.cell;
  const std::string& control = place.controls.front();
  const auto within = [&](const char* panel) { return control.substr(0, control.find('/')) == panel; };
  if (within("concat")) {
    view.concat_collapsed = false;
    view.concat_shows = ConcatShows::concat;
  }
  auto& shell = ui.state.panels.get<ShellState>();
  // One large head lies in the heads' place.
  const bool of_large =
      view.heads_show == HeadsShow::one && (control == "inspector/picture" || control == "inspector/cell");
  shell.inspector_tab = within("inspector") && !of_large;
  if (within("inspector")) view.inspector_collapsed = false;
  if (within("inspector") || within("heads") || within("concat")) shell.inspector_expanded = false;
  // Where there is no room beside the panels the Request opens over them.
  const bool narrow = ImGui::GetIO().DisplaySize.x / ui.scale < request_from(MainView::layer);
  if (narrow) view.request_opened_by_hand = within("request");
  if (within("request")) {
    view.request_collapsed = false;
    auto& state = ui.state.panels.get<CalloutState>();
    state.revealed = control;
    state.reveal_frames = kRevealFrames;
  }
  ui.state.wants_frame = true;
}

void cover_below_callout(Ui& ui) {
  const std::optional<Rect>& place = ui.state.panels.get<CalloutState>().place;
  if (place) ui.state.covered.push_back(*place);
}

bool callout_covers(const Ui& ui, ImVec2 at) {
  const CalloutState* state = ui.state.panels.find<CalloutState>();
  return state != nullptr && state->place && state->place->contains(at);
}

void forget_callout(Ui& ui) {
  ui.state.panels.forget<CalloutState>();
  ui.state.wants_frame = true;
}

}  // namespace headscope::ui
