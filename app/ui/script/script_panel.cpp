#include "app/ui/script/script_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/panels.h"
#include "app/ui/script/script_lines.h"
#include "app/ui/stage_facts.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

const ScriptSection* section_of(const ShownScript& script, StageId stage) {
  for (auto section = script.sections.rbegin(); section != script.sections.rend(); ++section) {
    if (std::find(section->stages.begin(), section->stages.end(), stage) != section->stages.end()) return &*section;
  }
  return nullptr;
}

void draw_script_header(Ui& ui, const std::shared_ptr<const Trace>& trace, const ShownScript& script,
                        const Rect& area) {
  std::string fact = script.name.empty() ? "" : fmt::format("{}, {} lines", script.name, script.lines.size());
  if (!script.data_name.empty()) fact += ", reads " + script.data_name;
  Rect controls = panel_header(ui, area, "", fact);
  if (!script.lines.empty()) {
    say_finding(ui, MainView::script,
                fmt::format("{} lines of {} compute what is shown.", script.lines.size(),
                            script_language_title(script.language)));
  }
  const float top = std::round(area.center().y - ui.px(12));
  controls = {{controls.min.x, top}, {controls.max.x, top + ui.px(size::control_height)}};
  const bool ready = script.obstacle.empty() && !trace->preview;
  const bool busy = ui.session.jobs.current().running;
  const char* why = !ready ? "The exact numbers of the last edit are not there yet."
                    : busy ? "Something else is being written."
                           : "Asks for a name and a place; the tensors that it reads are written beside it.";
  if (button(ui, "script/save", take_right(controls, ui.px(72), ui.px(6)), "Save...", {ready && !busy, false, why})) {
    ui.state.dialog = DialogKind::save_script;
  }
  const bool copies = ui.set_clipboard != nullptr && script.obstacle.empty();
  if (button(ui, "script/copy", take_right(controls, ui.px(64), ui.px(14)), "Copy",
             {copies, false, "Puts the text on the clipboard (Ctrl+C)."})) {
    ui.set_clipboard(script.text);
  }
  std::vector<std::string> titles;
  for (const ScriptLanguage language : kScriptLanguages) titles.emplace_back(script_language_title(language));
  int selected = static_cast<int>(script.language);
  if (segments(ui, "script/as", take_right(controls, ui.px(234), 0), titles, selected,
               {true, false, "The same computation as a script that runs, or as formulas with these shapes."})) {
    ui.state.panels.get<ScriptState>().language = kScriptLanguages[selected];
  }
}

void read_keys(Ui& ui, const ShownScript& script, const Rect& area) {
  double& offset = ui.state.panels.get<ScrollOffsets>().down["script/code"];
  double& across = ui.state.panels.get<ScrollOffsets>().across["script/code"];
  const auto pitch = static_cast<double>(ui.px(kScriptLine));
  const double page = std::max(pitch, static_cast<double>(area.height()) - 2 * pitch);
  if (ui.take_key(KeyName::down)) offset += pitch;
  if (ui.take_key(KeyName::up)) offset -= pitch;
  if (ui.take_key(KeyName::page_down)) offset += page;
  if (ui.take_key(KeyName::page_up)) offset -= page;
  if (ui.take_key(KeyName::right)) across += 4 * pitch;
  if (ui.take_key(KeyName::left)) across -= 4 * pitch;
  if (ui.take_key(KeyName::home)) offset = across = 0;
  if (ui.take_key(KeyName::end)) offset = pitch * static_cast<double>(script.lines.size());
  if (ui.take_key(KeyName::c, true) && ui.set_clipboard) ui.set_clipboard(script.text);
}

// The lines of a stage come into sight when it is chosen, or when the text or its room is another.
void follow_stage(Ui& ui, const ScriptSection* marked, const ShownScript& script, const Rect& area) {
  std::optional<FollowedLines>& followed = ui.state.panels.get<ScriptState>().followed;
  std::optional<FollowedLines> now;
  if (marked != nullptr) now = FollowedLines{marked->begin, marked->end, script.language, std::round(area.height())};
  if (followed == now) return;
  followed = now;
  if (marked == nullptr) return;
  double& offset = ui.state.panels.get<ScrollOffsets>().down["script/code"];
  const auto pitch = static_cast<double>(ui.px(kScriptLine)), height = static_cast<double>(area.height());
  const double top = pitch * static_cast<double>(marked->begin), bottom = pitch * static_cast<double>(marked->end);
  if (top >= offset && bottom <= offset + height) return;
  offset = std::max(0.0, top - std::max(0.0, (height - (bottom - top)) / 3));
}

}  // namespace

const ShownScript& shown_script(Ui& ui, const std::shared_ptr<const Trace>& trace) {
  auto& state = ui.state.panels.get<ScriptState>();
  std::unique_ptr<ShownScript>& shown = state.shown;
  const ScriptLanguage language = state.language;
  if (shown != nullptr && shown->language == language && shown->trace.lock() == trace) {
    find_script_values(ui, *trace, *shown);
    return *shown;
  }
  shown = std::make_unique<ShownScript>();
  shown->trace = trace;
  shown->language = language;
  if (const auto obstacle = script_obstacle(*trace)) {
    shown->obstacle = *obstacle + ".";
    return *shown;
  }
  Script script = script_of(*trace, language);
  shown->name = std::move(script.name);
  shown->data_name = std::move(script.data_name);
  shown->text = std::move(script.text);
  shown->sections = std::move(script.sections);
  shown->lines = lines_of(shown->text);
  find_script_values(ui, *trace, *shown);
  return *shown;
}

void forget_script_place(Ui& ui) {
  ui.state.panels.get<ScriptState>().followed.reset();
}

void draw_script_panel(Ui& ui, const Rect& area) {
  ui.mark("script", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr) return;
  float y = area.min.y;
  const bool small = ui.session.view.pipeline_collapsed || area.height() < ui.px(600);
  const Rect strip = row(area, y, ui.px(small ? size::pipeline_small : size::pipeline));
  draw_pipeline_strip(ui, strip, false);
  horizontal_line(ui, strip.min.x, strip.max.x, strip.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  const ShownScript& script = shown_script(ui, trace);
  draw_script_header(ui, trace, script, row(area, y, ui.px(size::panel_header)));
  const float pad = ui.px(size::panel_padding);
  const Rect box{{area.min.x + pad, y}, {area.max.x - pad, area.max.y - pad}};
  if (!script.obstacle.empty()) {
    ui.mark("script/obstacle", box);
    paragraph(ui, box, Type::words13, ui.colors.text2, script.obstacle);
    return;
  }
  fill(box, ui.colors.well, ui.px(size::radius_field));
  outline(ui, box, ui.colors.line, 1, ui.px(size::radius_field));
  Rect code = inset(box, ui.px(6));
  const float beside = script_values_width(ui, code);
  const float width = script_code_width(ui, script);
  const bool wide = width > code.width() - beside;
  if (wide) code.max.y -= ui.px(10);
  const ScriptSection* marked = section_of(script, selection_of(ui.session.view, *trace).stage);
  follow_stage(ui, marked, script, code);
  const Interaction it = interact_mouse(ui, "script/code", code);
  if (it.focused) read_keys(ui, script, code);
  const float content = ui.px(kScriptLine) * static_cast<float>(script.lines.size());
  const Rect bar{{code.min.x, code.max.y}, {code.max.x - beside, code.max.y + ui.px(10)}};
  const float across = scroll_across(
      ui, "script/code", {.bar = bar, .over = code, .width = bar.width(), .content_width = width, .step = ui.px(48)});
  const float offset = begin_scroll(ui, "script/code", code, content).offset;
  draw_script_lines(ui, script, {.area = code, .offset = offset, .across = across, .beside = beside}, marked);
  end_scroll(ui);
  if (marked != nullptr) {
    const float top = code.min.y - offset + ui.px(kScriptLine) * static_cast<float>(marked->begin);
    const float bottom = code.min.y - offset + ui.px(kScriptLine) * static_cast<float>(marked->end);
    ui.mark("script/marked", {{code.min.x, std::max(code.min.y, top)}, {code.max.x, std::min(code.max.y, bottom)}});
  }
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, box, ui.px(size::radius_field));
  if (!it.clicked) return;
  // A click on a line goes to the stage that it makes.
  const auto line = static_cast<std::int64_t>((ImGui::GetIO().MousePos.y - code.min.y + offset) / ui.px(kScriptLine));
  for (const ScriptSection& section : script.sections) {
    if (line >= section.begin && line < section.end && !section.stages.empty()) {
      select_stage(ui.session.view, section.stages.front());
    }
  }
}

}  // namespace headscope::ui
