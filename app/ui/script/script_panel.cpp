#include "app/ui/script/script_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/panels.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLine = 18, kGutter = 44;
constexpr float kAfter = 24;  // behind the longest line

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

// How wide the longest line is.
float widest_line(Ui& ui, const ShownScript& script) {
  ShownScript& kept = *ui.state.panels.get<ScriptState>().shown;
  if (kept.widest_at != ui.scale) {
    kept.widest_at = ui.scale;
    kept.widest = 0;
    for (const std::string_view line : script.lines) {
      const bool title = line.starts_with("# ---- ") || line.starts_with("% ---- ");
      kept.widest = std::max(kept.widest, text_width(ui, title ? Type::mono_bold12 : Type::mono12, line));
    }
  }
  return kept.widest;
}

void draw_header(Ui& ui, const std::shared_ptr<const Trace>& trace, const ShownScript& script, const Rect& area) {
  std::string fact = script.name.empty() ? "" : fmt::format("{}, {} lines", script.name, script.lines.size());
  if (!script.data_name.empty()) fact += ", reads " + script.data_name;
  Rect controls = panel_header(ui, area, "Script", fact);
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

// The rows of code that are in sight, `across` pixels to the right, the lines of the selected stage on a tinted ground.
void draw_lines(Ui& ui, const ShownScript& script, const Rect& area, float offset, float across,
                const ScriptSection* marked) {
  const float right = area.min.x + ui.px(kGutter) - across + widest_line(ui, script) + ui.px(kAfter);
  const float edge = area.min.x + ui.px(kGutter - 6);  // the numbers of the lines stay
  const float pitch = ui.px(kLine);
  const auto first = static_cast<std::int64_t>(offset / pitch);
  const auto count = std::ssize(script.lines);
  const char comment = script.language == ScriptLanguage::latex ? '%' : '#';
  const std::string trailing = script.language == ScriptLanguage::latex ? "  % " : "  # ";
  for (std::int64_t k = first; k < count; ++k) {
    const float y = area.min.y - offset + static_cast<float>(k) * pitch;
    if (y > area.max.y) break;
    const Rect line{{area.min.x, y}, {area.max.x, y + pitch}};
    const std::string_view words = script.lines[static_cast<std::size_t>(k)];
    const bool inside =
        marked != nullptr && k >= marked->begin && k < marked->end && !(words.empty() && k + 1 == marked->end);
    if (inside) {
      fill(line, ui.colors.tint);
      fill({line.min, {line.min.x + ui.px(3), line.max.y}}, ui.colors.accent);
    }
    text_in(ui, {line.min, {line.min.x + ui.px(kGutter - 12), line.max.y}}, Type::mono11, ui.colors.text3,
            std::to_string(k + 1), 1);
    const Rect code{{line.min.x + ui.px(kGutter) - across, line.min.y}, {std::max(line.max.x, right), line.max.y}};
    canvas().PushClipRect({edge, line.min.y}, line.max, true);
    const bool remark = !words.empty() && words.front() == comment;
    const bool title = words.starts_with("# ---- ") || words.starts_with("% ---- ");
    const std::size_t cut = remark ? words.npos : std::min(words.find(trailing), words.size());
    if (cut == words.npos) {
      text_in(ui, code, title ? Type::mono_bold12 : Type::mono12, title ? ui.colors.text2 : ui.colors.text3, words);
    } else {
      text_in(ui, code, Type::mono12, ui.colors.text, words.substr(0, cut));
      const float x = code.min.x + text_width(ui, Type::mono12, words.substr(0, cut));
      text_in(ui, {{x, code.min.y}, code.max}, Type::mono12, ui.colors.text3, words.substr(cut));
    }
    canvas().PopClipRect();
  }
}

void read_keys(Ui& ui, const ShownScript& script, const Rect& area) {
  double& offset = ui.state.panels.get<ScrollOffsets>().down["script/code"];
  double& across = ui.state.panels.get<ScrollOffsets>().across["script/code"];
  const auto pitch = static_cast<double>(ui.px(kLine));
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
  const auto pitch = static_cast<double>(ui.px(kLine)), height = static_cast<double>(area.height());
  const double top = pitch * static_cast<double>(marked->begin), bottom = pitch * static_cast<double>(marked->end);
  if (top >= offset && bottom <= offset + height) return;
  offset = std::max(0.0, top - std::max(0.0, (height - (bottom - top)) / 3));
}

}  // namespace

const ShownScript& shown_script(Ui& ui, const std::shared_ptr<const Trace>& trace) {
  auto& state = ui.state.panels.get<ScriptState>();
  std::unique_ptr<ShownScript>& shown = state.shown;
  const ScriptLanguage language = state.language;
  if (shown != nullptr && shown->language == language && shown->trace.lock() == trace) return *shown;
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
  draw_pipeline_strip(ui, strip);
  horizontal_line(ui, strip.min.x, strip.max.x, strip.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  const ShownScript& script = shown_script(ui, trace);
  draw_header(ui, trace, script, row(area, y, ui.px(size::panel_header)));
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
  const float width = ui.px(kGutter) + widest_line(ui, script) + ui.px(kAfter);
  const bool wide = width > code.width();
  if (wide) code.max.y -= ui.px(10);
  const ScriptSection* marked = section_of(script, selection_of(ui.session.view, *trace).stage);
  follow_stage(ui, marked, script, code);
  const Interaction it = interact_mouse(ui, "script/code", code);
  if (it.focused) read_keys(ui, script, code);
  const float content = ui.px(kLine) * static_cast<float>(script.lines.size());
  const Rect bar{{code.min.x, code.max.y}, {code.max.x, code.max.y + ui.px(10)}};
  const float across = scroll_across(
      ui, "script/code", {.bar = bar, .over = code, .width = code.width(), .content_width = width, .step = ui.px(48)});
  const float offset = begin_scroll(ui, "script/code", code, content).offset;
  draw_lines(ui, script, code, offset, across, marked);
  end_scroll(ui);
  if (marked != nullptr) {
    const float top = code.min.y - offset + ui.px(kLine) * static_cast<float>(marked->begin);
    const float bottom = code.min.y - offset + ui.px(kLine) * static_cast<float>(marked->end);
    ui.mark("script/marked", {{code.min.x, std::max(code.min.y, top)}, {code.max.x, std::min(code.max.y, bottom)}});
  }
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, box, ui.px(size::radius_field));
  if (!it.clicked) return;
  // A click on a line goes to the stage that it makes.
  const auto line = static_cast<std::int64_t>((ImGui::GetIO().MousePos.y - code.min.y + offset) / ui.px(kLine));
  for (const ScriptSection& section : script.sections) {
    if (line >= section.begin && line < section.end && !section.stages.empty()) {
      select_stage(ui.session.view, section.stages.front());
    }
  }
}

}  // namespace headscope::ui
