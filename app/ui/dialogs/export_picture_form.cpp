#include "app/ui/dialogs/export_picture_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "core/base/error.h"
#include "core/picture/view_options.h"

namespace headscope::ui {
namespace {

// Words typed for an option of VIEW. What the option refuses leaves the view and becomes the form's problem.
struct Typed {
  const char* option;
  std::string ExportDialogState::*text;
  const char* hint;
  const char* tooltip;
};
constexpr Typed kWidth = {"width", &ExportDialogState::width_text, "85mm",
                          "Width of the picture on paper: 85mm, 8.5cm, 3.35in or 241pt."};
constexpr Typed kDpi = {"dpi", &ExportDialogState::dpi_text, "300", "Pixels an inch; the file states it."};
constexpr Typed kFont = {"font-size", &ExportDialogState::font_text, "8", "Size of the labels in points."};
constexpr Typed kHeads = {"heads-shown", &ExportDialogState::heads_text, "all",
                          "Which heads are drawn: all, or some such as 0,2,6."};

// "" when the words can be; they are then in `view`. Nothing typed leaves it open.
std::string set_typed(ViewSpec& view, const Typed& typed, const std::string& text) {
  if (text.empty()) return "";
  try {
    find_view_option(typed.option)->set(view, text);
    return "";
  } catch (const UsageError& error) {
    return error.reason();
  }
}

bool on_paper(const ExportDialogState& state) {
  return state.choice.paper.width.has_value();
}

// The choice after the fields that are typed into.
void take_typed(ExportDialogState& state) {
  state.typed_problem.clear();
  ViewSpec view;
  view.paper = state.choice.paper;
  if (on_paper(state)) {
    view.paper.dpi.reset();
    view.paper.font_size.reset();
    for (const Typed* typed : {&kWidth, &kDpi, &kFont}) {
      const std::string problem = set_typed(view, *typed, state.*typed->text);
      if (!problem.empty()) state.typed_problem = problem;
    }
    if (!view.paper.width) view.paper.width = state.choice.paper.width;  // pixels were typed
    state.choice.paper = view.paper;
  }
  if (state.choice.subject != ExportSubject::heads) return;
  ViewSpec heads;
  const std::string problem = set_typed(heads, kHeads, state.heads_text);
  if (!problem.empty()) state.typed_problem = problem;
  if (problem.empty()) state.choice.heads = find_view_option("heads-shown")->get(heads);
}

void typed_field(Ui& ui, ExportDialogState& state, const Typed& typed, const Rect& rect) {
  ViewSpec ignored;
  ControlState control;
  control.problem = !set_typed(ignored, typed, state.*typed.text).empty();
  control.tooltip = typed.tooltip;
  text_field(ui, std::string("export/") + typed.option, rect, state.*typed.text, typed.hint, control);
}

// Takes `width` (at 1x) from the left of the row.
Rect next(Ui& ui, Rect& line, float width) {
  return take_left(line, ui.px(width), ui.px(8));
}

// The same, of a new row where a narrow dialog has no room left in this one; `closer`: that much nearer to it.
Rect next_or_below(Ui& ui, const Rect& form, float& y, Rect& line, float width, float closer = 0) {
  if (line.width() < ui.px(width)) {
    y -= ui.px(closer);
    line = labelled_row(ui, form, y, "");
  }
  return next(ui, line, width);
}

void choose_paper(ExportDialogState& state, int selected) {
  if (selected == 0) {
    const Ground ground = state.choice.paper.ground;
    state.choice.paper = PaperSpec();
    state.choice.paper.ground = ground;
    return;
  }
  const bool first = !on_paper(state);
  state.choice.paper.width = PaperLength{selected == 1 ? kPageColumn : kPageWidth, LengthUnit::mm};
  if (first) state.choice.paper.ground = Ground::white;  // what papers are
  state.width_text = length_text(*state.choice.paper.width);
}

std::string size_of(const ExportDialogState& state) {
  const bool window = state.choice.subject == ExportSubject::window;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const double width = window ? screen.x * state.choice.scale : state.forecast.width;
  const double height = window ? screen.y * state.choice.scale : state.forecast.height;
  return width > 0 ? fmt::format("{:.0f} \u00d7 {:.0f} px", width, height) : "";
}

void draw_scale(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  Rect line = labelled_row(ui, form, y, "scale");
  const double scales[] = {1, 2, 4};
  int selected = state.choice.scale <= 1 ? 0 : state.choice.scale <= 2 ? 1 : 2;
  ControlState control;
  control.tooltip = "Pixels for each point of the picture: fonts, lines and cells grow together.";
  const Rect choices = next(ui, line, 150);
  if (segments(ui, "export/scale", choices, {"1\u00d7", "2\u00d7", "4\u00d7"}, selected, control))
    state.choice.scale = scales[selected];
  text_in(ui, line, Type::mono12, ui.colors.text2, size_of(state));
}

// Sizes in millimetres, pixels an inch and points.
void draw_size(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  Rect line = labelled_row(ui, form, y, "size");
  const auto& width = state.choice.paper.width;
  int selected = !width                                               ? 0
                 : *width == PaperLength{kPageColumn, LengthUnit::mm} ? 1
                 : *width == PaperLength{kPageWidth, LengthUnit::mm}  ? 2
                                                                      : 3;
  ControlState control;
  control.tooltip = "For a screen in pixels; for paper as wide as one column of a page, or as both.";
  if (segments(ui, "export/size", next(ui, line, 230), {"screen", "column 85", "page 178"}, selected, control)) {
    choose_paper(state, selected);
  }
  if (!on_paper(state)) {
    draw_scale(ui, state, form, y);
    return;
  }
  typed_field(ui, state, kWidth, next_or_below(ui, form, y, line, 74));
  line = labelled_row(ui, form, y, "print");
  typed_field(ui, state, kDpi, next(ui, line, 54));
  text_in(ui, next(ui, line, 26), Type::words12, ui.colors.text2, "dpi");
  typed_field(ui, state, kFont, next(ui, line, 46));
  text_in(ui, next(ui, line, 20), Type::words12, ui.colors.text2, "pt");
  text_in(ui, line, Type::mono12, ui.colors.text2, size_of(state));
}

void draw_colors(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  Rect line = labelled_row(ui, form, y, "theme");
  int theme = static_cast<int>(state.choice.theme);
  ControlState control;
  control.tooltip = "Colours of the picture; a white ground takes those of the light theme.";
  control.enabled = state.choice.paper.ground != Ground::white;
  if (segments(ui, "export/theme", next(ui, line, 190), {"dark", "light", "contrast"}, theme, control))
    state.choice.theme = static_cast<Theme>(theme);
  int ground = static_cast<int>(state.choice.paper.ground);
  control.enabled = true;
  control.tooltip = "Ground of the picture: that of the theme, white, or none.";
  if (segments(ui, "export/ground", next_or_below(ui, form, y, line, 220), {"ground", "white", "transparent"}, ground,
               control))
    state.choice.paper.ground = static_cast<Ground>(ground);
}

// Boxes side by side, in rows that stand closer than the others.
void draw_boxes(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  constexpr float kCloser = 10;
  ExportChoice& choice = state.choice;
  ControlState control;
  Rect line = labelled_row(ui, form, y, "include");
  control.tooltip = "Tokens beside rows and columns, and numbers in cells.";
  checkbox(ui, "export/labels", next(ui, line, 120), "token labels", choice.labels, control);
  control.tooltip = "The bar that says which colour is which number.";
  checkbox(ui, "export/color_bar", next_or_below(ui, form, y, line, 104, kCloser), "colour bar", choice.color_bar,
           control);
  control.tooltip = "What the picture shows, in words.";
  checkbox(ui, "export/caption", next_or_below(ui, form, y, line, 90, kCloser), "caption", choice.paper.caption,
           control);
  y -= ui.px(kCloser);
  line = labelled_row(ui, form, y, "");
  control.tooltip = "The request in one line below the caption.";
  checkbox(ui, "export/recipe_line", next(ui, line, 120), "recipe line", choice.paper.recipe_line, control);
  if (on_paper(state)) {
    bool outer = choice.paper.key_labels == KeyLabels::outer;
    control.tooltip = "Keys only below maps with no other map under them.";
    if (checkbox(ui, "export/outer_keys", next_or_below(ui, form, y, line, 180, kCloser), "key labels on outer only",
                 outer, control)) {
      choice.paper.key_labels = outer ? std::optional(KeyLabels::outer) : std::nullopt;
    }
  }
  y -= ui.px(kCloser);
  line = labelled_row(ui, form, y, "");
  control.tooltip = "The request, the view and the sha256 of the weights, inside the file.";
  checkbox(ui, "export/recipe", line, "recipe: reopening the picture restores this view", choice.recipe, control);
}

}  // namespace

Rect labelled_row(Ui& ui, const Rect& form, float& y, std::string_view label, float height) {
  const Rect line{{form.min.x, y}, {form.max.x, y + ui.px(height)}};
  text_in(ui, {line.min, {line.min.x + ui.px(84), line.min.y + ui.px(size::control_height)}}, Type::words12,
          ui.colors.text2, label);
  y += ui.px(height) + ui.px(13);
  return {{line.min.x + ui.px(84), line.min.y}, line.max};
}

void start_picture_form(Ui& ui, ExportDialogState& state) {
  ViewSpec view;
  view.paper = state.choice.paper;
  state.width_text = find_view_option("width")->get(view);
  state.dpi_text = find_view_option("dpi")->get(view);
  state.font_text = find_view_option("font-size")->get(view);
  state.heads_text = state.choice.heads;
  state.typed_problem.clear();
  for (const Typed* typed : {&kWidth, &kDpi, &kFont, &kHeads}) {
    ui.state.edits.erase(std::string("export/") + typed->option);
  }
}

void draw_picture_form(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  if (state.choice.subject == ExportSubject::window) {
    draw_scale(ui, state, form, y);
    return;
  }
  draw_size(ui, state, form, y);
  draw_colors(ui, state, form, y);
  if (state.choice.subject == ExportSubject::heads) {
    Rect line = labelled_row(ui, form, y, "heads");
    typed_field(ui, state, kHeads, next(ui, line, 200));
  }
  draw_boxes(ui, state, form, y);
  take_typed(state);
}

}  // namespace headscope::ui
