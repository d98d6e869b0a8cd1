// Ctrl+P: commands by name, stages and heads to go to, tokens to pick.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/session/session.h"
#include "app/ui/command_list.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/examples.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/stage.h"

namespace headscope::ui {
namespace {

struct Hit {
  std::string label, right;
  std::function<void(Ui&)> act;
};

std::string lower(std::string_view words) {
  std::string result(words);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Every word of the query occurs in the label.
bool matches(const std::string& query, const std::string& label) {
  const std::string text = lower(label);
  std::size_t begin = 0;
  while (begin < query.size()) {
    const std::size_t end = std::min(query.find(' ', begin), query.size());
    if (end > begin && text.find(query.substr(begin, end - begin)) == std::string::npos) return false;
    begin = end + 1;
  }
  return true;
}

constexpr std::size_t kMostHits = 200;

std::vector<Hit> hits_of(Ui& ui, const std::string& typed) {
  const std::string query = lower(typed);
  std::vector<Hit> hits;
  const auto offer = [&](const std::string& label, const std::string& right, std::function<void(Ui&)> act) {
    if (hits.size() < kMostHits && matches(query, label)) hits.push_back({label, right, std::move(act)});
  };
  for (const CommandInfo& info : command_list()) {
    const CommandId id = info.id;
    if (id == CommandId::palette) continue;
    offer(info.title, info.shortcut, [id](Ui& u) { u.push(id); });
  }
  for (const Example& example : all_examples()) {
    const std::string id = example.id;
    offer("example " + example_text(language_of(ui), example, "title"), "",
          [id](Ui& u) { u.push(CommandId::open_example, id); });
  }
  const auto trace = ui.session.trace();
  if (trace == nullptr) return hits;
  for (const Stage& stage : trace->stages) {
    const StageId id = stage.id;
    offer(fmt::format("stage {}", stage_name(id)), to_string(stage.tensor.shape()),
          [id](Ui& u) { u.session.view.stage = id; });
  }
  for (std::int64_t head = 0; head < trace->num_heads(); ++head)
    offer(fmt::format("head {}", head), "", [head](Ui& u) { u.push(CommandId::select_head, std::to_string(head)); });
  const auto pick = [](std::int64_t row, std::int64_t column) {
    return [row, column](Ui& u) {
      Cell cell = u.session.view.cell.value_or(Cell{});
      if (row >= 0) cell.row = row;
      if (column >= 0) cell.column = column;
      u.session.view.cell = cell;
    };
  };
  const std::vector<std::string> queries = trace->query_labels(), keys = trace->key_labels();
  for (std::size_t i = 0; i < queries.size() && !query.empty(); ++i)
    offer("query " + queries[i], fmt::format("query {}", i), pick(static_cast<std::int64_t>(i), -1));
  for (std::size_t j = 0; j < keys.size() && !query.empty(); ++j)
    offer("key " + keys[j], fmt::format("key {}", j), pick(-1, static_cast<std::int64_t>(j)));
  return hits;
}

}  // namespace

void draw_palette_dialog(Ui& ui, const Rect& window) {
  PaletteState& state = ui.state.dialogs.palette;
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::palette)) {
    state = PaletteState();
    ui.state.edits.erase("palette/query");
    ui.state.focus = "palette/query";
    ui.state.panels.get<ScrollOffsets>().down["palette/list"] = 0;
  }
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "palette", .title = "Commands, stages, heads, tokens", .width = 560, .height = 460});
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(14));
  const bool entered = ui.take_key(KeyName::enter);
  int step = 0;
  if (ui.take_key(KeyName::down)) step = 1;
  if (ui.take_key(KeyName::up)) step = -1;
  ControlState control;
  control.tooltip = "Part of a name; Up and Down choose, Enter does it.";
  const Rect field{area.min, {area.max.x, area.min.y + ui.px(30)}};
  if (text_field(ui, "palette/query", field, state.query, "part of a name", control)) state.selected = 0;
  const std::vector<Hit> hits = hits_of(ui, state.query);
  const int count = static_cast<int>(hits.size());
  state.selected = count == 0 ? 0 : std::clamp(state.selected + step, 0, count - 1);
  const Rect list{{area.min.x, field.max.y + ui.px(10)}, area.max};
  const float line_height = ui.px(28);
  if (count == 0)
    text_in(ui, {list.min, {list.max.x, list.min.y + line_height}}, Type::words12, ui.colors.text3,
            "Nothing has that in its name.");
  // The selected line stays in view.
  double& kept = ui.state.panels.get<ScrollOffsets>().down["palette/list"];
  const double line_top = line_height * static_cast<float>(state.selected);
  if (step != 0) kept = std::clamp(kept, line_top + line_height - list.height(), line_top);
  const ScrollArea scroll = begin_scroll(ui, "palette/list", list, line_height * static_cast<float>(count));
  int chosen = entered && count > 0 ? state.selected : -1;
  for (int i = 0; i < count; ++i) {
    const float y = list.min.y + line_height * static_cast<float>(i) - scroll.offset;
    if (y + line_height < list.min.y || y > list.max.y) continue;
    const Rect line{{list.min.x, y}, {list.max.x - ui.px(12), y + line_height}};
    const Hit& hit = hits[static_cast<std::size_t>(i)];
    const Interaction it = interact(ui, "palette/" + hit.label, line, {}, false);
    if (i == state.selected)
      fill(line, ui.colors.tint, ui.px(size::radius_control));
    else if (it.hovered)
      fill(line, ui.colors.hover, ui.px(size::radius_control));
    text_in(ui, {{line.min.x + ui.px(10), line.min.y}, {line.max.x - ui.px(140), line.max.y}}, Type::words13,
            ui.colors.text, hit.label);
    text_in(ui, {{line.max.x - ui.px(160), line.min.y}, {line.max.x - ui.px(10), line.max.y}}, Type::mono11,
            ui.colors.text3, hit.right, 1);
    if (it.clicked) chosen = i;
  }
  end_scroll(ui);
  if (chosen < 0) return;
  close_dialog(ui);
  hits[static_cast<std::size_t>(chosen)].act(ui);
}

}  // namespace headscope::ui
