// Opening a file, and choosing one for an option of the request: an in-app browser, with the desktop's own dialog
// beside it when there is one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/dialogs/capture_hint.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/open_purpose.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/file_choice.h"
#include "app/ui/sweep/sweep_panel.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/file_name.h"
#include "core/request/model_text.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

// What the choice is for: "" opens the file, else it is the option that gets the path ("mask", "weights", "input").
std::string purpose_of(const Ui& ui) {
  if (ui.state.dialog == DialogKind::open_file) return "";
  return ui.state.panels.get<FileChoice>().purpose;
}

void go_to_folder(Ui& ui, BrowserState& browser, const std::string& path) {
  browser.listing = list_folder(path, open_purpose(purpose_of(ui)).endings);
  browser.typed = short_path(browser.listing.path);
  if (browser.typed.back() != '/') browser.typed += '/';
  browser.selected = -1;
  ui.state.panels.get<ScrollOffsets>().down["open/list"] = 0;
  ui.state.edits.erase("open/path");
}

void start(Ui& ui, BrowserState& browser) {
  browser.native.reset();
  const std::string remembered = purpose_of(ui) == kExportFolder
                                     ? expanded_path(ui.state.panels.get<ExportDialogState>().choice.folder)
                                     : ui.settings.open_folder;
  go_to_folder(ui, browser, remembered.empty() ? home_folder() : remembered);
  ui.state.focus = "open/path";
}

void accept(Ui& ui, const std::string& path) {
  const std::string purpose = purpose_of(ui);
  remember_folder(ui.settings.open_folder, parent_folder(path));
  close_dialog(ui);
  if (purpose.empty() || purpose == kPhraseFile || purpose == kModelFolder || purpose == kImageFile) {
    ui.push(CommandId::open_path, path);
  } else if (purpose == kCorpusListPurpose) {
    ui.push(CommandId::corpus_list, path);
  } else if (purpose == kSweepListPurpose) {
    ui.push(CommandId::sweep_list, path);
  } else if (purpose == kTheirTensors) {
    compare_with_file(ui, path);
  } else if (purpose == kAdapterFolder) {
    ui.push(CommandId::set_option, purpose + "=" + adapters_with(ui.session.draft.model, path));
  } else {
    ui.push(CommandId::set_option, purpose + "=" + path);
  }
}

// Back to the export dialog as it was, with `folder` when one was chosen.
void return_to_export(Ui& ui, const std::string& folder) {
  if (!folder.empty()) ui.state.panels.get<ExportDialogState>().choice.folder = short_path(folder);
  ui.state.edits.erase("export/folder");
  ui.state.dialogs.browser.native.reset();
  ui.state.panels.get<ExportDialogState>().resumes = true;
  ui.state.dialog = DialogKind::export_dialog;
  ui.state.focus = "export/folder";
}

void accept_folder(Ui& ui, const std::string& path) {
  purpose_of(ui) == kExportFolder ? return_to_export(ui, path) : accept(ui, path);
}

// The typed path: a folder is entered, a file is taken, anything else is said.
void accept_typed(Ui& ui, BrowserState& browser) {
  std::string path = expanded_path(browser.typed);
  if (!path.empty() && path.front() != '/') path = browser.listing.path + "/" + path;
  std::error_code error;
  const OpenPurpose purpose = open_purpose(purpose_of(ui));
  const bool folders = purpose.folder;
  const auto fits = [&path](const std::string& ending) { return has_ending(path, ending); };
  const bool takes_file = !folders || std::any_of(purpose.endings.begin(), purpose.endings.end(), fits);
  if (fs::is_directory(path, error)) {
    const bool here = fs::equivalent(path, browser.listing.path, error);
    if (folders && here) return accept_folder(ui, browser.listing.path);
    go_to_folder(ui, browser, path);
  } else if (takes_file && fs::exists(path, error)) {
    accept(ui, path);
  } else {
    browser.listing.problem = short_path(path) + ": there is no such file or folder";
  }
}

void draw_places(Ui& ui, BrowserState& browser, const Rect& area) {
  float y = area.min.y + ui.px(10);
  const auto place = [&](const std::string& name, const std::string& label, const std::string& path, bool is_file) {
    const Rect line{{area.min.x + ui.px(10), y}, {area.max.x - ui.px(10), y + ui.px(26)}};
    if (line.max.y > area.max.y) return;
    ControlState state;
    state.tooltip = path.c_str();
    const Interaction it = interact(ui, name, line, state);
    if (it.hovered) fill(line, ui.colors.hover, ui.px(size::radius_control));
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
    draw_icon(ui, is_file ? Icon::file : Icon::folder, {line.min.x + ui.px(12), line.center().y}, ui.px(13),
              ui.colors.text2);
    text_in(ui, {{line.min.x + ui.px(26), line.min.y}, {line.max.x - ui.px(4), line.max.y}}, Type::words12,
            ui.colors.text, path.ends_with(label) ? given(label) : Words(label));
    y += ui.px(28);
    if (!it.clicked) return;
    if (is_file) {
      accept(ui, path);
    } else {
      go_to_folder(ui, browser, path);
    }
  };
  const auto heading = [&](const char* words) {
    text(ui, {area.min.x + ui.px(14), y + ui.px(6)}, Type::title12, ui.colors.text2, words);
    y += ui.px(28);
  };
  heading("Places");
  place("open/place/home", "Home", home_folder(), false);
  if (!ui.settings.export_folder.empty()) place("open/place/exports", "Exports", ui.settings.export_folder, false);
  place("open/place/root", "/", "/", false);
  if (purpose_of(ui).empty() && !ui.settings.recent_files.empty()) {
    y += ui.px(6);
    heading("Recent files");
    const std::vector<std::string> recent = ui.settings.recent_files;  // accept() may change the settings
    for (std::size_t i = 0; i < recent.size(); ++i)
      place(fmt::format("open/recent/{}", i), fs::path(recent[i]).filename().string(), recent[i], true);
  }
}

void draw_list(Ui& ui, BrowserState& browser, const Rect& area) {
  const float line_height = ui.px(26);
  const auto& entries = browser.listing.entries;
  fill(area, ui.colors.well, ui.px(size::radius_field));
  if (!browser.listing.problem.empty() || entries.empty()) {
    const bool refused = !browser.listing.problem.empty();
    paragraph(ui, inset(area, ui.px(14)), Type::words12, refused ? ui.colors.bad : ui.colors.text3,
              refused ? browser.listing.problem
                      : fmt::format("Nothing here that fits. {} other files are not shown.", browser.listing.left_out));
    if (entries.empty()) return;
  }
  const float top = browser.listing.problem.empty() ? 0 : ui.px(40);
  const Rect list{{area.min.x, area.min.y + top}, area.max};
  const ScrollArea scroll =
      begin_scroll(ui, "open/list", list, line_height * static_cast<float>(entries.size()) + ui.px(8));
  const auto first = static_cast<std::size_t>(std::max(0.0f, scroll.offset / line_height - 1));
  std::string entered;
  for (std::size_t i = first; i < entries.size(); ++i) {
    const float y = list.min.y + ui.px(4) + line_height * static_cast<float>(i) - scroll.offset;
    if (y > list.max.y) break;
    const Rect line{{list.min.x + ui.px(4), y}, {list.max.x - ui.px(14), y + line_height}};
    const Interaction it = interact(ui, "open/entry/" + entries[i].name, line, {}, false);
    if (browser.selected == static_cast<int>(i))
      fill(line, ui.colors.tint, ui.px(size::radius_control));
    else if (it.hovered)
      fill(line, ui.colors.hover, ui.px(size::radius_control));
    draw_icon(ui, entries[i].is_folder ? Icon::folder : Icon::file, {line.min.x + ui.px(14), line.center().y},
              ui.px(13), entries[i].is_folder ? ui.colors.accent : ui.colors.text2);
    text_in(ui, {{line.min.x + ui.px(30), line.min.y}, {line.max.x - ui.px(90), line.max.y}}, Type::words12,
            ui.colors.text, given(entries[i].name));
    if (!entries[i].is_folder)
      text_in(ui, {{line.max.x - ui.px(90), line.min.y}, {line.max.x - ui.px(8), line.max.y}}, Type::mono11,
              ui.colors.text3, bytes_text(entries[i].bytes), 1);
    if (it.clicked) {
      browser.selected = static_cast<int>(i);
      if (!entries[i].is_folder) {
        browser.typed = short_path(browser.listing.path + "/" + entries[i].name);
        ui.state.edits.erase("open/path");
      }
    }
    if (it.double_clicked || (it.clicked && entries[i].is_folder))
      entered = browser.listing.path + "/" + entries[i].name;
  }
  end_scroll(ui);
  if (entered.empty()) return;
  std::error_code error;
  if (fs::is_directory(entered, error))
    go_to_folder(ui, browser, entered);
  else
    accept(ui, entered);
}

// Up and Down walk the list while the path has the keyboard; Backspace on an empty path goes up.
void take_keys(Ui& ui, BrowserState& browser) {
  const int count = static_cast<int>(browser.listing.entries.size());
  int step = 0;
  if (ui.take_key(KeyName::down)) step = 1;
  if (ui.take_key(KeyName::up)) step = -1;
  if (step != 0 && count > 0) {
    browser.selected = std::clamp(browser.selected + step, 0, count - 1);
    const FolderEntry& entry = browser.listing.entries[static_cast<std::size_t>(browser.selected)];
    browser.typed = short_path(browser.listing.path + "/" + entry.name);
    ui.state.edits.erase("open/path");
  }
  if (ui.take_key(KeyName::up, false, false, true)) go_to_folder(ui, browser, parent_folder(browser.listing.path));
}

// It refers to `purpose`.
DialogLook look_of(const OpenPurpose& purpose) {
  const bool opens = purpose.name.empty();  // a capture too
  return {.name = "open",
          .title = purpose.title,
          .width = opens ? kCaptureHintWidth : 760,
          .height = opens ? 560 + kCaptureHintHeight : 560,
          .has_footer = true};
}

Rect take_bottom(Rect& rest, float height) {
  rest.max.y -= height;
  return {{rest.min.x, rest.max.y}, {rest.max.x, rest.max.y + height}};
}

}  // namespace

void draw_open_dialog(Ui& ui, const Rect& window) {
  BrowserState& browser = ui.state.dialogs.browser;
  if (ui.state.dialogs.shown != static_cast<int>(ui.state.dialog)) start(ui, browser);
  if (browser.native != nullptr) {
    ui.wake_in(0.1);
    if (const auto chosen = browser.native->poll()) {
      browser.native.reset();
      if (!chosen->empty() && purpose_of(ui) == kExportFolder) return return_to_export(ui, *chosen);
      if (!chosen->empty()) return accept(ui, *chosen);
    }
  }
  const std::string purpose = purpose_of(ui);
  const OpenPurpose about = open_purpose(purpose);
  const DialogFrame dialog = draw_dialog_frame(ui, window, look_of(about));
  if (ui.state.dialog == DialogKind::none) {
    if (purpose == kExportFolder) return_to_export(ui, "");
    return;
  }
  take_keys(ui, browser);
  Rect body = dialog.body;
  if (purpose.empty()) draw_capture_hint(ui, take_bottom(body, ui.px(kCaptureHintHeight)));
  draw_places(ui, browser, take_left(body, ui.px(190), 0));
  if (ui.state.dialog == DialogKind::none) return;
  vertical_line(ui, body.min.x, body.min.y, body.max.y, ui.colors.line);
  const Rect area = inset(body, ui.px(14));
  Rect path{area.min, {area.max.x, area.min.y + ui.px(28)}};
  const Rect up = take_right(path, ui.px(28), ui.px(6));
  ControlState state;
  state.tooltip = "The folder above (Alt+Up).";
  if (icon_button(ui, "open/up", up, Icon::chevron_left, state))
    go_to_folder(ui, browser, parent_folder(browser.listing.path));
  state.tooltip = "A path; ~ is your home. Enter opens it, Up and Down walk the list.";
  const bool had_focus = ui.state.focus == "open/path";
  const bool entered = had_focus && ui.take_key(KeyName::enter);
  if (text_field(ui, "open/path", path, browser.typed, "path", state)) browser.listing.problem.clear();
  const float words = paragraph_height(ui, Type::words11, about.explanation, area.width());
  const Rect below{{area.min.x, area.max.y - words}, area.max};
  draw_list(ui, browser, {{area.min.x, path.max.y + ui.px(10)}, {area.max.x, below.min.y - ui.px(6)}});
  if (ui.state.dialog == DialogKind::none) return;
  paragraph(ui, below, Type::words11, ui.colors.text2, about.explanation);

  Rect footer{{dialog.footer.min.x + ui.px(20), dialog.footer.center().y - ui.px(15)},
              {dialog.footer.max.x - ui.px(20), dialog.footer.center().y + ui.px(15)}};
  state.tooltip = "Open what the path names (Enter).";
  const bool pressed = button(ui, "open/primary", take_right(footer, ui.px(112), ui.px(12)),
                              purpose.empty() ? "Open" : "Choose", state, true);
  if (button(ui, "open/cancel", take_right(footer, ui.px(96), ui.px(12)), "Cancel")) {
    return purpose == kExportFolder ? return_to_export(ui, "") : close_dialog(ui);
  }
  if (ui.settings.native_dialogs != "never" && !native_dialog_program().empty()) {
    state.tooltip = "The desktop's own file dialog, in a window of its own.";
    state.enabled = browser.native == nullptr;
    if (button(ui, "open/native", take_left(footer, ui.px(150), 0), "System dialog...", state))
      browser.native =
          NativeDialog::start(about.folder ? NativeDialog::Kind::choose_folder : NativeDialog::Kind::open_file,
                              about.title, browser.listing.path);
  }
  if (pressed || entered) accept_typed(ui, browser);
}

}  // namespace headscope::ui
