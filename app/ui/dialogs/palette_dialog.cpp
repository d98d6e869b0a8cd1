// Ctrl+P: everything by name: commands, options and values, views, settings, files, stages, heads, tokens, cells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/palette_search.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLine = 28, kKind = 96, kFooter = 40;

void open_afresh(Ui& ui) {
  ui.state.dialogs.palette = PaletteState();
  ui.state.edits.erase("palette/query");
  ui.state.focus = "palette/query";
  ui.state.panels.get<ScrollOffsets>().down["palette/list"] = 0;
  list_palette(ui, ui.state.panels.get<PaletteSearch>());
}

// Lines by which the keys move the choice.
int step_of_keys(Ui& ui, int page) {
  int step = 0;
  if (ui.take_key(KeyName::down)) step += 1;
  if (ui.take_key(KeyName::up)) step -= 1;
  if (ui.take_key(KeyName::page_down)) step += page;
  if (ui.take_key(KeyName::page_up)) step -= page;
  return step;
}

// Label, then its key or value, and its kind. What cannot be done is dim, with the reason in place of the key.
void draw_hit(Ui& ui, const PaletteHit& hit, const Rect& line) {
  const bool refused = !hit.entry.refusal.empty();
  Rect rest{{line.min.x + ui.px(10), line.min.y}, {line.max.x - ui.px(10), line.max.y}};
  text_in(ui, take_right(rest, ui.px(kKind), ui.px(12)), Type::words11, ui.colors.text3, hit.kind->name, 1);
  const float label = std::min(std::ceil(text_width(ui, Type::words13, label_of(hit.entry))) + 1, rest.width());
  text_in(ui, take_left(rest, label, ui.px(16)), Type::words13, refused ? ui.colors.text3 : ui.colors.text,
          label_of(hit.entry));
  if (rest.width() < ui.px(24)) return;
  if (refused) {
    text_in(ui, rest, Type::words12, ui.colors.warn, hit.entry.refusal, 1);
  } else {
    text_in(ui, rest, Type::mono11, ui.colors.text2, hit.entry.right, 1);
  }
}

// The line of the choice stays in view when keys move it.
void keep_in_view(Ui& ui, const Rect& list, float line_height, int selected) {
  double& kept = ui.state.panels.get<ScrollOffsets>().down["palette/list"];
  const double top = static_cast<double>(line_height) * selected;
  kept = std::clamp(kept, std::max(0.0, top + static_cast<double>(line_height - list.height())), top);
}

// The visible lines; the index of the clicked one, else -1.
int draw_hits(Ui& ui, const std::vector<PaletteHit>& hits, const Rect& list, float line_height) {
  const int count = static_cast<int>(hits.size());
  const ScrollArea scroll = begin_scroll(ui, "palette/list", list, line_height * static_cast<float>(count));
  int clicked = -1;
  for (int i = 0; i < count; ++i) {
    const float y = list.min.y + line_height * static_cast<float>(i) - scroll.offset;
    if (y + line_height < list.min.y || y > list.max.y) continue;
    const Rect line{{list.min.x, y}, {list.max.x - ui.px(12), y + line_height}};
    const PaletteHit& hit = hits[static_cast<std::size_t>(i)];
    const Interaction it = interact(ui, "palette/" + hit.name, line, {}, false);
    if (i == ui.state.dialogs.palette.selected) {
      fill(line, ui.colors.tint, ui.px(size::radius_control));
    } else if (it.hovered) {
      fill(line, ui.colors.hover, ui.px(size::radius_control));
    }
    draw_hit(ui, hit, line);
    if (it.clicked) clicked = i;
  }
  end_scroll(ui);
  return clicked;
}

// Why the choice cannot be done, in full; else how many there are and what the keys do.
void draw_footer(Ui& ui, const PaletteSearch& search, const Rect& area) {
  const auto selected = static_cast<std::size_t>(ui.state.dialogs.palette.selected);
  const std::string refusal = selected < search.hits.size() ? search.hits[selected].entry.refusal : "";
  ui.mark("palette/footer", area);
  if (!refusal.empty()) {
    draw_icon(ui, Icon::warning, {area.min.x + ui.px(7), area.min.y + ui.px(10)}, ui.px(14), ui.colors.warn);
    paragraph(ui, {{area.min.x + ui.px(24), area.min.y + ui.px(2)}, area.max}, Type::words12, ui.colors.text, refusal);
    return;
  }
  std::string words = "Up and Down choose, Enter does it.";
  if (search.left_out > 0) words += fmt::format(" {} more: type more of the name.", search.left_out);
  text_in(ui, {area.min, {area.max.x, area.min.y + ui.px(20)}}, Type::words12, ui.colors.text3, words);
}

}  // namespace

void draw_palette_dialog(Ui& ui, const Rect& window) {
  PaletteState& state = ui.state.dialogs.palette;
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::palette)) open_afresh(ui);
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "palette", .title = "Find anything", .width = 680, .height = 540});
  if (ui.take_key(KeyName::p, true)) close_dialog(ui);
  if (ui.state.dialog == DialogKind::none) return;
  Rect area = inset(dialog.body, ui.px(14));
  const Rect footer{{area.min.x + ui.px(10), area.max.y - ui.px(kFooter - 8)}, {area.max.x, area.max.y + ui.px(8)}};
  area.max.y -= ui.px(kFooter);
  const Rect field{area.min, {area.max.x, area.min.y + ui.px(30)}};
  const Rect list{{area.min.x, field.max.y + ui.px(10)}, area.max};
  const float line_height = ui.px(kLine);

  const bool entered = ui.take_key(KeyName::enter);
  const int step = step_of_keys(ui, static_cast<int>(list.height() / line_height));
  const ControlState control{true, false, "Part of a name, or a value to set: Up and Down choose, Enter does it."};
  if (text_field(ui, "palette/query", field, state.query,
                 "a command, d_model 64, mask window 3, 4,3 (query,key), h3, 1.7, a token, a file", control)) {
    state.selected = 0;
    ui.state.panels.get<ScrollOffsets>().down["palette/list"] = 0;
  }
  PaletteSearch& search = ui.state.panels.get<PaletteSearch>();
  const std::vector<PaletteHit>& hits = palette_hits(ui, search, state.query);
  const int count = static_cast<int>(hits.size());
  state.selected = count == 0 ? 0 : std::clamp(state.selected + step, 0, count - 1);
  if (step != 0) keep_in_view(ui, list, line_height, state.selected);
  if (count == 0) {
    text_in(ui, {list.min, {list.max.x, list.min.y + line_height}}, Type::words12, ui.colors.text3,
            "Nothing has that in its name.");
  }
  const int clicked = draw_hits(ui, hits, list, line_height);
  if (clicked >= 0) state.selected = clicked;
  draw_footer(ui, search, footer);
  if (clicked < 0 && (!entered || count == 0)) return;
  const PaletteHit chosen = hits[static_cast<std::size_t>(state.selected)];
  if (!chosen.entry.refusal.empty()) return;
  ui.state.panels.forget<PaletteSearch>();
  close_dialog_for_choice(ui);
  chosen.kind->act(ui, chosen.entry);
}

}  // namespace headscope::ui
