// The variants as switches: one sentence each, the code of those that are on, what they change.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/compare/variant_run.h"
#include "core/compare/variant_text.h"

namespace headscope::ui {
namespace {

constexpr float kLeft = 56;  // where words begin, right of the switch
constexpr float kCodeLine = 20;

bool is_on(const BugLabView& lab, const std::string& name) {
  return std::find(lab.variants.begin(), lab.variants.end(), name) != lab.variants.end();
}

const VariantLine* line_of(const VariantResult& result, const std::string& name) {
  const auto found = std::find_if(result.lines.begin(), result.lines.end(),
                                  [&](const VariantLine& each) { return each.name == name; });
  return found == result.lines.end() ? nullptr : &*found;
}

void draw_switch(Ui& ui, ImVec2 at, bool on, bool enabled, bool hovered) {
  const float width = ui.px(28), height = ui.px(16);
  const Rect box{at, {at.x + width, at.y + height}};
  const Palette& c = ui.colors;
  fill(box, on ? c.accent_fill : hovered ? c.hover : c.well, height / 2);
  if (!on) {
    canvas().AddRect(box.min, box.max, color32(enabled ? c.edge : c.line), height / 2, 0, std::max(1.0f, ui.px(1)));
  }
  const float radius = ui.px(5);
  const float x = on ? box.max.x - ui.px(3) - radius : box.min.x + ui.px(3) + radius;
  canvas().AddCircleFilled({x, box.center().y}, radius,
                           color32(on        ? Rgba{255, 255, 255, 255}
                                   : enabled ? c.edge
                                             : c.line),
                           16);
}

// "Δ 3.459", or what else the variant does.
struct Fact {
  std::string words;
  Rgba ink;
};
Fact fact_of(const Ui& ui, const VariantLine* line) {
  if (line == nullptr) return {"Δ …", ui.colors.text3};
  if (line->nan_rows > 0) {
    return {fmt::format("NaN in {} row{}", line->nan_rows, line->nan_rows == 1 ? "" : "s"), ui.colors.bad};
  }
  if (!line->changes) return {"no change", ui.colors.text3};
  const bool small = line->largest < 1e-3;
  return {"Δ " + number_label(line->largest, small ? 1 : 3, small), ui.colors.text2};
}

// Whether the fact stands on the line of the title; a long name has that line for itself, and the fact the next one.
bool stands_beside(Ui& ui, const VariantLine* line, const std::string& name, float width) {
  if (line != nullptr && line->problem) return true;
  const float fact = std::ceil(text_width(ui, Type::mono11, fact_of(ui, line).words)) + 1;
  return text_width(ui, Type::mono_bold12, name) + ui.px(8) + fact <= width;
}

// Cuts it off the right of the line.
void draw_fact(Ui& ui, const VariantLine* line, Rect& title) {
  if (line != nullptr && line->problem) {
    const Rect place = take_right(title, ui.px(14), ui.px(4));
    draw_icon(ui, Icon::lock, {place.max.x - ui.px(6), std::round(place.center().y)}, ui.px(11), ui.colors.text3);
    return;
  }
  const Fact fact = fact_of(ui, line);
  const float width = std::ceil(text_width(ui, Type::mono11, fact.words)) + 1;
  text_in(ui, take_right(title, width, ui.px(8)), Type::mono11, fact.ink, fact.words, 1);
}

// "Needs blocked rows. The rows of this projection lie per head."
std::string why_not(const std::string& name, const Problem& problem) {
  std::string words = problem.title + ". " + problem.detail;
  if (words.starts_with(name + " ")) {
    words.erase(0, name.size() + 1);
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  }
  return words;
}

float code_height(Ui& ui, std::size_t lines) {
  return ui.px(kCodeLine) * static_cast<float>(lines) + ui.px(10);
}

void draw_code(Ui& ui, const std::vector<CodeLine>& code, const Rect& box) {
  const Palette& c = ui.colors;
  fill(box, c.well, ui.px(size::radius_inner));
  outline(ui, box, c.line, 1, ui.px(size::radius_inner));
  float y = box.min.y + ui.px(5);
  for (const CodeLine& line : code) {
    const Rect row{{box.min.x + ui.px(1), y}, {box.max.x - ui.px(1), y + ui.px(kCodeLine)}};
    y = row.max.y;
    const bool good = line.kind == CodeLine::Kind::missing || line.kind == CodeLine::Kind::right;
    const bool bad = line.kind == CodeLine::Kind::wrong;
    if (good || bad) fill(row, good ? c.ok_ground : c.bad_ground);
    const Rgba ink = good ? c.ok : bad ? c.bad : c.text2;
    Rect words{{row.min.x + ui.px(8), row.min.y}, {row.max.x - ui.px(8), row.max.y}};
    text_in(ui, words, Type::mono11, ink, good ? "+" : bad ? "\u2212" : " ");
    words.min.x += ui.px(18);
    if (line.kind == CodeLine::Kind::missing) {
      const float width = std::ceil(text_width(ui, Type::words11, "missing")) + 1;
      text_in(ui, take_right(words, width, ui.px(6)), Type::words11, ink, "missing", 1);
    }
    text_in(ui, words, Type::mono11, ink, line.text);
  }
}

// One variant; returns the y below it.
float draw_row(Ui& ui, const LabShown& shown, const std::string& name, const Rect& area, float y) {
  BugLabView& lab = ui.session.view.bug_lab;
  const Trace& trace = *shown.result.right;
  const VariantLine* line = line_of(shown.result, name);
  const bool on = is_on(lab, name);
  const bool runs = line == nullptr || !line->problem;
  const std::string sentence = runs ? variant_sentence(name, trace) : why_not(name, *line->problem);
  const float left = area.min.x + ui.px(kLeft), right = area.max.x - ui.px(size::panel_padding);
  const std::vector<CodeLine> code = on && runs ? variant_code(name, trace) : std::vector<CodeLine>();
  const float words = paragraph_height(ui, Type::words12, sentence, right - left);
  const bool beside = stands_beside(ui, line, name, right - left);
  const float above = ui.px(beside ? 30 : 48);  // the sentence
  const float height = above + words + ui.px(6) + (code.empty() ? 0 : code_height(ui, code.size()) + ui.px(8));
  const Rect row{{area.min.x, y}, {area.max.x, y + height}};
  // One that is on can always be switched off.
  ControlState state{runs || on, false, nullptr};
  if (on) {
    fill(row, ui.colors.tint);
    fill({row.min, {row.min.x + ui.px(3), row.max.y}}, ui.colors.accent);
  }
  const Interaction it = interact(ui, kLabList + name, row, state);
  if (it.focused && ui.state.focus_by_keyboard) outline(ui, inset(row, ui.px(2)), ui.colors.accent, 2, ui.px(3));
  if (it.clicked) switch_variant(lab, name);
  draw_switch(ui, {area.min.x + ui.px(size::panel_padding), y + ui.px(9)}, on, state.enabled, it.hovered);
  Rect title{{left, y + ui.px(6)}, {right, y + ui.px(28)}};
  Rect next{{left, title.max.y - ui.px(2)}, {right, y + above}};
  draw_fact(ui, line, beside ? title : next);
  text_in(ui, title, Type::mono_bold12, runs ? ui.colors.text : ui.colors.text3, name);
  paragraph(ui, {{left, y + above}, {right, row.max.y}}, Type::words12, runs ? ui.colors.text2 : ui.colors.text3,
            sentence);
  if (!code.empty()) {
    const float top = y + above + words + ui.px(2);
    draw_code(ui, code, {{area.min.x + ui.px(size::panel_padding), top}, {right, top + code_height(ui, code.size())}});
  }
  horizontal_line(ui, row.min.x + ui.px(size::panel_padding), right, row.max.y, ui.colors.line);
  return row.max.y + ui.px(1);
}

// The row under which the mistakes that cannot be made here are folded; returns the y below it.
float draw_fold(Ui& ui, std::size_t count, const Rect& area, float y) {
  bool& open = ui.state.panels.get<BugLabState>().locked_open;
  const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(32)}};
  const Interaction it =
      interact(ui, "bug_lab/locked", row, {true, false, "Shows or hides them, each with what it needs."});
  if (it.hovered) fill(row, ui.colors.hover);
  if (it.focused && ui.state.focus_by_keyboard) outline(ui, inset(row, ui.px(2)), ui.colors.accent, 2, ui.px(3));
  if (it.clicked) open = !open;
  draw_icon(ui, open ? Icon::chevron_down : Icon::chevron_right,
            {area.min.x + ui.px(size::panel_padding + 8), std::round(row.center().y)}, ui.px(11), ui.colors.text2);
  const Rect words{{area.min.x + ui.px(kLeft), row.min.y}, row.max};
  const std::string number = count == 1 ? "1 mistake" : fmt::format("{} mistakes", count);
  text_in(ui, words, Type::words12, ui.colors.text2,
          fitting_words(ui, Type::words12, words.width(),
                        {number + " that this model cannot show", number + " not of this model"}));
  return row.max.y + ui.px(1);
}

// What the switches do not do, and the way to let them; its height.
float draw_foot(Ui& ui, const LabShown& shown, const Rect& area, float y) {
  Request& draft = ui.session.draft;
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  const float top = y;
  std::string words = fmt::format(
      "Δ is the largest change of {}. Two can be on at once. The switches change what is compared, not the request.",
      stage_name(shown.result.last));
  if (shown.result.seconds > 0) words += fmt::format(" All of them took {:.1f} ms.", shown.result.seconds * 1e3);
  const std::vector<std::string> own = variants_of(draft);
  if (!own.empty()) {
    words += fmt::format(" The request itself has {}: right is computed without.",
                         own.size() == 1 ? own.front() : fmt::format("{} and more", own.front()));
  }
  y += ui.px(10);
  y += paragraph(ui, {{left, y}, {right, area.max.y}}, Type::words12, ui.colors.text2, words) + ui.px(8);
  const std::vector<std::string> picked = variants_of(with_variants(draft, ui.session.view.bug_lab.variants));
  const bool same = picked == own;
  const bool runs = shown.wrong != nullptr;
  const char* tip = same    ? "The request has exactly these mistakes."
                    : !runs ? "These mistakes cannot be made here."
                            : "Sets merge and variants of the request to the mistakes that are on here.";
  const Rect place{{left, y}, {right, y + ui.px(28)}};
  if (button(ui, "bug_lab/use", place, "Use in the request", {runs && !same, false, tip})) {
    ui.session.end_undo_step();
    draft = with_variants(draft, ui.session.view.bug_lab.variants);
  }
  return place.max.y + ui.px(12) - top;
}

}  // namespace

LabNames lab_names(Ui& ui, const VariantResult& result) {
  LabNames names;
  for (const std::string_view each : variant_names()) {
    const std::string name(each);
    const VariantLine* line = line_of(result, name);
    // One that is on can be switched off, so that it stays in sight.
    const bool locked = line != nullptr && line->problem && !is_on(ui.session.view.bug_lab, name);
    (locked ? names.locked : names.open).push_back(name);
  }
  return names;
}

void switch_variant(BugLabView& lab, const std::string& name) {
  if (std::erase(lab.variants, name) > 0) return;
  if (lab.variants.size() > 1) lab.variants.erase(lab.variants.begin());
  lab.variants.push_back(name);
}

void draw_lab_list(Ui& ui, const LabShown& shown, const Rect& area) {
  const float header = draw_lab_modes(ui, area);
  if (shown.right == nullptr) return;
  auto& state = ui.state.panels.get<BugLabState>();
  const float split = area.max.y - state.foot_height;
  const Rect body{{area.min.x, area.min.y + header}, {area.max.x, split}};
  const ScrollArea scroll = begin_scroll(ui, "bug_lab/list", body, state.list_height);
  const float top = body.min.y - scroll.offset;
  float y = top;
  const LabNames names = lab_names(ui, shown.result);
  for (const std::string& name : names.open) y = draw_row(ui, shown, name, area, y);
  if (!names.locked.empty()) y = draw_fold(ui, names.locked.size(), area, y);
  if (state.locked_open) {
    for (const std::string& name : names.locked) y = draw_row(ui, shown, name, area, y);
  }
  end_scroll(ui);
  fill({{area.min.x, split}, area.max}, ui.colors.panel);
  horizontal_line(ui, area.min.x, area.max.x, split, ui.colors.line);
  const float below = draw_foot(ui, shown, area, split), height = y - top;
  if (state.foot_height != below || state.list_height != height) ui.state.wants_frame = true;
  state.foot_height = below;
  state.list_height = height;
}

}  // namespace headscope::ui
