// The top line: menus from the one table of commands, the name of what is open, the way to the palette.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/command_list.h"
#include "app/ui/command_state.h"
#include "app/ui/document_title.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide_state.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr const char* kMenus[] = {"File", "Edit", "Model", "View", "Go", "Export", "Help"};
constexpr int kMenuCount = static_cast<int>(std::size(kMenus));

std::string list_name(int menu) {
  return std::string("menu/") + kMenus[menu];
}

// What was picked in the list of examples: one, or the dialog that says more of each.
void open_picked_example(Ui& ui) {
  const int picked = take_chosen(ui, "menu/File/Examples");
  const std::vector<Example>& examples = all_examples();
  if (picked < 0) return;
  if (static_cast<std::size_t>(picked) < examples.size()) {
    ui.push(CommandId::open_example, examples[static_cast<std::size_t>(picked)].id);
  } else {
    ui.push(CommandId::examples);
  }
}

// Titles of examples in the open menu, of which the atlas needs the letters.
struct MenuTitles {
  std::string letters;
  void add_text(std::string& all) const { all += letters; }
};

// What a line of an open menu does.
struct Entry {
  MenuLine line;
  Command command;
};

bool checked(const Ui& ui, CommandId id) {
  if (const MainViewInfo* info = main_view_of(id)) return shown_main_view(ui) == info->view;
  const OnScreen shown = shown_of(ui);
  switch (id) {
    case CommandId::toggle_key_phrase:
      return ui.session.draft.key_phrase.has_value() || ui.session.draft.second_phrase.has_value() ||
             ui.session.draft.decoder_phrase.has_value();
    case CommandId::toggle_pipeline:
      return shown.pipeline;
    case CommandId::toggle_concat:
      return shown.concat;
    case CommandId::toggle_inspector:
      return shown.inspector;
    case CommandId::toggle_request:
      return shown.request;
    case CommandId::start:
      return ui.settings.start_open;
    case CommandId::unfold_all:
      return !is_folded(panel_layout_of(ui.session.view));
    case CommandId::toggle_lesson:
      return ui.state.panels.get<LessonState>().open;
    default:
      return false;
  }
}

bool starts_group(CommandId id) {
  switch (id) {
    case CommandId::save_session:
    case CommandId::quit:
    case CommandId::copy_cell:
    case CommandId::focus_phrase:
    case CommandId::settings:
    case CommandId::next_problem:
    case CommandId::next_head:
    case CommandId::next_stage:
    case CommandId::toggle_request:
    case CommandId::one_layer:
    case CommandId::toggle_theme:
    case CommandId::toggle_lesson:
    case CommandId::report_problem:
      return true;
    default:
      return false;
  }
}

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Commands that people also look for in another menu, behind a command of it.
struct AlsoHere {
  const char* menu;
  CommandId after, id;
};
constexpr AlsoHere kAlsoHere[] = {{"File", CommandId::save_session, CommandId::toggle_lesson},
                                  {"File", CommandId::save_session, CommandId::play_lesson},
                                  {"Export", CommandId::lesson_pictures, CommandId::toggle_lesson}};

void add_also_here(const Ui& ui, int menu, CommandId after, std::vector<Entry>& entries) {
  for (const AlsoHere& also : kAlsoHere) {
    if (also.after != after || std::strcmp(also.menu, kMenus[menu]) != 0) continue;
    const auto& all = command_list();
    const auto info = std::find_if(all.begin(), all.end(), [&](const CommandInfo& one) { return one.id == also.id; });
    const bool can = command_refusal(ui, also.id).empty();
    entries.push_back({{info->title, info->shortcut, can, checked(ui, also.id), false}, {also.id, ""}});
  }
}

std::vector<Entry> entries_of(const Ui& ui, int menu) {
  std::vector<Entry> entries;
  for (const CommandInfo& info : command_list()) {
    if (std::strcmp(info.menu, kMenus[menu]) != 0) continue;
    if (info.id == CommandId::save_session) {
      bool first = true;
      for (const std::string& path : ui.settings.recent_files) {
        if (entries.size() > 10) break;
        entries.push_back({{file_name(path), "", true, false, first, true}, {CommandId::open_path, path}});
        first = false;
      }
    }
    entries.push_back(
        {{info.title, info.shortcut, command_refusal(ui, info.id).empty(), checked(ui, info.id), starts_group(info.id)},
         {info.id, ""}});
    if (info.id == CommandId::examples) {
      for (const Example& example : all_examples()) {
        entries.back().line.inner.push_back(example_text(language_of(ui), example, "title"));
      }
      entries.back().line.inner.emplace_back("What each shows...");
    }
    add_also_here(ui, menu, info.id, entries);
    // A dialog with a sentence on each, where one looks for help.
    if (info.id == CommandId::tour)
      entries.push_back({{"Examples...", "", true, false, false}, {CommandId::examples, ""}});
  }
  return entries;
}

void draw_logo(Ui& ui, ImVec2 at) {
  // Nine cells of a weight matrix.
  constexpr double shares[9] = {0.08, 0.25, 0.97, 0.33, 0.75, 0.15, 0.9, 0.25, 0.5};
  const float side = ui.px(5), pitch = ui.px(6);
  for (int i = 0; i < 9; ++i) {
    const ImVec2 p{at.x + static_cast<float>(i % 3) * pitch, at.y + static_cast<float>(i / 3) * pitch};
    fill({p, {p.x + side, p.y + side}}, color_at(ColorMap::viridis, shares[i]));
  }
}

void open_menu(Ui& ui, int menu) {
  ui.state.open_combo = list_name((menu + kMenuCount) % kMenuCount);
  ui.state.wants_frame = true;
}

// F10 and Left, Right: the menus by key.
void menu_keys(Ui& ui, int open) {
  const int layer = ui.layer;
  ui.layer = ui.state.top_layer;
  if (open >= 0) {
    const ListAside aside = list_aside(ui, list_name(open));
    if (!aside.right && ui.take_key(KeyName::right)) open_menu(ui, open + 1);
    if (!aside.left && ui.take_key(KeyName::left)) open_menu(ui, open - 1);
    if (ui.take_key(KeyName::f10)) ui.state.open_combo.clear();
  } else if (ui.state.top_layer == 0 && ui.take_key(KeyName::f10)) {
    open_menu(ui, 0);
  }
  // Alt and the first letter.
  for (int i = 0; i < kMenuCount && ui.state.top_layer == 0; ++i) {
    const KeyName letter = static_cast<KeyName>(static_cast<int>(KeyName::a) + (kMenus[i][0] - 'A'));
    if (ui.take_key(letter, false, false, true)) open_menu(ui, i);
  }
  ui.layer = layer;
}

void draw_command_box(Ui& ui, const Rect& area) {
  const float width = ui.px(std::clamp(254 + (area.width() / ui.scale - 1280) * 44 / 320, 220.0f, 298.0f));
  const Rect box{{area.max.x - ui.px(size::panel_padding) - width, area.min.y + ui.px(3)},
                 {area.max.x - ui.px(size::panel_padding), area.min.y + ui.px(27)}};
  const ControlState state{true, false, "Finds everything by name, and sets values: d_model 64 (Ctrl+P)."};
  const Interaction it = interact(ui, "menu/commands", box, state, false);
  const float radius = ui.px(size::radius_field);
  fill(box, ui.colors.well, radius);
  outline(ui, box, it.hovered ? ui.colors.edge : ui.colors.line, 1, radius);
  Rect inner{{box.min.x + ui.px(10), box.min.y}, {box.max.x - ui.px(9), box.max.y}};
  const Rect key = take_right(inner, std::ceil(text_width(ui, Type::mono11, "Ctrl+P")) + 1, ui.px(8));
  text_in(ui, key, Type::mono11, ui.colors.text2, "Ctrl+P", 1);
  text_in(ui, inner, Type::words12, ui.colors.text3, "Search commands, tokens, cells");
  if (it.clicked) ui.push(CommandId::palette);
}

}  // namespace

void draw_menu_bar(Ui& ui, const Rect& area) {
  const Palette& c = ui.colors;
  draw_logo(ui, {area.min.x + ui.px(12), area.min.y + ui.px(6)});
  const Rect line{area.min, {area.max.x, area.max.y - std::max(1.0f, ui.px(1))}};
  const float name_width = std::ceil(text_width(ui, Type::title13, "Headscope"));
  float x = area.min.x + ui.px(38);
  text_in(ui, {{x, area.min.y}, {x + name_width + 1, area.max.y}}, Type::title13, c.text, "Headscope");
  x += name_width + ui.px(1);
  int open = -1;
  for (int i = 0; i < kMenuCount; ++i) {
    if (ui.state.open_combo == list_name(i)) open = i;
  }
  menu_keys(ui, open);
  open_picked_example(ui);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int i = 0; i < kMenuCount; ++i) {
    const float width = std::round(text_width(ui, Type::words13, kMenus[i]) + ui.px(22));
    const Rect place{{x, line.min.y + ui.px(4)}, {x + width, line.max.y - ui.px(3)}};
    x = place.max.x;
    const Interaction it = interact_mouse(ui, list_name(i), place, {}, false);
    const bool is_open = ui.state.open_combo == list_name(i);
    if (it.clicked && open < 0) open_menu(ui, i);
    // With one menu open the mouse opens the others by passing over them.
    if (open >= 0 && open != i && place.contains(mouse) &&
        (ImGui::GetIO().MouseDelta.x != 0 || ImGui::GetIO().MouseDelta.y != 0)) {
      open_menu(ui, i);
    }
    if (is_open || it.hovered) fill(place, c.hover, ui.px(size::radius_control));
    text_in(ui, place, Type::words13, is_open || it.hovered ? c.text : c.text2, kMenus[i], 0.5f);
    const int picked = take_chosen(ui, list_name(i));
    const std::vector<Entry> entries = is_open || picked >= 0 ? entries_of(ui, i) : std::vector<Entry>();
    if (picked >= 0 && picked < static_cast<int>(entries.size())) {
      ui.commands.push_back(entries[static_cast<std::size_t>(picked)].command);
    }
    if (ui.state.open_combo == list_name(i)) {
      std::vector<MenuLine> lines;
      std::string& letters = ui.state.panels.get<MenuTitles>().letters;
      letters.clear();
      for (const Entry& entry : entries_of(ui, i)) {
        lines.push_back(entry.line);
        for (const std::string& inner : entry.line.inner) letters += inner;
      }
      show_menu(ui, list_name(i), place, std::move(lines), ui.px(250));
    }
  }
  const bool box = area.width() / ui.scale >= 1200;
  if (box) draw_command_box(ui, area);
  const std::string& title = ui.state.panels.get<DocumentState>().title;
  const float title_width = text_width(ui, Type::words12, given(title));
  const float right = area.max.x - (box ? ui.px(330) : ui.px(14));
  // In the middle; in a small window beside the menus.
  const float left = std::round(std::max(area.center().x - title_width / 2, x + ui.px(14)));
  if (left + title_width < right) {
    text_in(ui, {{left, line.min.y}, {left + title_width + 1, line.max.y}}, Type::words12, c.text2, given(title));
    ui.mark("title", {{left, line.min.y}, {left + title_width + 1, line.max.y}});
  }
}

}  // namespace headscope::ui
