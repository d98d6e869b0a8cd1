// The state of open dialogs; part of UiState, not saved.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/native_dialog.h"
#include "core/base/image.h"

namespace headscope::ui {

struct ExportDialogState {
  ExportChoice choice;
  bool resumes = false;      // true after a folder was chosen: the dialog keeps its choices
  bool name_is_ours = true;  // true: the file's name follows the choices; false: the user typed one
  // The forecast and the small picture of `previewed`; made anew when the choice or the trace changes.
  std::optional<ExportChoice> previewed;
  std::shared_ptr<const Trace> previewed_trace, previewed_against;
  ExportForecast forecast;
  Image preview;
  std::uint64_t preview_version = 0;
};

struct BrowserState {
  FolderListing listing;
  std::string typed;  // the path field
  int selected = -1;  // index in listing.entries; -1: none
  std::unique_ptr<NativeDialog> native;
};

struct PaletteState {
  std::string query;
  int selected = 0;
};

struct GoToState {
  // One of the two fields: an index or words, and the positions of these words.
  struct Side {
    std::string typed;
    std::optional<std::string> searched;  // the text of which `matches` are; nullopt: not searched yet
    std::vector<std::int64_t> matches;
    std::size_t at = 0;  // index of the chosen match
  };
  Side query, key;
};

struct DialogState {
  int shown = 0;  // the DialogKind drawn in the last frame: when it changes, the new dialog starts with fresh state
  ExportDialogState exporting;
  BrowserState browser;
  PaletteState palette;
  GoToState go_to;
};

}  // namespace headscope::ui
