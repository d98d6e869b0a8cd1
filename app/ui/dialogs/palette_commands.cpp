// The palette's commands, examples, pages of the guide and recent files.
#include <fmt/format.h>

#include <string>

#include "app/session/settings.h"
#include "app/ui/command_list.h"
#include "app/ui/command_state.h"
#include "app/ui/dialogs/palette_kinds.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide/guide_page.h"
#include "app/ui/guide/languages.h"
#include "app/ui/main_view.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// Those whose entry needs more than their name are of a kind of their own: heads.
bool is_listed(CommandId id) {
  return id != CommandId::palette && id != CommandId::select_head;
}

void list_commands(Ui& ui, std::vector<PaletteEntry>& entries) {
  for (const CommandInfo& info : command_list()) {
    if (!is_listed(info.id)) continue;
    const MainViewInfo* view = main_view_of(info.id);
    entries.push_back({.label = info.title,
                       .right = info.shortcut,
                       .other_words = std::string(info.help) + (view == nullptr ? "" : std::string(" ") + view->also),
                       .refusal = command_refusal(ui, info.id),
                       .number = static_cast<std::int64_t>(info.id)});
  }
}

void run_command(Ui& ui, const PaletteEntry& entry) {
  ui.push(static_cast<CommandId>(entry.number));
}

void list_examples(Ui& ui, std::vector<PaletteEntry>& entries) {
  const Language& language = language_of(ui);
  for (const Example& example : all_examples()) {
    entries.push_back({.label = fmt::format("{} {}", said(ui, "example"), example_text(language, example, "title")),
                       .other_words = example.id + " example tutorial",
                       .argument = example.id,
                       .is_given = true});
  }
}

void list_guide(Ui& ui, std::vector<PaletteEntry>& entries) {
  for (const GuidePage& page : guide_pages(language_of(ui).code)) {
    entries.push_back({.label = fmt::format("{} {}", said(ui, "guide"), page.title),
                       .other_words = page.id + " guide help manual",
                       .argument = page.id,
                       .is_given = true});
  }
}

void list_recent_files(Ui& ui, std::vector<PaletteEntry>& entries) {
  for (const std::string& path : ui.settings.recent_files) {
    const std::size_t slash = path.rfind('/');
    const bool split = slash != std::string::npos && slash + 1 < path.size();
    entries.push_back({.label = split ? path.substr(slash + 1) : path,
                       .right = split ? path.substr(0, slash) : "",
                       .other_words = "recent file " + path,
                       .argument = path,
                       .is_given = true});
  }
}

constexpr PaletteKind kKinds[] = {
    {"command", true, list_commands, nullptr, run_command},
    {"recent file", true, list_recent_files, nullptr,
     [](Ui& ui, const PaletteEntry& entry) { ui.push(CommandId::open_path, entry.argument); }},
    {"example", true, list_examples, nullptr,
     [](Ui& ui, const PaletteEntry& entry) { ui.push(CommandId::open_example, entry.argument); }},
    {"page of the guide", false, list_guide, nullptr,
     [](Ui& ui, const PaletteEntry& entry) { ui.push(CommandId::guide, entry.argument); }},
};

}  // namespace

std::span<const PaletteKind> palette_commands() {
  return kKinds;
}

}  // namespace headscope::ui
