#include "app/ui/updates/updates_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/export/export_job.h"
#include "app/session/export/unused_path.h"
#include "app/session/export/update_frames.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/same_request.h"

namespace headscope::ui {

namespace {

constexpr float kStripRow = 40, kLabel = 150;
constexpr double kUpdateSeconds = 0.125;  // how long each is seen while they are played

UpdatesStrip& kept_strip(const Ui& ui) {
  return ui.state.panels.get<UpdatesStrip>();
}

void show(Ui& ui, std::size_t index) {
  ui.session.updates.show(index);
  ui.state.wants_frame = true;
}

// A step of a user, who takes over from playing.
void step(Ui& ui, int by) {
  const Updates& updates = ui.session.updates;
  kept_strip(ui).plays = false;
  if (updates.kept().empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(updates.kept().size()) - 1;
  show(ui, static_cast<std::size_t>(
               std::clamp(static_cast<std::ptrdiff_t>(updates.shown()) + by, std::ptrdiff_t{0}, last)));
}

void play_on(Ui& ui) {
  UpdatesStrip& strip = kept_strip(ui);
  Updates& updates = ui.session.updates;
  if (!strip.plays) return;
  if (ui.state.time >= strip.next) {
    if (updates.past() != nullptr) updates.show(updates.shown() + 1);
    strip.plays = updates.past() != nullptr;
    strip.next = ui.state.time + kUpdateSeconds;
  }
  if (strip.plays) ui.wake_in(std::max(0.0, strip.next - ui.state.time));
}

// A button as wide as its label, at the left or right end of the line.
bool end_button(Ui& ui, Rect& line, bool right, const char* name, const char* label, const ControlState& state) {
  const float width = std::ceil(text_width(ui, Type::words12, label)) + ui.px(22);
  const Rect place = right ? take_right(line, width, ui.px(6)) : take_left(line, width, ui.px(6));
  const float top = std::round(line.center().y - ui.px(13));
  return button(ui, name, {{place.min.x, top}, {place.max.x, top + ui.px(26)}}, label, state);
}

bool step_button(Ui& ui, Rect& line, const char* name, Icon icon, const ControlState& state) {
  const Rect place = take_left(line, ui.px(26), ui.px(6));
  const float top = std::round(line.center().y - ui.px(13));
  return icon_button(ui, name, {{place.min.x, top}, {place.max.x, top + ui.px(26)}}, icon, state);
}

void slider_keys(Ui& ui) {
  if (ui.take_key(KeyName::left)) step(ui, -1);
  if (ui.take_key(KeyName::right)) step(ui, 1);
  if (ui.take_key(KeyName::page_up)) step(ui, -10);
  if (ui.take_key(KeyName::page_down)) step(ui, 10);
  if (ui.take_key(KeyName::home)) {
    kept_strip(ui).plays = false;
    show(ui, 0);
  }
  if (ui.take_key(KeyName::end)) show_newest_update(ui);
}

void draw_slider(Ui& ui, const Rect& box) {
  const Updates& updates = ui.session.updates;
  const std::size_t last = updates.kept().size() - 1;
  const std::string tip =
      fmt::format("{} of {} results of the file are kept, {}. Left and Right go from one to the next.",
                  updates.kept().size(), updates.count(), bytes_text(static_cast<std::int64_t>(updates.bytes())));
  const Interaction it = interact_mouse(ui, kUpdatesSlider, box, {true, false, tip.c_str()});
  const float knob = ui.px(7), width = std::max(1.0f, box.width() - 2 * knob);
  if (it.held) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - box.min.x - knob) / width, 0.0f, 1.0f);
    kept_strip(ui).plays = false;
    show(ui, static_cast<std::size_t>(std::round(share * static_cast<float>(last))));
  }
  if (it.focused) slider_keys(ui);
  const float y = std::round(box.center().y), half = std::max(1.0f, ui.px(2));
  const float x = std::round(box.min.x + knob + width * static_cast<float>(updates.shown()) / static_cast<float>(last));
  fill({{box.min.x + knob, y - half}, {box.max.x - knob, y + half}}, ui.colors.line, half);
  fill({{box.min.x + knob, y - half}, {x, y + half}}, ui.colors.accent, half);
  const Rect mark{{x - knob, y - knob}, {x + knob, y + knob}};
  fill(mark, it.hovered || it.held ? ui.colors.text : ui.colors.accent, knob);
  if (it.focused) focus_ring(ui, box, ui.px(4));
}

// At the right end of the line, as wide as its words.
void draw_label(Ui& ui, Rect& line) {
  const Updates& updates = ui.session.updates;
  const FileUpdate& shown = updates.kept()[updates.shown()];
  const bool earlier = !same_request(shown.trace->request, ui.session.draft);
  const std::string words =
      fmt::format("{}update {} of {}", earlier ? "earlier request, " : "", shown.number, updates.count());
  const float width = std::max(ui.px(kLabel), std::ceil(text_width(ui, Type::words12, words)) + ui.px(4));
  text_in(ui, take_right(line, width, ui.px(10)), Type::words12,
          updates.past() == nullptr ? ui.colors.text2 : ui.colors.accent, words, 1);
}

}  // namespace

float updates_height(const Ui& ui) {
  return ui.session.updates.kept().size() < 2 ? 0 : ui.px(kStripRow);
}

void draw_updates_strip(Ui& ui, const Rect& area) {
  if (area.height() < 1 || ui.session.updates.kept().size() < 2) return;
  play_on(ui);
  ui.mark("updates", area);
  fill(area, ui.colors.chrome);
  divider(ui, area.min, {area.max.x, area.min.y});
  const float padding = ui.px(size::panel_padding);
  Rect line{{area.min.x + padding, area.min.y}, {area.max.x - padding, area.max.y}};
  const Updates& updates = ui.session.updates;
  const bool past = updates.past() != nullptr, writes = ui.session.jobs.current().running;
  const bool plays = kept_strip(ui).plays;
  if (end_button(ui, line, false, "updates/play", plays ? "Pause" : "Play",
                 {true, false, plays ? "Stays at this result." : "Shows the results one after the other."})) {
    play_updates(ui);
  }
  if (step_button(ui, line, "updates/back", Icon::chevron_left, {updates.shown() > 0, false, "The result before."})) {
    step(ui, -1);
  }
  if (step_button(ui, line, "updates/next", Icon::chevron_right, {past, false, "The next result."})) step(ui, 1);
  if (end_button(ui, line, true, "updates/frames", "Frames",
                 {!writes, false, "Writes a picture of each result that is kept, in a folder of their own."})) {
    export_updates(ui);
  }
  if (end_button(ui, line, true, "updates/newest", "Newest",
                 {past, false, past ? "Follows the file again." : "The newest result is shown, and followed."})) {
    show_newest_update(ui);
  }
  draw_label(ui, line);
  draw_slider(ui, {{line.min.x, line.center().y - ui.px(13)}, {line.max.x, line.center().y + ui.px(13)}});
}

void show_update_before(Ui& ui) {
  step(ui, -1);
}

void show_next_update(Ui& ui) {
  step(ui, 1);
}

void show_newest_update(Ui& ui) {
  kept_strip(ui).plays = false;
  ui.session.updates.follow();
  ui.state.wants_frame = true;
}

void play_updates(Ui& ui) {
  UpdatesStrip& strip = kept_strip(ui);
  Updates& updates = ui.session.updates;
  strip.plays = !strip.plays && updates.kept().size() > 1;
  if (!strip.plays) return;
  if (updates.past() == nullptr) updates.show(0);
  strip.next = ui.state.time + kUpdateSeconds;
  ui.state.wants_frame = true;
}

void export_updates(Ui& ui) {
  ExportChoice choice = frame_choice(ui.session.view);
  choice.theme = ui.settings.theme;
  choice.scale = ui.settings.export_scale;
  choice.folder = unused_export_path(ui.settings, "headscope-updates", "");
  ui.session.jobs.start("Frames of the updates",
                        [choice, updates = ui.session.updates.kept(), view = ui.session.view](
                            const CancelToken& cancel, const std::function<void(double)>& progress) {
                          return write_update_frames(choice, updates, view, cancel, progress);
                        });
}

}  // namespace headscope::ui
